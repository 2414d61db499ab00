import numpy as np
from opcase import apart, case, check, ints, rand, refused


def _nll(name, x, label, reduction="mean", ignore=-100, weight=None, **kw):
    inputs = {"X": x, "Label": label}
    if weight is not None:
        inputs["Weight"] = weight
    return case(name, "nll_loss", inputs, {"reduction": reduction, "ignore_index": ignore},
                ["Out", "Total_weight"], ["X"], ignore_grad_of=["Total_weight"], **kw)


def _norm(name, x, porder, axis=-1, keepdim=False, **kw):
    return case(name, "p_norm", {"X": x}, {"porder": porder, "axis": axis, "keepdim": keepdim,
                                           "epsilon": 1e-12}, ["Out"], ["X"], **kw)


IMAGE = ints(2, 3, 2, high=4)
CASES = [
    _nll("mean", rand(5, 4), ints(5, high=4)), _nll("sum", rand(5, 4), ints(5, high=4), "sum"),
    _nll("none", rand(5, 4), ints(5, high=4), "none"),
    _nll("ignored", rand(5, 4), np.array([1, 2, 1, 0, 3], "int64"), "mean", 1),
    _nll("weights", rand(5, 4), ints(5, high=4), "mean", 2, rand(4, low=0.1)),
    _nll("weights none", rand(5, 4), ints(5, high=4), "none", -100, rand(4, low=0.1)),
    _nll("images", rand(2, 4, 3, 2), IMAGE, "mean", -100, rand(4, low=0.1)),
    _nll("images none", rand(2, 4, 3, 2), IMAGE, "none", 1),
    _nll("images sum", rand(2, 4, 3, 2), IMAGE, "sum"),
    _nll("double", rand(5, 4, dtype="float64"), ints(5, high=4)),
    _norm("2", rand(3, 4), 2.0), _norm("3 by rows", apart(3, 4), 3.0, 0),
    _norm("1 kept", apart(3, 4), 1.0, 1, True), _norm("half", apart(3, 4), 0.5),
    _norm("axis 1 of 3", rand(2, 3, 4), 2.0, 1), _norm("a vector", rand(4), 2.0, 0, True),
    case("shift", "conv_shift", {"X": rand(3, 5), "Y": rand(3, 3)}, grads=["X", "Y"]),
    case("shift 1", "conv_shift", {"X": rand(2, 4), "Y": rand(2, 1)}, grads=["X", "Y"]),
    case("shift all", "conv_shift", {"X": rand(2, 5), "Y": rand(2, 5)}, grads=["X", "Y"]),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("above 0 and finite", _norm("x", rand(3, 4), float("inf"))),
    ("above 0 and finite", _norm("x", rand(3, 4), 0.0)),
    ("none, sum or mean", _nll("x", rand(5, 4), ints(5, high=4), "max")),
    ("and X has 4 classes", _nll("x", rand(5, 4), ints(5, low=4, high=5))),
    ("X without its classes", _nll("x", rand(5, 4), ints(5, 1, high=4))),
    ("an odd number is needed", case("x", "conv_shift", {"X": rand(3, 5), "Y": rand(3, 2)})))
