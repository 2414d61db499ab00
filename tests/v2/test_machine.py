"""Feeds made of samples, and a Machine that trains with them."""
import numpy as np
import pytest

import paddle.trainer_config_helpers as h
from paddle.trainer.feeder import Feeder, SampleError
from paddle.trainer.machine import Machine
from paddle.trainer_config_helpers import optimizers as o
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph
from paddle.trainer_config_helpers.network import Network

DENSE, BINARY, FLOAT, INDEX = range(4)


class Type:
    def __init__(self, dim, seq_type, type):
        self.dim, self.seq_type, self.type = dim, seq_type, type


def fed(kind, level, dim, *values):
    feed = Feeder({"x": Type(dim, level, kind)})([(value,) for value in values])
    return {name: (np.array(value),
                   value.recursive_sequence_lengths() if hasattr(value, "lod") else [])
            for name, value in feed.items()}


CASES = [
    (DENSE, 0, 2, [[1, 2], np.array([3., 4.])], [[1, 2], [3, 4]], []),
    (DENSE, 0, 4, [np.ones((2, 2))], [[1, 1, 1, 1]], []),
    (DENSE, 0, 1, [1.5, 2.5], [[1.5], [2.5]], []),
    (DENSE, 1, 2, [[[1, 2]], [[3, 4], [5, 6]]], [[1, 2], [3, 4], [5, 6]], [[1, 2]]),
    (DENSE, 2, 1, [[[[1.]], [[2.], [3.]]]], [[1], [2], [3]], [[2], [1, 2]]),
    (INDEX, 0, 9, [3, np.int64(8)], [[3], [8]], []),
    (INDEX, 1, 9, [[3], [], [1, 2]], [[3], [1], [2]], [[1, 0, 2]]),
    (INDEX, 0, 1, [0, 1], [[0], [1]], []),
    (INDEX, 1, 0, [[0, 7], [1 << 40]], [[0], [7], [1 << 40]], [[2, 1]]),  # of any range
    (INDEX, 2, 9, [[[3], [4, 5]], [[1]]], [[3], [4], [5], [1]], [[2, 1], [1, 2, 1]]),
    (BINARY, 0, 9, [[3, 1], [], [0]], [[3], [1], [0]], [[2, 0, 1]]),
    (BINARY, 1, 9, [[[3, 1], [0]]], [[3], [1], [0]], [[2], [2, 1]]),
]


@pytest.mark.parametrize("kind,level,dim,values,wanted,lengths", CASES)
def test_samples_become_feeds(kind, level, dim, values, wanted, lengths):
    array, lod = fed(kind, level, dim, *values)["x"]
    np.testing.assert_array_equal(array, wanted)
    assert array.dtype == (np.float32 if kind == DENSE else np.int64)
    assert lod == lengths


def test_sparse_floats_are_two_variables():
    made = fed(FLOAT, 0, 9, [(3, 0.5), (1, 2)], [])
    np.testing.assert_array_equal(made["x"][0], [[3], [1]])
    np.testing.assert_array_equal(made["x@VALUES"][0], np.array([[0.5], [2]], np.float32))
    assert made["x"][1] == made["x@VALUES"][1] == [[2, 0]]


TWO = {"x": Type(3, 0, DENSE), "y": Type(5, 0, INDEX)}


def test_slots_are_found_by_place_name_or_feeding():
    for feeding, sample in [(None, ([1, 2, 3], 4)), ({"y": 0, "x": 2}, (4, "unused", [1, 2, 3])),
                            (["y", "x"], (4, [1, 2, 3])), (None, {"y": 4, "x": [1, 2, 3]})]:
        feed = Feeder(TWO, feeding)([sample])
        np.testing.assert_array_equal(feed["x"], [[1, 2, 3]])
        np.testing.assert_array_equal(feed["y"], [[4]])


@pytest.mark.parametrize("samples,words", [
    ([([1, 2, 3], 1), ([1, 2], 1)],
     "sample 1 .*'x': 2 values where 3 are wanted; wanted is a dense"),
    ([([1, 2, 3], 5)], r"sample 0 .*'y': 5 is outside \[0, 5\); wanted is an integer"),
    ([([1, 2, 3], -1)], r"-1 is outside \[0, 5\)"),
    ([([1, 2, 3], 1.5)], "1.5 is not an integer; wanted is an integer"),
    ([([1, 2, "a"], 1)], "sample 0 .*'x'"),
    ([([1, 2, 3], 1), ([1, 2, 3],)], "sample 1 of the batch has 1 values, and 2 are wanted: x"),
    ([([1, 2, 3], 1), 7], "sample 1 of the batch is 7, and must be a tuple"),
    ([{"x": [1, 2, 3]}], "sample 0 of the batch has no 'y'"),
    ([], "without samples"),
])
def test_wrong_samples_are_named(samples, words):
    with pytest.raises(SampleError, match=words):
        Feeder(TWO)(samples)


