"""Models of layers over sequences, fed and trained here without a trainer: a model is a function
that makes layers and gives its outputs, `types` its data layers by name."""
import collections

import numpy as np

import paddle.fluid as fluid
from paddle.trainer.machine import Batch, Totals
from paddle.trainer_config_helpers.graph import Graph, use_graph
from paddle.trainer_config_helpers.network import Network

Kind = collections.namedtuple("Kind", "dim seq_type type")


def dense(dim, seq=0):
    return Kind(dim, seq, 0)


def ids(dim, seq=0):
    return Kind(dim, seq, 3)


def sparse(dim, seq=0):
    return Kind(dim, seq, 1)


def _tensor(samples, kind):
    """Samples of one data layer as a LoDTensor."""
    if kind.type == 1:  # rows of column numbers: as sequences of ids
        kind = Kind(1, kind.seq_type + 1, 3)
    dtype = "int64" if kind.type == 3 else "float32"
    lengths, rows = [], list(samples)
    for _ in range(kind.seq_type):
        lengths.append([len(each) for each in rows])
        rows = [row for each in rows for row in each]
    array = np.array(rows, dtype).reshape(len(rows), 1 if kind.type == 3 else kind.dim)
    return fluid.create_lod_tensor(array, lengths, fluid.CPUPlace()) if lengths else array


class Model:
    def __init__(self, model, types, rate=None, evaluators=True):
        self.types, self.graph = types, Graph()
        with use_graph(self.graph):
            made = model()
            self.layers = list(made) if isinstance(made, (list, tuple)) else [made]
            self.net = Network(self.layers, types, None if evaluators else [])
        self.forward = self.net.main.clone(for_test=True)
        self.grads = {}
        if self.net.cost is not None:
            with fluid.program_guard(self.net.main, self.net.startup):
                pairs = fluid.backward.append_backward(self.net.cost)
                self.grads = {p.name: g for p, g in pairs}
                if rate is not None:
                    fluid.optimizer.SGD(rate).apply_gradients(pairs)
        self.scope, self.exe = fluid.Scope(), fluid.Executor(fluid.CPUPlace())
        self.net.startup.random_seed = 7
        with fluid.scope_guard(self.scope):
            self.exe.run(self.net.startup)

    def feed(self, samples):
        return {name: _tensor(samples[name], self.types[name]) for name in self.net.data_types}

    def run(self, samples, fetch, main=None, numpy=True):
        with fluid.scope_guard(self.scope):
            return self.exe.run(main or self.forward, self.feed(samples), fetch_list=list(fetch),
                                return_numpy=numpy)

    def values(self, samples):
        """What the outputs are, as arrays."""
        found = self.run(samples, self.net.values, numpy=False)
        return [np.array(each) for each in found]

    def lengths(self, samples):
        return [each.recursive_sequence_lengths()
                for each in self.run(samples, self.net.values, numpy=False)]

    def cost(self, samples):
        return float(self.run(samples, [self.net.cost])[0].reshape(-1)[0])

    def step(self, samples):
        return float(self.run(samples, [self.net.cost], self.net.main)[0].reshape(-1)[0])

    def gradients(self, samples):
        names = list(self.grads)
        found = self.run(samples, [self.grads[n] for n in names], self.net.main)
        return dict(zip(names, found))

    def get(self, name):
        return np.array(self.scope.find_var(name).get_tensor())

    def set(self, name, value):
        self.scope.find_var(name).get_tensor().set(
            np.asarray(value, "float32").reshape(self.get(name).shape), fluid.CPUPlace())

    def evaluate(self, samples):
        """Results of the evaluators over a list of batches."""
        totals = Totals(self.net.evaluators)
        fetch = [var for _, sums in self.net.evaluators for var in sums]
        for batch in samples if isinstance(samples, list) else [samples]:
            found, sums = self.run(batch, fetch), []
            for _, variables in self.net.evaluators:
                sums.append(found[:len(variables)])
                found = found[len(variables):]
            totals.add(Batch(0.0, 1, sums))
        return totals.metrics()


def check_gradients(model, types, samples, eps=2e-3, rtol=2e-2, atol=4e-3):
    """Of every parameter, along random directions, against differences of the cost."""
    m = Model(model, types)
    rng = np.random.RandomState(3)
    for name in m.net.parameters:  # away from zeros, where kinks are
        m.set(name, m.get(name) + 0.1 * rng.randn(*m.get(name).shape))
    grads = m.gradients(samples)
    assert set(grads) == set(m.net.parameters), "parameters without a gradient"
    for name, grad in grads.items():
        start = m.get(name)
        for _ in range(2):
            way = np.sign(rng.randn(*start.shape)).astype("float32")
            m.set(name, start + eps * way)
            up = m.cost(samples)
            m.set(name, start - eps * way)
            down = m.cost(samples)
            m.set(name, start)
            numeric, found = (up - down) / (2 * eps), float((np.asarray(grad) * way).sum())
            assert abs(numeric - found) <= atol + rtol * abs(numeric), (name, numeric, found)


def check_trains(model, types, samples, rate=0.05, steps=8):
    """Gradients are right, and a few steps lower the cost."""
    check_gradients(model, types, samples)
    m = Model(model, types, rate=rate)
    first = m.step(samples)
    for _ in range(steps):
        last = m.step(samples)
    assert np.isfinite(last) and last < first, (first, last)
    return m


def sequences(rng, lengths, dim):
    return [rng.randn(n, dim).astype("float32") for n in lengths]


def words(rng, lengths, n):
    return [rng.randint(0, n, length) for length in lengths]
