"""top_k, argsort, arg_max, arg_min, one_hot, one_hot_v2, sampling_id, cos_sim."""
import numpy as np
from opcase import apart, case, check, ints, rand, Lod

FOUND = ["Out", "Indices"]
NAN = float("nan")


def top(name, x, k=1, **kw):
    inputs = {"X": x}
    if "K" in kw:
        inputs["K"] = kw.pop("K")
    return case("top: " + name, "top_k", inputs, {"k": k}, outputs=FOUND, grads=["X"], **kw)


def sort(name, x, axis=-1, descending=False, **kw):
    kw.setdefault("grads", ["X"])
    return case("sort: " + name, "argsort", {"X": x}, {"axis": axis, "descending": descending},
                outputs=FOUND, **kw)


def cosine(name, x, y, **kw):
    kw.setdefault("grads", ["X", "Y"])
    return case("cos: " + name, "cos_sim", {"X": x, "Y": y}, outputs=["Out", "XNorm", "YNorm"],
                ignore_grad_of=["XNorm", "YNorm"], **kw)


def hot(name, x, attrs, type="one_hot", **kw):
    inputs = {"X": x}
    if "depth_tensor" in kw:
        inputs["depth_tensor"] = kw.pop("depth_tensor")
    return case("hot: " + name, type, inputs, attrs, **kw)


SOME = np.array([[1], [0], [2], [2]], "int64")
CASES = [
    top("one", apart(5, 7)),
    top("three", apart(5, 7), 3),
    top("all", apart(5, 7), 7),
    top("many", apart(3, 200), 100),
    top("by tensor", apart(5, 7), K=np.array([2], "int32")),
    top("deep", apart(2, 3, 5), 2),
    top("flat", apart(9), 4),
    top("sequences", Lod(apart(5, 4), [[2, 3]]), 2),
    top("float64", apart(5, 7).astype("float64"), 2),
    # Real Paddle may take any of those that are equal; here it is the first.
    top("equal", np.array([[1, 3, 2, 3, 3]], "float32"), 3, golden=False, numeric=False),
    sort("rows", apart(4, 9)),
    sort("descending", apart(4, 9), descending=True),
    sort("columns", apart(4, 9), 0),
    sort("middle", apart(2, 5, 3), 1, True),
    sort("many", apart(2, 333)),
    sort("flat", apart(40), 0),
    sort("sequences", Lod(apart(5, 2), [[2, 3]]), 0),
    sort("float64", apart(3, 4).astype("float64")),
    sort("int64", ints(3, 1, 4, high=99) * 7 + np.arange(4), grads=[]),
    sort("int32", np.array([[3, -1, 7], [9, 2, 5]], "int32"), 1, grads=[]),
    cosine("rows", rand(4, 5), rand(4, 5)),
    cosine("one row for all", rand(4, 5), rand(1, 5)),
    cosine("deep", rand(2, 3, 4), rand(2, 3, 4)),
    cosine("deep, one for all", rand(2, 3, 4), rand(1, 3, 4)),
    cosine("long", rand(3, 100), rand(3, 100)),
    cosine("zeros", np.array([[1, 2], [0, 0]], "float32"), rand(2, 2), numeric=False),
    cosine("sequences", Lod(rand(4, 5), [[1, 3]]), rand(4, 5)),
    hot("rows", SOME, {"depth": 3}),
    hot("int32", SOME.astype("int32"), {"depth": 4}),
    hot("to int64", SOME, {"depth": 3, "dtype": 3}),
    hot("to float64", SOME, {"depth": 3, "dtype": 6}),
    hot("by tensor", SOME, {"depth": 3}, depth_tensor=np.array([5], "int32")),
    hot("out of range", SOME + 1, {"depth": 3, "allow_out_of_range": True}),
    hot("below zero", SOME - 1, {"depth": 3, "allow_out_of_range": True}),
    hot("deep", ints(2, 3, 1, high=4), {"depth": 4}),
    hot("sequences", Lod(SOME, [[1, 3]]), {"depth": 3}),
    hot("v2", SOME, {"depth": 3}, "one_hot_v2"),
    hot("v2 flat", SOME[:, 0], {"depth": 3}, "one_hot_v2"),
    hot("v2 sequences", Lod(SOME, [[1, 3]]), {"depth": 3}, "one_hot_v2"),
    hot("v2 by tensor", SOME, {}, "one_hot_v2", depth_tensor=np.array([5], "int32")),
    case("drawn for sure", "sampling_id", {"X": np.eye(5, dtype="float32")[[3, 0, 2]]}),
    case("drawn from the end", "sampling_id",
         {"X": np.array([[.2, .3, .5], [.5, .4, .1]], "float32")}, {"min": 0.91, "max": 0.99}),
    case("drawn beyond", "sampling_id", {"X": np.zeros((2, 4), "float32")}),
]
for op in ("arg_max", "arg_min"):
    CASES += [
        case(op + " first", op, {"X": apart(4, 5)}, {"axis": 0}),
        case(op + " last", op, {"X": apart(4, 5)}, {"axis": -1}),
        case(op + " middle", op, {"X": apart(2, 3, 4)}, {"axis": 1}),
        case(op + " kept", op, {"X": apart(2, 3, 4)}, {"axis": 1, "keepdims": True}),
        case(op + " flat", op, {"X": apart(9)}, {"axis": 0}),
        case(op + " int32", op, {"X": apart(4, 5)}, {"axis": 1, "dtype": 2}),
        case(op + " of int64", op, {"X": ints(4, 50, high=1000)}, {"axis": 1}),
        case(op + " of int32", op, {"X": ints(4, 50, high=1000, dtype="int32")}, {"axis": 1}),
        case(op + " of float64", op, {"X": apart(4, 5).astype("float64")}, {"axis": 1}),
        case(op + " equal", op, {"X": np.ones((2, 3), "float32")}, {"axis": 1}),
    ]
