"""Each update rule of v1, as settings() names it, against a few lines of NumPy: a network whose
gradient is known (cost = sum of row . weights) is trained for some steps."""
import numpy as np
import pytest

import paddle.trainer_config_helpers as h
from paddle.trainer.machine import Machine
from paddle.trainer_config_helpers import optimizers as o
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph
from paddle.trainer_config_helpers.network import Network

SIZE = 5


class Type:
    def __init__(self, dim, seq_type, type):
        self.dim, self.seq_type, self.type = dim, seq_type, type


def machine_of(settings, attr=None, ids=False, **kwargs):
    """A Machine whose one parameter `w` has the summed inputs for gradient; with ids, whose
    rows have the number of times they occur."""
    with use_graph(Graph()):
        attr = attr or h.ParamAttr(name="w", initial_std=1.0)
        attr.name = "w"
        if ids:
            x = h.data_layer("x", SIZE)
            y = h.embedding_layer(x, 2, param_attr=attr)
            kind = Type(SIZE, 0, 3)
        else:
            x = h.data_layer("x", SIZE)
            y = h.fc_layer(x, 1, act=h.LinearActivation(), param_attr=attr, bias_attr=False)
            kind = Type(SIZE, 0, 0)
        cost = h.cost_layer("cost", "sum", [y], lambda net, v: net.row_sums(v))
        net = Network([cost], {"x": kind})
    return Machine(net, settings, seed=3, **kwargs)


@pytest.fixture(autouse=True)
def row_sums(monkeypatch):
    import paddle.fluid as fluid
    monkeypatch.setattr(Network, "row_sums", lambda self, v: fluid.layers.reduce_sum(
        v, dim=1, keep_dim=True), raising=False)


def train(machine, steps=4, batch=3):
    """(start, gradients, values after each step)"""
    rng = np.random.RandomState(5)
    start, grads, values = machine.get("w").copy(), [], []
    for _ in range(steps):
        rows = rng.randn(batch, SIZE).astype("float32")
        machine.train_batch([(row,) for row in rows])
        grads.append(rows.sum(0).reshape(-1, 1).astype("float64"))
        values.append(machine.get("w").copy())
    return start.astype("float64"), grads, values


def check(machine, rule, **kwargs):
    start, grads, values = train(machine, **kwargs)
    w, state = start.copy(), {}
    for t, (g, got) in enumerate(zip(grads, values), 1):
        w = rule(w, g, state, t)
        np.testing.assert_allclose(got, w, rtol=2e-5, atol=1e-6, err_msg="step %d" % t)


def momentum(mu=0.0, rate=0.1, decay=0.0, clip=None, scale=None):
    def rule(w, g, state, t):
        g = np.clip(g, -clip, clip) if clip else g
        r = rate if scale is None else rate * scale(t)
        state["v"] = mu * state.get("v", 0) - r * (g + decay * w)
        return w + state["v"]
    return rule


def adaptive(rates, rate=0.1, mu=0.0, decay=0.0):
    def rule(w, g, state, t):
        r = rate * rates(g, state, t)
        state["v"] = mu * state.get("v", 0) - r * (g + decay * w)
        return w + state["v"]
    return rule


def adagrad_rates(g, s, t):
    s["s"] = s.get("s", 0) + g * g
    return 1 / np.sqrt(s["s"] + 1e-6)


def decayed_rates(g, s, t, rho=0.9, eps=1e-3):
    s["s"] = g * g if t == 1 else rho * s["s"] + (1 - rho) * g * g
    return 1 / np.sqrt(s["s"] + eps)


def rmsprop_rates(g, s, t, rho=0.9, eps=1e-3):
    s["s"] = g * g if t == 1 else rho * s["s"] + (1 - rho) * g * g
    s["m"] = rho * s.get("m", 0) + (1 - rho) * g
    return 1 / np.sqrt(s["s"] - s["m"] ** 2 + eps)


def adadelta_rates(g, s, t, rho=0.9, eps=1e-3):
    s["s"] = rho * s.get("s", 0) + (1 - rho) * g * g
    q = np.sqrt((s.get("d", 0) + eps) / (s["s"] + eps))
    s["d"] = rho * s.get("d", 0) + (1 - rho) * (q * g) ** 2
    return q


def adam(w, g, s, t, rate=0.1, b1=0.8, b2=0.9, eps=1e-4):
    s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
    s["v"] = b2 * s.get("v", 0) + (1 - b2) * g * g
    return w - rate * np.sqrt(1 - b2 ** t) / (1 - b1 ** t) * s["m"] / (np.sqrt(s["v"]) + eps)


def adamax(w, g, s, t, rate=0.1, b1=0.8, b2=0.9):
    s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
    s["u"] = np.maximum(b2 * s.get("u", 0), np.abs(g))
    return w - rate / (1 - b1 ** t) * s["m"] / s["u"]


