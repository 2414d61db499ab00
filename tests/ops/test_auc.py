import numpy as np
from opcase import case, check, ints, rand, refused

STATE = {"StatPosOut": "StatPos", "StatNegOut": "StatNeg"}
OUTPUTS = ["AUC", "StatPosOut", "StatNegOut"]


def inputs(n, bins, steps, fill=0):
    p = rand(n, 1, low=0.0, high=1.0)
    size = bins if steps == 0 else (1 + steps) * bins + 1
    shape = [1, size] if steps == 0 else [size]
    stat = np.zeros(shape, "int64")
    return {"Predict": np.concatenate([1 - p, p], 1).astype("float32"),
            "Label": ints(n, 1, high=2), "StatPos": stat + fill, "StatNeg": stat.copy() + fill}


CASES = [
    case("global", "auc", inputs(40, 201, 0), {"num_thresholds": 200, "slide_steps": 0},
         outputs=OUTPUTS, inplace=STATE),
    case("global going on", "auc", inputs(40, 21, 0, fill=3),
         {"num_thresholds": 20, "slide_steps": 0}, outputs=OUTPUTS, inplace=STATE),
    case("one batch", "auc", inputs(40, 201, 1), {"num_thresholds": 200, "slide_steps": 1},
         outputs=OUTPUTS, inplace=STATE),
    case("three batches", "auc", inputs(40, 201, 3), {"num_thresholds": 200, "slide_steps": 3},
         outputs=OUTPUTS, inplace=STATE),
    case("one class", "auc", dict(inputs(9, 21, 0), Label=np.zeros((9, 1), "int64")),
         {"num_thresholds": 20, "slide_steps": 0}, outputs=OUTPUTS, inplace=STATE),
]
test = check(__file__, CASES)


def _float_state(slot, steps):
    data = inputs(4, 21, steps)
    return case("a float " + slot, "auc", dict(data, **{slot: data[slot].astype("float32")}),
                {"num_thresholds": 20, "slide_steps": steps}, outputs=OUTPUTS, inplace=STATE)


test_counts_that_are_floats_are_refused = refused(
    *[("%s is float32" % slot, _float_state(slot, steps))
      for slot in ("StatPos", "StatNeg") for steps in (0, 2)])


def test_counts_that_were_loaded_as_floats_are_refused():
    """The program says int64, and the variable holds floats."""
    import paddle.fluid as fluid
    from opcase import build
    data = inputs(4, 21, 0)
    c = case("loaded", "auc", data, {"num_thresholds": 20, "slide_steps": 0}, outputs=OUTPUTS,
             inplace=STATE)
    program, scope, _, _ = build(fluid, c, data)
    scope.find_var("StatNeg0").get_tensor().set(np.zeros((1, 21), "float32"), fluid.CPUPlace())
    exe = fluid.Executor(fluid.CPUPlace())
    for _ in range(2):
        with fluid.scope_guard(scope):
            try:
                exe.run(program)
            except fluid.core.EnforceNotMet as e:
                assert "StatNeg" in str(e) and "float32" in str(e), e
            else:
                raise AssertionError("floats were counted in")


def test_a_counter_that_is_not_needed_is_dropped():
    """layers.auc makes one even where all batches are counted."""
    import paddle.fluid as fluid
    from opcase import forward
    data = inputs(40, 21, 0)
    attrs = {"num_thresholds": 20, "slide_steps": 0}
    one_more = dict(data, StatPos=np.zeros(22, "int64"), StatNeg=np.zeros(22, "int64"))
    for inplace in (STATE, {}):
        a, b = (forward(fluid, case("spare", "auc", d, attrs, outputs=OUTPUTS, inplace=inplace))
                for d in (data, one_more))
        for key in a.values:
            np.testing.assert_array_equal(a.values[key], b.values[key])


def test_the_window_forgets_the_oldest_batch():
    """Five batches through a window of two: the area is that of the last two."""
    import paddle.fluid as fluid
    from opcase import build
    data = inputs(50, 101, 2)
    c = case("window", "auc", data, {"num_thresholds": 100, "slide_steps": 2}, outputs=OUTPUTS,
             inplace=STATE)
    program, scope, names, keys = build(fluid, c, data)
    exe = fluid.Executor(fluid.CPUPlace())
    both = []
    with fluid.scope_guard(scope):
        for i in range(5):
            p, label = rand(50, 1, low=0.0, high=1.0), ints(50, 1, high=2)
            both = (both + [(p, label)])[-2:]
            scope.find_var("Predict0").get_tensor().set(
                np.concatenate([1 - p, p], 1).astype("float32"), None)
            scope.find_var("Label0").get_tensor().set(label, None)
            exe.run(program)
    got = float(np.array(scope.find_var(keys["AUC0"]).get_tensor())[0])
    p, label = (np.concatenate(x).ravel() for x in zip(*both))
    bins = (p * np.float32(100)).astype(int)
    pos, neg = bins[label > 0], bins[label == 0]
    wanted = np.mean([(a > b) + 0.5 * (a == b) for a in pos for b in neg])
    assert abs(got - wanted) < 1e-9


def test_a_prediction_above_one_is_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    data = inputs(4, 21, 0)
    data["Predict"][2, 1] = 1.5
    c = case("bad", "auc", data, {"num_thresholds": 20, "slide_steps": 0}, outputs=OUTPUTS,
             inplace=STATE)
    with pytest.raises(fluid.core.EnforceNotMet, match=r"prediction 2 of Predict0 is 1.5"):
        forward(fluid, c)
