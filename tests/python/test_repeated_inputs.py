"""One variable several times among the inputs of an op that takes a list: values and gradients."""
import numpy as np
import pytest

from gradcheck import check

X = np.array([[0.9, -0.4, 0.3], [-1.2, 0.7, 0.5]])
Y = np.array([[0.5, 1.1, -0.8], [0.6, -0.9, 1.3]])
ROWS = (np.array([[0.9], [-0.4], [0.3], [-1.2], [0.7]]), [2, 3])


@pytest.fixture(autouse=True)
def layers():
    import paddle.fluid as fluid
    globals().update(fluid=fluid, L=fluid.layers)


def op(kind, inputs, out="Out", **attrs):
    block = fluid.default_main_program().current_block()
    var = block.create_var(dtype="float64", name=fluid.unique_name.generate("out"))
    block.append_op(type=kind, inputs=inputs, outputs={out: [var]}, attrs=attrs)
    return var


def weighed(x):
    """Each element counts differently, and not linearly."""
    return L.reduce_sum(L.square(x)) + L.reduce_sum(L.cumsum(x, axis=0))


def ids():
    return L.assign(np.array([[1], [2]], "int32"))


OPS = {
    "concat": lambda x, y: L.concat([x, x]),
    "concat_mixed": lambda x, y: L.concat([x, y, x, y, x], axis=1),
    "stack": lambda x, y: L.stack([x, x], axis=1),
    "stack_mixed": lambda x, y: L.stack([x, y, x]),
    "sums": lambda x, y: L.sums([x, x]),
    "sums_thrice": lambda x, y: L.sums([L.tanh(x)] * 3),
    "sums_mixed": lambda x, y: L.sums([x, y, x, x, y]),
    "multiplex": lambda x, y: L.multiplex([x, x, y], ids()),
    "multiplex_same": lambda x, y: L.multiplex([x, x, x], ids()),
    "meshgrid": lambda x, y: op_of_two("meshgrid", L.reshape(x, [6])),
    "unstack": lambda x, y: L.concat(L.unstack(x) * 2, axis=0),
    "same_twice": lambda x, y: L.concat([x, x]) + L.concat([y, x]),
    "element_ops": lambda x, y: L.elementwise_mul(x, x) + L.elementwise_div(x, x) +
    L.elementwise_max(x, x),
}


def op_of_two(kind, x):
    block = fluid.default_main_program().current_block()
    outs = [block.create_var(dtype="float64", name=fluid.unique_name.generate("out"))
            for _ in range(2)]
    block.append_op(type=kind, inputs={"X": [x, x]}, outputs={"Out": outs}, attrs={})
    return outs[0] * L.exp(outs[1])


@pytest.mark.parametrize("name", sorted(OPS))
def test_gradient(name):
    check(lambda v: weighed(OPS[name](v["x"], v["y"])) + L.reduce_sum(v["y"]), {"x": X, "y": Y},
          tolerance=1e-5)


@pytest.mark.parametrize("name", ["concat_mixed", "stack_mixed", "sums_mixed"])
def test_of_a_parameter_that_is_trained(name):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = L.data("x", [2, 3], append_batch_size=False)
        w = L.create_parameter([2, 3], "float32", name="w",
                               default_initializer=fluid.initializer.Constant(0.5))
        loss = L.reduce_sum(L.square(OPS[name](w, x)))
        fluid.optimizer.SGD(0.1).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        exe.run(main, feed={"x": np.zeros([2, 3], "float32")}, fetch_list=[loss])
        got = np.array(fluid.global_scope().find_var("w").get_tensor())
    times = {"concat_mixed": 3, "stack_mixed": 2, "sums_mixed": 9}[name]
    assert np.allclose(got, 0.5 - 0.1 * times * 2 * 0.5)


def test_sequence_concat():
    check(lambda v: weighed(L.sequence_concat([v["x"], v["x"]])), {"x": ROWS}, tolerance=1e-5)


def test_of_sparse_tables():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        ids_ = L.data("ids", [1], dtype="int64")
        row = L.embedding(ids_, [5, 2], is_sparse=True, param_attr=fluid.ParamAttr(
            name="table", initializer=fluid.initializer.Constant(1.0)))
        loss = L.reduce_sum(L.concat([row, row, row], axis=1))
        fluid.optimizer.SGD(0.5).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        exe.run(main, feed={"ids": np.array([[1], [3], [1]])}, fetch_list=[loss])
        got = np.array(fluid.global_scope().find_var("table").get_tensor())
    assert np.allclose(got[:, 0], [1, 1 - 3.0, 1, 1 - 1.5, 1])
