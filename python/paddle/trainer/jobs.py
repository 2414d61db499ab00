"""What `paddle train` does with a config: --job=train, test, time and checkgrad. Log lines are
v1's: other programs read them."""
import contextlib
import math
import os
import time

import numpy as np

from .. import reader
from ..trainer_config_helpers.graph import ConfigError
from . import model_dir
from .clipping import clipping_kinds
from .feeder import SampleError
from .machine import Machine
from .PyDataProvider2 import ProviderError
from .sources import open_source

__all__ = ["train", "test", "measure", "check_gradients"]

_AHEAD = 8  # batches that are read while others are computed


def _network(config, source):
    return config.network(dict(zip(config.input_layer_names, source.provider.slots)))


def _batches(source):
    """The batches of a pass: read ahead in a thread, unless they are in memory."""
    return source.batches() if source.is_kept else reader.buffered(source.batches, _AHEAD)()


@contextlib.contextmanager
def _named(source):
    """A sample that cannot be fed: which provider it is of."""
    try:
        yield
    except SampleError as error:
        raise ProviderError("%s: %s; @provider(check=True) finds its file and number"
                            % (source.provider.place, error)) from None


def _evals(totals):
    return " ".join("%s=%g" % pair for pair in totals.metrics().items())


def _check_number(cost, where):
    if math.isnan(cost) or math.isinf(cost):
        raise ConfigError("the cost is %r %s: the model has diverged, or the data have such "
                          "numbers; try a smaller learning_rate or gradient_clipping_threshold"
                          % (cost, where))


# ---- models ----

def _sizes(machine):
    return {name: int(np.prod(config.shape))
            for name, config in machine.network.parameters.items()}


def _load(machine, folder, flags, log):
    values = model_dir.load(folder, _sizes(machine), flags.load_missing_parameter_strategy)
    for name in machine.parameter_names:
        if name in values:
            machine.set(name, values[name])
        else:
            log.warning("%s has no parameter %s: it keeps what it starts with" % (folder, name))
    log.info("Loading parameters from %s" % folder)


def _load_start(machine, flags, log):
    """What training begins with: init_model_path, or the pass before start_pass. With servers
    trainer 0 has it, as it saves; the others are given what the servers were."""
    if not flags.local and flags.trainer_id != 0:
        return
    if flags.init_model_path:
        _load(machine, flags.init_model_path, flags, log)
    elif flags.start_pass > 0:
        folder = model_dir.pass_dir(flags.save_dir, flags.start_pass - 1)
        if not flags.save_dir:
            raise model_dir.ModelError("--start_pass=%d goes on from pass %d of --save_dir, which "
                                       "is not given" % (flags.start_pass, flags.start_pass - 1))
        if not os.path.exists(os.path.join(folder, "done")):
            raise model_dir.ModelError(
                "--start_pass=%d goes on from %s, and that has no file `done`: it is not there, or "
                "was not saved to its end" % (flags.start_pass, folder))
        _load(machine, folder, flags, log)


class _Saver:
    """Model folders, by trainer 0 alone."""

    def __init__(self, machine, config, flags, log):
        self._machine, self._config, self._flags, self._log = machine, config, flags, log
        if self._saves():
            model_dir.prepare(flags.save_dir)

    def _saves(self):
        return self._flags.save_dir and self._flags.trainer_id == 0

    def save(self, number, batch=None):
        flags = self._flags
        if not self._saves():
            return
        with self._machine.averaged():
            values = {name: self._machine.get(name) for name in self._machine.parameter_names}
        folder = model_dir.pass_dir(flags.save_dir, number, batch)
        self._log.info("Saving parameters to %s" % folder)
        model_dir.save(folder, values, self._config.path)
        if flags.save_only_one:
            for gone in model_dir.remove_old(flags.save_dir, folder):
                self._log.info("delete dir %s" % gone)


# ---- train ----

