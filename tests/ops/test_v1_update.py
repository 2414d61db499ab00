"""v1's update rules as ops: what tests/v2/test_rules.py does not reach through settings()."""
import numpy as np
import pytest
from opcase import Rows, case, check, forward, rand

RATE = {"LearningRate": np.array([0.1], "float32")}
P, G, S = rand(6, 3), rand(6, 3), rand(6, 3, low=0.1, high=1.0)
ROWS = Rows([4, 1, 4], 6, rand(3, 3))
MERGED = np.zeros((6, 3), "float32")
np.add.at(MERGED, ROWS.rows, ROWS.array)
TOUCHED = np.isin(np.arange(6), ROWS.rows).reshape(6, 1)


def adagrad(g, where=True):
    squares = S + g * g
    return {"ParamOut": np.where(where, P - 0.1 * g / np.sqrt(squares + 1e-6), P),
            "SquaresOut": squares}


def drawn(p, rate, l1, shrink):
    return np.sign(p) * np.maximum(np.abs(p) - rate * l1, 0) / (1 + rate * shrink)


STEPPED = P - 0.1 * MERGED
CASES = [
    case("dense", "v1_adagrad", dict(RATE, Param=P, Grad=G, Squares=S),
         outputs=["ParamOut", "SquaresOut"], expect=adagrad(G),
         inplace={"ParamOut": "Param", "SquaresOut": "Squares"}),
    case("apart", "v1_adagrad", dict(RATE, Param=P, Grad=G, Squares=S),
         outputs=["ParamOut", "SquaresOut"], expect=adagrad(G)),
    case("rows", "v1_adagrad", dict(RATE, Param=P, Grad=ROWS, Squares=S),
         outputs=["ParamOut", "SquaresOut"], expect=adagrad(MERGED, TOUCHED),
         inplace={"ParamOut": "Param", "SquaresOut": "Squares"}),
    case("rows are drawn to zero where they are touched", "v1_momentum",
         dict(RATE, Param=P, Grad=ROWS), {"l1": 0.5, "shrink": 2.0}, outputs=["ParamOut"],
         expect={"ParamOut": np.where(TOUCHED, drawn(STEPPED, 0.1, 0.5, 2.0), P).astype("f")},
         inplace={"ParamOut": "Param"}),
    case("all rows move", "v1_sparse_momentum", dict(RATE, Param=P, Grad=ROWS, Velocity=S),
         {"mu": 0.5}, outputs=["ParamOut", "VelocityOut"],
         expect={"ParamOut": P + 0.5 * S - np.float32(0.1) * MERGED,
                 "VelocityOut": 0.5 * S - np.float32(0.1) * MERGED},
         inplace={"ParamOut": "Param", "VelocityOut": "Velocity"}),
    case("after many", "v1_momentum", dict(RATE, Param=rand(50, 71), Grad=np.ones((50, 71), "f")),
         {"clip": 0.25, "factor": 2.0}, outputs=["ParamOut"]),
]
CASES[-1].expect = {"ParamOut": CASES[-1].inputs["Param"] - np.float32(0.05)}
CASES[-1].golden = False
test = check(__file__, CASES)


def run(type, inputs, attrs=None, outputs=("ParamOut",)):
    import paddle.fluid as fluid
    return forward(fluid, case("one", type, inputs, attrs, outputs=list(outputs))).values


def test_a_nan_is_not_clipped_away():
    g = G.copy()
    g[2, 1] = np.nan
    for attrs in ({"clip": 0.5}, {"clip": 0.5, "l1": 0.1, "shrink": 0.1}):
        got = run("v1_momentum", dict(RATE, Param=P, Grad=g), attrs)["ParamOut0"]
        assert np.isnan(got[2, 1]) and np.isnan(got).sum() == 1


@pytest.mark.parametrize("type,inputs,attrs,outputs,words", [
    ("v1_adagrad", {}, {}, ["ParamOut"], "v1_adagrad needs its input Squares"),
    ("v1_momentum", {}, {"mu": 0.9}, ["ParamOut"], "needs its input Velocity"),
    ("v1_momentum", {}, {}, ["ParamOut", "VelocityOut"], "has no input Velocity"),
    ("v1_adam", {"Squares": S, "Means": S}, {}, ["ParamOut", "SquaresOut", "MeansOut"],
     "needs its input Beta1Pow"),
])
def test_states_that_do_not_fit_are_named(type, inputs, attrs, outputs, words):
    with pytest.raises(Exception, match=words):
        run(type, dict(RATE, Param=P, Grad=G, **inputs), attrs, outputs)


def rate(attrs, samples=7, **inputs):
    given = dict(inputs, Samples=np.array([samples], "int64"))
    return float(run("v1_learning_rate", given, dict(attrs, rate=0.5), ["Out"])["Out0"][0])


def test_steps_of_a_server_count_for_many_samples():
    assert rate({"schedule": "poly", "a": 0.1, "b": 1.0, "per_step": 10}) == pytest.approx(0.5 / 8)
    assert rate({"schedule": "constant"}) == 0.5


@pytest.mark.parametrize("attrs,inputs,words", [
    ({"schedule": "polly"}, {}, "there is no schedule polly; there are constant, poly"),
    ({"schedule": "manual", "limits": [3], "factors": [1.0, 0.5]}, {}, "1 limits for 2 factors"),
    ({"schedule": "pass_manual"}, {"Pass": np.array([1.0], "float32")}, "Pass"),
])
def test_schedules_that_cannot_be_are_named(attrs, inputs, words):
    with pytest.raises(Exception, match=words):
        rate(attrs, **inputs)
