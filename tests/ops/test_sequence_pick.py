"""Ops of our own: parts of sequences, and the best steps of them."""
import numpy as np
import pytest

from opcase import case, check, forward, rand, Lod

X = rand(9, 3)
BOTH = ["Out", "Rows"]
ROWS = dict(compare=["Out"], ignore_grad_of=["Rows"], grads=["X"])
ONE = [[3, 1, 5]]
TWO = [[2, 0, 1], [3, 1, 5]]
STARTS = np.array([[0, 2], [0, -1], [1, 1]], "float32")
ENDS = np.array([[1, 2], [0, -1], [3, 1]], "float32")


def _rows(*spans):
    return np.concatenate([X[a:b] for a, b in spans])


CASES = [
    case("from and to", "sequence_pick", {"X": Lod(X, ONE), "Starts": STARTS, "Ends": ENDS},
         {"how": "spans"}, BOTH, **ROWS,
         expect={"Out": _rows((0, 2), (2, 3), (3, 4), (5, 8), (5, 6))}),
    case("from", "sequence_pick", {"X": Lod(X, ONE), "Starts": STARTS}, {"how": "spans"}, BOTH,
         **ROWS, expect={"Out": _rows((0, 3), (2, 3), (3, 4), (5, 9), (5, 9))}),
    case("to, nested", "sequence_pick", {"X": Lod(X, TWO), "Ends": ENDS}, {"how": "spans"}, BOTH,
         **ROWS, expect={"Out": _rows((0, 2), (0, 3), (3, 4), (4, 8), (4, 6))}),
    case("subsequences", "sequence_pick",
         {"X": Lod(X, TWO), "Selected": np.array([[1, 0], [-1, -1], [0, -1]], "int64")},
         {"how": "subsequences"}, BOTH, **ROWS,
         expect={"Out": _rows((3, 4), (0, 3), (4, 9))}),
    case("reverse", "sequence_pick", {"X": Lod(X, TWO)}, {"how": "reverse"}, BOTH, **ROWS,
         expect={"Out": _rows((3, 4), (0, 3), (4, 9))}),
    case("best", "sequence_top_k",
         {"X": Lod(np.array([[.1], [.3], [.2], [5], [1], [2], [2], [-1], [0]], "float32"), ONE)},
         {"k": 3}, expect={"Out": np.array([[1, 2, 0], [0, -1, -1], [1, 2, 0]], "float32")}),
    case("best of nested", "sequence_top_k",
         {"X": Lod(np.arange(9, dtype="float32")[:, None], TWO)}, {"k": 1},
         expect={"Out": np.array([[2], [0], [4]], "float32")}),
]
test = check(__file__, CASES)


def _found(c):
    import paddle.fluid as fluid
    return forward(fluid, c)


def test_what_the_sequences_become():
    lods = [_found(c).lods["Out0"] for c in CASES]
    assert lods == [[[2, 1, 1, 3, 1]], [[3, 1, 1, 4, 4]], [[3, 0, 2], [2, 3, 1, 4, 2]],
                    [[2, 0, 1], [1, 3, 5]], [[2, 0, 1], [1, 3, 5]], [], [[2, 0, 1]]]


@pytest.mark.parametrize("inputs, how, what", [
    ({"Starts": STARTS + 3}, "spans", "sequence 0 has 3 steps, and those from 3 to 2"),
    ({"Starts": STARTS[:2]}, "spans", "Starts has 2 rows, and must have 3"),
    ({"Starts": STARTS, "Ends": ENDS[:, :1]}, "spans", "2 and 1 columns"),
    ({"Selected": np.array([[2], [0], [0]], "int64")}, "subsequences",
     "has 2 sub-sequences, and number 2"),
    ({}, "spans", "neither Starts nor Ends"), ({}, "sort", "how is sort")])
def test_what_is_not_there_is_refused(inputs, how, what):
    import paddle.fluid as fluid
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        _found(case("bad", "sequence_pick", dict({"X": Lod(X, TWO)}, **inputs), {"how": how},
                    BOTH))
