"""Optimizers, clips and schedules as scripts see them: signatures, refusals, warnings."""
import json
import os
import sys

import numpy as np
import paddle.fluid as fluid
import pytest
from paddle.fluid import layers

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
sys.path.insert(0, GOLDEN)
import record_signatures  # noqa: E402


def test_signatures_are_paddles():
    with open(os.path.join(GOLDEN, "signatures.json")) as f:
        wanted = json.load(f)
    got = record_signatures.signatures(fluid)
    for name, signature in wanted.items():
        if name == "optimizer.PipelineOptimizer.minimize":
            continue  # there is no such object
        assert got.get(name) == signature, name


def test_both_names_of_an_optimizer_are_one_class():
    for name in ("SGD", "Momentum", "Adagrad", "Adam", "Adamax", "Dpsgd", "DecayedAdagrad", "Ftrl",
                 "Adadelta", "LarsMomentum", "RMSProp", "Lamb"):
        assert getattr(fluid.optimizer, name) is getattr(fluid.optimizer, name + "Optimizer")


@pytest.fixture
def loss():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        x, y = layers.data("x", [4]), layers.data("y", [1])
        yield layers.mean(layers.square_error_cost(layers.fc(x, 1), y))


def test_minimize_returns_the_ops_and_the_gradients(loss):
    ops, pairs = fluid.optimizer.Adam(0.1).minimize(loss)
    assert [op.type for op in ops] == ["adam", "adam"]
    assert [(p.name, g.name) for p, g in pairs] == [("fc_0.w_0", "fc_0.w_0@GRAD"),
                                                    ("fc_0.b_0", "fc_0.b_0@GRAD")]


def test_state_names_are_listed(loss):
    momentum = fluid.optimizer.Momentum(0.1, 0.9)
    momentum.minimize(loss)
    assert sorted(momentum.get_opti_var_name_list()) == ["fc_0.b_0_velocity_0",
                                                         "fc_0.w_0_velocity_0"]


def test_a_state_is_made_once(loss):
    momentum = fluid.optimizer.Momentum(0.1, 0.9)
    pairs = momentum.backward(loss)
    momentum.apply_gradients(pairs)
    with pytest.raises(Exception, match="velocity already exists for parameter fc_0"):
        momentum.apply_gradients(pairs)


# ---- refusals ----

def test_a_number_as_regularization_says_what_to_write(loss):
    with pytest.raises(TypeError, match=r"fluid.regularizer.L2Decay\(0.01\)"):
        fluid.optimizer.SGD(0.1, regularization=0.01).minimize(loss)


@pytest.mark.parametrize("make, error, message", [
    (lambda o: o.SGD("0.1"), TypeError, "learning rate"),
    (lambda o: o.SGD(0.1, grad_clip=1.0), TypeError, "grad_clip"),
    (lambda o: o.Momentum(0.1, None), ValueError, "momentum is not set"),
    (lambda o: o.Adam(beta1=None), ValueError, "beta1 is not set"),
    (lambda o: o.RMSPropOptimizer(0.1, rho=None), ValueError, "rho is not set"),
    (lambda o: o.DGCMomentumOptimizer(0.1, 0.9, 1), NotImplementedError, "DGCMomentumOptimizer"),
    (lambda o: o.PipelineOptimizer(o.SGD(0.1)), NotImplementedError, "PipelineOptimizer"),
    (lambda o: o.LookaheadOptimizer(None), ValueError, "inner optimizer"),
    (lambda o: o.LookaheadOptimizer(o.SGD(0.1), alpha=1.5), ValueError, "alpha is 1.5"),
    (lambda o: o.LookaheadOptimizer(o.SGD(0.1), k=0), ValueError, "k is 0"),
    (lambda o: o.LambOptimizer(lamb_weight_decay=None), ValueError, "lamb_weight_decay"),
])
def test_bad_arguments_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make(fluid.optimizer)


def test_a_loss_of_several_numbers_is_refused(loss):
    out = layers.fc(fluid.default_main_program().global_block().var("x"), 3)
    with pytest.raises(ValueError, match="must be one number"):
        fluid.optimizer.SGD(0.1).minimize(out)


def test_the_base_class_is_not_used_by_itself(loss):
    with pytest.raises(NotImplementedError, match="subclasses"):
        fluid.optimizer.Optimizer(0.1).minimize(loss)


def test_a_rate_of_another_program_is_refused(loss):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        rate = layers.create_global_var([1], 0.1, "float32", persistable=True)
        sgd = fluid.optimizer.SGD(rate)
    with pytest.raises(TypeError, match="another program"):
        sgd.minimize(loss)


def test_what_contrib_has_not_says_so_by_name():
    for name in fluid.contrib.__all__:
        assert hasattr(fluid.contrib, name)
    for name in ("Compressor", "QuantizeTranspiler"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(fluid.contrib, name)()
    with pytest.raises(TypeError, match="Optimizer"):
        fluid.contrib.extend_with_decoupled_weight_decay(int)
    with pytest.raises(TypeError, match="float or Variable"):
        fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.SGD)(
            1, learning_rate=0.1)


