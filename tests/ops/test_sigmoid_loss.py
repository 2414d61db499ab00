"""sigmoid_cross_entropy_with_logits, sigmoid_focal_loss."""
import numpy as np
from opcase import case, check, ints, rand, Lod


def sigmoid(name, x, label, attrs=None, **kw):
    return case(name, "sigmoid_cross_entropy_with_logits", {"X": x, "Label": label}, attrs,
                grads=["X"], **kw)


def focal(name, x, label, fg, attrs=None, **kw):
    return case("focal: " + name, "sigmoid_focal_loss",
                {"X": x, "Label": label, "FgNum": np.array([fg], "int32")}, attrs, grads=["X"],
                **kw)


SOME = np.array([[0.3, -100, 1], [0, 1, -100]], "float32")
CLASSES = np.array([[1], [0], [-1], [3], [2]], "int32")
CASES = [
    sigmoid("yes or no", rand(5, 1, low=-3, high=3), ints(5, 1, high=2).astype("float32")),
    sigmoid("chances", rand(4, 6), rand(4, 6, low=0.0)),
    sigmoid("flat", rand(9), rand(9, low=0.0)),
    sigmoid("far", np.array([[100.0, -100.0, 30.0]], "float32"),
            np.array([[0.0, 1.0, 1.0]], "float32"), atol=1e-12),
    sigmoid("ignored", rand(2, 3), SOME),
    sigmoid("ignored and normalized", rand(2, 3), SOME, {"normalize": True}),
    sigmoid("another ignored", rand(2, 3), SOME, {"normalize": True, "ignore_index": 1}),
    # Real Paddle divides by zero where all are ignored; there is no loss.
    sigmoid("all ignored", rand(2, 3), SOME * 0 - 100, {"normalize": True}, golden=False),
    sigmoid("sequences", Lod(rand(3, 2), [[2, 1]]), rand(3, 2, low=0.0)),
    sigmoid("float64", rand(3, 2, dtype="float64"), rand(3, 2, low=0.0, dtype="float64")),
    focal("rows", rand(5, 3, low=-2, high=2), CLASSES, 3),
    focal("no foreground", rand(5, 3), CLASSES, 0),
    focal("other numbers", rand(5, 3), CLASSES, 2, {"gamma": 1.5, "alpha": 0.6}),
    focal("sequences", Lod(rand(5, 3), [[3, 2]]), CLASSES, 2),
]
test = check(__file__, CASES)


def test_nothing_is_lost_where_all_are_ignored():
    import paddle.fluid as fluid
    from opcase import forward
    assert not forward(fluid, [c for c in CASES if c.name == "all ignored"][0]).values["Out0"].any()


def test_shapes_that_differ_are_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    for c, message in ((sigmoid("bad", rand(3, 4), rand(3, 1)), "must have the same shape"),
                       (focal("bad", rand(3, 4), CLASSES, 1), "5 labels for 3 rows")):
        with pytest.raises(fluid.core.EnforceNotMet, match=message):
            forward(fluid, c)
