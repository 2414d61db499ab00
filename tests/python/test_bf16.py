"""FLAGS_matmul_precision: products of bfloat16. They are emulated here, as most machines that run
tests have no instructions for them; tests/math/test_bf16.c compares with oneDNN's."""
import os
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid as fluid


@pytest.fixture(autouse=True)
def fresh():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        yield


@pytest.fixture
def emulated():
    fluid.set_flags({"FLAGS_matmul_precision": "bf16_emulated"})
    yield
    fluid.set_flags({"FLAGS_matmul_precision": "fp32"})


def bits_of(array):
    """float32 to the bits of bfloat16, to the nearest, ties to even."""
    bits = np.ascontiguousarray(array, "float32").view("uint32")
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype("uint16")


def rounded(array):
    return (bits_of(array).astype("uint32") << 16).view("float32")


# ---- the type ----

def test_a_cast_rounds_to_bfloat16_and_back():
    x = fluid.data("x", [None, 3])
    short = fluid.layers.cast(x, "bfloat16")
    back, whole = fluid.layers.cast(short, "float32"), fluid.layers.cast(short, "int64")
    assert short.dtype == fluid.core.VarDesc.VarType.BF16 and int(short.dtype) == 22
    exe = fluid.Executor()
    values = np.random.RandomState(1).randn(300, 3).astype("float32") * 100
    a, b, c = exe.run(feed={"x": values}, fetch_list=[short, back, whole])
    assert a.dtype == "uint16" and (a == bits_of(values)).all()
    assert (b == rounded(values)).all() and (c == rounded(values).astype("int64")).all()


def test_the_bits_of_bfloat16_are_fed_and_saved_as_uint16(tmp_path):
    x = fluid.data("x", [2, 2], "bfloat16")
    kept = fluid.layers.create_global_var([2, 2], 1.5, "bfloat16", persistable=True, name="kept")
    fluid.layers.assign(x, kept)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    bits = bits_of([[1, -2], [0.1, 3e38]])
    assert (exe.run(feed={"x": bits}, fetch_list=[kept])[0] == bits).all()
    fluid.io.save_persistables(exe, str(tmp_path))
    tensor = fluid.global_scope().find_var("kept").get_tensor()
    tensor.set(np.zeros([2, 2], "uint16"), fluid.CPUPlace())
    fluid.io.load_persistables(exe, str(tmp_path))
    assert (np.array(tensor) == bits).all()


def test_an_op_without_bfloat16_says_so_by_name():
    x = fluid.data("x", [2, 2], "bfloat16")
    y = fluid.default_main_program().global_block().create_var(name="y", dtype="bfloat16")
    fluid.default_main_program().global_block().append_op("tanh", {"X": [x]}, {"Out": [y]})
    with pytest.raises(NotImplementedError, match="tanh.*bfloat16"):
        fluid.Executor().run(feed={"x": np.zeros([2, 2], "uint16")}, fetch_list=[y])


# ---- products ----

def product(layer, a, b, **options):
    x, y = fluid.data("x", list(a.shape)), fluid.data("y", list(b.shape))
    x.stop_gradient = y.stop_gradient = False
    out = layer(x, y, **options)
    fluid.backward.append_backward(fluid.layers.reduce_sum(fluid.layers.square(out)))
    return fluid.Executor().run(feed={"x": a, "y": b},
                                fetch_list=[out, x.name + "@GRAD", y.name + "@GRAD"])


@pytest.mark.parametrize("layer, turned", [("mul", False), ("matmul", False), ("matmul", True)])
def test_products_are_those_of_rounded_numbers(emulated, layer, turned):
    random = np.random.RandomState(3)
    a, b = random.randn(64, 80).astype("float32"), random.randn(80, 72).astype("float32")
    options = {"transpose_y": True} if turned else {}
    got = product(getattr(fluid.layers, layer), a, b.T.copy() if turned else b, **options)
    wide_a, wide_b = rounded(a).astype("float64"), rounded(b).astype("float64")
    out = wide_a @ wide_b
    grad = rounded(2 * got[0]).astype("float64")
    by_b = wide_a.T @ grad
    for mine, wanted in zip(got, (out, grad @ wide_b.T, by_b.T if turned else by_b)):
        np.testing.assert_allclose(mine, wanted, rtol=1e-4, atol=2e-3)
    assert abs(got[0] - a.astype("float64") @ b).max() > 1e-3  # and not of the others


def test_a_small_product_is_one_of_floats(emulated):
    a, b = [np.random.RandomState(i).randn(8, 8).astype("float32") for i in range(2)]
    np.testing.assert_allclose(product(fluid.layers.mul, a, b)[0], a.astype("float64") @ b,
                               rtol=1e-5, atol=1e-6)


# ---- training ----

def network(width=64, act="relu", fetch_hidden=False):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 5
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x, y = fluid.data("x", [None, 64]), fluid.data("y", [None, 1], "int64")
        hidden = x
        for _ in range(3):
            hidden = fluid.layers.fc(hidden, width, act=act)
        loss = fluid.layers.mean(fluid.layers.cross_entropy(
            fluid.layers.fc(hidden, 2, act="softmax"), y))
    return main, startup, loss, hidden


def batches(n=25, rows=128):
    random = np.random.RandomState(0)
    x = random.randn(n, rows, 64).astype("float32")
    y = (x @ random.randn(64, 1) + random.randn(n, rows, 1) > 0).astype("int64")
    return [{"x": x[i], "y": y[i]} for i in range(n)]


