"""Layers in formulas, and what functions of a script's own use."""
import importlib

import numpy
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph

from v1_harness import Machine, check


def test_operators():
    check(lambda data: 2 * data.dense("x", 3) + data.dense("y", 3) - 0.5,
          lambda v: 2 * v["x"] + v["y"] - 0.5)
    check(lambda data: 1 - data.dense("x", 3), lambda v: 1 - v["x"])
    check(lambda data: data.dense("x", 3) - data.dense("s", 1), lambda v: v["x"] - v["s"])
    check(lambda data: data.dense("s", 1) + data.dense("x", 3), lambda v: v["x"] + v["s"])
    check(lambda data: data.dense("s", 1) * data.dense("x", 3), lambda v: v["x"] * v["s"])
    check(lambda data: data.dense("x", 3) * data.dense("s", 1), lambda v: v["x"] * v["s"])


@pytest.mark.parametrize("name,function", [
    ("exp", numpy.exp), ("log", numpy.log), ("abs", numpy.abs), ("tanh", numpy.tanh),
    ("sigmoid", lambda x: 1 / (1 + numpy.exp(-x))), ("square", numpy.square),
    ("relu", lambda x: numpy.maximum(x, 0)), ("sqrt", numpy.sqrt),
    ("reciprocal", numpy.reciprocal)])
def test_functions(name, function):
    low = 0.5 if name in ("log", "sqrt", "reciprocal") else -1.0
    check(lambda data: getattr(layer_math, name)(data.dense("x", 3, low=low)),
          lambda v: function(v["x"]))


def test_the_same_under_its_name_in_v2():
    op = importlib.import_module("paddle.v2.op")
    assert op.exp is layer_math.exp and "tanh" in op.__all__


def test_what_does_not_go_together():
    with use_graph(Graph()):
        a, b = data_layer("a", 3), data_layer("b", 2)
        for wrong in (lambda: a + b, lambda: a * b, lambda: a - "1", lambda: [1] + a):
            with pytest.raises((ConfigError, TypeError)):
                wrong()


def test_kinds_of_layers():
    with use_graph(Graph()):
        layer = fc_layer(data_layer("a", 3), 2)
        assert isinstance(layer, LayerOutput) and layer.layer_type == LayerType.FC_LAYER
        assert LayerType.is_layer_type("exconv") and not LayerType.is_layer_type("nothing")


def test_what_a_function_of_a_script_supports():
    @layer_support("drop_rate")
    def mine(input, layer_attr=None):
        return fc_layer(input, 2, layer_attr=layer_attr)

    @layer_support()
    def none(input, layer_attr=None):
        return fc_layer(input, 2, layer_attr=layer_attr)
    with use_graph(Graph()):
        data = data_layer("a", 3)
        assert mine(data, layer_attr=ExtraAttr(drop_rate=0.5)).layer_attr.drop_rate == 0.5
        with pytest.raises(ConfigError, match="none: its layer_attr has drop_rate"):
            none(data, layer_attr=ExtraAttr(drop_rate=0.5))


# ---- the first layers ----

def test_fully_connected_sums_and_embeddings():
    check(lambda data: fc_layer([data.dense("x", 3), data.sparse("y", 6, values=True)], 2),
          lambda v: numpy.tanh(v["x"] @ v["w"] + v["y"] @ v["w1"] + v["bias"]))
    check(lambda data: embedding_layer(data.ids("i", 5), 3), lambda v: v["w"][v["i"][:, 0]])
    check(lambda data: addto_layer([data.dense("x", 3), data.dense("y", 3)],
                                   act=ReluActivation()),
          lambda v: numpy.maximum(v["x"] + v["y"], 0))
    assert regression_cost is square_error_cost


def test_dropout():
    """Half of it is 0 while training; tests have all of it by its probability."""
    def case(data):
        return dropout_layer(data.dense("x", 400, low=0.5, high=1.0), dropout_rate=0.5)
    machine = Machine(case, learned=False)
    got = machine.run([machine.value])[0]
    assert 0.4 < (got == 0).mean() < 0.6
    machine.network.main = machine.network.main.clone(for_test=True)
    got = machine.run([machine.value.name])[0]
    numpy.testing.assert_allclose(got, machine.data.values["x"] * 0.5, rtol=1e-6)


def test_data_are_not_dropped():
    with use_graph(Graph()), pytest.raises(ConfigError, match="'x' cannot have drop_rate"):
        data_layer("x", 3, layer_attr=ExtraAttr(drop_rate=0.5))
