"""What learning rate schedules add to a program."""
import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers

from layercase import check


def _case(name, build):
    def function():
        from paddle.fluid import layers
        build(layers)
    function.__name__ = name
    return function


def two_schedules():
    """They count with one counter."""
    from paddle.fluid import layers
    layers.exponential_decay(0.1, 10, 0.5)
    layers.natural_exp_decay(0.1, 10, 0.5)


def step_counters():
    from paddle.fluid import layers
    layers.autoincreased_step_counter()
    layers.autoincreased_step_counter(counter_name="mine", begin=5, step=2)


CASES = [
    _case("exponential", lambda f: f.exponential_decay(0.1, 10, 0.5)),
    _case("exponential_stairs", lambda f: f.exponential_decay(0.1, 10, 0.5, staircase=True)),
    _case("natural_exp", lambda f: f.natural_exp_decay(0.1, 10, 0.5)),
    _case("natural_exp_stairs", lambda f: f.natural_exp_decay(0.1, 10, 0.5, staircase=True)),
    _case("inverse_time", lambda f: f.inverse_time_decay(0.1, 10, 0.5)),
    _case("inverse_time_stairs", lambda f: f.inverse_time_decay(0.1, 10, 0.5, staircase=True)),
    _case("polynomial", lambda f: f.polynomial_decay(0.1, 10)),
    _case("polynomial_cycle", lambda f: f.polynomial_decay(0.1, 10, 0.01, 2.0, cycle=True)),
    _case("piecewise", lambda f: f.piecewise_decay([3, 6], [0.3, 0.2, 0.1])),
    _case("noam", lambda f: f.noam_decay(64, 10)),
    _case("noam_scaled", lambda f: f.noam_decay(64, 10, learning_rate=2.0)),
    _case("cosine", lambda f: f.cosine_decay(0.1, 5, 10)),
    _case("warmup", lambda f: f.linear_lr_warmup(0.5, 10, 0.1, 0.4)),
    _case("warmup_of_a_schedule", lambda f: f.linear_lr_warmup(
        f.exponential_decay(0.1, 10, 0.5), 10, 0.1, 0.4)),
    two_schedules,
    step_counters,
]
test = check(__file__, CASES)


def test_a_test_program_does_not_step_the_schedule():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        x = layers.data("x", [2])
        loss = layers.mean(layers.fc(x, 1))
        rate = layers.piecewise_decay([1, 2], [0.1, 0.2, 0.3])
        before = main.clone(for_test=True)  # of a program that is not trained yet
        fluid.optimizer.SGD(rate).minimize(loss)
        test = main.clone(for_test=True)
        assert [op.type for op in test.global_block().ops] == ["mul", "elementwise_add", "mean"]
        assert "increment" in [op.type for op in before.global_block().ops]
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        feed, rates = {"x": np.ones((1, 2), "float32")}, []
        for _ in range(3):
            rates.append(float(exe.run(main, feed=feed, fetch_list=[rate])[0][0]))
            exe.run(test, feed=feed, fetch_list=[loss.name])
        np.testing.assert_allclose(rates, [0.1, 0.2, 0.3], rtol=1e-6)


def test_a_saved_model_has_nothing_of_the_schedule(tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        x = layers.data("x", [2])
        y = layers.fc(x, 1)
        fluid.optimizer.SGD(layers.piecewise_decay([1, 2], [0.1, 0.2, 0.3])).minimize(
            layers.mean(y))
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        fluid.io.save_inference_model(str(tmp_path), ["x"], [y], exe, main)
        program, _, _ = fluid.io.load_inference_model(str(tmp_path), exe)
        assert program.num_blocks == 1
        names = sorted(v.name for v in program.list_vars() if v.persistable)
        assert names == ["fc_0.b_0", "fc_0.w_0", "feed", "fetch"]
