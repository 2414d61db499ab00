"""Ops that pick and turn the rows of sequences."""
import numpy as np

from opcase import case, check, forward, ints, rand, Lod


def i64(*rows):
    return np.array(rows, "int64")


IDS = i64([1], [2], [3], [2], [5])
CASES = [
    case("reverse", "sequence_reverse", {"X": Lod(rand(6, 2), [[1, 3, 2]])}, outputs=["Y"],
         grads=["X"]),
    case("reverse deep", "sequence_reverse", {"X": Lod(rand(4, 2, 3), [[1, 3]])}, outputs=["Y"],
         grads=["X"]),
    case("reverse empty", "sequence_reverse", {"X": Lod(rand(4, 2), [[1, 0, 3]])},
         outputs=["Y"], grads=["X"]),
    case("slice", "sequence_slice",
         {"X": Lod(rand(5, 2), [[2, 3]]), "Offset": i64([0], [1]), "Length": i64([1], [2])},
         grads=["X"]),
    case("slice nothing", "sequence_slice",
         {"X": Lod(rand(5, 2), [[2, 3]]), "Offset": i64([1], [1]), "Length": i64([1], [0])},
         grads=["X"], golden_grads=False),  # real Paddle refuses empty parts in the gradient
    case("slice deep", "sequence_slice",
         {"X": Lod(rand(5, 2, 2), [[2, 3]]), "Offset": i64([0], [2]), "Length": i64([2], [1])},
         grads=["X"]),
    case("slice ids", "sequence_slice",
         {"X": Lod(IDS, [[2, 3]]), "Offset": i64([0], [1]), "Length": i64([1], [1])}),
    case("wider", "sequence_reshape", {"X": Lod(rand(6, 2), [[2, 4]])}, {"new_dim": 4},
         grads=["X"]),
    case("narrower", "sequence_reshape", {"X": Lod(rand(6, 2), [[2, 4]])}, {"new_dim": 1},
         grads=["X"]),
    case("reshape empty", "sequence_reshape", {"X": Lod(rand(6, 2), [[2, 0, 4]])},
         {"new_dim": 4}, grads=["X"]),
    case("reshape ids", "sequence_reshape", {"X": Lod(ints(6, 2), [[2, 4]])}, {"new_dim": 4}),
    case("erase", "sequence_erase", {"X": Lod(IDS, [[2, 3]])}, {"tokens": [2, 5]}),
    case("erase int32", "sequence_erase", {"X": Lod(IDS.astype("int32"), [[2, 3]])},
         {"tokens": [1, 2]}),
    case("erase below", "sequence_erase", {"X": Lod(IDS, [[1, 1], [2, 3]])}, {"tokens": [2]}),
    case("erase nothing", "sequence_erase", {"X": Lod(IDS, [[2, 0, 3]])}, {"tokens": []}),
    case("erase all", "sequence_erase", {"X": Lod(i64([1], [2]), [[1, 1]])}, {"tokens": [1, 2]}),
    case("enumerate", "sequence_enumerate", {"X": Lod(IDS, [[2, 3]])},
         {"win_size": 2, "pad_value": 9}),
    case("enumerate int32", "sequence_enumerate", {"X": Lod(IDS.astype("int32"), [[2, 0, 3]])},
         {"win_size": 4, "pad_value": 0}),
    case("scatter", "sequence_scatter",
         {"X": rand(2, 4), "Ids": Lod(i64([0], [2], [0], [3], [3]), [[2, 3]]),
          "Updates": Lod(rand(5, 1), [[2, 3]])}, grads=["X", "Updates"]),
    case("scatter to the first rows", "sequence_scatter",
         {"X": rand(3, 4), "Ids": Lod(i64([0], [2], [0], [3], [3]), [[2, 3]]),
          "Updates": Lod(rand(5, 1), [[2, 3]])}, grads=["X", "Updates"]),
    case("scatter int64", "sequence_scatter",
         {"X": ints(2, 4), "Ids": Lod(i64([0], [2], [0]), [[1, 2]]),
          "Updates": Lod(ints(3, 1), [[1, 2]])}),
]
test = check(__file__, CASES)


def _fails(what, type, inputs, attrs=None, outputs=("Out",)):
    import paddle.fluid as fluid
    import pytest
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", type, inputs, attrs, outputs=outputs))


def test_parts_outside_a_sequence_are_refused():
    for offset, length in ((2, 2), (-1, 1), (0, 4), (1, -1), (2**62, 2**62)):
        _fails("of sequence 1, which has 3 rows", "sequence_slice",
               {"X": Lod(rand(5, 2), [[2, 3]]), "Offset": i64([0], [offset]),
                "Length": i64([1], [length])})
    _fails("X has 2 sequences", "sequence_slice",
           {"X": Lod(rand(5, 2), [[2, 3]]), "Offset": i64([0], [0], [0]),
            "Length": i64([1], [1], [1])})


def test_numbers_that_make_no_rows_are_refused():
    _fails("sequence 0 has 3 rows of 2, which do not make rows of 4", "sequence_reshape",
           {"X": Lod(rand(6, 2), [[3, 3]])}, {"new_dim": 4})
    _fails("new_dim is 0", "sequence_reshape", {"X": Lod(rand(6, 2), [[3, 3]])}, {"new_dim": 0})


def test_places_outside_a_row_are_refused():
    for bad in (4, -1):  # real Paddle writes there
        _fails("has %d at element 2, and X has 4 columns" % bad, "sequence_scatter",
               {"X": rand(2, 4), "Ids": Lod(i64([0], [2], [bad]), [[1, 2]]),
                "Updates": Lod(rand(3, 1), [[1, 2]])})
    _fails("Ids has 3 sequences, and X 2 rows", "sequence_scatter",
           {"X": rand(2, 4), "Ids": Lod(i64([0], [2], [1]), [[1, 1, 1]]),
            "Updates": Lod(rand(3, 1), [[1, 1, 1]])})
    _fails("Updates has the shape", "sequence_scatter",
           {"X": rand(2, 4), "Ids": Lod(i64([0], [2], [1]), [[1, 2]]),
            "Updates": Lod(rand(2, 1), [[1, 1]])})


def test_a_second_level_is_refused():
    two = Lod(rand(4, 2), [[1, 1], [1, 3]])
    _fails("LoD of 2 levels", "sequence_reverse", {"X": two}, outputs=["Y"])
    _fails("LoD of 2 levels", "sequence_reshape", {"X": two}, {"new_dim": 4})
    _fails("LoD of 2 levels", "sequence_enumerate", {"X": Lod(IDS, [[1, 1], [2, 3]])},
           {"win_size": 2})


def test_windows_of_one_are_refused():
    _fails("win_size is 1", "sequence_enumerate", {"X": Lod(IDS, [[2, 3]])}, {"win_size": 1})
