"""Recurrent layers: against NumPy's loops with v1's layout of parameters, and they train."""
import numpy as np
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError

from sequence_models import Model, check_trains, dense, ids, sequences, words

RNG = np.random.RandomState(1)
LENGTHS = [3, 1, 5]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_loop(x, weight, bias, reverse=False, act=np.tanh, gate=sigmoid, state=np.tanh):
    """v1's: candidate, i, f, o in the input and the weight; then what i, f, o see of the cell."""
    size = weight.shape[0]
    h, c, out = np.zeros(size), np.zeros(size), []
    see = bias[4 * size:].reshape(3, size) if len(bias) > 4 * size else np.zeros((3, size))
    for row in x[::-1] if reverse else x:
        cand, i, f, o = np.split(row + h @ weight + bias[:4 * size], 4)
        i, f = gate(i + see[0] * c), gate(f + see[1] * c)
        c = f * c + i * act(cand)
        h = gate(o + see[2] * c) * state(c)
        out.append(h)
    return out[::-1] if reverse else out


def gru_loop(x, weight, bias, reverse=False, act=np.tanh, gate=sigmoid):
    """v1's: the weight is [size, 2 size] for u and r, then [size, size] for the candidate."""
    size = bias.size // 3
    both = weight.reshape(-1)[:2 * size * size].reshape(size, 2 * size)
    own = weight.reshape(-1)[2 * size * size:].reshape(size, size)
    h, out = np.zeros(size), []
    for row in x[::-1] if reverse else x:
        row = row + bias
        u, r = np.split(gate(row[:2 * size] + h @ both), 2)
        c = act(row[2 * size:] + (r * h) @ own)
        h = (1 - u) * h + u * c
        out.append(h)
    return out[::-1] if reverse else out


@pytest.mark.parametrize("reverse", [False, True])
def test_lstmemory(reverse):
    x = sequences(RNG, LENGTHS, 12)
    m = Model(lambda: lstmemory(data_layer("x", 12), name="l", reverse=reverse), {"x": dense(12, 1)})
    assert m.net.parameters["_l.w0"].dims == (3, 3, 4)
    assert m.net.parameters["_l.wbias"].dims == (1, 21)
    m.set("_l.wbias", RNG.randn(21))
    weight, bias = m.get("_l.w0"), m.get("_l.wbias").reshape(-1)
    expected = [row for each in x for row in lstm_loop(each, weight, bias, reverse)]
    np.testing.assert_allclose(m.values({"x": x})[0], expected, rtol=1e-4, atol=1e-5)


def test_lstmemory_without_bias_and_with_other_activations():
    x = sequences(RNG, LENGTHS, 12)
    m = Model(lambda: lstmemory(data_layer("x", 12), name="l", bias_attr=False,
                                act=SigmoidActivation(), gate_act=TanhActivation(),
                                state_act=ReluActivation()), {"x": dense(12, 1)})
    assert list(m.net.parameters) == ["_l.w0"]
    expected = [row for each in x
                for row in lstm_loop(each, m.get("_l.w0"), np.zeros(12), act=sigmoid, gate=np.tanh,
                                     state=lambda v: np.maximum(v, 0))]
    np.testing.assert_allclose(m.values({"x": x})[0], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_grumemory(reverse):
    x = sequences(RNG, LENGTHS, 12)
    m = Model(lambda: grumemory(data_layer("x", 12), name="g", reverse=reverse), {"x": dense(12, 1)})
    assert m.net.parameters["_g.w0"].dims == (4, 12)
    m.set("_g.wbias", RNG.randn(12))
    weight, bias = m.get("_g.w0"), m.get("_g.wbias").reshape(-1)
    expected = [row for each in x for row in gru_loop(each, weight, bias, reverse)]
    np.testing.assert_allclose(m.values({"x": x})[0], expected, rtol=1e-4, atol=1e-5)


def test_a_size_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ConfigError, match="'l'.*size 10.*4 times"):
        Model(lambda: lstmemory(data_layer("x", 10), name="l"), {"x": dense(10, 1)})
    with pytest.raises(ConfigError, match="'g'.*size is 5"):
        Model(lambda: grumemory(data_layer("x", 12), name="g", size=5), {"x": dense(12, 1)})
    with pytest.raises(ConfigError, match="'l'.*act is"):
        Model(lambda: lstmemory(data_layer("x", 12), name="l", act=SoftmaxActivation()),
              {"x": dense(12, 1)})


