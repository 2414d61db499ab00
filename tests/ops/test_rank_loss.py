"""rank_loss, margin_rank_loss, bpr_loss."""
import numpy as np
from opcase import apart, case, check, ints, rand, Lod

SIGNS = np.array([[1], [-1], [1], [-1], [1], [1]], "float32")


def rank(name, label, left, right, **kw):
    return case(name, "rank_loss", {"Label": label, "Left": left, "Right": right},
                grads=["Left", "Right"], **kw)


def margin(name, label, x1, x2, attrs=None, **kw):
    return case("margin: " + name, "margin_rank_loss", {"Label": label, "X1": x1, "X2": x2}, attrs,
                outputs=["Activated", "Out"], grads=["X1", "X2"], ignore_grad_of=["Activated"],
                **kw)


def bpr(name, x, label, **kw):
    return case("bpr: " + name, "bpr_loss", {"X": x, "Label": label}, outputs=["Y"], grads=["X"],
                **kw)


CASES = [
    rank("column", ints(9, 1, high=2).astype("float32"), rand(9, 1), rand(9, 1)),
    rank("chances", rand(9, 1, low=0.0), rand(9, 1, low=-4, high=4), rand(9, 1)),
    margin("no margin", SIGNS, apart(6, 1), rand(6, 1, low=-0.1, high=0.1)),
    margin("margin", SIGNS, apart(6, 1), rand(6, 1), {"margin": 0.25}),
    bpr("rows", rand(5, 4, low=-2, high=2), ints(5, 1, high=4)),
    bpr("two classes", rand(5, 2), ints(5, 1, high=2)),
    bpr("many classes", rand(3, 90, low=-2, high=2), ints(3, 1, high=90)),
    # Real Paddle computes the gradient of the first rows alone where there are more dimensions.
    bpr("deep", rand(2, 3, 4), ints(2, 3, 1, high=4), golden_grads=False),
    bpr("sequences", Lod(rand(5, 3), [[2, 3]]), ints(5, 1, high=3)),
    bpr("int32 labels", rand(5, 4), ints(5, 1, high=4, dtype="int32"), golden=False),
    rank("flat", rand(5, low=0.0), rand(5), rand(5)),
    rank("flat labels", rand(5, low=0.0), rand(5, 1), rand(5, 1)),
    rank("flat scores", rand(5, 1, low=0.0), rand(5), rand(5)),
]
test = check(__file__, CASES)


def _forward(c):
    import paddle.fluid as fluid
    from opcase import forward
    return forward(fluid, c)


def test_scores_far_apart_have_a_loss():
    """Real Paddle gives infinity for the first and stops at 46 for the second."""
    far = np.array([[100.0]], "float32")
    got = _forward(rank("far", np.zeros((1, 1), "float32"), far, -far)).values["Out0"]
    np.testing.assert_allclose(got, [[200.0]])
    scores = np.array([[-100.0, 100.0]], "float32")
    got = _forward(bpr("far", scores, np.array([[0]], "int64"))).values["Y0"]
    np.testing.assert_allclose(got, [[200.0]])


def test_bad_labels_and_shapes_are_refused():
    import paddle.fluid as fluid
    import pytest
    cases = [
        (rank("bad", rand(3, 2), rand(3, 2), rand(3, 2)), r"Label must be \[batch\] or"),
        (rank("bad", rand(3), rand(4), rand(3)), "Left has 4 elements, and 3 are wanted"),
        (margin("bad", rand(3, 1), rand(4, 1), rand(3, 1)), "must have the same shape"),
        (bpr("bad", rand(3, 4), ints(3, 1) + 4), "Label0 is .* element 0, and must be in 0 .. 3"),
        (bpr("bad", rand(3, 4), ints(2, 1, high=4)), r"Label must have the shape \[3, 1\]"),
        (bpr("bad", rand(3, 1), ints(3, 1, high=1)), "two at least"),
    ]
    for c, message in cases:
        with pytest.raises(fluid.core.EnforceNotMet, match=message):
            _forward(c)
