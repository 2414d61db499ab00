"""cast, clip, clip_by_norm, shape, size, where, where_index, assign_value, fill."""
import numpy as np
from opcase import Lod, Rows, apart, case, check, ints, rand, refused

TYPES = {"bool": 0, "int16": 1, "int32": 2, "int64": 3, "float16": 4, "float32": 5, "float64": 6,
         "uint8": 20, "int8": 21}
NUMBERS = np.array([[-3.75, 0.0, 2.5], [1.5, -0.25, 100.0]])
HALVES = np.array([0.1, -2e-8, 6e-8, 3e-5, 65503.0, 65519.9, 65520.0, 1e9, -1.0, 2049.0, 2051.0],
                  "float32")


def cast(name, x, to, **kw):
    array = x.array if isinstance(x, Lod) else x
    return case(name, "cast", {"X": x}, {"in_dtype": TYPES[str(array.dtype)],
                                         "out_dtype": TYPES[to]}, **kw)


def int64(*numbers):
    return np.array(numbers, "int64")


CASES = []
for a in ("bool", "int32", "int64", "float32", "float64"):
    for b in ("bool", "int32", "int64", "float32", "float64"):
        CASES.append(cast("%s to %s" % (a, b), NUMBERS.astype(a), b))
CASES += [
    cast("to int16", NUMBERS.astype("float32"), "int16"),
    cast("to int8", NUMBERS.astype("int32"), "int8"),
    cast("to uint8", ints(3, 4, high=300), "uint8"),
    cast("from uint8", ints(3, 4, high=256, dtype="uint8"), "float32"),
    cast("to half", HALVES, "float16", expect={"Out": HALVES.astype("float16")}),
    cast("from half", HALVES.astype("float16"), "float32",
         expect={"Out": HALVES.astype("float16").astype("float32")}),
    cast("half to int", np.array([1.5, -2.25], "float16"), "int32",
         expect={"Out": np.array([1, -2], "int32")}),
    cast("many halves", np.arange(700, dtype="int32"), "float16",
         expect={"Out": np.arange(700).astype("float16")}),
    cast("sequences", Lod(rand(6, 2), [[2, 4]]), "int64"),
    # the numeric check gives X as float64, and the gradient goes back to float32
    cast("gradient", rand(3, 4), "float64", grads=["X"], numeric=False),
    case("clip", "clip", {"X": apart(4, 5)}, {"min": -0.5, "max": 0.4}, grads=["X"]),
    case("clip by tensors", "clip", {"X": apart(4, 5), "Min": np.array([-0.2], "float32"),
                                     "Max": np.array([0.6], "float32")},
         {"min": -1.0, "max": 1.0}, grads=["X"]),
    case("clip at the bounds", "clip", {"X": np.array([-1, 0, 1], "float32")},
         {"min": -1.0, "max": 1.0}, grads=["X"], numeric=False),
    case("clip sequences", "clip", {"X": Lod(rand(6, 2), [[2, 4]])}, {"min": -0.5, "max": 0.5}),
    case("clip sparse", "clip", {"X": Rows([3, 1, 3], 6, rand(3, 2))}, {"min": -0.5, "max": 0.5},
         sparse=["Out"]),
    case("clip int64", "clip", {"X": int64(1, 5, 9)}, {"min": 2.0, "max": 6.0},
         expect={"Out": int64(2, 5, 6)}),
    case("by norm", "clip_by_norm", {"X": rand(4, 5)}, {"max_norm": 0.5}),
    case("by norm short", "clip_by_norm", {"X": rand(4, 5)}, {"max_norm": 50.0}),
    case("by norm sparse", "clip_by_norm", {"X": Rows([3, 1, 3], 6, rand(3, 2))},
         {"max_norm": 0.5}, sparse=["Out"]),
    case("shape", "shape", {"Input": rand(4, 5, 1)}),
    case("size", "size", {"Input": rand(4, 5)}),
    case("where", "where", {"Condition": rand(3, 4) > 0, "X": rand(3, 4), "Y": rand(3, 4)},
         grads=["X", "Y"]),
    case("where int64", "where", {"Condition": rand(3, 4) > 0, "X": ints(3, 4), "Y": ints(3, 4)}),
    case("where_index", "where_index", {"Condition": rand(3, 4) > 0}),
    case("where_index none", "where_index", {"Condition": rand(3, 4) > 2}),
    case("where_index vector", "where_index", {"Condition": int64(0, 3, 0, -1)}),
    case("where_index floats", "where_index", {"Condition": np.array([[0, .5], [-1, 0]], "f")}),
    case("assign_value", "assign_value", {}, {"shape": [2, 2], "dtype": 5,
                                              "fp32_values": [1.0, 2.5, -3.0, 4.0]}),
    case("assign_value bool", "assign_value", {}, {"shape": [2], "dtype": 0,
                                                   "bool_values": [1, 0]}),
    case("assign_value int32", "assign_value", {}, {"shape": [2], "dtype": 2,
                                                    "int32_values": [7, -1]}),
    case("assign_value int64", "assign_value", {}, {"shape": [1, 2], "dtype": 3,
                                                    "int64_values": [1 << 40, -1]}),
    case("fill", "fill", {}, {"shape": [2, 1], "dtype": 3, "value": [1.0, -2.0]}),
    case("fill float", "fill", {}, {"shape": [2, 1], "dtype": 5, "value": [1.5, -2.0]}),
    case("fill_zeros_like2", "fill_zeros_like2", {"X": rand(2, 3)}, {"dtype": 3}),
]
test = check(__file__, CASES)

test_refused = refused(
    ("is not the number of a data type",
     case("type", "cast", {"X": rand(2)}, {"in_dtype": 5, "out_dtype": 77})),
    ("min is 3, and max is 2", case("bounds", "clip", {"X": rand(2)}, {"min": 3.0, "max": 2.0})),
    ("Min has 2 elements", case("two", "clip", {"X": rand(2), "Min": rand(2)},
                                {"min": 0.0, "max": 2.0})),
    ("attribute min is required", case("no min", "clip", {"X": rand(2)}, {"max": 2.0})),
    ("must have the same shape", case("where", "where", {"Condition": rand(3, 1) > 0,
                                                         "X": rand(3, 4), "Y": rand(3, 4)})),
    ("must be bool", case("where type", "where", {"Condition": rand(3), "X": rand(3),
                                                  "Y": rand(3)})),
    ("fp32_values has 3 numbers, and the shape asks for 4",
     case("count", "assign_value", {}, {"shape": [2, 2], "dtype": 5,
                                        "fp32_values": [1.0, 2.0, 3.0]})),
    ("must be bool, int32, int64 or float32",
     case("value type", "assign_value", {}, {"shape": [1], "dtype": 6, "fp32_values": [1.0]})),
)
