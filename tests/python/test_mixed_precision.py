"""fluid.contrib.mixed_precision: the programs of Paddle 1.8.5 (record_mixed_precision.py), and what
a CPU makes of them: float32 with products of bfloat16, emulated here."""
import json
import os

import numpy as np
import pytest

import mixed_precision_cases as cases
import paddle.fluid as fluid
from paddle.fluid.contrib import mixed_precision

with open(os.path.join(os.path.dirname(__file__), "golden", "mixed_precision.json")) as golden:
    GOLDEN = json.load(golden)


without_a_gpu = pytest.mark.skipif(fluid.core.get_cuda_device_count() > 0,
                                   reason="where there is a GPU the loss is scaled")


@pytest.fixture(autouse=True)
def emulated():
    fluid.set_flags({"FLAGS_matmul_precision": "bf16_emulated"})
    yield
    fluid.set_flags({"FLAGS_matmul_precision": "fp32"})


# ---- programs ----

@pytest.mark.parametrize("name", cases.CASES)
def test_programs_are_rewritten_as_paddle_does(name):
    assert cases.forward(cases.decorated(name)[0]) == GOLDEN["forward"][name]


@pytest.mark.parametrize("name", cases.SCALES)
def test_the_scale_of_a_loss_follows_its_gradients(name):
    assert cases.scales(*cases.SCALES[name]) == GOLDEN["scales"][name]


def test_lists_must_not_contradict_each_other():
    with pytest.raises(ValueError, match="overlap"):
        mixed_precision.AutoMixedPrecisionLists(["exp"], ["exp"])


# ---- training ----

def network(wrap, optimizer=fluid.optimizer.SGD, rate=0.1, sparse=False):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x, y = fluid.data("x", [None, 48]), fluid.data("y", [None, 1], "int64")
        ids = fluid.data("ids", [None, 1], "int64")
        hidden = fluid.layers.concat(
            [x, fluid.layers.embedding(ids, [50, 16], is_sparse=sparse)], axis=1)
        for _ in range(2):
            hidden = fluid.layers.fc(hidden, 64, act="relu")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(
            fluid.layers.fc(hidden, 2, act="softmax"), y))
        made = wrap(optimizer(rate))
        made.minimize(loss)
    return main, startup, loss, made


def feeds(n=12, rows=96):
    random = np.random.RandomState(2)
    x = random.randn(n, rows, 48).astype("float32")
    ids = random.randint(0, 50, (n, rows, 1))
    y = (x[..., :1] + (ids % 3 - 1) > 0).astype("int64")
    return [{"x": x[i], "y": y[i], "ids": ids[i]} for i in range(n)]


def train(wrap, **options):
    main, startup, loss, made = network(wrap, **options)
    exe, scope = fluid.Executor(), fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        curve = [exe.run(main, feed=feed, fetch_list=[loss])[0].item() for feed in feeds()]
        values = {p.name: np.array(scope.find_var(p.name).get_tensor())
                  for p in main.all_parameters()}
        plan = exe._core.plan_text(main, feeds(1)[0], [loss], scope)
    return curve, values, plan


def plain(optimizer):
    return optimizer


@without_a_gpu
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("optimizer, rate", [(fluid.optimizer.SGD, 0.1),
                                             (fluid.optimizer.Adam, 0.01)])
def test_a_decorated_program_is_that_of_the_flag(optimizer, rate, sparse):
    options = {"optimizer": optimizer, "rate": rate, "sparse": sparse}
    curve, values, plan = train(mixed_precision.decorate, **options)
    same, wanted, _ = train(plain, **options)
    assert curve == same and curve[-1] < curve[0]
    for name, value in wanted.items():
        assert values[name].dtype == "float32" and (values[name] == value).all(), name
    assert "cast" not in plan and "float16 " not in plan.replace("bfloat16", "")
    assert "fc_0.tmp_2 [-1, 64] bfloat16" in plan  # layers hand it on


