"""One step of SGD through layers of all the sizes that kernels treat apart, against numpy: on the
CPU, on the emulation (test_emulated.py), and on a GPU where there is one."""
import numpy as np
import pytest

RATE = 0.1
SIZES = {  # rows, columns, hidden, classes
    "few rows": (5, 13, 40, 2), "several blocks": (600, 37, 130, 2), "wide": (70, 300, 33, 9),
    "one column": (530, 20, 12, 1), "many rows": (1100, 8, 12, 2), "even": (150, 36, 132, 2),
    "of groups": (140, 64, 260, 2),
}
# On the emulation, of all ways of op_fc.c: those by warpgroups, of products and of gradients.
WAYS = [3, 12, 13, 14, 15]


def places():
    import paddle._core as core
    import paddle.fluid as fluid
    return [fluid.CPUPlace()] + ([fluid.CUDAPlace(0)] if core.gpu_count() else [])


def run(place, sizes, x, y):
    import paddle.fluid as fluid
    _, columns, hidden, classes = sizes
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.core.Scope()
    main.random_seed = startup.random_seed = 7
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        a = fluid.data("x", [None, columns], "float32")
        b = fluid.data("y", [None, classes], "float32")
        h = fluid.layers.fc(a, hidden, act="relu")
        h = fluid.layers.fc(h, hidden, act="tanh")
        out = fluid.layers.fc(h, classes)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(out, b))
        fluid.optimizer.SGD(RATE).minimize(loss)
    names = [p.name for p in main.all_parameters()]
    with fluid.scope_guard(scope):
        exe = fluid.Executor(place)
        exe.run(startup)
        before = {n: np.array(scope.find_var(n).get_tensor()) for n in names}
        found = exe.run(main, {"x": x, "y": y}, [loss])[0]
        after = {n: np.array(scope.find_var(n).get_tensor()) for n in names}
    return names, before, after, float(found[0])


def step(names, p, x, y):
    """The loss, and the parameters after the step."""
    p = {n: v.astype("float64") for n, v in p.items()}
    w1, b1, w2, b2, w3, b3 = names
    h1 = np.maximum(x @ p[w1] + p[b1], 0)
    h2 = np.tanh(h1 @ p[w2] + p[b2])
    out = h2 @ p[w3] + p[b3]
    g3 = 2 * (out - y) / out.size
    g2 = (g3 @ p[w3].T) * (1 - h2 * h2)
    g1 = (g2 @ p[w2].T) * (h1 > 0)
    grads = {w3: h2.T @ g3, b3: g3.sum(0), w2: h1.T @ g2, b2: g2.sum(0), w1: x.T @ g1, b1: g1.sum(0)}
    return ((out - y) ** 2).mean(), {n: v - RATE * grads[n] for n, v in p.items()}


def check(name, tf32):
    import paddle.fluid as fluid
    rng = np.random.RandomState(3)
    rows, columns, _, classes = SIZES[name]
    x, y = rng.rand(rows, columns).astype("f") - 0.5, rng.rand(rows, classes).astype("f")
    fluid.set_flags({"FLAGS_enable_tf32": tf32})
    try:
        for place in places():
            names, before, after, loss = run(place, SIZES[name], x, y)
            wanted, expected = step(names, before, x, y)
            assert abs(loss - wanted) < (2e-3 if tf32 else 1e-4) * max(1, wanted)
            for n in names:
                np.testing.assert_allclose(after[n], expected[n], rtol=1e-3,
                                           atol=2e-3 if tf32 else 1e-5, err_msg=n)
    finally:
        fluid.set_flags({"FLAGS_enable_tf32": False})


@pytest.mark.parametrize("tf32", [False, True])
@pytest.mark.parametrize("name", SIZES)
def test_a_step_is_numpys(name, tf32):
    check(name, tf32)


@pytest.mark.parametrize("way", WAYS)
def test_a_step_by_warpgroups_is_numpys(way, monkeypatch):
    monkeypatch.setenv("EMU_WAY", str(way))
    check("of groups", True)
