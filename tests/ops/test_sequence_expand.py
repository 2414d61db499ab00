from opcase import case, check, forward, ints, rand, Lod

Y1 = Lod(rand(5, 1), [[2, 0, 3]])
Y2 = Lod(rand(5, 1), [[2, 1], [2, 0, 3]])
CASES = [
    case("rows", "sequence_expand", {"X": rand(3, 4), "Y": Y1}, grads=["X"]),
    case("deep rows", "sequence_expand", {"X": rand(3, 2, 4), "Y": Y1}, grads=["X"]),
    case("sequences", "sequence_expand", {"X": Lod(rand(6, 2), [[1, 3, 2]]), "Y": Y1},
         grads=["X"]),
    case("empty sequence", "sequence_expand", {"X": Lod(rand(3, 2), [[0, 1, 2]]), "Y": Y1},
         grads=["X"]),
    case("first level", "sequence_expand", {"X": Lod(rand(4, 2), [[1, 3]]), "Y": Y2},
         {"ref_level": 0}, grads=["X"]),
    case("rows, first level", "sequence_expand", {"X": rand(2, 2), "Y": Y2}, {"ref_level": 0},
         grads=["X"]),
    case("last level", "sequence_expand", {"X": Lod(rand(4, 2), [[1, 2, 1]]), "Y": Y2},
         {"ref_level": 1}, grads=["X"]),
    case("the last is usual", "sequence_expand", {"X": Lod(rand(4, 2), [[1, 2, 1]]), "Y": Y2},
         grads=["X"]),
    case("int64", "sequence_expand", {"X": ints(3, 1), "Y": Y1}),
    case("int32", "sequence_expand", {"X": ints(3, 1, dtype="int32"), "Y": Y1}),
    case("as", "sequence_expand_as", {"X": rand(3, 4), "Y": Y1}, grads=["X"]),
    case("as, deep", "sequence_expand_as", {"X": rand(2, 3, 4), "Y": Lod(rand(5, 1), [[2, 3]])},
         grads=["X"]),
    case("as, its own LoD does not count", "sequence_expand_as",
         {"X": Lod(rand(3, 4), [[1, 2]]), "Y": Y1}, grads=["X"]),
    case("as, int64", "sequence_expand_as", {"X": ints(3, 2), "Y": Y1}),
]
test = check(__file__, CASES)


def _fails(what, type, inputs, attrs=None):
    import paddle.fluid as fluid
    import pytest
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", type, inputs, attrs))


def test_other_numbers_of_parts_are_refused():
    _fails("X has 4 rows, and Y has 3 sequences", "sequence_expand", {"X": rand(4, 1), "Y": Y1})
    _fails("X has 2 sequences, and Y has 3 sequences", "sequence_expand",
           {"X": Lod(rand(4, 1), [[2, 2]]), "Y": Y1})
    _fails("X has 4 rows, and Y has 3 sequences", "sequence_expand_as",
           {"X": rand(4, 1), "Y": Y1})


def test_a_level_that_is_not_there_is_refused():
    _fails("ref_level is 1, and Y has 1 levels", "sequence_expand", {"X": rand(3, 1), "Y": Y1},
           {"ref_level": 1})
    _fails("ref_level is -2", "sequence_expand", {"X": rand(3, 1), "Y": Y1}, {"ref_level": -2})
    _fails("Y has no LoD", "sequence_expand", {"X": rand(3, 1), "Y": rand(3, 1)})


def test_more_levels_than_one_are_refused():
    _fails("X has a LoD of 2 levels", "sequence_expand",
           {"X": Lod(rand(4, 1), [[1, 1], [1, 3]]), "Y": Y2}, {"ref_level": 0})
    _fails("Y has a LoD of 2 levels", "sequence_expand_as", {"X": rand(3, 1), "Y": Y2})
