from opcase import case, check, forward, ints, rand, Lod
import numpy as np

OUTPUTS = ["Alpha", "EmissionExps", "TransitionExps", "LogLikelihood"]
KEPT = OUTPUTS[:3]
LENGTHS = [[3, 1, 5]]

CASES = []
for tags in (1, 3, 8):
    for name, lengths in (("", [3, 1, 5]), (" empty", [4, 0, 5])):
        x = rand(9, tags, low=-2, high=2)
        label = Lod(ints(9, 1, high=tags), [lengths])
        w = rand(tags + 2, tags)
        CASES += [
            case("%d tags%s" % (tags, name), "linear_chain_crf",
                 {"Emission": Lod(x, [lengths]), "Transition": w, "Label": label},
                 outputs=OUTPUTS, grads=["Emission", "Transition"], ignore_grad_of=KEPT,
                 compare=["LogLikelihood"]),
            case("path of %d tags%s" % (tags, name), "crf_decoding",
                 {"Emission": Lod(x, [lengths]), "Transition": w}, outputs=["ViterbiPath"]),
            case("right of %d tags%s" % (tags, name), "crf_decoding",
                 {"Emission": Lod(x, [lengths]), "Transition": w, "Label": label},
                 outputs=["ViterbiPath"]),
        ]
CASES.append(case("many sequences", "linear_chain_crf",
                  {"Emission": Lod(rand(100, 2), [[1] * 100]), "Transition": rand(4, 2),
                   "Label": Lod(ints(100, 1, high=2), [[1] * 100])}, outputs=OUTPUTS,
                  grads=["Emission", "Transition"], ignore_grad_of=KEPT,
                  compare=["LogLikelihood"]))
X, LABEL, LENGTH = rand(3, 5, 4), ints(3, 5, high=4), np.array([[3], [1], [5]], "int64")
W = rand(6, 4)
CASES += [
    case("padded", "linear_chain_crf",
         {"Emission": X, "Transition": W, "Label": LABEL, "Length": LENGTH}, outputs=OUTPUTS,
         grads=["Emission", "Transition"], ignore_grad_of=KEPT, compare=["LogLikelihood"]),
    case("path of padded", "crf_decoding", {"Emission": X, "Transition": W, "Length": LENGTH},
         outputs=["ViterbiPath"]),
    case("right of padded", "crf_decoding",
         {"Emission": X, "Transition": W, "Label": LABEL, "Length": LENGTH},
         outputs=["ViterbiPath"]),
]
test = check(__file__, CASES)


def test_scores_far_apart_stay_finite():
    """Sums of exponentials that a float cannot hold."""
    import paddle.fluid as fluid
    x = np.array([[900, -900], [-900, 900], [900, 0]], "float32")
    found = forward(fluid, case("far", "linear_chain_crf",
                                {"Emission": Lod(x, [[3]]), "Transition": np.zeros((4, 2), "float32"),
                                 "Label": Lod(np.array([[0], [1], [1]]), [[3]])}, outputs=OUTPUTS))
    np.testing.assert_allclose(found.values["LogLikelihood0"], [[900]], rtol=1e-5)


def _fails(what, **inputs):
    import paddle.fluid as fluid
    import pytest
    given = dict({"Emission": Lod(rand(3, 2), [[1, 2]]), "Transition": rand(4, 2),
                  "Label": Lod(ints(3, 1, high=2), [[1, 2]])}, **inputs)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", "linear_chain_crf", given, outputs=OUTPUTS))


def test_what_does_not_fit_is_refused():
    _fails("Transition must have two rows more", Transition=rand(3, 2))
    _fails("Label0 is 2 at element 1, and must be in 0 .. 1",
           Label=Lod(np.array([[0], [2], [1]]), [[1, 2]]))
    _fails("Label", Label=Lod(ints(2, 1, high=2), [[1, 1]]))
    _fails("Length", Emission=rand(2, 3, 2), Length=np.array([[4], [1]], "int64"),
           Label=ints(2, 3, high=2))
