"""Layers with parameters, classes, and draws."""
import resource

import numpy
import pytest

import paddle.fluid as fluid
from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph
from paddle.trainer_config_helpers.network import Network

from v1_harness import ROWS, Data, Machine, check, check_training


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def test_tensor_between_two():
    check(lambda data: tensor_layer(data.dense("x", 3), data.dense("y", 4), size=2,
                                    bias_attr=ParamAttr(initial_std=1.0)),
          lambda v: numpy.einsum("ni,kij,nj->nk", v["x"], v["w"], v["y"]) + v["bias"])
    machine = Machine(lambda data: tensor_layer(data.dense("x", 3), data.dense("y", 4), 2,
                                                name="t"), learned=False)
    assert machine.network.parameters["_t.w0"].dims == (3, 4, 2)


def test_some_columns():
    def expected(v, act):
        chosen = v["s"] > 0
        return numpy.where(chosen, act(numpy.where(chosen, v["x"] @ v["w"].T + v["bias"],
                                                   -numpy.inf)), 0)

    def softmax(x):
        e = numpy.exp(x)
        return e / e.sum(axis=1, keepdims=True)
    check(lambda data: selective_fc_layer(data.dense("x", 3), 5, select=data.sparse("s", 5)),
          lambda v: expected(v, numpy.tanh))
    check(lambda data: selective_fc_layer(data.dense("x", 3), 5, select=data.sparse("s", 5),
                                          act=SoftmaxActivation()),
          lambda v: expected(v, softmax))
    check(lambda data: selective_fc_layer([data.dense("x", 3), data.sparse("y", 4)], 5),
          lambda v: numpy.tanh(v["x"] @ v["w"].T + v["y"] @ v["w1"].T + v["bias"]))
    check(lambda data: selective_fc_layer(data.sparse("x", 4, values=True, lengths=(2, 3)), 5,
                                          select=data.sparse("s", 5, lengths=(2, 3))),
          lambda v: expected(v, numpy.tanh))
    with use_graph(Graph()), pytest.raises(ConfigError, match="pass_generation"):
        selective_fc_layer(data_layer("x", 3), 5, pass_generation=True)