class _Training:
    def __init__(self, config, flags, log):
        self.config, self.flags, self.log = config, flags, log
        size = config.settings.batch_size
        self.source = open_source(config, "train", size, flags.seed + flags.trainer_id)
        self.test_source = open_source(config, "test", size, optional=True)
        network = _network(config, self.source)
        self._say_mode(network)
        self.machine = Machine(network, config.settings, remote=_remote(config, flags),
                               seed=flags.seed, trainer_count=flags.trainer_count,
                               feeding=config.input_layer_names,
                               log_clipping=clipping_kinds(vars(flags)), log=log)
        _load_start(self.machine, flags, log)
        self.saver = _Saver(self.machine, config, flags, log)

    def _say_mode(self, network):
        sparse = [name for name, each in network.parameters.items() if each.attr.sparse_update]
        if sparse and self.flags.local:
            self.log.info("ignore sparse_remote_update=true due to  --local=true")
        self.log.info("trainer mode: %s" % (
            "SgdSparseCpuTraining" if sparse and not self.flags.local else "Normal"))

    def run(self):
        first = self.flags.start_pass
        if not self.flags.save_dir and self.flags.trainer_id == 0:
            self.log.warning("no --save_dir: what is learnt is not saved")
        for number in range(first, first + self.flags.num_passes):
            self.machine.start_pass(number)
            with _named(self.source):
                self._one_pass(number)
        self.machine.finish()

    def _one_pass(self, number):
        flags = self.flags
        whole, recent = self.machine.totals(), self.machine.totals()
        batch = 0
        for samples in _batches(self.source):
            batch += 1
            done = self.machine.train_batch(samples)
            _check_number(done.cost, "in pass %d, batch %d" % (number, batch))
            whole.add(done)
            recent.add(done)
            if flags.log_period and batch % flags.log_period == 0:
                self.log.info(" Batch=%d samples=%d AvgCost=%g CurrentCost=%g Eval: %s  "
                              "CurrentEval: %s " % (batch, whole.samples, whole.mean_cost(),
                                                    recent.mean_cost(), _evals(whole),
                                                    _evals(recent)))
                recent = self.machine.totals()
            elif flags.dot_period and batch % flags.dot_period == 0:
                self.log.dot()
            self._between(number, batch, samples)
        if batch == 0:
            raise ConfigError("the data provider gave no sample in pass %d" % number)
        self.machine.finish_pass()
        self.log.info(" Pass=%d Batch=%d samples=%d AvgCost=%g Eval: %s " % (
            number, batch, whole.samples, whole.mean_cost(), _evals(whole)))
        if flags.test_period == 0:
            self._test()
        if (number + 1) % flags.saving_period == 0:
            self.saver.save(number)

    def _between(self, number, batch, samples):
        """What is due after some batches."""
        flags = self.flags
        if flags.show_parameter_stats_period and batch % flags.show_parameter_stats_period == 0:
            _show_parameters(self.machine, samples, self.log)
        if flags.test_period and batch % flags.test_period == 0:
            self._test()
        period = flags.saving_period_by_batches
        if period and batch % period == 0:
            self.saver.save(number, batch // period)

    def _test(self):
        if self.test_source is not None:
            with self.machine.averaged(), _named(self.test_source):
                _test_once(self.machine, self.test_source, self.log)


def _show_parameters(machine, samples, log):
    gradients = machine.gradients(samples)
    for name in machine.parameter_names:
        value, gradient = np.abs(machine.get(name)), np.abs(gradients.get(name, np.zeros(1)))
        log.info("Param:%s avg_abs_val=%g max_val=%g avg_abs_grad=%g max_grad=%g" % (
            name, value.mean(), value.max(), gradient.mean(), gradient.max()))


def _test_once(machine, source, log, write=None):
    totals = machine.totals()
    for samples in _batches(source):
        totals.add(machine.test_batch(samples))
        if write is not None:
            write(samples)
    if not totals.samples:
        raise ConfigError("the data provider of the test gave no sample")
    _check_number(totals.cost, "in a test")
    log.info(" Test samples=%d cost=%g Eval: %s " % (totals.samples, totals.mean_cost(),
                                                     _evals(totals)))
    return totals


def _remote(config, flags):
    """How to reach the servers; None for training in this process alone."""
    if flags.local:
        return None
    from .remote import Remote
    hosts = [host.strip() for host in flags.pservers.split(",") if host.strip()]
    return Remote(hosts, flags.port, flags.ports_num, flags.ports_num_for_sparse,
                  flags.trainer_id, flags.num_gradient_servers)


def train(config, flags, log):
    server = _start_server(flags, log) if flags.start_pserver else None
    try:
        _Training(config, flags, log).run()
    finally:
        if server is not None:
            server.terminate()
            server.wait()


def _start_server(flags, log):
    """--start_pserver: a server of our own, on this host."""
    import shutil
    import subprocess
    import sys
    command = os.path.join(os.path.dirname(sys.executable), "paddle")
    command = command if os.path.exists(command) else shutil.which("paddle")
    if command is None:
        raise ConfigError("--start_pserver: there is no command paddle beside this Python or in "
                          "PATH")
    arguments = [command, "pserver"] + ["--%s=%s" % (name, getattr(flags, name)) for name in (
        "port", "ports_num", "ports_num_for_sparse", "num_gradient_servers", "nics")]
    log.info("starting %s" % " ".join(arguments))
    return subprocess.Popen(arguments)


# ---- test ----

def _models(flags):
    """The model folders of --job=test, in order."""
    if flags.model_list:
        try:
            with open(flags.model_list) as f:
                return [line.strip() for line in f if line.strip()]
        except FileNotFoundError:
            raise model_dir.ModelError("there is no file %s; --model_list names one model folder "
                                       "a line" % flags.model_list) from None
    if flags.init_model_path:
        return [flags.init_model_path]
    if not flags.save_dir or flags.test_pass < 0:
        raise model_dir.ModelError("--job=test wants a model: --init_model_path=DIR, or "
                                   "--model_list=FILE, or --save_dir=DIR --test_pass=N")
    last = flags.test_pass + 1
    while os.path.exists(os.path.join(model_dir.pass_dir(flags.save_dir, last), "done")) and \
            last < flags.num_passes:
        last += 1
    return [model_dir.pass_dir(flags.save_dir, n) for n in range(flags.test_pass, last)]


def _wait_for(folder, seconds, log):
    """--test_wait: a model may still be on its way."""
    end = time.monotonic() + seconds
    told = False
    while not os.path.exists(os.path.join(folder, "done")) and time.monotonic() < end:
        if not told:
            log.info("waiting for %s, at most %d s (--test_wait)" % (folder, seconds))
            told = True
        time.sleep(0.2)


def test(config, flags, log):
    models = _models(flags)
    source = open_source(config, "test", config.settings.batch_size)
    machine = Machine(_network(config, source), seed=flags.seed,
                      trainer_count=flags.trainer_count, feeding=config.input_layer_names)
    log.info("trainer mode: Testing")
    for folder in models:
        _wait_for(folder, flags.test_wait, log)
        _load(machine, folder, flags, log)
        with _Outputs(machine, flags) as outputs, _named(source):
            _test_once(machine, source, log, outputs.write)


class _Outputs:
    """--predict_output_dir: what the outputs were, a line for each sample (of a sequence: for each
    step), layers divided by `;`."""

    def __init__(self, machine, flags):
        self._machine, self._folder, self._file = machine, flags.predict_output_dir, None
        self._name = "rank-%05d" % flags.trainer_id
        self.write = self._write if self._folder else None

    def __enter__(self):
        if self._folder:
            os.makedirs(self._folder, exist_ok=True)
            self._path = os.path.join(self._folder, self._name)
            self._file = open(self._path + ".part", "w")
        return self

    def _write(self, samples):
        arrays = [np.array(value) for value in self._machine.infer(samples)]
        rows = {len(array) for array in arrays}
        if len(rows) != 1:
            raise ConfigError("--predict_output_dir wants outputs with as many rows, and they have "
                              "%s" % ", ".join(str(len(array)) for array in arrays))
        for row in zip(*arrays):
            self._file.write("".join(" ".join("%g" % number for number in np.ravel(part)) + ";"
                                     for part in row) + "\n")

    def __exit__(self, kind, error, trace):
        if self._file is not None:
            self._file.close()
            if kind is None:
                os.replace(self._path + ".part", self._path)
            else:
                os.unlink(self._path + ".part")


# ---- time ----

def measure(config, flags, log):
    """--job=time: how long steps take. test_period batches are timed, or a pass."""
    training = _Training(config, flags, log)
    machine = training.machine
    held = [samples for samples, _ in zip(training.source.batches(), range(10))]
    if not held:
        raise ConfigError("the data provider gave no sample")
    log.info("Burn in...")
    for samples in held:
        with _named(training.source):
            machine.train_batch(samples)
    log.info("Burn in finish...")
    if flags.feed_data or not flags.test_period:
        stream = _batches(training.source)
    else:
        stream = (held[n % len(held)] for n in range(flags.test_period))
    batches = samples_done = 0
    begin = time.perf_counter()
    for samples in stream:
        machine.train_batch(samples)
        batches += 1
        samples_done += len(samples)
        if flags.test_period and batches == flags.test_period:
            break
    spent = time.perf_counter() - begin
    log.info("Time: batches=%d samples=%d seconds=%g ms/batch=%g samples/second=%g" % (
        batches, samples_done, spent, 1e3 * spent / batches, samples_done / spent))
    machine.finish()


# ---- checkgrad ----

def check_gradients(config, flags, log):
    """Each gradient against what a small step along it does to the cost."""
    if not 0 < flags.checkgrad_eps < 1:
        raise ConfigError("--checkgrad_eps=%g: parameters are moved so that the cost changes by "
                          "this part of it; between 0 and 1, such as 1e-5" % flags.checkgrad_eps)
    source = open_source(config, "train", config.settings.batch_size, flags.seed)
    network = _network(config, source)
    for layer in network.layers.values():
        if layer.layer_attr is not None and layer.layer_attr.drop_rate:
            raise ConfigError("--job=checkgrad: the layer %r has drop_rate=%g, so that its cost is "
                              "another each time; check it without" % (
                                  layer.name, layer.layer_attr.drop_rate))
    machine = Machine(network, config.settings, seed=flags.seed, feeding=config.input_layer_names)
    _load_start(machine, flags, log)
    samples = next(source.batches(), None)
    if samples is None:
        raise ConfigError("the data provider gave no sample")
    with _named(source):
        gradients = machine.gradients(samples)
    cost = _exact_cost(machine, samples)
    log.info("original cost=%g" % cost)
    norms = {name: float(np.linalg.norm(each)) for name, each in gradients.items()}
    worst, least = 0.0, 1e-6 * max(norms.values())
    for name in machine.parameter_names:
        if norms.get(name, 0.0) <= least:  # a bias before batch normalisation has only rounding
            log.info("param=%s |grad|=%g: none" % (name, norms.get(name, 0.0)))
            continue
        difference = _gradient_error(machine, samples, name, gradients[name], cost,
                                     flags.checkgrad_eps)
        worst = max(worst, difference)
        log.info("param=%s |grad|=%g relative difference=%g%s" % (
            name, norms[name], difference,
            "   ***" if difference > _GRADIENT_BOUND else ""))
    log.info("maxDiff=%g" % worst)
    if worst > _GRADIENT_BOUND:
        raise ConfigError("gradients are not what the cost says (those marked ***); a cost that "
                          "has corners, such as those of relu, may need another --checkgrad_eps")


_GRADIENT_BOUND = 0.05  # of a float32 cost more cannot be asked


def _exact_cost(machine, samples):
    """The cost of a batch: of each sample as computed, but added in double precision."""
    costs = machine.network.costs
    values = machine.compute(samples, [value for _, value in costs])
    return float(sum(np.array(value).astype("float64").sum() * layer.coeff
                     for value, (layer, _) in zip(values, costs)))


def _gradient_error(machine, samples, name, gradient, cost, eps):
    start = machine.get(name).astype("float64")
    gradient = gradient.astype("float64").reshape(start.shape)
    square = float((gradient ** 2).sum())
    if square == 0:
        return 0.0
    # A step along the gradient that should change the cost by its eps-th part.
    step = max(abs(cost), 1e-3) * eps / square
    change = expected = 0.0
    for sign in (1, -1):
        machine.set(name, start + sign * step * gradient)
        expected += sign * float(((machine.get(name) - start) * gradient).sum())
        change += sign * _exact_cost(machine, samples)
    machine.set(name, start)
    return abs(change / expected - 1)
