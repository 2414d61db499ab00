import numpy as np
from opcase import case, check, ints, rand

OUTPUTS = ["Cost", "SampleLogits", "SampleLabels"]


def nce(name, labels, attrs, classes=6, batch=4, width=3, bias=True, **kw):
    inputs = {"Input": rand(batch, width), "Label": labels, "Weight": rand(classes, width)}
    if bias:
        inputs["Bias"] = rand(classes, 1)
    for slot in ("SampleWeight", "CustomDistProbs", "CustomDistAlias", "CustomDistAliasProbs"):
        if slot in kw:
            inputs[slot] = kw.pop(slot)
    attrs = dict(attrs, num_total_classes=classes)
    return case(name, "nce", inputs, attrs, outputs=OUTPUTS,
                grads=["Input", "Weight"] + (["Bias"] if bias else []),
                ignore_grad_of=["SampleLogits"], **kw)


ONE = np.array([[0], [1], [3], [5]], "int64")
TWO = np.array([[0, 1], [1, 2], [3, 3], [4, 0]], "int64")
NEGS = {"num_neg_samples": 3, "custom_neg_classes": [1, 2, 5]}
DIST = {"CustomDistProbs": np.array([.1, .2, .3, .1, .2, .1], "float32"),
        "CustomDistAlias": np.array([1, 2, -1, 2, 2, 4], "int32"),
        "CustomDistAliasProbs": np.array([.6, .8, 1, .6, .8, .6], "float32")}
CASES = [
    nce("uniform", ONE, NEGS),
    nce("no bias", ONE, NEGS, bias=False),
    nce("two true", TWO, NEGS),
    nce("weights of examples", ONE, NEGS, SampleWeight=rand(4, 1, low=0.1)),
    nce("log uniform", TWO, dict(NEGS, sampler=1)),
    nce("custom", ONE, dict(NEGS, sampler=2), **DIST),
    nce("sparse", ONE, dict(NEGS, is_sparse=True)),
    nce("sparse two true", TWO, dict(NEGS, is_sparse=True, sampler=1), bias=False),
    # Drawn by numbers of our own, so that there is nothing to compare but the gradients.
    nce("drawn", ONE, {"num_neg_samples": 4, "seed": 7}, golden=False),
    nce("drawn log uniform", TWO, {"num_neg_samples": 4, "seed": 7, "sampler": 1}, golden=False),
    nce("drawn custom", ONE, {"num_neg_samples": 4, "seed": 7, "sampler": 2}, golden=False, **DIST),
    nce("drawn sparse", ONE, {"num_neg_samples": 4, "seed": 7, "is_sparse": True}, golden=False),
    nce("flat labels", ONE[:, 0], NEGS, golden=False),
]
test = check(__file__, CASES)


def _forward(c):
    import paddle.fluid as fluid
    from opcase import forward
    return forward(fluid, c)


def _share(sampler, classes=6, **more):
    """How often each class is drawn, of 40,000."""
    attrs = {"num_neg_samples": 1000, "seed": 3, "sampler": sampler}
    drawn = _forward(nce("many", ints(40, 1, high=classes), attrs, classes=classes, batch=40,
                         **more)).values["SampleLabels0"][:, 1:]
    return np.bincount(drawn.ravel(), minlength=classes) / drawn.size


def test_classes_are_drawn_as_often_as_they_should():
    np.testing.assert_allclose(_share(0), np.full(6, 1 / 6), atol=0.01)
    c = np.arange(5.0)
    np.testing.assert_allclose(_share(1)[:5], np.log((c + 2) / (c + 1)) / np.log(6), atol=0.01)
    np.testing.assert_allclose(_share(2, **DIST), [.1, .2, .3, .1, .2, .1], atol=0.01)


def test_the_same_seed_draws_the_same_and_none_draws_others():
    same = nce("same", ONE, {"num_neg_samples": 20, "seed": 5})
    a, b = (_forward(same).values["SampleLabels0"] for _ in range(2))
    assert (a == b).all()
    assert (a[0] != a[1]).any()  # each example draws its own


def test_bad_labels_classes_and_shapes_are_refused():
    import paddle.fluid as fluid
    import pytest
    cases = [
        (nce("bad", ONE + 3, NEGS), "Label0 is 6 at element 2, and must be in 0 .. 5"),
        (nce("bad", ONE[:3], NEGS), r"Input is \[4, 3\], Label \[3, 1\]"),
        (nce("bad", ONE, dict(NEGS, custom_neg_classes=[1, 2])), "custom_neg_classes has 2"),
        (nce("bad", ONE, dict(NEGS, custom_neg_classes=[1, 2, 6])), "custom_neg_classes has 6"),
        (nce("bad", ONE, dict(NEGS, sampler=3)), "sampler is 3"),
        (nce("bad", ONE, dict(NEGS, sampler=2)), "needs CustomDistProbs"),
        (nce("bad", ONE, NEGS, SampleWeight=rand(3, 1)), "SampleWeight has 3 elements"),
    ]
    for c, message in cases:
        with pytest.raises((ValueError, fluid.core.EnforceNotMet), match=message):
            _forward(c)
