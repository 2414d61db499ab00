"""Machine: what trains and runs a Network, behind paddle.v2's trainer and behind `paddle train`.

Costs, gradients and the figures of evaluators are sums over the samples of a batch, as v1 and v2
had them: old learning rates hold, and several threads or several trainers add up to what one would
have computed of all their samples."""
import collections
import contextlib

import numpy as np

import paddle.fluid as fluid
from paddle.trainer_config_helpers.graph import ConfigError
from paddle.trainer_config_helpers.update import BATCH_VAR, append_updates

from . import device
from .clipping import ClippingLog
from .feeder import Feeder

__all__ = ["Machine", "Batch", "Totals", "output"]

# cost: the sum over the samples. sums: for each evaluator of the network its arrays.
Batch = collections.namedtuple("Batch", "cost samples sums")


def output(tensor):
    """What a layer gives, as py_paddle has it. id: the integers of a layer that gives them, else
    None."""
    array = np.array(tensor)
    return {"id": array.reshape(-1) if array.dtype.kind in "iu" else None, "value": array}


class Totals:
    """Costs and evaluators over many batches."""

    def __init__(self, evaluators):
        self.cost, self.samples = 0.0, 0
        self._evaluators = [each for each, _ in evaluators]
        self._sums = None

    def add(self, batch):
        self.cost += batch.cost
        self.samples += batch.samples
        if self._sums is None:
            self._sums = [[] for _ in batch.sums]
        for evaluator, arrays, more in zip(self._evaluators, self._sums, batch.sums):
            if evaluator.joins or not arrays:
                arrays.append([np.array(array) for array in more])
            else:
                arrays[0] = [total + array for total, array in zip(arrays[0], more)]

    def mean_cost(self):
        return self.cost / self.samples if self.samples else 0.0

    def metrics(self):
        """{name: number} of all evaluators."""
        found = collections.OrderedDict()
        for evaluator, arrays in zip(self._evaluators, self._sums or ()):
            found.update(evaluator.result([np.concatenate(parts) if evaluator.joins else parts[0]
                                           for parts in zip(*arrays)]))
        return found