TEXT = {"w": words(RNG, LENGTHS, 10), "y": [0, 2, 1]}
TYPES = {"w": ids(10, 1), "y": ids(3)}


def trains(recurrent):
    """A classifier of texts with this layer over an embedding of size 12."""
    def model():
        hidden = recurrent(embedding_layer(data_layer("w", 10), 12))
        return classification_cost(fc_layer(last_seq(hidden), 3, act=SoftmaxActivation()),
                                   data_layer("y", 3))
    return check_trains(model, TYPES, TEXT)


@pytest.mark.parametrize("recurrent", [
    lambda x: lstmemory(x), lambda x: lstmemory(x, reverse=True, bias_attr=False),
    lambda x: grumemory(x), lambda x: grumemory(x, reverse=True, bias_attr=False),
    lambda x: simple_lstm(x, 4)])
def test_models_with_recurrent_layers_train(recurrent):
    trains(recurrent)


def test_simple_lstm_has_the_names_of_v1():
    m = Model(lambda: simple_lstm(data_layer("x", 5), 3), {"x": dense(5, 1)})
    assert list(m.net.parameters) == ["_lstm_transform___lstm_0__.w0", "___lstm_0__.w0",
                                      "___lstm_0__.wbias"]


def test_a_mixed_layer_has_no_bias_unless_asked():
    """Also where a network passes the None of its own caller on."""
    m = Model(lambda: mixed_layer(5, identity_projection(data_layer("x", 5)), bias_attr=None),
              {"x": dense(5, 1)})
    assert not m.net.parameters


@pytest.mark.parametrize("recurrent", [
    lambda x: lstmemory(x, name="r", reverse=True), lambda x: grumemory(x, name="r"),
    lambda x: recurrent_layer(x, name="r"),
    lambda x: mixed_layer(36, context_projection(x, 3, padding_attr=True), name="r")])
def test_of_a_nested_sequence_all_steps_are_one_sequence(recurrent):
    nested = [sequences(RNG, n, 12) for n in ([2, 3], [1], [4, 1])]
    flat = [np.concatenate(x) for x in nested]
    a = Model(lambda: recurrent(data_layer("x", 12)), {"x": dense(12, 2)})
    b = Model(lambda: recurrent(data_layer("x", 12)), {"x": dense(12, 1)})
    for name in b.net.parameters:
        b.set(name, RNG.randn(*b.get(name).shape))
        a.set(name, b.get(name))
    np.testing.assert_allclose(a.values({"x": nested})[0], b.values({"x": flat})[0], rtol=1e-5)
    assert a.lengths({"x": nested}) == [[[2, 1, 2], [2, 3, 1, 4, 1]]]


@pytest.mark.parametrize("lengths", [[3, 0, 2], [0, 2], [1]])
@pytest.mark.parametrize("recurrent", [
    lambda x: lstmemory(x), lambda x: gru_group(x, reverse=True), lambda x: recurrent_layer(x),
    lambda x: mixed_layer(36, context_projection(x, 3))])
def test_empty_sequences_train_too(recurrent, lengths):
    def model():
        hidden = recurrent(embedding_layer(data_layer("w", 10), 12))
        return classification_cost(fc_layer(last_seq(hidden), 3, act=SoftmaxActivation()),
                                   data_layer("y", 3))
    check_trains(model, TYPES, {"w": words(RNG, lengths, 10), "y": RNG.randint(0, 3, len(lengths))})
