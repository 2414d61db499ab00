import numpy as np

from opcase import build, case, check, forward, gradients, rand

STATISTICS = ["BatchSize", "BatchSum", "BatchSquareSum"]


def norm(name, shape=(6, 5), grads=["X"] + STATISTICS, shift=False, holes=False, **attrs):
    n = shape[1]
    x = rand(*shape)
    if holes:  # features that were not shown
        x[::2, 0] = 0
        x[:, 2] = 0
        x[1, 3] = 1e-9
    inputs = {"X": x, "BatchSize": rand(n, low=8, high=12), "BatchSum": rand(n),
              "BatchSquareSum": rand(n, low=15, high=20)}
    if shift:
        inputs.update(scale_w=rand(n), bias=rand(n))
        attrs["enable_scale_and_shift"] = True
        grads = grads + ["scale_w", "bias"]
    # The gradients of the statistics are no gradients: they are the batch's own statistics.
    return case(name, "data_norm", inputs, attrs, outputs=["Y", "Means", "Scales"], grads=grads,
                ignore_grad_of=["Means", "Scales"], numeric=False)


CASES = [
    norm("columns"),
    norm("epsilon", epsilon=1e-3),
    norm("decay", summary_decay_rate=0.5),
    norm("slots of one", holes=True, slot_dim=1),
    norm("slots of two", holes=True, slot_dim=2),
    norm("slots of all", holes=True, slot_dim=5),
    norm("shift", shift=True),
    norm("shift, slots", shift=True, holes=True, slot_dim=2),
]
test = check(__file__, CASES)


def test_the_gradient_of_x_is_one():
    import paddle.fluid as fluid
    from opcase import check_numeric
    for shift in (False, True):
        c = norm("x", shift=shift)
        c.grads = ["X"] + (["scale_w", "bias"] if shift else [])
        check_numeric(fluid, c)


def test_the_statistics_add_up():
    """Adding the gradients, as a server does, gives the statistics of all data."""
    import paddle.fluid as fluid
    data = rand(40, 3, low=2, high=5)
    state = {"BatchSize": np.zeros(3, "float32") + 1e-4, "BatchSum": np.zeros(3, "float32"),
             "BatchSquareSum": np.zeros(3, "float32") + 1e-4}
    for i in range(0, 40, 10):
        c = norm("", (10, 3), grads=["X"] + STATISTICS, epsilon=0.0)
        c.inputs = dict(state, X=data[i:i + 10])
        out = forward(fluid, c)
        grads = gradients(fluid, c, c.inputs, {"Y0": np.ones((10, 3), "float32")})
        for name in STATISTICS:
            state[name] = state[name] + grads.values[name + "0"]
        assert out.values["Means0"].shape == (3,)
    np.testing.assert_allclose(state["BatchSum"] / state["BatchSize"], data.mean(0), rtol=1e-4)
    np.testing.assert_allclose(state["BatchSize"], [40, 40, 40], rtol=1e-4)


def test_the_gradient_op_leaves_the_statistics_alone():
    import paddle.fluid as fluid
    c = norm("")
    program, scope, names, keys = build(fluid, c, c.inputs)
    with fluid.program_guard(program, fluid.Program()):
        block = program.global_block()
        total = fluid.layers.reduce_sum(block.var(keys["Y0"]))
        fluid.gradients([total], [block.var(n + "0") for n in STATISTICS])
    op = [op for op in block.ops if op.type == "data_norm_grad"][0]
    assert op.output("BatchSize") == ["BatchSize0"]  # as Paddle writes it
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(scope):
        exe.run(program)
    for name in STATISTICS:
        np.testing.assert_array_equal(np.array(scope.find_var(name + "0").get_tensor()),
                                      c.inputs[name])


def _fails(what, c, **inputs):
    import paddle.fluid as fluid
    import pytest
    c.inputs.update(inputs)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError, NotImplementedError), match=what):
        build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    _fails("X has 5 columns, and BatchSum 4", norm(""), BatchSum=rand(4))
    _fails("X must have 2 dimensions", norm(""), X=rand(2, 5, 3))
    _fails("sync_stats is set", norm("", sync_stats=True))
    _fails("needs scale_w and bias", norm("", enable_scale_and_shift=True))
    _fails("X has 5 columns, and scale_w 3", norm("", shift=True), scale_w=rand(3))