def test_a_decay_of_zero_adds_nothing(loss):
    sgd = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.SGD)
    ops, _ = sgd(weight_decay=0.0, learning_rate=0.1).minimize(loss)
    assert [op.type for op in ops] == ["sgd", "sgd"]


# ---- schedules ----

def test_schedules_refuse_bad_arguments():
    with pytest.raises(ValueError, match="should be 1"):
        layers.piecewise_decay([1, 2], [0.1, 0.2])
    with pytest.raises(TypeError, match="learning_rate is <class 'str'>"):
        layers.linear_lr_warmup("0.1", 5, 0.0, 0.1)


def test_step_counters_count():
    with fluid.program_guard(fluid.Program(), fluid.Program()), \
            fluid.scope_guard(fluid.core.Scope()):
        one = layers.autoincreased_step_counter()
        other = layers.autoincreased_step_counter("mine", begin=5, step=3)
        assert layers.autoincreased_step_counter("mine") is other
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        seen = [[int(v[0]) for v in exe.run(fluid.default_main_program(), {}, [one, other])]
                for _ in range(3)]
    assert seen == [[1, 7], [2, 10], [3, 13]]


# ---- clips ----

def test_clips_refuse_bad_arguments(loss):
    clip = fluid.clip
    with pytest.raises(TypeError, match="derived class"):
        clip.set_gradient_clip(3)
    with pytest.raises(TypeError, match="param_list"):
        clip.set_gradient_clip(clip.GradientClipByNorm(1.0), [3])
    with pytest.raises(TypeError, match="need_clip"):
        clip.GradientClipByNorm(1.0, need_clip=3)
    with pytest.raises(ValueError, match="above 0"):
        clip.GradientClipByValue(0.0)
    clip.set_gradient_clip(clip.GradientClipByGlobalNorm(1.0), ["fc_0.w_0"])
    clip.set_gradient_clip(clip.GradientClipByGlobalNorm(2.0), ["fc_0.b_0"])
    with pytest.raises(ValueError, match="of a same group"):
        fluid.optimizer.SGD(0.1).minimize(loss)


def clipped(fluid):
    """The parameters whose gradient passes through a clip."""
    ops = fluid.default_main_program().global_block().ops
    made = {name for op in ops if op.type in ("elementwise_mul", "clip", "clip_by_norm")
            for name in op.output_arg_names}
    return sorted(op.input("Param")[0] for op in ops if op.type == "sgd"
                  and op.input("Grad")[0] in made)


def test_a_clip_for_some_parameters_leaves_the_others(loss):
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0), ["fc_0.w_0"])
    fluid.optimizer.SGD(0.1).minimize(loss)
    assert clipped(fluid) == ["fc_0.w_0"]


def test_clips_of_two_kinds_are_each_honoured(loss):
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0), ["fc_0.w_0"])
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByValue(1.0), ["fc_0.b_0"])
    fluid.optimizer.SGD(0.1).minimize(loss)
    types = [op.type for op in fluid.default_main_program().global_block().ops]
    assert clipped(fluid) == ["fc_0.b_0", "fc_0.w_0"] and types.count("clip") == 1


def test_need_clip_of_a_clip_that_is_set_is_asked(loss):
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByNorm(
        1.0, need_clip=lambda p: p.name == "fc_0.b_0"))
    fluid.optimizer.SGD(0.1).minimize(loss)
    assert clipped(fluid) == ["fc_0.b_0"]


def test_a_clip_that_is_set_and_one_that_is_given_warn(loss):
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0))
    with pytest.warns(UserWarning, match="set_gradient_clip.. has no effect"):
        fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(2.0)).minimize(loss)


# ---- what differs from its name ----

def test_ftrl_honours_l2(loss):
    fluid.optimizer.Ftrl(0.1, l1=0.1, l2=0.2).minimize(loss)
    ops = [op for op in fluid.default_main_program().global_block().ops if op.type == "ftrl"]
    assert ops and all(abs(op.attr("l2") - 0.2) < 1e-6 for op in ops)