class Machine:
    """settings: how it learns (optimizers.Settings), or None for one that only computes. remote:
    a Remote (remote.py), or None to train here. trainer_count: threads, each with a part of every
    batch; what they compute is added. log_clipping: of "parameters" and "errors" those whose
    clipping is told the log."""

    def __init__(self, network, settings=None, remote=None, seed=None, trainer_count=1,
                 feeding=None, log_clipping=(), log=None):
        if int(trainer_count) < 1:
            raise ValueError("trainer_count is %r, and must be at least 1" % (trainer_count,))
        self.network, self.settings = network, settings
        self.trainer_count = int(trainer_count)
        self.pass_id = 0
        self.changed = set()  # parameters that do not have the values they started with
        self.scope = fluid.core.Scope()
        device.check_threads(self.trainer_count)
        self.exe = fluid.Executor(device.place())
        self.feeder = Feeder(network.data_types, feeding)
        self._test_program = network.main.clone(for_test=True)
        self._remote, self._average, self._needs = remote, None, []
        self._clipping = None
        if seed:
            network.set_seed(seed)
        if settings is not None:
            self._build(settings, remote)
        if log_clipping and settings is not None:
            self._clipping = self._watch_clipping(log_clipping, log)
        if seed:
            self._test_program.random_seed = int(seed)
        self.exe.run(network.startup, scope=self.scope)
        for name, value in network.given_values():
            self.set(name, value)
        self._parallel = {}
        self._gradients, self._last = None, None
        self._keeps, self._kept = False, None  # gradients of steps, once somebody asks for them
        self._figures = [var for _, sums in network.evaluators for var in sums]
        self._rows = {var.name for each, sums in network.evaluators if each.joins for var in sums}

    def _build(self, settings, remote):
        net = self.network
        if net.cost is None:
            raise ConfigError("there is no cost among the outputs: %s cannot be trained"
                              % ", ".join(layer.name for layer in net.outputs))
        with fluid.program_guard(net.main, net.startup), fluid.unique_name.guard():
            self._params_grads = fluid.backward.append_backward(net.loss)
            self._needs = append_updates(net, settings, self._params_grads, remote is not None)
            if settings.model_average is not None:
                self._average = self._make_average(settings.model_average)

    def _watch_clipping(self, kinds, log):
        made = ClippingLog(self.network, self.settings, self._params_grads, "parameters" in kinds,
                           "errors" in kinds, log)
        if made.variables and self._remote is not None:
            raise NotImplementedError("log_clipping and log_error_clipping are not supported with "
                                      "parameter servers, which do the clipping; leave them out")
        return made if made.variables else None

    def _make_average(self, wanted):
        if self._remote is not None:
            raise NotImplementedError("model_average is not supported with parameter servers: "
                                      "train with is_local=True, or without it")
        most = int(min(wanted.max_average_window or 2 ** 62, 2 ** 62))
        return fluid.optimizer.ModelAverage(wanted.average_window, min(10000, most), most)

    # ---- batches ----

    def use_feeding(self, feeding):
        """Where in a sample each data layer's value stands; the feeder before is given back."""
        before = self.feeder
        self.feeder = Feeder(self.network.data_types, feeding)
        return before

    def start_pass(self, pass_id):
        """Schedules may go by the number of the pass."""
        self.pass_id = pass_id

    def finish_pass(self):
        """What was computed in the pass is in the parameters now, on servers too."""
        if self._remote is not None:
            self._remote.finish_pass()

    def train_batch(self, samples):
        """One step: forward, backward, update."""
        if self.settings is None:
            raise RuntimeError("this Machine has no settings: it computes, and does not learn")
        if self._remote is not None and not self._remote.started:
            self._remote.start(self, len(samples))
            self._test_program = self.network.main.clone(for_test=True)
            self._parallel.clear()
            self._gradients = None
        self._last = samples
        return self._run(self.network.main, samples, self._needs)

    def test_batch(self, samples):
        """Forward alone, as dropout and batch normalisation are in tests."""
        return self._run(self._test_program, samples, ())

    def _run(self, program, samples, needs):
        net = self.network
        fetch = ([] if net.cost is None else [net.cost]) + self._figures
        if self._clipping is not None and program is net.main:
            values = self._compute_watching(samples, fetch, needs)
        elif self._keeps and program is net.main:
            values = self._compute_keeping(samples, fetch, needs)
        else:
            values = self._compute(program, samples, fetch, needs)
        values = [self._of_all_threads(name, value) for name, value in zip(fetch, values)]
        cost, sums, at = 0.0, [], len(fetch) - len(self._figures)
        if at:
            cost = float(values[0][0])
        for _, variables in net.evaluators:
            sums.append(values[at:at + len(variables)])
            at += len(variables)
        return Batch(cost, len(samples), sums)

    def _of_all_threads(self, variable, values):
        if len(values) == 1:
            return values[0]
        return np.concatenate(values) if variable.name in self._rows else np.sum(values, axis=0)

    def _compute(self, program, samples, fetch, needs=(), return_numpy=True):
        """For each variable of fetch a list: its value in each thread that had samples."""
        threads = min(self.trainer_count, len(samples))
        if threads > 1 and threads == self.trainer_count:
            parts = np.array_split(np.arange(len(samples)), threads)
            feeds = [self._feed(samples[part[0]:part[-1] + 1], needs, len(samples))
                     for part in parts]
            return self._threaded(program)._run_parallel(self.exe, feeds, fetch, self.scope,
                                                         return_numpy, False)
        feed = self._feed(samples, needs, len(samples))
        return [[value] for value in self.exe.run(program, feed, fetch, scope=self.scope,
                                                  return_numpy=return_numpy)]

    def _compute_keeping(self, samples, fetch, needs):
        """A training step whose gradients are kept."""
        pairs = self._pairs()
        values = self.exe.run(self.network.main, self._feed(samples, needs, len(samples)),
                              fetch + [g for _, g in pairs], scope=self.scope, return_numpy=False)
        self._kept = {name: self._dense(name, value)
                      for (name, _), value in zip(pairs, values[len(fetch):])}
        return [[np.array(value)] for value in values[:len(fetch)]]

    def _compute_watching(self, samples, fetch, needs):
        """A training step whose clipping is logged."""
        values = self._compute(self.network.main, samples, fetch + self._clipping.variables, needs,
                               return_numpy=False)
        self._clipping.look(values[len(fetch):])
        return [[np.array(each) for each in of_threads] for of_threads in values[:len(fetch)]]

    def _feed(self, samples, needs, batch):
        feed = self.feeder(samples)
        for name in needs:
            feed[name] = np.array([batch if name == BATCH_VAR else self.pass_id], np.int64)
        return feed

    def _threaded(self, program):
        found = self._parallel.get(id(program))
        if found is None:
            strategy = fluid.BuildStrategy()
            strategy.gradient_scale_strategy = fluid.BuildStrategy.GradientScaleStrategy.One
            found = fluid.CompiledProgram(program).with_data_parallel(
                loss_name=self.network.loss.name if self.network.loss is not None else None,
                build_strategy=strategy, places=[fluid.CPUPlace()] * self.trainer_count)
            self._parallel[id(program)] = found
        return found

    def infer(self, samples, layers=None):
        """The values of output layers (all outputs unless told), as LoDTensors; of a network that
        has them as outputs."""
        values = dict(zip((layer.name for layer in self.network.outputs), self.network.values))
        wanted = [layer.name for layer in layers or self.network.outputs]
        feed = self.feeder(samples)
        return self.exe.run(self._test_program, feed, [values[name] for name in wanted],
                            scope=self.scope, return_numpy=False)

    def getLayerOutputs(self, layerNames):
        """v2's event.gm.getLayerOutputs(["name"]): {name: {"id": ..., "value": array}} for the last
        batch that was trained, computed anew as tests are (no dropout)."""
        if self._last is None:
            raise RuntimeError("there was no batch yet to have outputs of")
        return self.layer_outputs(layerNames, self._last)

    def layer_outputs(self, names, samples):
        """{name: {"id": ..., "value": array}} of layers of the network, as tests compute them."""
        names = [names] if isinstance(names, str) else list(names)
        for name in names:
            if name not in self.network.layers:
                raise KeyError("there is no layer %r; there are %s"
                               % (name, ", ".join(self.network.layers)))
        fetch = [self.network.value(self.network.layers[name]) for name in names]
        values = self.exe.run(self._test_program, self.feeder(samples), fetch, scope=self.scope,
                              return_numpy=False)
        return {name: output(value) for name, value in zip(names, values)}

    def totals(self):
        return Totals(self.network.evaluators)

    # ---- parameters ----

    @property
    def parameter_names(self):
        return list(self.network.parameters)

    def get(self, name):
        """A parameter as an array."""
        if self._remote is not None:
            self._remote.refresh(self, name)
        return self.local(name)

    def local(self, name):
        """A parameter as this process has it."""
        return np.array(self._tensor(name))

    def set(self, name, array):
        shape = self._config(name).shape
        array = np.ascontiguousarray(array, dtype=np.float32)
        if array.size != int(np.prod(shape)):
            raise ValueError("parameter %r has the shape %s, and was given one of %s"
                             % (name, list(shape), list(array.shape)))
        if self._remote is not None and self._remote.started:
            raise RuntimeError("parameter %r is on the servers now: set it before the first batch"
                               % name)
        if not np.array_equal(self.local(name), array.reshape(shape)):
            self._tensor(name).set(array.reshape(shape), self.exe.place)
            self.changed.add(name)

    def _config(self, name):
        if name not in self.network.parameters:
            raise KeyError("there is no parameter %r; there are %s"
                           % (name, ", ".join(self.network.parameters)))
        return self.network.parameters[name]

    def _tensor(self, name):
        self._config(name)
        return self.scope.find_var(name).get_tensor()

    def gradients(self, samples=None):
        """{name: gradient} of a batch at the parameters as they are; nothing is updated. Without
        samples those of the last step: with one thread and no servers they are kept from the
        second call on, else they are computed anew."""
        if samples is None:
            if self._kept is not None:
                return self._kept
            if self._last is None:
                raise RuntimeError("there was no batch yet to have gradients of")
            samples = self._last
            self._keeps = self.trainer_count == 1 and self._remote is None \
                and self._clipping is None
        pairs = self._pairs()
        values = self.compute(samples, [g for _, g in pairs], return_numpy=False)
        return {name: self._dense(name, value) for (name, _), value in zip(pairs, values)}

    def _pairs(self):
        return [(p.name, g) for p, g in self._params_grads if g is not None]

    def compute(self, samples, variables, return_numpy=True):
        """Variables of a batch as training has them (tests may differ); nothing is updated."""
        if self._gradients is None:
            self._gradients = self.network.main._prune_with_input(
                [], [self.network.loss] + [g for _, g in self._pairs()])
        return self.exe.run(self._gradients, self._feed(samples, (), 0), variables,
                            scope=self.scope, return_numpy=return_numpy)

    def _dense(self, name, value):
        if not hasattr(value, "rows"):
            return np.array(value)
        dense = np.zeros(self._config(name).shape, np.float32)
        np.add.at(dense, value.rows(), np.array(value.get_tensor()))
        return dense

    @contextlib.contextmanager
    def averaged(self):
        """For tests and for saving. Inside, parameters are their averages where the settings have
        a ModelAverage; those of servers are as they are there now."""
        if self._remote is not None:
            self._remote.refresh_dense(self)
        if self._average is None or self._last is None:
            yield
            return
        with fluid.scope_guard(self.scope), self._average.apply(self.exe):
            yield

    def finish(self):
        """The end of training: in a distributed job the servers are told."""
        self.exe.close()
