"""concat, split, stack, unstack, unbind."""
import numpy as np
from opcase import Lod, case, check, ints, rand, refused


def int32(*numbers):
    return np.array(numbers, "int32")


def two(x=None):
    return Lod(x if x is not None else rand(6, 2), [[2, 4]])


BOOLS, SQUARE = ints(2, 3, high=2).astype("bool"), rand(4, 4)
CASES = [
    case("rows", "concat", {"X": [rand(2, 3), rand(4, 3)]}, {"axis": 0}, grads=["X"]),
    case("columns", "concat", {"X": [rand(4, 2), rand(4, 3), rand(4, 1)]}, {"axis": 1},
         grads=["X"]),
    case("one", "concat", {"X": [rand(4, 2)]}, {"axis": 1}, grads=["X"]),
    case("middle", "concat", {"X": [rand(2, 1, 3), rand(2, 4, 3)]}, {"axis": 1}, grads=["X"]),
    case("last", "concat", {"X": [rand(2, 1, 3), rand(2, 1, 2)]}, {"axis": -1}, grads=["X"]),
    case("int64", "concat", {"X": [ints(2, 3), ints(4, 3)]}, {"axis": 0}),
    case("bool", "concat", {"X": [BOOLS, BOOLS]}, {"axis": 1},
         expect={"Out": np.concatenate([BOOLS, BOOLS], 1)}),
    case("many", "concat", {"X": [rand(7, 4) for _ in range(26)]}, {"axis": 1}, grads=["X"]),
    case("by tensor", "concat", {"X": [rand(2, 3), rand(2, 3)], "AxisTensor": int32(1)},
         {"axis": 0}, grads=["X"]),
    case("sequences side by side", "concat", {"X": [two(), two()]}, {"axis": 1}, grads=["X"]),
    case("sequences one after the other", "concat",
         {"X": [two(), Lod(rand(3, 2), [[1, 0, 2]])]}, {"axis": 0}, grads=["X"]),
    case("sequences of sequences", "concat",
         {"X": [Lod(rand(6, 2), [[1, 2], [2, 3, 1]]), Lod(rand(3, 2), [[2], [1, 2]])]},
         {"axis": 0}),
    case("nothing to join", "concat", {"X": [two(), np.zeros((0, 2), "float32")]}, {"axis": 0}),
    case("split", "split", {"X": rand(6, 4)}, {"axis": 0, "num": 3}, grads=["X"],
         counts={"Out": 3}),
    case("split columns", "split", {"X": rand(3, 4)}, {"axis": 1, "num": 2}, grads=["X"],
         counts={"Out": 2}),
    case("split sections", "split", {"X": rand(3, 6, 2)}, {"axis": 1, "sections": [1, 3, 2]},
         grads=["X"], counts={"Out": 3}),
    case("split rest", "split", {"X": rand(6, 2)}, {"axis": 0, "sections": [1, -1, 2]},
         grads=["X"], counts={"Out": 3}),
    # real Paddle frees memory twice
    case("split from the end", "split", {"X": SQUARE}, {"axis": -1, "num": 2}, grads=["X"],
         counts={"Out": 2}, expect={"Out": np.split(SQUARE, 2, -1)}),
    case("split int64", "split", {"X": ints(6, 4)}, {"axis": 0, "num": 3}, counts={"Out": 3}),
    case("split by tensor", "split", {"X": rand(3, 4), "AxisTensor": int32(1)}, {"num": 2},
         grads=["X"], counts={"Out": 2}),
    case("split by tensors", "split",
         {"X": rand(3, 4), "SectionsTensorList": [int32(1), int32(3)]},
         {"axis": 1, "sections": [-1, -1]}, grads=["X"], counts={"Out": 2}),
    case("split sequences", "split", {"X": two()}, {"axis": 1, "num": 2}, counts={"Out": 2}),
    case("split rows of sequences", "split", {"X": two()}, {"axis": 0, "num": 2},
         counts={"Out": 2}, no_lod=["Out"]),
    case("stack", "stack", {"X": [rand(3, 2), rand(3, 2)]}, {"axis": 0}, outputs=["Y"],
         grads=["X"]),
    case("stack inside", "stack", {"X": [rand(3, 2), rand(3, 2), rand(3, 2)]}, {"axis": 1},
         outputs=["Y"], grads=["X"]),
    case("stack last", "stack", {"X": [rand(3, 2), rand(3, 2)]}, {"axis": -1}, outputs=["Y"],
         grads=["X"]),
    case("stack int64", "stack", {"X": [ints(3), ints(3)]}, {"axis": 1}, outputs=["Y"]),
    case("unstack", "unstack", {"X": rand(3, 2)}, {"axis": 0, "num": 3}, outputs=["Y"],
         grads=["X"], counts={"Y": 3}),
    case("unstack inside", "unstack", {"X": rand(3, 4, 2)}, {"axis": 1, "num": 4}, outputs=["Y"],
         grads=["X"], counts={"Y": 4}),
    case("unstack last", "unstack", {"X": rand(3, 2)}, {"axis": -1, "num": 2}, outputs=["Y"],
         grads=["X"], counts={"Y": 2}),
    case("unbind", "unbind", {"X": rand(3, 2)}, {"axis": 1}, grads=["X"], counts={"Out": 2}),
]
test = check(__file__, CASES)

test_refused = refused(
    ("cannot be joined along axis 0", case("widths", "concat", {"X": [rand(2, 3), rand(2, 4)]})),
    ("cannot be joined", case("ranks", "concat", {"X": [rand(2, 3), rand(2, 3, 1)]}, {"axis": 1})),
    ("axis 2 of", case("axis", "concat", {"X": [rand(2, 3), rand(2, 3)]}, {"axis": 2})),
    ("of one type", case("types", "concat", {"X": [rand(2, 3), ints(2, 3)]})),
    ("LoD of 1 levels", case("levels", "concat",
                             {"X": [two(), Lod(rand(6, 2), [[1, 1], [2, 4]])]})),
    ("cannot be cut", case("num", "split", {"X": rand(5, 3)}, {"num": 2}, counts={"Out": 2})),
    ("sections of 4 in all", case("sum", "split", {"X": rand(5, 3)}, {"sections": [1, 3]},
                                  counts={"Out": 2})),
    ("3 sections for 2", case("count", "split", {"X": rand(5, 3)}, {"sections": [1, 3, 1]},
                              counts={"Out": 2})),
    ("one shape and type", case("stack", "stack", {"X": [rand(2, 3), rand(3, 3)]},
                                outputs=["Y"])),
    ("num is 2", case("unstack", "unstack", {"X": rand(5, 3)}, {"num": 2}, outputs=["Y"],
                      counts={"Y": 5})),
    ("X has 5 along axis 0", case("unstack few", "unstack", {"X": rand(5, 3)}, {"num": 2},
                                  outputs=["Y"], counts={"Y": 2})),
)
