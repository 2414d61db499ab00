"""log_loss, bce_loss, hinge_loss, teacher_student_sigmoid_loss."""
import numpy as np
from opcase import case, check, ints, rand, Lod


def yes_or_no(*shape):
    return ints(*shape, high=2).astype("float32")


def log_loss(name, p, y, epsilon=1e-4, **kw):
    return case("log: " + name, "log_loss", {"Predicted": p, "Labels": y}, {"epsilon": epsilon},
                outputs=["Loss"], grads=["Predicted"], **kw)


def teacher(name, x, label, attrs=None, **kw):
    return case("teacher: " + name, "teacher_student_sigmoid_loss", {"X": x, "Label": label}, attrs,
                outputs=["Y"], grads=["X"], **kw)


KINDS = np.array([[-2.0], [-1.0], [-0.5], [0.0], [0.3], [0.99], [1.0], [1.6]], "float32")
BEYOND = np.array([[15.0], [-15.0], [20.0], [-20.0], [14.0]], "float32")
CASES = [
    log_loss("yes or no", rand(9, 1, low=0.1, high=0.9), yes_or_no(9, 1)),
    log_loss("chances", rand(9, 1, low=0.1, high=0.9), rand(9, 1, low=0.0)),
    log_loss("certain", np.array([[0.0], [1.0], [0.0], [1.0]], "float32"),
             np.array([[0], [1], [1], [0]], "float32"), numeric=False, rtol=1e-4),
    log_loss("large epsilon", rand(70, 1, low=0.0), yes_or_no(70, 1), 0.5),
    log_loss("sequences", Lod(rand(3, 1, low=0.1, high=0.9), [[1, 2]]), yes_or_no(3, 1)),
    log_loss("float64", rand(4, 1, low=0.1, high=0.9, dtype="float64"),
             yes_or_no(4, 1).astype("float64"), golden=False),
    case("bce", "bce_loss", {"X": rand(3, 4, low=0.1, high=0.9), "Label": rand(3, 4, low=0.0)},
         grads=["X"]),
    case("bce certain", "bce_loss", {"X": np.array([0.0, 1.0, 0.0, 1.0], "float32"),
                                     "Label": np.array([0, 1, 1, 0], "float32")}, grads=["X"],
         numeric=False),
    case("hinge", "hinge_loss", {"Logits": rand(20, 1, low=-3, high=3), "Labels": yes_or_no(20, 1)},
         outputs=["Loss"], grads=["Logits"]),
    case("hinge sequences", "hinge_loss",
         {"Logits": Lod(rand(3, 1), [[2, 1]]), "Labels": yes_or_no(3, 1)}, outputs=["Loss"],
         grads=["Logits"]),
    teacher("all kinds of labels", rand(8, 1, low=-3, high=3), KINDS),
    teacher("beyond the bounds", BEYOND, np.full((5, 1), 0.5, "float32"), numeric=False),
    teacher("other bounds", rand(8, 1, low=-3, high=3), KINDS,
            {"soft_max_up_bound": 1.0, "soft_max_lower_bound": -0.5}, numeric=False),
    teacher("sequences", Lod(rand(3, 1), [[2, 1]]), rand(3, 1, low=-3, high=3)),
]
test = check(__file__, CASES)


def test_predictions_that_are_no_column_are_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    for c in (log_loss("bad", rand(3, 2), rand(3, 2)), teacher("bad", rand(3, 2), rand(3, 2)),
              log_loss("bad", rand(3), rand(3))):
        with pytest.raises(fluid.core.EnforceNotMet, match=r"must be \[batch, 1\], and has"):
            forward(fluid, c)
    with pytest.raises(fluid.core.EnforceNotMet, match="must have the same shape"):
        forward(fluid, log_loss("bad", rand(3, 1), rand(4, 1)))


def test_a_loss_without_its_epsilon_is_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    c = case("bad", "log_loss", {"Predicted": rand(3, 1), "Labels": rand(3, 1)}, outputs=["Loss"])
    with pytest.raises((ValueError, fluid.core.EnforceNotMet), match="epsilon"):
        forward(fluid, c)
