"""expand, expand_as."""
import numpy as np
from opcase import Lod, case, check, ints, rand, refused


def int32(*numbers):
    return np.array(numbers, "int32")


CASES = [
    case("rows", "expand", {"X": rand(2, 3)}, {"expand_times": [3, 1]}, grads=["X"]),
    case("columns", "expand", {"X": rand(2, 3)}, {"expand_times": [1, 2]}, grads=["X"]),
    case("of one", "expand", {"X": rand(4, 1)}, {"expand_times": [1, 5]}, grads=["X"]),
    case("all", "expand", {"X": rand(2, 3, 2)}, {"expand_times": [2, 3, 2]}, grads=["X"]),
    case("none", "expand", {"X": rand(2, 3)}, {"expand_times": [1, 1]}, grads=["X"]),
    case("vector", "expand", {"X": rand(3)}, {"expand_times": [4]}, grads=["X"]),
    case("int64", "expand", {"X": ints(2, 3)}, {"expand_times": [2, 2]}),
    case("bool", "expand", {"X": ints(2, 3, high=2).astype("bool")}, {"expand_times": [2, 2]}),
    case("by tensor", "expand", {"X": rand(2, 3), "ExpandTimes": int32(2, 3)}, {}, grads=["X"]),
    case("by tensors", "expand", {"X": rand(2, 3), "expand_times_tensor": [int32(2), int32(3)]},
         {"expand_times": [-1, -1]}, grads=["X"]),
    case("sequences", "expand", {"X": Lod(rand(6, 2), [[2, 4]])}, {"expand_times": [1, 2]}),
    case("rows of sequences", "expand", {"X": Lod(rand(6, 2), [[2, 4]])},
         {"expand_times": [2, 1]}, no_lod=["Out"]),
    case("as", "expand_as", {"X": rand(2, 3), "target_tensor": rand(4, 9)}, grads=["X"]),
    case("as one", "expand_as", {"X": rand(2, 1, 3), "target_tensor": rand(2, 4, 3)}, grads=["X"]),
    case("as int64", "expand_as", {"X": ints(2, 1), "target_tensor": ints(2, 4)}),
]
test = check(__file__, CASES)

test_refused = refused(
    ("has 1 numbers, and X has 2", case("few", "expand", {"X": rand(2, 3)}, {"expand_times": [2]})),
    ("has 0 for dimension 1", case("zero", "expand", {"X": rand(2, 3)}, {"expand_times": [2, 0]})),
    ("does not go into", case("as", "expand_as", {"X": rand(2, 3), "target_tensor": rand(3, 3)})),
)