test = check(__file__, CASES)


def _forward(c):
    import paddle.fluid as fluid
    from opcase import forward
    return forward(fluid, c).values


def test_of_equal_ones_the_first_comes_first():
    x = np.array([[1, 3, 2, 3, 3, 1]], "float32")
    assert _forward(top("equal", x, 4))["Indices0"].tolist() == [[1, 3, 4, 2]]
    assert _forward(sort("equal", x))["Indices0"].tolist() == [[0, 5, 2, 1, 3, 4]]
    assert _forward(sort("equal", x, descending=True))["Indices0"].tolist() == [[1, 3, 4, 2, 0, 5]]
    many = ints(1, 5000, high=20).astype("float32")
    wanted = np.argsort(many, kind="stable", axis=1)
    assert (_forward(sort("equal", many))["Indices0"] == wanted).all()


def test_what_is_no_number_counts_as_the_largest():
    """So that the first k show it; arg_max and arg_min pass it over, as in real Paddle."""
    x = np.array([[NAN, 3, 2, NAN, 5]], "float32")
    assert _forward(top("nan", x, 4))["Indices0"].tolist() == [[0, 3, 4, 1]]
    assert _forward(sort("nan", x))["Indices0"].tolist() == [[2, 1, 4, 0, 3]]
    assert _forward(sort("nan", x, descending=True))["Indices0"].tolist() == [[0, 3, 4, 1, 2]]
    assert _forward(case("nan", "arg_max", {"X": x}, {"axis": 1}))["Out0"].tolist() == [4]
    assert _forward(case("nan", "arg_min", {"X": x}, {"axis": 1}))["Out0"].tolist() == [2]


def test_classes_are_drawn_as_often_as_they_should():
    x = np.tile(np.array([[.1, .2, .3, .4]], "float32"), (20000, 1))
    drawn = _forward(case("many", "sampling_id", {"X": x}, {"seed": 3}))["Out0"]
    np.testing.assert_allclose(np.bincount(drawn) / 20000, [.1, .2, .3, .4], atol=0.015)


def test_what_does_not_fit_is_refused():
    import paddle.fluid as fluid
    import pytest
    cases = [
        (top("bad", rand(3, 4), 5), "k is 5, and a row of X has 4"),
        (top("bad", rand(3, 4), 0), "k is 0, and must be 1 at least"),
        (sort("bad", rand(3, 4), 2), "axis 2 of a tensor of 2 dimensions"),
        (case("bad", "arg_max", {"X": rand(3, 4)}, {"axis": 2}), "axis 2 of a tensor"),
        (case("bad", "arg_max", {"X": rand(3, 4)}, {"axis": 1, "dtype": 5}), "dtype is float32"),
        (cosine("bad", rand(2, 3), rand(3, 3)), r"X has the shape \[2, 3\] and Y \[3, 3\]"),
        (hot("bad", SOME, {"depth": 2}), "X0 is 2 at element 2, and must be in 0 .. 1"),
        (hot("bad", SOME, {}), "depth is -1"),
        (hot("bad", SOME[:, 0], {"depth": 3}), r"X must be \[..., 1\]"),
        (case("bad", "sampling_id", {"X": rand(2, 3, 4)}), "X must have 2 dimensions"),
        (case("bad", "sampling_id", {"X": rand(2, 3)}, {"min": 1.0, "max": 0.5}), "min is 1 and"),
    ]
    for c, message in cases:
        with pytest.raises((ValueError, fluid.core.EnforceNotMet), match=message):
            _forward(c)