RULES = {  # by the op that it becomes
    "v1_momentum without momentum": (o.MomentumOptimizer(), momentum()),
    "v1_momentum": (o.MomentumOptimizer(0.9), momentum(0.9)),
    "v1_adagrad": (o.AdaGradOptimizer(), adaptive(adagrad_rates)),
    "v1_decayed_adagrad": (o.DecayedAdaGradOptimizer(0.9, 1e-3), adaptive(decayed_rates)),
    "v1_rmsprop": (o.RMSPropOptimizer(0.9, 1e-3), adaptive(rmsprop_rates)),
    "v1_adadelta": (o.AdaDeltaOptimizer(0.9, 1e-3), adaptive(adadelta_rates)),
    "v1_adam": (o.AdamOptimizer(0.8, 0.9, 1e-4), adam),
    "v1_adamax": (o.AdamaxOptimizer(0.8, 0.9), adamax),
}


@pytest.mark.parametrize("name", list(RULES))
def test_rule_is_v1s(name):
    method, rule = RULES[name]
    check(machine_of(o.Settings(learning_rate=0.1, learning_method=method)), rule)


@pytest.mark.parametrize("rates,method", [
    (adagrad_rates, o.AdaGradOptimizer()), (rmsprop_rates, o.RMSPropOptimizer(0.9, 1e-3))])
def test_kin_of_adagrad_have_momentum_and_decay_in_the_gradient(rates, method):
    settings = o.Settings(learning_rate=0.1, learning_method=method,
                          regularization=o.L2Regularization(0.3))
    check(machine_of(settings, h.ParamAttr(initial_std=1.0, momentum=0.5)),
          adaptive(rates, mu=0.5, decay=0.3))


def test_l2_of_momentum_is_in_the_gradient():
    settings = o.Settings(learning_rate=0.1, learning_method=o.MomentumOptimizer(0.9),
                          regularization=o.L2Regularization(0.3))
    check(machine_of(settings), momentum(0.9, decay=0.3))


def test_l2_of_adam_shrinks_after_the_step():
    settings = o.Settings(learning_rate=0.1, learning_method=RULES["v1_adam"][0],
                          regularization=o.L2Regularization(0.3))
    check(machine_of(settings), lambda w, g, s, t: adam(w, g, s, t) / (1 + 0.1 * 0.3))


def test_l1_draws_to_zero_and_stops_there():
    settings = o.Settings(learning_rate=0.1, regularization=o.L1Regularization(2.0))

    def rule(w, g, s, t):
        w = w - 0.1 * g
        return np.sign(w) * np.maximum(np.abs(w) - 0.2, 0)
    machine = machine_of(settings)
    check(machine, rule)
    for _ in range(20):
        machine.train_batch([([0.0] * SIZE,)])
    assert not machine.get("w").any()


def test_a_parameters_own_words_come_before_the_settings():
    settings = o.Settings(learning_rate=0.1, learning_method=o.MomentumOptimizer(0.9),
                          regularization=o.L2Regularization(0.3), gradient_clipping_threshold=9.0)
    attr = h.ParamAttr(initial_std=1.0, learning_rate=0.5, momentum=0.3, l2_rate=0.0,
                       gradient_clipping_threshold=0.7)
    check(machine_of(settings, attr), momentum(0.3, rate=0.05, clip=0.7))


def test_gradients_are_clipped_by_value():
    settings = o.Settings(learning_rate=0.1, gradient_clipping_threshold=0.5)
    check(machine_of(settings), momentum(clip=0.5))


def test_own_rate_of_plain_descent():
    check(machine_of(o.Settings(learning_rate=0.1), h.ParamAttr(initial_std=1.0,
                                                                 learning_rate=2.0)),
          momentum(rate=0.2))