def test_wrong_sequences_are_named():
    with pytest.raises(SampleError, match="sample 0 .*7 is not a sequence; wanted is a sequence"):
        Feeder({"x": Type(5, 1, INDEX)})([(7,)])
    with pytest.raises(SampleError, match="-1 is below 0; wanted is an integer from 0 on"):
        Feeder({"x": Type(0, 0, INDEX)})([(-1,)])
    with pytest.raises(SampleError, match="not a pair .place, value."):
        Feeder({"x": Type(5, 0, FLOAT)})([([3],)])
    with pytest.raises(SampleError, match="says nothing of the data layer 'y'"):
        Feeder(TWO, {"x": 0})


# ---- the machine ----

class Lines:
    def __init__(self):
        self.said = []

    def info(self, line):
        self.said.append(line)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kinds", [["parameters"], ["errors"], []])
def test_what_is_clipped_is_logged(threads, kinds):
    with use_graph(Graph()):
        hidden = h.fc_layer(h.data_layer("x", 2), 2, name="h", act=h.LinearActivation(),
                            layer_attr=h.ExtraAttr(error_clipping_threshold=0.5))
        out = h.fc_layer(hidden, 1, name="o", act=h.LinearActivation(), bias_attr=h.ParamAttr(
            gradient_clipping_threshold=1e6))
        net = Network([h.square_error_cost(out, h.data_layer("y", 1))],
                      {"x": Type(2, 0, DENSE), "y": Type(1, 0, DENSE)})
    log, samples = Lines(), [([1, 1], [100]), ([1, 1], [200])]
    plain = Machine(net, o.Settings(learning_rate=1e-3, gradient_clipping_threshold=20), seed=7,
                    trainer_count=threads, log_clipping=kinds, log=log)
    plain.set("_o.w0", [1, 1])
    plain.train_batch(samples)
    found = [line.split()[0] for line in log.said]
    # Clipped errors of 0.5 a sample leave the gradients of h small; o's bias may have any.
    assert found == {"parameters": ["parameter=_o.w0"], "errors": ["layer=h"]}.get(
        "".join(kinds), [])
    if kinds == ["errors"]:
        assert " threshold=0.5 max grad=39" in log.said[0]


def test_clipping_inside_a_group_is_not_logged_and_says_so():
    with use_graph(Graph()):
        def step(x):
            return h.fc_layer([x, h.memory("h", 2)], 2, name="h",
                              layer_attr=h.ExtraAttr(error_clipping_threshold=1))
        out = h.last_seq(h.recurrent_group(step, h.data_layer("x", 2), name="g"))
        net = Network([h.square_error_cost(out, h.data_layer("y", 2))],
                      {"x": Type(2, 1, DENSE), "y": Type(2, 0, DENSE)})
    with pytest.raises(ConfigError, match="'h' has error_clipping_threshold.*group 'g'"):
        Machine(net, o.Settings(learning_rate=1e-3), log_clipping=["errors"])
    Machine(net, o.Settings(learning_rate=1e-3), log_clipping=["parameters"])


def classifier(settings=None, sparse=False, **kwargs):
    """Words and numbers of an example to three classes; with an evaluator."""
    with use_graph(Graph()):
        words, numbers = h.data_layer("words", 20), h.data_layer("numbers", 4)
        label = h.data_layer("label", 3)
        table = h.embedding_layer(words, 6, param_attr=h.ParamAttr(name="table",
                                                                    sparse_update=sparse))
        hidden = h.fc_layer([table, numbers], 8)
        out = h.fc_layer(hidden, 3, act=h.SoftmaxActivation(), name="out")
        net = Network([h.classification_cost(out, label)],
                      {"words": Type(20, 0, INDEX), "numbers": Type(4, 0, DENSE),
                       "label": Type(3, 0, INDEX)})
    return Machine(net, settings, seed=7, **kwargs)


def batches(n=6, size=10):
    rng = np.random.RandomState(2)
    for _ in range(n):
        words = rng.randint(0, 20, size)
        yield [(int(w), rng.rand(4), int(w) % 3) for w in words]


SCHEDULE = dict(learning_rate_schedule="poly", learning_rate_decay_a=0.1,
                learning_rate_decay_b=0.5)
METHODS = [o.MomentumOptimizer(0.9), o.AdaGradOptimizer(), o.AdamOptimizer()]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.op)
def test_threads_add_up_to_one(method, sparse):
    settings = o.Settings(learning_rate=0.05, learning_method=method,
                          **(SCHEDULE if sparse else {}))
    one = classifier(settings, sparse)
    three = classifier(settings, sparse, trainer_count=3)
    for batch in list(batches()) + [next(batches())[:2]]:  # the last is smaller than the threads
        a, b = one.train_batch(batch), three.train_batch(batch)
        assert a.samples == b.samples == len(batch)
        np.testing.assert_allclose(a.cost, b.cost, rtol=1e-5)
        for x, y in zip(a.sums[0], b.sums[0]):
            np.testing.assert_allclose(x, y)
        c, d = one.test_batch(batch), three.test_batch(batch)
        np.testing.assert_allclose(c.cost, d.cost, rtol=1e-5)
    for name in one.parameter_names:
        np.testing.assert_allclose(one.get(name), three.get(name), rtol=1e-5, atol=1e-6)


