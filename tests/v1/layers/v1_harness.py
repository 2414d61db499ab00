"""A layer function at work: its value, its gradients, a few steps of training.

    def case(data):                                # data makes data layers and their values
        return fc_layer(data.dense("x", 4), 3)
    check(case, lambda v: numpy.tanh(v["x"] @ v["w"]))

Gradients, of every parameter and every dense input, are compared with differences along a random
direction. Training is tried on the same data, each dense input behind a factor for each column that
is learned, so that layers without parameters have something to learn."""
import collections
import contextlib

import numpy

import paddle.fluid as fluid
from paddle.trainer_config_helpers.graph import Graph, use_graph
from paddle.trainer_config_helpers import (ParameterAttribute, data_layer, dotmul_projection,
                                           mixed_layer, square_error_cost)
from paddle.trainer_config_helpers.network import Network

InputType = collections.namedtuple("InputType", "dim seq_type type")
DENSE, SPARSE_BINARY, SPARSE_FLOAT, INDEX = range(4)
ROWS = 5


def _tensor(array, lengths):
    """lengths: of sequences, outermost level first; None: none."""
    if lengths is None:
        return array
    return fluid.create_lod_tensor(array, lengths, fluid.CPUPlace())


class Data:
    """Data layers with random values. lengths: of the sequences, as (3, 1, 1), or for two levels
    as ((2, 1), (3, 1, 1))."""

    def __init__(self, learned, seed):
        self.learned, self.random = learned, numpy.random.RandomState(seed)
        self.types, self.feeds, self.values, self.frozen = {}, {}, {}, set()

    def _levels(self, lengths):
        if lengths is None:
            return None
        return [list(each) for each in lengths] if isinstance(lengths[0], (list, tuple)) else [
            list(lengths)]

    def _add(self, name, kind, dim, array, lengths, own=None):
        levels = self._levels(lengths)
        self.types[name] = InputType(dim, len(levels or []), kind)
        self.values[name] = array
        self.feeds[name] = _tensor(array, (levels or []) + [own] if own else levels)

    def _rows(self, lengths):
        levels = self._levels(lengths)
        return sum(levels[-1]) if levels else ROWS

    def dense(self, name, size, low=-1.0, high=1.0, lengths=None, label=False, value=None,
              **image):
        if value is None:
            value = self.random.uniform(low, high, [self._rows(lengths), size])
            value[abs(value) < 0.01] = 0.03  # off the place where many functions have a corner
        self._add(name, DENSE, size, numpy.asarray(value, "float32"), lengths)
        layer = data_layer(name, size, **image)
        if label:
            self.frozen.add(name)
        if label or not self.learned:
            return layer
        scaled = mixed_layer(input=dotmul_projection(
            layer, ParameterAttribute(initial_mean=1.0, initial_std=0.0)))
        scaled.height, scaled.width, scaled.depth = layer.height, layer.width, layer.depth
        scaled.num_filters = layer.num_filters
        return scaled

    def ids(self, name, size, lengths=None, value=None):
        if value is None:
            value = self.random.randint(0, size, [self._rows(lengths), 1])
        self._add(name, INDEX, size, numpy.asarray(value, "int64"), lengths)
        return data_layer(name, size)

    def sparse(self, name, size, values=False, lengths=None):
        rows = self._rows(lengths)
        counts = [int(n) for n in self.random.randint(1, min(size, 4) + 1, rows)]
        ids = numpy.concatenate([self.random.permutation(size)[:n] for n in counts])
        self._add(name, SPARSE_FLOAT if values else SPARSE_BINARY, size,
                  ids.astype("int64").reshape(-1, 1), lengths, own=counts)
        spread = numpy.zeros([rows, size], "float32")
        numbers = self.random.uniform(0.5, 1.5, len(ids)).astype("float32")
        at = numpy.repeat(numpy.arange(rows), counts)
        spread[at, ids] = numbers if values else 1.0
        self.values[name] = spread
        if values:
            self.feeds[name + "@VALUES"] = _tensor(
                numbers.reshape(-1, 1), (self._levels(lengths) or []) + [counts])
        return data_layer(name, size)


