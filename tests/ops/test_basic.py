"""mean, sum, scale, sgd, fill_*, compare, logical_*, increment."""
import numpy as np
from opcase import case, check, ints, rand, refused, Lod, Rows

rate = np.array([0.1], "float32")
# Floats that differ by less than 1e-8 are equal in Fluid.
ODD = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-9, 2e-8, 1], "float32")

CASES = [
    case("mean", "mean", {"X": rand(3, 4)}, grads=["X"]),
    case("sum two", "sum", {"X": [rand(3, 4), rand(3, 4)]}, grads=["X"]),
    case("sum four", "sum", {"X": [rand(3, 4), rand(3, 4), rand(3, 4), rand(3, 4)]}, grads=["X"]),
    case("sum one", "sum", {"X": [rand(3, 4)]}, grads=["X"]),
    case("sum int64", "sum", {"X": [ints(3, 4), ints(3, 4)]}),
    case("sum sparse", "sum", {"X": [Rows([1, 3], 6, rand(2, 3)), Rows([3], 6, rand(1, 3))]},
         golden=False),
    case("sum mixed", "sum", {"X": [rand(6, 3), Rows([3, 3], 6, rand(2, 3))]}),
    case("scale", "scale", {"X": rand(3, 4)}, {"scale": 2.0, "bias": 0.5}, grads=["X"]),
    case("scale after", "scale", {"X": rand(3, 4)},
         {"scale": 2.0, "bias": 0.5, "bias_after_scale": False}, grads=["X"]),
    case("scale by tensor", "scale", {"X": rand(3, 4), "ScaleTensor": rand(1)}, {"bias": 0.5},
         grads=["X"]),
    case("scale int64", "scale", {"X": ints(3, 4)}, {"scale": 3.0, "bias": 1.0}),
    case("scale sparse", "scale", {"X": Rows([1, 3], 6, rand(2, 3))}, {"scale": 3.0},
         inplace={"Out": "X"}),
    case("sgd", "sgd", {"Param": rand(3, 4), "LearningRate": rate, "Grad": rand(3, 4)},
         outputs=["ParamOut"], inplace={"ParamOut": "Param"}),
    case("sgd sparse", "sgd", {"Param": rand(6, 3), "LearningRate": rate,
                               "Grad": Rows([4, 1, 4], 6, rand(3, 3))},
         outputs=["ParamOut"], inplace={"ParamOut": "Param"}),
    case("fill_constant", "fill_constant", {}, {"shape": [2, 3], "value": 1.5, "dtype": 5}),
    case("fill_constant int64", "fill_constant", {}, {"shape": [2, 3], "value": 7.0, "dtype": 3}),
    case("fill_constant bool", "fill_constant", {}, {"shape": [2], "value": 1.0, "dtype": 0}),
    case("fill_constant shape", "fill_constant", {"ShapeTensor": np.array([2, 4], "int32")},
         {"value": 2.0, "dtype": 5}),
    case("fill_zeros_like", "fill_zeros_like", {"X": rand(2, 3)}),
    case("fill_any_like", "fill_any_like", {"X": rand(2, 3)}, {"value": 3.0}),
    case("fill batch", "fill_constant_batch_size_like", {"Input": rand(5, 3)},
         {"shape": [-1, 2], "value": 3.0, "dtype": 5}),
    case("fill batch dim", "fill_constant_batch_size_like", {"Input": rand(5, 3)},
         {"shape": [2, -1], "value": 3.0, "dtype": 5, "input_dim_idx": 1, "output_dim_idx": 1}),
    case("fill batch of sequences", "fill_constant_batch_size_like",
         {"Input": Lod(rand(5, 3), [[2, 3]])}, {"shape": [-1, 2], "value": 3.0, "dtype": 5}),
    case("increment", "increment", {"X": rand(1)}, {"step": 2.5}),
    case("increment int64", "increment", {"X": ints(1)}, {"step": 2.0}),
    case("logical_not", "logical_not", {"X": ints(3, 4, high=2).astype("bool")}),
]
for op in ("less_than", "less_equal", "greater_than", "greater_equal", "equal", "not_equal"):
    CASES += [
        case(op, op, {"X": ints(3, 4, high=3), "Y": ints(3, 4, high=3)}),
        case(op + " float", op, {"X": rand(3, 4), "Y": rand(3, 4)}),
        case(op + " row", op, {"X": ints(3, 4, high=3), "Y": ints(4, high=3)}),
        case(op + " odd", op, {"X": ODD, "Y": ODD[::-1].copy()}),
        case(op + " odd itself", op, {"X": ODD, "Y": ODD.copy()}),
        case(op + " odd, 0", op, {"X": ODD, "Y": np.zeros(8, "float32")}),
    ]
for op in ("logical_and", "logical_or", "logical_xor"):
    CASES.append(case(op, op, {"X": ints(3, 4, high=2).astype("bool"),
                               "Y": ints(3, 4, high=2).astype("bool")}))
# Out's LoD is that of the first X alone
CASES += [
    case("sum sequences", "sum", {"X": [Lod(rand(3, 2), [[1, 2]]), rand(3, 2),
                                        Lod(rand(3, 2), [[2, 1]])]}),
    case("sum sequences second", "sum", {"X": [rand(3, 2), Lod(rand(3, 2), [[2, 1]])]},
         no_lod=["Out"]),
    case("sum without rows", "sum", {"X": [np.zeros((0, 3), "float32"), rand(2, 3),
                                           np.zeros((0, 4), "float32"), rand(2, 3)]},
         grads=["X"], numeric=False),
]
test = check(__file__, CASES)


test_a_number_that_the_type_does_not_hold_is_refused = refused(*[
    ("value is", case("%s %s" % (dtype, value), "fill_any_like", {"X": np.zeros(2, dtype)},
                      {"value": value}))
    for dtype, values in (("int32", (1e100, 3e9, -3e9, np.nan)), ("int64", (1e20, -np.inf)),
                          ("float32", (1e100, np.inf)), ("bool", (2.5, -1.0)))
    for value in values])