def test_a_large_choice_is_not_spread_out_for_each_id():
    """Of 20000 columns: a row of zeros for each of the ids would be 80 KB, of all ids 800 MB."""
    random = numpy.random.RandomState(3)
    chosen = [sorted(random.choice(20000, 2000, replace=False)) for _ in range(5)]

    def case(data):
        data._add("s", 1, 20000, numpy.concatenate(chosen).astype("int64").reshape(-1, 1), None,
                  own=[2000] * 5)
        return selective_fc_layer(data.dense("x", 3), 20000, select=data_layer("s", 20000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    machine = Machine(case, learned=False)
    got = machine.run([machine.value])[0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200e3  # KB
    assert [sorted(numpy.flatnonzero(row)) for row in got] == chosen


def test_scale_and_shift():
    check(lambda data: scale_shift_layer(data.dense("x", 4), bias_attr=ParamAttr(initial_std=1)),
          lambda v: v["x"] * v["w"] + v["bias"])


@pytest.mark.parametrize("options,count", [
    (dict(), 12), (dict(partial_sum=4), 3), (dict(channel_shared=True), 1),
    (dict(channel_shared=False, num_channels=6), 6)])
def test_parametric_relu(options, count):
    def expected(v):
        assert v["w"].shape == (count,) and (v["w"] == 0.25).all()
        return numpy.where(v["x"] > 0, v["x"], 0.25 * v["x"])
    check(lambda data: prelu_layer(data.dense("x", 12), **options), expected)


def test_gated_unit():
    check(lambda data: gated_unit_layer(data.dense("x", 4), 3, name="g"),
          lambda v: (v["x"] @ v["_g_input_proj.w0"] + v["_g_input_proj.wbias"]) *
          sigmoid(v["x"] @ v["_g_gate.w0"] + v["_g_gate.wbias"]))


@pytest.mark.parametrize("kind", ["dense", "sparse", "values"])
def test_factorization_machine(kind):
    def expected(v):
        x, w = v["x"], v["w"]
        return 0.5 * ((x @ w) ** 2 - x ** 2 @ w ** 2).sum(axis=1, keepdims=True)

    def case(data):
        x = data.dense("x", 6) if kind == "dense" else data.sparse("x", 6, kind == "values")
        return factorization_machine(x, factor_size=3)
    check(case, expected)


def test_steps_and_those_ahead():
    def expected(v):
        out, at = [], 0
        for n in (3, 2):
            x = numpy.pad(v["x"][at:at + n], [(0, 1), (0, 0)])
            out.append(x[:-1] * v["w"][0] + x[1:] * v["w"][1])
            at += n
        return numpy.concatenate(out)
    check(lambda data: row_conv_layer(data.dense("x", 4, lengths=(3, 2)), context_len=2), expected)


# ---- classes ----

def test_the_largest_and_the_end():
    assert_ids(lambda data: maxid_layer(data.dense("x", 4)), lambda v: v["x"].argmax(axis=1))
    assert_ids(lambda data: eos_layer(data.ids("i", 3), eos_id=1), lambda v: v["i"][:, 0] == 1)


def test_a_draw_by_probabilities():
    certain = numpy.eye(4, dtype="float32")[[2, 0, 3, 1, 2]]
    assert_ids(lambda data: sampling_id_layer(data.dense("x", 4, value=certain)),
               lambda v: v["x"].argmax(axis=1))


def test_ids_are_not_dropped():
    with use_graph(Graph()):
        x = data_layer("x", 4)
        for function in (maxid_layer, sampling_id_layer, lambda x, **more: eos_layer(x, 1, **more)):
            with pytest.raises(ConfigError, match="drop_rate"):
                function(x, layer_attr=ExtraAttr(drop_rate=0.5))


def test_ids_stay_in_their_sequences():
    for layer in (maxid_layer, sampling_id_layer, lambda x: eos_layer(maxid_layer(x), 1)):
        data = Data(False, 7)
        with use_graph(Graph()):
            network = Network([layer(data.dense("x", 4, low=0.2, lengths=(2, 3)))], data.types)
        got, = fluid.Executor(fluid.CPUPlace()).run(network.main, feed=data.feeds,
                                                    fetch_list=network.values, return_numpy=False)
        assert got.recursive_sequence_lengths() == [[2, 3]]


def assert_ids(case, expected):
    data = Data(False, 7)
    with use_graph(Graph()):
        network = Network([case(data)], data.types)
    exe = fluid.Executor(fluid.CPUPlace())
    got, = exe.run(network.main, feed=data.feeds, fetch_list=network.values)
    assert numpy.array_equal(got, numpy.asarray(expected(data.values))[:, None])


def test_print(capfd):
    def case(data):
        x = data.dense("x", 2)
        print_layer(x, format="the input: %s", name="p")
        return fc_layer(x, 2)
    machine = Machine(case, learned=False)
    capfd.readouterr()
    machine.run([machine.value])
    assert "the input: " in capfd.readouterr().out
    with use_graph(Graph()), pytest.raises(ConfigError, match="%s"):
        printer_layer(data_layer("x", 2), format="nothing")


def tree_cost(v, scores):
    """Of a complete binary tree of 5 classes, as a walk from the label up."""
    out = numpy.zeros(len(scores))
    for row, label in enumerate(v["y"][:, 0]):
        code = int(label) + 5
        for level in range(3):
            if code >> (level + 1) == 0:
                out[row] += numpy.log(2)
                continue
            pre, bit = scores[row, (code >> (level + 1)) - 1], (code >> level) & 1
            out[row] += numpy.log1p(numpy.exp(pre)) - bit * pre
    return out[:, None]


def test_hierarchical_sigmoid():
    check(lambda data: hsigmoid([data.dense("x", 3), data.dense("z", 2)], data.ids("y", 5),
                                bias_attr=ParamAttr(initial_std=1.0)),
          lambda v: tree_cost(v, v["x"] @ v["w"].T + v["z"] @ v["w1"].T + v["bias"]))
    check(lambda data: hsigmoid(data.dense("x", 3), data.ids("y", 5), num_classes=5,
                                bias_attr=False))


def test_noise_contrastive_estimation():
    """One class is drawn always: the cost is certain."""
    chances = [0.0, 0.0, 1.0, 0.0, 0.0]

    def case(data):
        return nce_layer(data.dense("x", 3), data.ids("y", 5), num_neg_samples=4,
                         neg_distribution=chances, bias_attr=ParamAttr(initial_std=1.0),
                         weight=data.dense("s", 1, low=0.5, high=2.0, label=True))

    def expected(v):
        o = sigmoid(v["x"] @ v["w"].T + v["bias"])
        labels = v["y"][:, 0]
        b = 4 * numpy.array(chances)[labels]
        true = o[numpy.arange(ROWS), labels]
        cost = -numpy.log(true / (true + b)) - 4 * numpy.log(4 / (o[:, 2] + 4))
        return cost[:, None] * v["s"]
    check(case, expected, tolerance=1e-4)
    check_training(lambda data: nce_layer([data.dense("x", 3), data.dense("z", 2)],
                                          data.ids("y", 50), bias_attr=False), learning_rate=0.5)
    with use_graph(Graph()), pytest.raises(ConfigError, match="sum 1"):
        nce_layer(data_layer("x", 3), data_layer("y", 5), neg_distribution=[0.5] * 5)