def test_a_second_loss_built_after_an_update_trains_too():
    """As two optimizers of one program: the second differentiates what the first has updated."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.layers.data("x", [3])

        def net():
            return fluid.layers.fc(x, 2, bias_attr=False, param_attr=fluid.ParamAttr(
                name="w", initializer=fluid.initializer.Constant(0.5)))
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.reduce_mean(fluid.layers.square(net())))
        second = fluid.layers.reduce_mean(fluid.layers.tanh(net()))
        _, pairs = fluid.optimizer.Adam(0.1).minimize(second)
    assert [p.name for p, _ in pairs] == ["w"]
    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.core.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        losses = [exe.run(main, feed={"x": np.ones([2, 3], "float32")}, fetch_list=[second])[0]
                  for _ in range(3)]
        w = np.array(scope.find_var("w").get_tensor())
    # as real Paddle 1.8.5 has them
    assert np.allclose(np.ravel(losses), [0.78180635, 0.48155004, 0.16307142], rtol=1e-5)
    assert np.allclose(w, -0.04249407, rtol=1e-4)


def test_recompute_asks_for_checkpoints(loss):
    recompute = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.1))
    with pytest.raises(ValueError, match="_set_checkpoints"):
        recompute.minimize(loss)
    recompute._set_checkpoints(["fc_0.tmp_1"])
    ops, _ = recompute.minimize(loss)
    assert [op.type for op in ops] == ["sgd", "sgd"]


# ---- readers ----

@pytest.mark.parametrize("trainers, trainer, wanted", [
    (1, 0, [0, 1, 2, 3, 4, 5, 6]), (2, 0, [0, 2, 4]), (2, 1, [1, 3, 5]), (3, 2, [2, 5])])
def test_batches_are_dealt_to_trainers(monkeypatch, trainers, trainer, wanted):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", str(trainers))
    monkeypatch.setenv("PADDLE_TRAINER_ID", str(trainer))
    assert list(fluid.contrib.distributed_batch_reader(lambda: iter(range(7)))()) == wanted


# ---- programs in files ----

def test_a_trained_program_survives_its_bytes(loss):
    """Optimizer ops and their states come back from a program's bytes and train on."""
    fluid.optimizer.Adam(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.1)).minimize(loss)
    main = fluid.default_main_program()
    copy = fluid.Program.parse_from_string(main._serialize())
    feed = {"x": np.ones((2, 4), "float32"), "y": np.ones((2, 1), "float32")}
    results = []
    for program in (main, copy):
        with fluid.scope_guard(fluid.core.Scope()):
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(fluid.default_startup_program())
            fluid.global_scope().find_var("fc_0.w_0").get_tensor().set(
                np.full((4, 1), 0.5, "float32"), fluid.CPUPlace())
            for _ in range(3):
                exe.run(program, feed, [])
            results.append(np.array(
                fluid.global_scope().find_var("fc_0.w_0_moment2_0").get_tensor()))
    np.testing.assert_array_equal(*results)


# ---- averages ----

@pytest.mark.parametrize("by_steps", [False, True])
def test_a_moving_average_is_applied_and_goes_on(loss, by_steps):
    fluid.optimizer.SGD(0.1).minimize(loss)
    steps = fluid.layers.learning_rate_scheduler._decay_step_counter() if by_steps else None
    average = fluid.optimizer.ExponentialMovingAverage(0.9, thres_steps=steps)
    average.update()
    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.global_scope()
    exe.run(fluid.default_startup_program())
    mean, power, rng = 0.0, 1.0, np.random.RandomState(1)
    weight = lambda: np.array(scope.find_var("fc_0.w_0").get_tensor())
    for step in range(6):
        exe.run(feed={"x": rng.rand(4, 4).astype("float32"), "y": rng.rand(4, 1).astype("float32")})
        decay = min(0.9, (1.0 + step) / (10.0 + step)) if by_steps else 0.9
        mean = decay * mean + (1 - decay) * weight()
        kept = weight()
        with average.apply(exe):
            np.testing.assert_allclose(weight(), mean / (1 - decay ** (step + 1)), rtol=1e-4)
        np.testing.assert_array_equal(weight(), kept)


def nothing_trained(how):
    """A loss of the kind that no gradient leaves: (loss, what the warning says)."""
    x = layers.data("x", [4])
    hidden = layers.fc(x, 3)
    if how == "stopped":
        hidden.stop_gradient = True
        return layers.mean(hidden), "no gradient passes %s, whose stop_gradient" % hidden.name
    if how == "argmax":
        best = layers.cast(layers.argmax(hidden, 1), "float32")
        return layers.mean(best), "no gradient passes op arg_max"
    if how == "accuracy":
        right = layers.accuracy(hidden, layers.data("y", [1], dtype="int64"))
        return right, "no gradient passes op accuracy"
    if how == "whole":
        whole = layers.cast(hidden, "int64")
        return (layers.mean(layers.cast(whole, "float32")),
                "no gradient passes %s, which is not of floating point" % whole.name)
    if how == "frozen":
        for param in fluid.default_main_program().all_parameters():
            param.trainable = False
        return layers.mean(hidden), "is not to be trained"
    mark = layers.cast(layers.argmax(x, 1), "float32")  # no gradient either, and no matter
    data = layers.mean(mark)
    return data, "%s depends on no parameter" % data.name


@pytest.mark.parametrize("how", ["stopped", "argmax", "accuracy", "whole", "frozen", "data"])
def test_minimize_that_trains_nothing_says_what_stops_it(how):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        built, message = nothing_trained(how)
        with pytest.warns(UserWarning, match="nothing is trained: .*%s" % message) as said:
            assert fluid.optimizer.SGD(0.1).minimize(built)[1] == []
    assert len(said) == 1 and said[0].filename == __file__
