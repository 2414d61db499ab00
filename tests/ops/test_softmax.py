import numpy as np
from opcase import case, check, rand, Lod

CASES = [
    case("last", "softmax", {"X": rand(5, 7)}, grads=["X"]),
    case("two classes", "softmax", {"X": rand(9, 2, low=-5, high=5)}, grads=["X"]),
    case("long rows", "softmax", {"X": rand(3, 130, low=-4, high=4)}, grads=["X"]),
    case("rows longer than a block", "softmax", {"X": rand(2, 5000)}, grads=["X"], atol=1e-6),
    case("more than a block", "softmax", {"X": rand(700, 13, low=-3, high=3)}, grads=["X"],
         numeric=False),
    case("first", "softmax", {"X": rand(5, 7)}, {"axis": 0}, grads=["X"]),
    case("middle", "softmax", {"X": rand(2, 3, 4)}, {"axis": 1}, grads=["X"]),
    case("from the end", "softmax", {"X": rand(2, 3, 4)}, {"axis": -2}, grads=["X"]),
    case("last of four", "softmax", {"X": rand(2, 3, 2, 5)}, {"axis": 3}, grads=["X"]),
    case("one class", "softmax", {"X": rand(4, 1)}, grads=["X"]),
    case("far apart", "softmax", {"X": np.array([[100.0, 0.0, -100.0], [-1e30, 3.0, 3.0]],
                                                "float32")}, rtol=1e-4, atol=0),
    case("float64", "softmax", {"X": rand(5, 7, dtype="float64")}, grads=["X"]),
    case("sequences", "softmax", {"X": Lod(rand(5, 4), [[2, 3]])}, grads=["X"]),
]
test = check(__file__, CASES)


def test_an_axis_that_is_not_there_is_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    bad = case("bad", "softmax", {"X": rand(2, 3)}, {"axis": 2})
    with pytest.raises(ValueError, match="axis 2 of a tensor of 2 dimensions"):
        forward(fluid, bad)
