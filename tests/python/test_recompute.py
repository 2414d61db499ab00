"""RecomputeOptimizer: what is made between checkpoints is computed again in the backward pass. The
numbers are those without it, dropout's included; the memory is less."""
import subprocess
import sys

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def layers():
    import paddle.fluid as fluid
    globals().update(fluid=fluid, L=fluid.layers)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield
    fluid.set_flags({"FLAGS_fuse": True})


def dense(x):
    """Dropout and several activations; the first weight is used a second time at the end."""
    points = []
    for i in range(4):
        shared = fluid.ParamAttr(name="shared") if i in (0, 3) else None
        x = L.fc(x, 8, act=["tanh", "relu", "sigmoid", None][i], param_attr=shared)
        x = L.dropout(x, 0.3)
        points.append(x)
    return x, points[:3]


def normalised(x):
    points = []
    for i in range(3):
        x = L.fc(x, 8)
        x = L.relu(L.batch_norm(x))
        x = L.layer_norm(x)
        points.append(x)
    return x, points


def looped(x):
    """A block within a segment is not run again, nor what is changed in place."""
    x = L.fc(x, 8, act="tanh")
    first = x
    state, i, n = L.scale(x, 0.5), L.fill_constant([1], "int64", 0), L.fill_constant([1], "int64", 3)
    go_on = L.less_than(i, n)
    with L.While(go_on).block():
        L.assign(L.tanh(L.elementwise_mul(state, x)), state)
        L.increment(i, in_place=True)
        L.less_than(i, n, cond=go_on)
    x = L.fc(state, 8, act="relu")
    return L.fc(x, 8), [first, x]


def crossing(x):
    """A variable that a later segment reads, too; a checkpoint in the middle of a layer."""
    a = L.fc(x, 8, act="tanh")
    b = L.fc(a, 8)
    c = L.relu(b)
    d = L.elementwise_add(L.fc(c, 8), a)
    e = L.concat([d, d, a], axis=1)
    return L.fc(L.dropout(e, 0.5), 8), [b, d]


MODELS = {"dense": dense, "normalised": normalised, "looped": looped, "crossing": crossing}


def train(model, recompute, optimizer=lambda: fluid.optimizer.SGD(0.1), steps=4):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 5
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = L.data("x", [8])
        ids = L.data("ids", [1], dtype="int64")
        row = L.embedding(ids, [20, 8], is_sparse=True)
        out, points = MODELS[model](L.elementwise_add(L.tanh(row), x))
        loss = L.mean(L.square(out - 0.5))
        inner = optimizer()
        if recompute:
            inner = fluid.optimizer.RecomputeOptimizer(inner)
            inner._set_checkpoints(points)
        inner.minimize(loss)
    scope, exe = fluid.Scope(), fluid.Executor(fluid.CPUPlace())
    random, got = np.random.RandomState(2), []
    with fluid.scope_guard(scope):
        exe.run(startup)
        for _ in range(steps):
            feed = {"x": random.normal(0, 1, [6, 8]).astype("float32"),
                    "ids": random.randint(0, 20, [6, 1])}
            got.append(exe.run(main, feed=feed, fetch_list=[loss])[0])
        got += [np.array(scope.find_var(p.name).get_tensor())
                for p in main.global_block().all_parameters()]
    return main, got


OPTIMIZERS = {"sgd": lambda: fluid.optimizer.SGD(0.1), "adam": lambda: fluid.optimizer.Adam(0.01)}


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize("kind", sorted(OPTIMIZERS))
@pytest.mark.parametrize("model", sorted(MODELS))
def test_the_numbers_are_the_same(model, kind, fuse):
    fluid.set_flags({"FLAGS_fuse": fuse})
    _, plain = train(model, False, OPTIMIZERS[kind])
    main, again = train(model, True, OPTIMIZERS[kind])
    assert any(".subprog_" in name for op in main.global_block().ops
               for name in op.output_arg_names)
    for a, b in zip(plain, again):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def test_the_ops_of_a_segment_are_there_twice():
    main, _ = train("dense", True, steps=1)
    ops = main.global_block().ops
    again = [op for op in ops if any(".subprog_" in name for name in op.output_arg_names)]
    # three segments: two look-up ops and layers with a mul, a bias, an activation and a dropout,
    # less the dropout that makes the checkpoint, whose mask is wanted
    kinds = [op.type for op in again]
    assert kinds.count("mul") == 3 and kinds.count("dropout") == 3 and kinds.count("tanh") == 2
    assert all(op.attr("op_role") & 1 for op in again), "they belong to the backward pass"
    for op in ops:  # no gradient reads what was made between checkpoints
        if op.type == "tanh_grad":
            assert all(".subprog_" in name for name in op.input("Out"))
    copies = [op.type for op in main.clone(for_test=True).global_block().ops]
    assert copies.count("mul") == 4, "a program that is tested has each op once"


def test_a_function_in_a_segment_is_called_twice():
    called = []

    def double(x):
        called.append(1)
        return np.array(x) * 2

    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = L.data("x", [4])
        first = L.fc(x, 4)
        out = main.current_block().create_var(name="doubled", dtype="float32", shape=[-1, 4])
        L.py_func(double, first, out, backward_func=lambda x, y, dy: np.array(dy) * 2)
        second = L.fc(L.tanh(out), 4)
        optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.1))
        optimizer._set_checkpoints([second])
        loss = L.mean(L.square(second))
        optimizer.minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    exe.run(main, feed={"x": np.ones([2, 4], "float32")}, fetch_list=[loss])
    assert len(called) == 2


def test_a_checkpoint_must_be_there():
    x = L.data("x", [4])
    loss = L.mean(L.fc(x, 4))
    optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.1))
    optimizer._set_checkpoints(["nowhere"])
    with pytest.raises(Exception, match="no variable nowhere to be a checkpoint"):
        optimizer.minimize(loss)
    with pytest.raises(TypeError, match="checkpoint"):
        fluid.backward.append_backward(loss, checkpoints=[3])


DEEP = r"""
import re, sys
import numpy as np
import paddle.fluid as fluid
L = fluid.layers
x = first = L.data("x", [256])
points = []
for i in range(24):
    x = L.tanh(L.elementwise_mul(x, L.sigmoid(x)))
    if i % 5 == 4:
        points.append(x)
loss = L.mean(x * L.create_parameter([1], "float32"))
first.stop_gradient = False
fluid.backward.append_backward(loss, checkpoints=points if sys.argv[1] == "1" else None)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
name = first.name + "@GRAD"


def peak():
    # Of this program in KiB; getrusage() counts what the process was before it, too.
    with open("/proc/self/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))


before = peak()
exe.run(feed={"x": np.ones([4096, 256], "float32")}, fetch_list=[name])
print(peak() - before)
"""


def test_the_memory_is_less():
    """24 times three results of 4 MiB are kept, or those of one segment and five checkpoints."""
    used = [int(subprocess.run([sys.executable, "-c", DEEP, again], capture_output=True, text=True,
                               check=True, timeout=120).stdout) / 1024 for again in "01"]
    assert used[1] < 0.6 * used[0], "MiB without and with: %s" % used
