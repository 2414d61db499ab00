import numpy as np
from opcase import case, check, rand

OUTPUTS = ["Samples", "Probabilities", "LogitsDim", "LabelsDim", "SampledLogits", "SampledLabels"]


def sample(name, labels, attrs, classes=8, samples=None, probs=None, **kw):
    inputs = {"Logits": rand(len(labels), classes), "Labels": labels}
    inplace = {}
    if samples is not None:
        inputs.update(CustomizedSamples=samples, CustomizedProbabilities=probs)
        attrs = dict(attrs, use_customized_samples=True)
        inplace = {"Samples": "CustomizedSamples", "Probabilities": "CustomizedProbabilities"}
    return case(name, "sample_logits", inputs, attrs, outputs=OUTPUTS, grads=["Logits"],
                inplace=inplace, compare=["SampledLogits", "SampledLabels"], **kw)


ONE = np.array([[0], [1], [7]], "int64")
TWO = np.array([[0, 1], [1, 1], [7, 2]], "int64")
GIVEN = np.array([[0, 1, 2, 0], [1, 3, 4, 5], [7, 1, 2, 5]], "int64")
CHANCES = rand(3, 4, low=0.1)
CASES = [
    sample("given", ONE, {"num_samples": 3, "remove_accidental_hits": False}, samples=GIVEN,
           probs=CHANCES),
    sample("given without hits", ONE, {"num_samples": 3}, samples=GIVEN, probs=CHANCES,
           numeric=False),
    sample("drawn", ONE, {"num_samples": 4, "seed": 3, "remove_accidental_hits": False},
           golden=False),
    sample("drawn two true", TWO, {"num_samples": 4, "seed": 3, "remove_accidental_hits": False},
           golden=False),
]
test = check(__file__, CASES)


def _forward(c):
    import paddle.fluid as fluid
    from opcase import forward
    return forward(fluid, c).values


def test_drawn_classes_are_distinct_and_the_same_in_all_rows():
    out = _forward(sample("drawn", TWO, {"num_samples": 5, "seed": 3}))
    samples = out["Samples0"]
    assert (samples[:, :2] == TWO).all()
    assert (samples[:, 2:] == samples[0, 2:]).all() and len(set(samples[0, 2:])) == 5
    assert (out["SampledLabels0"] == [[0, 1]] * 3).all()


def test_logits_are_less_the_logarithm_of_the_chance_and_hits_impossible():
    c = sample("drawn", ONE, {"num_samples": 8, "seed": 3})
    out = _forward(c)
    samples, chances = out["Samples0"], out["Probabilities0"].astype("float64")
    assert sorted(samples[0, 1:]) == list(range(8))
    p = np.log((samples + 2.0) / (samples + 1)) / np.log(9)
    draws = np.log1p(-chances) / np.log1p(-p)  # the same number for all
    np.testing.assert_allclose(draws, np.round(draws[-1, 0]), rtol=1e-3)
    wanted = np.take_along_axis(c.inputs["Logits"], samples, 1) - np.log(chances)
    hits = np.concatenate([np.zeros((3, 1), bool), samples[:, 1:] == ONE], 1)
    got = out["SampledLogits0"]
    np.testing.assert_allclose(got[~hits], wanted[~hits], rtol=1e-4, atol=1e-5)
    assert (got[hits] < -9e19).all() and hits.sum() == 3


def test_bad_labels_and_samples_are_refused():
    import paddle.fluid as fluid
    import pytest
    cases = [
        (sample("bad", ONE + 1, {"num_samples": 3}), "Labels0 is 8 at element 2"),
        (sample("bad", ONE, {"num_samples": 9}), "num_samples is 9, and there are 8 classes"),
        (sample("bad", ONE, {"num_samples": 3}, samples=GIVEN + 1, probs=CHANCES),
         "sample 8 is 8, and must be in 0 .. 7"),
        (sample("bad", ONE, {"num_samples": 3}, samples=GIVEN[:, :3], probs=CHANCES),
         r"CustomizedSamples must be \[3, 4\]"),
    ]
    for c, message in cases:
        with pytest.raises((ValueError, fluid.core.EnforceNotMet), match=message):
            _forward(c)
    with pytest.raises(NotImplementedError, match="uniq=False"):
        _forward(sample("bad", ONE, {"num_samples": 3, "uniq": False}))