SCHEDULES = {
    "poly": (dict(learning_rate_decay_a=0.1, learning_rate_decay_b=0.75),
             lambda n: (1 + 0.1 * n) ** -0.75),
    "caffe_poly": (dict(learning_rate_decay_a=10, learning_rate_decay_b=2),
                   lambda n: 0 if n > 10 else (1 - n / 10) ** 2),
    "exp": (dict(learning_rate_decay_a=0.5, learning_rate_decay_b=6), lambda n: 0.5 ** (n / 6)),
    "discexp": (dict(learning_rate_decay_a=0.5, learning_rate_decay_b=6),
                lambda n: 0.5 ** (n // 6)),
    "linear": (dict(learning_rate_decay_a=0.01, learning_rate_decay_b=0.04),
               lambda n: max(0.1 - 0.01 * n, 0.04) / 0.1),
    "manual": (dict(learning_rate_args="3:1.0,7:0.5,9:0.1"),
               lambda n: 1.0 if n <= 3 else 0.5 if n <= 7 else 0.1),
}


@pytest.mark.parametrize("name", list(SCHEDULES))
def test_schedules_count_samples(name):
    arguments, factor = SCHEDULES[name]
    settings = o.Settings(learning_rate=0.1, learning_rate_schedule=name, **arguments)
    check(machine_of(settings), momentum(scale=lambda t: factor(3 * t)), steps=5)


def test_pass_manual_counts_passes():
    settings = o.Settings(learning_rate=0.1, learning_rate_schedule="pass_manual",
                          learning_rate_args="0:1.0,1:0.5")
    machine = machine_of(settings)
    machine.pass_id = 1
    check(machine, momentum(rate=0.05))


def test_momentum_keeps_the_rate_of_its_time():
    settings = o.Settings(learning_rate=0.1, learning_method=o.MomentumOptimizer(0.9),
                          learning_rate_schedule="discexp", learning_rate_decay_a=0.5,
                          learning_rate_decay_b=6)
    check(machine_of(settings), momentum(0.9, scale=lambda t: 0.5 ** (3 * t // 6)), steps=5)


@pytest.mark.parametrize("sparse,idle", [(False, 0.0), (True, 0.9 * -0.1)])
def test_momentum_of_rows(sparse, idle):
    settings = o.Settings(learning_rate=0.1, learning_method=o.MomentumOptimizer(0.9, sparse))
    machine = machine_of(settings, h.ParamAttr(initial_std=1.0, sparse_update=True), ids=True)
    start = machine.get("w").copy()
    machine.train_batch([(1,)])
    machine.train_batch([(2,)])
    moved = machine.get("w") - start
    np.testing.assert_allclose(moved[1], -0.1 + idle, rtol=1e-4)
    np.testing.assert_allclose(moved[2], -0.1, rtol=1e-4)
    assert not moved[[0, 3, 4]].any()


def test_sparse_rows_of_adam_wait():
    settings = o.Settings(learning_rate=0.1, learning_method=o.AdamOptimizer())
    machine = machine_of(settings, h.ParamAttr(initial_std=1.0, sparse_update=True), ids=True)
    machine.train_batch([(1,), (1,)])
    after = machine.get("w").copy()
    machine.train_batch([(2,)])
    np.testing.assert_array_equal(machine.get("w")[[0, 1, 3, 4]], after[[0, 1, 3, 4]])
    assert (machine.get("w")[2] != after[2]).all()


def test_static_parameters_stay():
    with use_graph(Graph()):
        x = h.data_layer("x", SIZE)
        y = h.fc_layer(x, 2, param_attr=h.ParamAttr(name="w", is_static=True))
        net = Network([h.cost_layer("cost", "sum", [y], lambda net, v: net.row_sums(v))],
                      {"x": Type(SIZE, 0, 0)})
    machine = Machine(net, o.Settings(learning_rate=0.1), seed=3)
    start, bias = machine.get("w").copy(), machine.get("___fc_layer_0__.wbias").copy()
    machine.train_batch([([1.0] * SIZE,)])
    np.testing.assert_array_equal(machine.get("w"), start)
    assert (machine.get("___fc_layer_0__.wbias") != bias).all()


def test_model_average_is_of_tests_alone():
    settings = o.Settings(learning_rate=0.1, model_average=o.ModelAverage(0.5, 10000))
    machine = machine_of(settings)
    _, _, values = train(machine)
    with machine.averaged():
        np.testing.assert_allclose(machine.get("w"), np.mean(values, axis=0), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(machine.get("w"), values[-1])


@pytest.mark.parametrize("arguments,words", [
    (dict(learning_rate_schedule="polly"), "there are constant, poly"),
    (dict(learning_rate_schedule="manual", learning_rate_args="5:a"), "segments such as"),
    (dict(learning_rate_args="5:1.0"), "of the schedules manual"),
    (dict(learning_rate_schedule="exp"), "learning_rate_decay_b above 0"),
    (dict(learning_method=3), "must be BaseSGDOptimizer"),
    (dict(regularization=0.1), "must be BaseRegularization"),
    (dict(batch_size=0), "batch_size is 0"),
])
def test_wrong_settings_are_named(arguments, words):
    with pytest.raises(ConfigError, match=words):
        o.Settings(**arguments)


def test_adam_has_no_momentum_of_a_parameter():
    with pytest.raises(ConfigError, match="'w' has momentum=0.5"):
        machine_of(o.Settings(learning_method=o.AdamOptimizer()), h.ParamAttr(momentum=0.5))


def test_settings_are_kept_by_the_graph():
    with use_graph(Graph()) as graph:
        o.settings(batch_size=16, learning_rate=0.5, learning_method=o.AdamOptimizer())
        assert graph.settings.batch_size == 16 and graph.settings.learning_rate == 0.5
        with pytest.raises(ConfigError, match="settings: .*unexpected"):
            o.settings(batch_size=16, learning_rat=0.5)
