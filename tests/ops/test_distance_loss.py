"""smooth_l1_loss, kldiv_loss, squared_l2_norm, l1_norm, squared_l2_distance, center_loss,
label_smooth."""
import numpy as np
from opcase import apart, case, check, ints, rand, Lod


def smooth(name, x, y, sigma=1.0, **kw):
    inputs = {"X": x, "Y": y}
    for slot in ("InsideWeight", "OutsideWeight"):
        if slot in kw:
            inputs[slot] = kw.pop(slot)
    return case("smooth l1: " + name, "smooth_l1_loss", inputs, {"sigma": sigma},
                outputs=["Diff", "Out"], grads=["X", "Y"], ignore_grad_of=["Diff"], **kw)


def kldiv(name, reduction, x, target, **kw):
    return case("kldiv: " + name, "kldiv_loss", {"X": x, "Target": target},
                {"reduction": reduction}, outputs=["Loss"], grads=["X"], **kw)


def distance(name, x, y, **kw):
    return case("distance: " + name, "squared_l2_distance", {"X": x, "Y": y},
                outputs=["sub_result", "Out"], grads=["X", "Y"], ignore_grad_of=["sub_result"],
                **kw)


def center(name, x, label, centers, update=True, **kw):
    return case("center: " + name, "center_loss",
                {"X": x, "Label": label, "Centers": centers,
                 "CenterUpdateRate": np.array([0.5], "float32")},
                {"cluster_num": centers.shape[0], "need_update": update},
                outputs=["CentersOut", "SampleCenterDiff", "Loss"], grads=["X"],
                ignore_grad_of=["CentersOut", "SampleCenterDiff"], **kw)


CASES = [
    smooth("rows", rand(4, 5, low=-3, high=3), rand(4, 5)),
    smooth("sigma", rand(4, 5, low=-3, high=3), rand(4, 5), 2.0),
    smooth("weights", rand(4, 5, low=-3, high=3), rand(4, 5), InsideWeight=rand(4, 5, low=0.1),
           OutsideWeight=rand(4, 5, low=0.1)),
    smooth("weights and sigma", rand(4, 5, low=-3, high=3), rand(4, 5), 0.7,
           InsideWeight=rand(4, 5, low=0.1), OutsideWeight=rand(4, 5, low=0.1)),
    smooth("deep", rand(2, 3, 4, low=-3, high=3), rand(2, 3, 4)),
    kldiv("none", "none", rand(3, 4), rand(3, 4)),
    kldiv("mean", "mean", rand(3, 4), rand(3, 4)),
    kldiv("sum", "sum", rand(3, 4), rand(3, 4)),
    kldiv("batchmean", "batchmean", rand(3, 4), rand(3, 4)),
    kldiv("batchmean deep", "batchmean", rand(2, 3, 5), rand(2, 3, 5, low=0.1)),
    kldiv("flat", "none", rand(6), rand(6)),
    kldiv("float64", "mean", rand(3, 4, dtype="float64"), rand(3, 4, dtype="float64")),
    case("squares", "squared_l2_norm", {"X": rand(3, 4)}, grads=["X"]),
    case("squares of many", "squared_l2_norm", {"X": rand(50, 41)}, grads=["X"]),
    case("absolutes", "l1_norm", {"X": apart(3, 4)}, grads=["X"]),
    case("absolutes of many", "l1_norm", {"X": apart(50, 41)}, grads=["X"], numeric=False),
    distance("rows", rand(4, 5), rand(4, 5)),
    distance("one row for all", rand(4, 5), rand(1, 5)),
    distance("deep", rand(2, 3, 4), rand(1, 3, 4)),
    distance("sequences", Lod(rand(4, 5), [[1, 3]]), rand(4, 5)),
    center("moved", rand(5, 3), np.array([[0], [2], [0], [0], [1]], "int64"), rand(4, 3)),
    center("flat labels", rand(3, 2), np.array([0, 2, 0], "int64"), rand(4, 2), golden=False),
    center("in place", rand(5, 3), np.array([[0], [2], [0], [0], [1]], "int64"), rand(4, 3),
           inplace={"CentersOut": "Centers"}, numeric=False),
    center("not moved", rand(5, 3), ints(5, 1, high=4), rand(4, 3), False,
           inplace={"CentersOut": "Centers"}),
    center("sequences", Lod(rand(5, 3), [[5]]), ints(5, 1, high=4), rand(4, 3)),
    case("smooth labels", "label_smooth", {"X": np.eye(4, dtype="float32")}, {"epsilon": 0.1},
         grads=["X"]),
    case("smooth labels by prior", "label_smooth",
         {"X": np.eye(4, dtype="float32"), "PriorDist": rand(1, 4, low=0.0)}, {"epsilon": 0.2},
         grads=["X"]),
    case("smooth labels deep", "label_smooth",
         {"X": rand(2, 3, 4), "PriorDist": rand(4, low=0.0)}, {"epsilon": 0.2}, grads=["X"]),
    case("smooth labels of sequences", "label_smooth", {"X": Lod(rand(5, 3), [[2, 3]])},
         {"epsilon": 0.1}, grads=["X"]),
]
test = check(__file__, CASES)


def test_what_does_not_fit_is_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    cases = [
        (smooth("bad", rand(3), rand(3)), "X must have 2 dimensions"),
        (smooth("bad", rand(3, 2), rand(2, 2)), "must have the same shape"),
        (smooth("bad", rand(3, 2), rand(3, 2), InsideWeight=rand(3, 2)), "both or not at all"),
        (kldiv("bad", "median", rand(3, 2), rand(3, 2)), "reduction 'median'"),
        (kldiv("bad", "mean", rand(3, 2), rand(3, 3)), "must have the same shape"),
        (distance("bad", rand(3, 2), rand(2, 2)), r"X has the shape \[3, 2\] and Y \[2, 2\]"),
        (center("bad", rand(3, 2), ints(3, 1, low=4), rand(4, 2)), "Label0 is .* at element 0"),
        (center("bad", rand(3, 2), ints(3, 1, high=4), rand(4, 3)), r"Centers \[4, 3\]"),
        (center("bad", rand(3, 2), ints(2, 1, high=4), rand(4, 2)), "2 labels for 3 rows"),
        (case("bad", "label_smooth", {"X": rand(2, 3), "PriorDist": rand(1, 4)}),
         "4 elements for 3 classes"),
    ]
    for c, message in cases:
        with pytest.raises((ValueError, fluid.core.EnforceNotMet), match=message):
            forward(fluid, c)
