"""warpctc."""
import itertools

import numpy as np
from opcase import case, check, forward, rand, Lod


def ctc(name, logits, label, lengths=(), attrs=None, **kw):
    inputs = {"Logits": logits, "Label": label}
    inputs.update(zip(("LogitsLength", "LabelLength"), lengths))
    return case(name, "warpctc", inputs, attrs, outputs=["WarpCTCGrad", "Loss"], compare=["Loss"],
                grads=["Logits"], ignore_grad_of=["WarpCTCGrad"], **kw)


def labels(lengths, *values):
    return Lod(np.array(values, "int32").reshape(-1, 1), [lengths])


def lengths(*values):
    return np.array(values, "int64")


PADDED = np.array([[1, 2, 2], [3, 9, 9]], "int32")  # what is behind the end is not looked at
CASES = [
    ctc("sequences", Lod(rand(8, 4), [[5, 3]]), labels([2, 1], 1, 2, 3)),
    ctc("equal labels", Lod(rand(8, 4), [[5, 3]]), labels([3, 2], 1, 1, 2, 3, 3)),
    ctc("another blank", Lod(rand(8, 4), [[5, 3]]), labels([2, 1], 1, 2, 0), attrs={"blank": 3}),
    ctc("no label", Lod(rand(8, 4), [[5, 3]]), labels([2, 0], 1, 2)),
    ctc("no step", Lod(rand(8, 4), [[8, 0]]), labels([2, 1], 1, 2, 1)),
    ctc("too few steps", Lod(rand(8, 4), [[2, 6]]), labels([2, 1], 1, 1, 3)),
    # Its gradient is another number than that of its loss.
    ctc("by the steps", Lod(rand(8, 4), [[5, 3]]), labels([2, 1], 1, 2, 3),
        attrs={"norm_by_times": True}, numeric=False),
    ctc("long", Lod(rand(60, 9, low=-4, high=4), [[40, 20]]),
        labels([6, 4], 1, 2, 3, 3, 3, 8, 7, 6, 5, 4)),
    ctc("padded", rand(5, 2, 4), PADDED, (lengths(5, 3), lengths(3, 1))),
    ctc("padded, by the steps", rand(5, 2, 4), PADDED, (lengths(5, 3), lengths(2, 1)),
        {"norm_by_times": True}, numeric=False),
    ctc("int64 labels", Lod(rand(8, 4), [[5, 3]]),
        Lod(np.array([[1], [2], [3]], "int64"), [[2, 1]]), golden=False),
]
test = check(__file__, CASES)


def _forward(c):
    import paddle.fluid as fluid
    return forward(fluid, c)


def test_it_is_the_sum_over_all_ways():
    logits, label = rand(4, 3, dtype="float64"), (1, 1)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    total = 0
    for way in itertools.product(range(3), repeat=4):
        said = tuple(symbol for symbol, _ in itertools.groupby(way) if symbol != 0)
        total += np.prod(chances[range(4), way]) if said == label else 0
    got = _forward(ctc("ways", Lod(logits, [[4]]), labels([2], *label))).values["Loss0"]
    np.testing.assert_allclose(got, [[-np.log(total)]], rtol=1e-12)


def test_what_is_no_number_shows():
    logits = rand(8, 4)
    logits[1, 3] = np.nan
    got = _forward(ctc("nan", Lod(logits, [[5, 3]]), labels([2, 1], 1, 2, 3))).values["Loss0"]
    assert np.isnan(got[0]) and not np.isnan(got[1])


def test_bad_labels_and_lengths_are_refused():
    import paddle.fluid as fluid
    import pytest
    x, y = Lod(rand(8, 4), [[5, 3]]), labels([2, 1], 1, 2, 3)
    cases = [
        (ctc("bad", x, labels([2, 1], 1, 2, 4)), "Label0 is 4 at element 2"),
        (ctc("bad", x, labels([2, 1], 1, -1, 3)), "Label0 is -1 at element 1"),
        (ctc("bad", x, labels([3], 1, 2, 3)), "Logits has 2 sequences, and Label 1"),
        (ctc("bad", x, y, attrs={"blank": 4}), "blank is 4, and must be in 0 .. 3"),
        (ctc("bad", rand(5, 2, 4), PADDED, (lengths(5, 6), lengths(3, 1))), "LogitsLength0 is 6"),
        (ctc("bad", rand(5, 2, 4), PADDED, (lengths(5, 3), lengths(4, 1))), "LabelLength0 is 4"),
        (ctc("bad", rand(5, 2, 4), PADDED, (lengths(5, 3),)), "both or not at all"),
        (ctc("bad", rand(5, 2, 4), PADDED[:1], (lengths(5, 3), lengths(3, 1))), "and Label 1"),
    ]
    for c, message in cases:
        with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=message):
            _forward(c)
