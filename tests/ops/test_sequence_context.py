"""Ops of our own: the windows of sequence_conv alone, and rows in other sequences."""
import numpy as np

from opcase import case, check, forward, rand, Lod


def _contexts(x, lengths, start, length, padding=None):
    out, at = [], 0
    before = max(0, -start)
    zeros = np.zeros(x.shape[1], x.dtype)
    for n in lengths:
        for t in range(n):
            for p in range(t + start, t + start + length):
                if 0 <= p < n:
                    out.append(x[at + p])
                elif padding is None:
                    out.append(zeros)
                else:
                    out.append(padding[before + p if p < 0 else before + p - n])
        at += n
    return np.array(out).reshape(len(x), length * x.shape[1])


CASES = []
for start, length in ((-1, 3), (0, 3), (-2, 2), (1, 2), (0, 1)):
    attrs = {"contextStart": start, "contextLength": length}
    x, lengths = rand(9, 4), [3, 1, 0, 5]
    CASES.append(case("%d from %d" % (length, start), "sequence_context",
                      {"X": Lod(x, [lengths])}, attrs, grads=["X"],
                      expect={"Out": _contexts(x, lengths, start, length)}))
    around = max(0, -start) + max(0, start + length - 1)
    if around:
        padding = rand(around, 4)
        CASES.append(case("%d from %d padded" % (length, start), "sequence_context",
                          {"X": Lod(x, [lengths]), "PaddingData": padding},
                          dict(attrs, paddingTrainable=True), grads=["X", "PaddingData"],
                          expect={"Out": _contexts(x, lengths, start, length, padding)}))

NESTED = rand(8, 2)
for how in ("merge", "inner"):
    CASES.append(case(how, "sequence_regroup", {"X": Lod(NESTED, [[2, 1, 0], [3, 1, 4]])},
                      {"how": how}, grads=["X"], expect={"Out": NESTED}))
CASES.append(case("windows", "sequence_regroup", {"X": Lod(NESTED, [[5, 0, 3]])},
                  {"how": "windows", "stride": 2}, grads=["X"], expect={"Out": NESTED}))
test = check(__file__, CASES)


def _lengths(lengths, **attrs):
    import paddle.fluid as fluid
    found = forward(fluid, case("lod", "sequence_regroup", {"X": Lod(NESTED, lengths)}, attrs))
    return found.lods["Out0"]


def test_what_the_sequences_become():
    assert _lengths([[2, 1, 0], [3, 1, 4]], how="merge") == [[4, 4, 0]]
    assert _lengths([[2, 1], [3, 1, 4]], how="inner") == [[3, 1, 4]]
    assert _lengths([[5, 0, 3]], how="windows", stride=2) == [[3, 0, 2], [2, 2, 1, 2, 1]]
    assert _lengths([[5, 0, 3]], how="windows", stride=2, from_end=True) == \
        [[3, 0, 2], [1, 2, 2, 1, 2]]


def test_what_cannot_be_regrouped_is_refused():
    import paddle.fluid as fluid
    import pytest
    for lengths, attrs, what in (([[8]], {"how": "merge"}, "LoD of 1 levels"),
                                 ([[1], [8]], {"how": "windows", "stride": 2}, "LoD of 2 levels"),
                                 ([[8]], {"how": "windows"}, "stride is 0"),
                                 ([[8]], {"how": "sort"}, "how is sort")):
        with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
            _lengths(lengths, **attrs)