class Machine:
    """A case as a network with values for its parameters."""

    def __init__(self, case, learned, seed=7, learning_rate=None):
        self.data = Data(learned, seed)
        with use_graph(Graph()):
            made = case(self.data)
            self.layer = made[0] if isinstance(made, tuple) else made
            cost = self.layer
            if not cost.is_cost:
                target = data_layer("target", self.layer.size)
                self.data.types["target"] = InputType(self.layer.size, 0, DENSE)
                cost = square_error_cost(self.layer, target)
            outputs = [cost] if cost is self.layer else [self.layer, cost]
            self.network = Network(outputs, self.data.types)
        self.network.main.random_seed = self.network.startup.random_seed = 11
        self.value = self.network.values[0]
        self.exe, self.scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
        with self._inside():
            if learning_rate:
                fluid.optimizer.SGD(learning_rate).minimize(self.network.cost)
            self.exe.run(self.network.startup)
        if "target" in self.data.types:
            self._choose_target()

    @contextlib.contextmanager
    def _inside(self):
        with fluid.program_guard(self.network.main, self.network.startup), \
                fluid.scope_guard(self.scope):
            yield

    def _choose_target(self):
        """Near what the layer gives, so that costs stay of one size."""
        self.data.feeds["target"] = numpy.zeros([1, self.layer.size], "float32")
        with self._inside():
            only = self.network.main._prune([self.value])
            feeds = {name: feed for name, feed in self.data.feeds.items()
                     if only.global_block().has_var(name)}
            shape = numpy.array(self.exe.run(only, feed=feeds, fetch_list=[self.value],
                                             return_numpy=False)[0])
        noise = numpy.random.RandomState(5).uniform(-1, 1, shape.shape)
        self.data.feeds["target"] = (shape + noise).astype("float32")

    def run(self, fetch):
        with self._inside():
            got = self.exe.run(self.network.main, feed=self.data.feeds, fetch_list=fetch,
                               return_numpy=False)
        return [numpy.array(each) for each in got]

    def weight(self, name):
        return self.scope.find_var(name).get_tensor()

    def named_values(self):
        """Of the inputs by name, and of parameters as w, w1 ... and bias, or by their name."""
        values = dict(self.data.values)
        for name in self.network.parameters:
            array = numpy.array(self.weight(name))
            values[name] = array
            ending = name.rsplit(".", 1)[-1]
            values.setdefault({"w0": "w", "wbias": "bias"}.get(ending, ending), array)
        return values


def check_value(case, expected, tolerance=1e-5):
    machine = Machine(case, learned=False)
    wanted = expected(machine.named_values())
    got = machine.run([machine.value])[0]
    assert got.shape == numpy.shape(wanted)
    numpy.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)
    return machine


def check_gradients(case, step=2e-3, tolerance=2e-2):
    machine = Machine(case, learned=False)
    network = machine.network
    names = [name for name, config in network.parameters.items() if not config.attr.is_static]
    dense = [name for name, kind in machine.data.types.items()
             if kind.type == DENSE and name != "target" and name not in machine.data.frozen]
    block = network.main.global_block()
    for name in dense:
        block.var(name).stop_gradient = False
    with machine._inside():
        grads = fluid.gradients([network.cost], [block.var(name) for name in names + dense])
    missing = [name for name, grad in zip(names + dense, grads) if grad is None]
    assert not missing, "there is no gradient of %s" % missing
    got = machine.run([network.cost] + grads)
    assert all(numpy.isfinite(each).all() for each in got)
    for name, grad in zip(names + dense, got[1:]):
        _check_along(machine, name, grad, name in dense, step, tolerance)
    return machine


def _check_along(machine, name, grad, fed, step, tolerance):
    """The change of the cost along one direction, against the gradient's word for it."""
    random = numpy.random.RandomState(len(name))
    holder = machine.data.feeds[name] if fed else machine.weight(name)
    start = numpy.array(holder).copy()
    direction = numpy.sign(random.uniform(-1, 1, start.shape)).astype("float32")
    costs = []
    for sign in (1, -1):
        _put(machine, name, start + sign * step * direction, fed, holder)
        costs.append(float(machine.run([machine.network.cost])[0].reshape(-1)[0]))
    _put(machine, name, start, fed, holder)
    slope = (costs[0] - costs[1]) / (2 * step)
    told = float((grad.astype("float64").reshape(start.shape) * direction).sum())
    size = float(numpy.abs(grad).sum())
    assert abs(slope - told) <= tolerance * max(abs(slope), 0.3 * size, 1e-2), (
        "the gradient of %s says %g, and the cost changes by %g" % (name, told, slope))


def _put(machine, name, array, fed, holder):
    array = array.astype("float32")
    if not fed:
        machine.weight(name).set(array, fluid.CPUPlace())
    elif isinstance(holder, numpy.ndarray):
        machine.data.feeds[name] = array
    else:
        machine.data.feeds[name] = _tensor(array, holder.recursive_sequence_lengths())


def check_training(case, learning_rate=0.002, steps=8):
    machine = Machine(case, learned=True, learning_rate=learning_rate)
    costs = [float(machine.run([machine.network.cost])[0].reshape(-1)[0]) for _ in range(steps)]
    assert numpy.isfinite(costs).all(), costs
    assert costs[-1] < costs[0], costs


def check(case, expected=None, tolerance=1e-5, step=2e-3, near=2e-2, learning_rate=0.002):
    if expected is not None:
        check_value(case, expected, tolerance)
    check_gradients(case, step, near)
    check_training(case, learning_rate)
