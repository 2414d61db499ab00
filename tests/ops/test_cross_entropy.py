"""cross_entropy, cross_entropy2, softmax_with_cross_entropy."""
import numpy as np
from opcase import case, check, ints, rand, Lod


def chances(*shape):
    x = rand(*shape, low=0.05)
    x = np.abs(x) + 0.05
    return (x / x.sum(-1, keepdims=True)).astype("float32")


THREE = np.array([[0.2, 0.3, 0.5], [0.1, 0.2, 0.7]], "float32")
ZERO = np.array([[0.5, 0.0, 0.5], [0.1, 0.2, 0.7]], "float32")
SECOND_AND_THIRD = np.array([[1], [2]], "int64")
KEPT = ["Y", "XShape", "MatchX"]
BOTH = ["Softmax", "Loss"]


def ce(name, x, label, attrs=None, **kw):
    return case(name, "cross_entropy", {"X": x, "Label": label}, attrs, outputs=["Y"],
                grads=["X"], **kw)


def ce2(name, x, label, attrs=None, **kw):
    return case("kept: " + name, "cross_entropy2", {"X": x, "Label": label}, attrs, outputs=KEPT,
                grads=["X"], compare=["Y", "MatchX"], ignore_grad_of=["MatchX"], **kw)


def fused(name, x, label, attrs=None, **kw):
    return case("fused: " + name, "softmax_with_cross_entropy", {"Logits": x, "Label": label},
                attrs, outputs=BOTH, grads=["Logits"], ignore_grad_of=["Softmax"], **kw)


CASES = [
    ce("hard", chances(4, 5), ints(4, 1, high=5)),
    ce("hard flat", chances(4, 5), ints(4, high=5)),
    ce("hard deep", chances(2, 3, 4), ints(2, 3, 1, high=4)),
    ce("hard deep flat", chances(2, 3, 4), ints(2, 3, high=4)),
    ce("ignored", THREE, SECOND_AND_THIRD, {"ignore_index": 2}),
    ce("ignored by default", THREE, np.array([[-100], [2]], "int64")),
    ce("impossible", ZERO, SECOND_AND_THIRD, numeric=False),
    ce("soft", chances(4, 5), chances(4, 5), {"soft_label": True}),
    ce("soft deep", chances(2, 3, 4), chances(2, 3, 4), {"soft_label": True}),
    ce("sequences", Lod(chances(5, 3), [[2, 3]]), ints(5, 1, high=3)),
    ce("float64", chances(4, 5).astype("float64"), ints(4, 1, high=5)),
    ce("int32 labels", chances(4, 5), ints(4, 1, high=5, dtype="int32"), golden=False),

    ce2("hard", chances(4, 5), ints(4, 1, high=5)),
    ce2("flat", chances(4, 5), ints(4, high=5)),
    ce2("deep", chances(2, 3, 4), ints(2, 3, 1, high=4)),
    ce2("ignored", THREE, SECOND_AND_THIRD, {"ignore_index": 2}),
    ce2("impossible", ZERO, SECOND_AND_THIRD, numeric=False),
    ce2("sequences", Lod(chances(5, 3), [[2, 3]]), ints(5, 1, high=3)),
    ce2("int32 labels", chances(4, 5), ints(4, 1, high=5, dtype="int32"), golden=False),

    fused("hard", rand(4, 5, low=-3, high=3), ints(4, 1, high=5)),
    fused("long rows", rand(3, 70, low=-3, high=3), ints(3, 1, high=70)),
    # Real Paddle gives the ignored a gradient on a CPU, as if they were not.
    fused("ignored", rand(4, 3), np.array([[0], [2], [1], [2]], "int64"), {"ignore_index": 2},
          golden_grads=False),
    fused("ignored by default", rand(3, 3), np.array([[0], [-100], [1]], "int64"),
          golden_grads=False),
    fused("middle", rand(2, 3, 4), ints(2, 1, 4, high=3), {"axis": 1}),
    fused("middle ignored", rand(2, 3, 4), ints(2, 1, 4, high=3), {"axis": 1, "ignore_index": 1},
          golden_grads=False),
    fused("last of three", rand(2, 3, 4), ints(2, 3, 1, high=4), {"axis": 2}),
    fused("soft", rand(4, 5), chances(4, 5), {"soft_label": True}),
    fused("soft middle", rand(2, 3, 4), np.moveaxis(chances(2, 4, 3), -1, 1).copy(),
          {"soft_label": True, "axis": 1}),
    fused("not stable", rand(4, 5), ints(4, 1, high=5), {"numeric_stable_mode": False}),
    fused("sequences", Lod(rand(5, 3), [[2, 3]]), ints(5, 1, high=3)),
    fused("float64", rand(4, 5, dtype="float64"), ints(4, 1, high=5)),
    fused("int32 labels", rand(4, 5), ints(4, 1, high=5, dtype="int32"), golden=False),
]
# Far below the largest a class counts as if it were 64 below: the loss is finite, while the
# gradient goes on.
FAR = np.array([[0, -63, 1], [0, 1, -70], [0, 1, -1e4], [-np.inf, 0, 1], [0, 3, 2]], "float32")
FAR_SOFT = np.array([[0, 1, 0], [.5, 0, .5], [0, 0, 1], [1, 0, 0], [0, .25, .75]], "float32")
CASES += [
    fused("impossible", FAR, np.array([[1], [2], [2], [0], [0]], "int64"), numeric=False),
    fused("impossible, soft", FAR, FAR_SOFT, {"soft_label": True}, numeric=False),
]
test = check(__file__, CASES)


def _forward(c):
    import paddle.fluid as fluid
    from opcase import forward
    return forward(fluid, c)


def test_labels_minus_infinity_apart_cost_nothing_where_they_are_not_wanted():
    loss = _forward(fused("masked", np.array([[0.0, 0.0, -np.inf]], "float32"),
                          np.array([[0.5, 0.5, 0.0]], "float32"),
                          {"soft_label": True})).values["Loss0"]
    np.testing.assert_allclose(loss, [[np.log(2)]], rtol=1e-6)


def test_a_label_that_is_no_class_is_named():
    import paddle.fluid as fluid
    import pytest
    bad = np.array([[1], [3]], "int64")
    for c in (ce("bad", THREE, bad), ce2("bad", THREE, bad), fused("bad", THREE, bad),
              ce("bad", THREE, bad - 4)):
        with pytest.raises(fluid.core.EnforceNotMet, match=r"Label0 is -?\d at element"):
            _forward(c)


def test_labels_of_another_shape_are_refused():
    import paddle.fluid as fluid
    import pytest
    bad = np.zeros((3, 1), "int64")
    for c in (ce("bad", THREE, bad), ce2("bad", THREE, bad), fused("bad", THREE, bad),
              ce("bad", THREE, THREE[:1], {"soft_label": True}),
              fused("bad", THREE, THREE[:1], {"soft_label": True})):
        with pytest.raises(fluid.core.EnforceNotMet, match=r"shape \[2, 3\]"):
            _forward(c)