def test_what_a_list_keeps_in_float32_is_not_rounded():
    lists = mixed_precision.AutoMixedPrecisionLists(custom_black_varnames={"fc_0.w_0"})
    got = []
    for wrap, precision in ((lambda sgd: mixed_precision.decorate(sgd, lists), "bf16_emulated"),
                            (plain, "fp32")):
        fluid.set_flags({"FLAGS_matmul_precision": precision})
        main, startup, _, _ = network(wrap)
        exe = fluid.Executor()
        exe.run(startup)
        got.append(exe.run(main, feed=feeds(1)[0], fetch_list=["fc_0.tmp_2", "fc_1.tmp_2"]))
    assert (got[0][0] == got[1][0]).all()
    assert (got[0][1] != got[1][1]).any() and abs(got[0][1] - got[1][1]).max() < 0.02


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_scale_that_is_asked_for_is_there_and_changes_nothing(dynamic, sparse):
    """A power of two, of numbers that are far from the ends of the range."""
    curve, values, _ = train(mixed_precision.decorate, sparse=sparse)
    scaled, same, plan = train(lambda sgd: mixed_precision.decorate(
        sgd, init_loss_scaling=64.0, use_dynamic_loss_scaling=dynamic), sparse=sparse)
    assert "loss_scaling_0" in plan and ("isfinite" in plan) == dynamic
    np.testing.assert_allclose(scaled, curve, rtol=1e-6)
    for name in values:
        np.testing.assert_allclose(same[name], values[name], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_steps_with_infinite_gradients_are_left_out_and_the_scale_falls(sparse):
    main, startup, loss, made = network(lambda sgd: mixed_precision.decorate(
        sgd, init_loss_scaling=2.0 ** 100, decr_every_n_nan_or_inf=0, decr_ratio=2.0 ** -20),
        sparse=sparse)
    exe, feed = fluid.Executor(), dict(feeds(1)[0])
    exe.run(startup)
    params = [p.name for p in main.all_parameters()]

    def step(x):
        values = exe.run(main, feed=dict(feed, x=x), fetch_list=[made.get_loss_scaling()] + params)
        return values[0].item(), values[1:]
    # Each gradient is finite as it is, and infinite when it has been scaled.
    scale, before = step(feed["x"] * 1e17)
    assert scale == 2.0 ** 80 and all(np.isfinite(value).all() for value in before)
    scale, after = step(feed["x"] * 1e17)
    assert scale == 2.0 ** 60 and all((a == b).all() for a, b in zip(after, before))
    scale, after = step(feed["x"])
    assert scale == 2.0 ** 60 and any((a != b).any() for a, b in zip(after, before))


@without_a_gpu
def test_without_a_gpu_the_defaults_scale_nothing():
    main, startup, loss, made = network(mixed_precision.decorate)
    assert made.get_scaled_loss() is loss
    exe = fluid.Executor()
    exe.run(startup)
    assert exe.run(main, feed=feeds(1)[0], fetch_list=[made.get_loss_scaling()])[0].item() == 1
    assert "isfinite" not in [op.type for op in main.global_block().ops]


def test_what_is_fetched_by_its_cast_name_is_there():
    main, startup, loss, _ = network(mixed_precision.decorate)
    exe = fluid.Executor()
    exe.run(startup)
    names = ["fc_0.w_0", "fc_0.w_0.cast_fp16", "fc_0.tmp_2", "fc_0.w_0.cast_fp16@GRAD",
             "fc_0.w_0@GRAD"]
    w, cast, hidden, rough, grad = exe.run(main, feed=feeds(1)[0], fetch_list=names)
    assert hidden.dtype == cast.dtype == "float32"
    np.testing.assert_array_equal(rough, grad)
    # w is fetched when all is done.
    np.testing.assert_allclose(w, cast - 0.1 * grad, rtol=1e-6, atol=1e-7)


def test_a_model_is_saved_in_float32_and_infers(tmp_path):
    main, startup, loss, _ = network(mixed_precision.decorate)
    exe, feed = fluid.Executor(), feeds(1)[0]
    exe.run(startup)
    predict = main.global_block().var("fc_2.tmp_2")
    test = main.clone(for_test=True)
    wanted = exe.run(test, feed=feed, fetch_list=[predict])[0]
    fluid.io.save_inference_model(str(tmp_path), ["x", "ids"], [predict], exe, main)
    with fluid.scope_guard(fluid.Scope()):
        program, names, targets = fluid.io.load_inference_model(str(tmp_path), exe)
        got = exe.run(program, feed={n: feed[n] for n in names}, fetch_list=targets)[0]
        kept = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
    assert kept.dtype == "float32"
    np.testing.assert_allclose(got, wanted, atol=1e-6)


def test_a_cpu_without_bfloat16_refuses_the_program_and_says_what_it_needs():
    fluid.set_flags({"FLAGS_matmul_precision": "bf16"})
    main, startup, loss, _ = network(mixed_precision.decorate)
    exe = fluid.Executor()
    exe.run(startup)
    with open("/proc/cpuinfo") as cpu:
        has = "avx512_bf16" in cpu.read()
    if has:
        assert np.isfinite(exe.run(main, feed=feeds(1)[0], fetch_list=[loss])[0]).all()
    else:
        with pytest.raises(NotImplementedError, match="a program of mixed precision needs a CPU"):
            exe.run(main, feed=feeds(1)[0], fetch_list=[loss])