def train(optimizer, act="relu", epochs=3):
    main, startup, loss, hidden = network(act=act)
    with fluid.program_guard(main, startup), fluid.unique_name.guard("step"):
        optimizer().minimize(loss)
    exe, scope = fluid.Executor(), fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        curve = [exe.run(main, feed=feed, fetch_list=[loss])[0].item()
                 for _ in range(epochs) for feed in batches()]
        weights = {v.name: np.array(scope.find_var(v.name).get_tensor())
                   for v in main.all_parameters()}
    return np.array(curve), weights


@pytest.mark.parametrize("act, optimizer", [
    ("relu", lambda: fluid.optimizer.SGD(0.1)), ("tanh", lambda: fluid.optimizer.SGD(0.1)),
    ("sigmoid", lambda: fluid.optimizer.Adam(0.01)), ("relu", lambda: fluid.optimizer.Adam(0.003))])
def test_the_loss_goes_down_as_with_floats(act, optimizer):
    plain, weights = train(optimizer, act)
    fluid.set_flags({"FLAGS_matmul_precision": "bf16_emulated"})
    try:
        curve, rough = train(optimizer, act)
    finally:
        fluid.set_flags({"FLAGS_matmul_precision": "fp32"})
    assert curve[-1] < curve[0] - 0.1
    assert 0 < abs(curve - plain).max() < 0.02
    for name, value in weights.items():
        assert rough[name].dtype == "float32"  # and not rounded: small steps would be lost
        assert len(rough[name]) == 2 or (rounded(rough[name]) != rough[name]).any()
        assert value.shape == rough[name].shape


def test_unfused_ops_give_nearly_the_same(emulated):
    curve, _ = train(lambda: fluid.optimizer.SGD(0.1), epochs=1)
    fluid.set_flags({"FLAGS_fuse": False})
    try:
        unfused, _ = train(lambda: fluid.optimizer.SGD(0.1), epochs=1)
    finally:
        fluid.set_flags({"FLAGS_fuse": True})
    np.testing.assert_allclose(curve, unfused, atol=2e-3)


def test_layers_hand_on_bfloat16_and_what_is_fetched_is_float32(emulated):
    main, startup, loss, hidden = network()
    with fluid.program_guard(main, startup):
        fluid.optimizer.SGD(0.1).minimize(loss)
    exe = fluid.Executor()
    exe.run(startup)
    feed = batches(1)[0]
    plan = exe._core.plan_text(main, feed, [loss], fluid.global_scope())
    for name in ("tmp_2", "tmp_2@GRAD"):
        for layer in range(3):
            assert "fc_%d.%s [-1, 64] bfloat16" % (layer, name) in plan, plan
    assert "X=x [-1, 64] float32" in plan and "fc_3.tmp_1@GRAD [-1, 2] float32" in plan
    first = exe.run(main, feed=feed, fetch_list=[hidden])[0]
    assert first.dtype == "float32" and (rounded(first) != first).any()


def test_a_nan_is_found_where_it_is_made(emulated):
    main, startup, loss, _ = network()
    exe, feed = fluid.Executor(), batches(1)[0]
    exe.run(startup)
    weights = fluid.global_scope().find_var("fc_1.w_0").get_tensor()
    values = np.array(weights)
    values[2, 3] = np.nan
    weights.set(values, fluid.CPUPlace())
    fluid.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(Exception, match=r"fc_1\.w_0.*made a NaN at element 3 of.*fc_1\.tmp_2"):
            exe.run(main, feed=feed, fetch_list=[loss])
    finally:
        fluid.set_flags({"FLAGS_check_nan_inf": False})


def test_the_flag_can_be_changed_between_runs():
    main, startup, loss, hidden = network()
    exe, feed = fluid.Executor(), batches(1)[0]
    exe.run(startup)
    plain = exe.run(main, feed=feed, fetch_list=[hidden])[0]
    fluid.set_flags({"FLAGS_matmul_precision": "bf16_emulated"})
    rough = exe.run(main, feed=feed, fetch_list=[hidden])[0]
    fluid.set_flags({"FLAGS_matmul_precision": "fp32"})
    assert (plain != rough).any() and abs(plain - rough).max() < 0.05
    assert (exe.run(main, feed=feed, fetch_list=[hidden])[0] == plain).all()


def test_a_wrong_word_is_refused():
    main, startup, loss, _ = network()
    fluid.set_flags({"FLAGS_matmul_precision": "half"})
    try:
        with pytest.raises(ValueError, match="'half'.*fp32, bf16 or bf16_emulated"):
            fluid.Executor().run(startup)
    finally:
        fluid.set_flags({"FLAGS_matmul_precision": "fp32"})


def test_a_cpu_without_it_is_told_what_it_needs():
    script = ("import paddle.fluid as f, numpy\n"
              "x = f.data('x', [64, 64])\n"
              "y = f.layers.fc(x, 64)\n"
              "e = f.Executor()\n"
              "e.run(f.default_startup_program())\n"  # multiplies nothing
              "e.run(feed={'x': numpy.ones([64, 64], 'f')}, fetch_list=[y])\n")
    done = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, FLAGS_matmul_precision="bf16",
                                   DNNL_MAX_CPU_ISA="AVX2"))  # as oneDNN sees an older CPU
    assert done.returncode != 0
    assert "FLAGS_matmul_precision=bf16 needs a CPU" in done.stderr and "amx_bf16" in done.stderr
    assert "bf16_emulated" in done.stderr