def test_threads_have_whole_sequences():
    def make(count):
        with use_graph(Graph()):
            words, label = h.data_layer("words", 20), h.data_layer("label", 2)
            rows = h.embedding_layer(words, 6)
            hidden = h.simple_lstm(rows, 5)
            out = h.fc_layer(h.pooling_layer(hidden, h.MaxPooling()), 2,
                             act=h.SoftmaxActivation())
            net = Network([h.classification_cost(out, label)],
                          {"words": Type(20, 1, INDEX), "label": Type(2, 0, INDEX)})
        return Machine(net, o.Settings(learning_rate=0.05, learning_method=o.AdamOptimizer()),
                       seed=7, trainer_count=count)
    one, two = make(1), make(2)
    rng = np.random.RandomState(4)
    for _ in range(4):
        batch = [(rng.randint(0, 20, rng.randint(1, 7)).tolist(), int(rng.randint(2)))
                 for _ in range(7)]
        np.testing.assert_allclose(one.train_batch(batch).cost, two.train_batch(batch).cost,
                                   rtol=1e-5)
    for name in one.parameter_names:
        np.testing.assert_allclose(one.get(name), two.get(name), rtol=1e-4, atol=1e-6)


def test_costs_and_evaluators_are_sums_over_samples():
    machine = classifier(o.Settings(learning_rate=0.1))
    batch = next(batches())
    whole = machine.test_batch(batch)
    totals = machine.totals()
    for sample in batch:
        totals.add(machine.test_batch([sample]))
    np.testing.assert_allclose(totals.cost, whole.cost, rtol=1e-5)
    assert totals.samples == 10
    (name, rate), = totals.metrics().items()
    assert name == "classification_error_evaluator"
    assert rate == pytest.approx(float(whole.sums[0][0][0]) / 10)
    for _ in range(60):
        machine.train_batch(batch)
    assert machine.test_batch(batch).cost < 0.3 * whole.cost


def test_gradients_are_those_of_the_step():
    machine = classifier(o.Settings(learning_rate=0.5), sparse=True)
    batch = next(batches())
    before = {name: machine.get(name) for name in machine.parameter_names}
    grads = machine.gradients(batch)
    machine.train_batch(batch)
    for name, start in before.items():
        np.testing.assert_allclose(machine.get(name), start - 0.5 * grads[name], rtol=1e-4,
                                   atol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_gradients_of_steps_are_kept_once_they_are_asked_for(sparse):
    machine, other = (classifier(o.Settings(learning_rate=0.5), sparse) for _ in range(2))
    names, all_batches = machine.parameter_names, list(batches(4))
    for i, batch in enumerate(all_batches):
        before = {name: machine.get(name) for name in names}
        done, wanted = machine.train_batch(batch), other.train_batch(batch)
        assert done.cost == pytest.approx(wanted.cost, rel=1e-5)
        np.testing.assert_allclose(done.sums[0], wanted.sums[0])
        grads = machine.gradients()
        for name in names if i else ():
            np.testing.assert_allclose(machine.get(name), before[name] - 0.5 * grads[name],
                                       rtol=1e-4, atol=1e-6)


def test_parameters_go_in_and_out():
    machine = classifier(o.Settings())
    machine.set("table", np.arange(120))
    np.testing.assert_array_equal(machine.get("table"), np.arange(120).reshape(20, 6))
    with pytest.raises(ValueError, match=r"'table' has the shape \[20, 6\]"):
        machine.set("table", np.zeros(7))
    with pytest.raises(KeyError, match="no parameter 'tabel'; there are table"):
        machine.get("tabel")


def test_the_same_seed_starts_the_same():
    a, b = classifier(o.Settings()), classifier(o.Settings(learning_method=o.AdamOptimizer()))
    for name in a.parameter_names:
        np.testing.assert_array_equal(a.get(name), b.get(name))


def test_what_cannot_be_trained_is_said():
    with use_graph(Graph()):
        out = h.fc_layer(h.data_layer("x", 4), 3, name="out")
        net = Network([out], {"x": Type(4, 0, DENSE)})
    with pytest.raises(ConfigError, match="no cost among the outputs: out"):
        Machine(net, o.Settings())
    with pytest.raises(ValueError, match="trainer_count is 0"):
        Machine(net, trainer_count=0)


def test_inference_gives_the_outputs():
    with use_graph(Graph()):
        out = h.fc_layer(h.data_layer("x", 4), 3, act=h.SoftmaxActivation())
        machine = Machine(Network([out], {"x": Type(4, 0, DENSE)}), seed=1)
    value, = machine.infer([([1, 2, 3, 4],), ([0, 0, 0, 0],)])
    np.testing.assert_allclose(np.array(value).sum(1), [1, 1], rtol=1e-6)
    with pytest.raises(RuntimeError, match="does not learn"):
        machine.train_batch([([1, 2, 3, 4],)])
