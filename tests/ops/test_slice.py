"""slice and strided_slice."""
import numpy as np
from opcase import Lod, case, check, ints, rand, refused


def int32(*numbers):
    return np.array(numbers, "int32")


def cut(name, x, axes, starts, ends, attrs=None, more=None, **kw):
    kw.setdefault("grads", ["Input"])
    return case(name, "slice", dict({"Input": x}, **(more or {})),
                dict({"axes": axes, "starts": starts, "ends": ends}, **(attrs or {})), **kw)


def step(name, x, axes, starts, ends, strides, attrs=None, more=None, **kw):
    kw.setdefault("grads", ["Input"])
    return case(name, "strided_slice", dict({"Input": x}, **(more or {})),
                dict({"axes": axes, "starts": starts, "ends": ends, "strides": strides,
                      "infer_flags": [1] * len(axes)}, **(attrs or {})), **kw)


NUMBERS = rand(7, 4)
CASES = [
    cut("rows", rand(5, 4), [0], [1], [3]),
    cut("columns", rand(5, 4), [1], [0], [2]),
    cut("both", rand(5, 4, 3), [0, 2], [2, 1], [4, 3]),
    cut("from the end", rand(5, 4), [0, 1], [-3, -2], [-1, 100]),
    cut("before the start", rand(5, 4), [0], [-100], [2]),
    cut("int64", ints(5, 4), [0], [1], [3], grads=[]),
    cut("one column gone", rand(5, 4), [1], [1], [2], {"decrease_axis": [1]}),
    cut("one number", rand(5, 4), [0, 1], [1, 1], [2, 2], {"decrease_axis": [0, 1]}),
    cut("by tensor", rand(5, 4), [0, 1], [], [], {"infer_flags": [-1, -1]},
        {"StartsTensor": int32(1, 0), "EndsTensor": int32(3, 2)}),
    cut("starts by tensors", rand(5, 4), [0, 1], [-1, 0], [3, 2], {"infer_flags": [-1, 1]},
        {"StartsTensorList": [int32(1), int32(0)]}),
    cut("ends by tensors", rand(5, 4), [0, 1], [0, 0], [-1, -1], {"infer_flags": [-1, -1]},
        {"EndsTensorList": [int32(4), int32(-1)]}),
    cut("sequences", Lod(rand(6, 4), [[2, 4]]), [1], [0], [2]),
    cut("rows of sequences", Lod(rand(6, 4), [[2, 4]]), [0], [0], [2], no_lod=["Out"]),
    step("steps", rand(7, 4), [0], [1], [7], [2]),
    step("steps of both", rand(7, 5), [0, 1], [0, 1], [6, 5], [3, 2]),
    step("backwards", rand(7, 4), [0], [5], [1], [-1]),
    step("backwards to the start", rand(7, 4), [0], [-1], [-100], [-1]),
    # real Paddle cuts 1, 2, 3, 4, 5 into 1, 3, 5 and takes those backwards
    step("steps backwards", NUMBERS, [0, 1], [5, 3], [1, -100], [-2, -2],
         expect={"Out": NUMBERS[5:1:-2, 3::-2]}),
    step("steps int64", ints(7, 4), [0], [1], [7], [2], grads=[]),
    step("steps one gone", rand(7, 4), [1], [1], [2], [1], {"decrease_axis": [1]},
         golden_grads=False),  # real Paddle fails to compute it
    step("steps by tensor", rand(7, 4), [0], [], [], [], {"infer_flags": [-1]},
         {"StartsTensor": int32(1), "EndsTensor": int32(6), "StridesTensor": int32(2)}),
    step("steps by tensors", rand(7, 4), [0], [-1], [-1], [-1], {"infer_flags": [-1]},
         {"StartsTensorList": [int32(1)], "EndsTensorList": [int32(6)],
          "StridesTensorList": [int32(3)]}),
]
test = check(__file__, CASES)

test_refused = refused(
    ("has no elements", cut("empty", rand(5, 4), [0], [2], [2])),
    ("has no elements", cut("behind", rand(5, 4), [0], [7], [9])),
    ("axis 3 of", cut("axis", rand(5, 4), [3], [0], [1])),
    ("names dimension 0 twice", cut("twice", rand(5, 4), [0, -2], [0, 0], [1, 1])),
    ("starts has 1 numbers for 2 axes", cut("few", rand(5, 4), [0, 1], [0], [1, 1])),
    ("decrease_axis names dimension 0, which has 2",
     cut("decrease", rand(5, 4), [0], [0], [2], {"decrease_axis": [0]})),
    ("stride along axis 0 is 0", step("stride", rand(5, 4), [0], [0], [2], [0])),
    ("has no elements", step("wrong way", rand(5, 4), [0], [0], [2], [-1])),
)
