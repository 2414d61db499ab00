"""fluid.Trainer of Fluid 0.13 to 1.4: a loop over epochs and batches, told of by events.

    def train_func():
        ...
        return [loss, accuracy]     # the first is minimised

    trainer = Trainer(train_func, optimizer_func, place)
    trainer.train(num_epochs=3, event_handler=handler, reader=reader, feed_order=["x", "y"])
"""
import contextlib
import os
import shutil

from .. import framework, io, unique_name
from ..core import CPUPlace, Scope
from ..data_feeder import DataFeeder
from ..executor import Executor, scope_guard
from ..optimizer import Optimizer
from ..parallel_executor import ParallelExecutor

__all__ = ["Trainer", "BeginEpochEvent", "EndEpochEvent", "BeginStepEvent", "EndStepEvent",
           "CheckpointConfig"]


class BeginEpochEvent:
    """An epoch begins."""

    def __init__(self, epoch_id):
        self.epoch = epoch_id


class EndEpochEvent:
    """An epoch has ended."""

    def __init__(self, epoch_id):
        self.epoch = epoch_id


class BeginStepEvent:
    """A step begins; with fetch_metrics = False its EndStepEvent has no metrics."""

    def __init__(self, epoch_id, step_id):
        self.epoch, self.step = epoch_id, step_id
        self.fetch_metrics = True


class EndStepEvent:
    """A step has ended. metrics: what train_func returned, of this batch."""

    def __init__(self, epoch_id, step_id, metrics):
        self.epoch, self.step, self.metrics = epoch_id, step_id, metrics


class CheckpointConfig:
    """Checkpoints in checkpoint_dir: each step_interval steps of each epoch_interval-th epoch, of
    which the newest max_num_checkpoints are kept. A Trainer that finds some goes on from the
    newest; when it has trained all epochs it removes them."""

    def __init__(self, checkpoint_dir=None, max_num_checkpoints=3, epoch_interval=1,
                 step_interval=10):
        for name, value in (("max_num_checkpoints", max_num_checkpoints),
                            ("epoch_interval", epoch_interval), ("step_interval", step_interval)):
            if int(value) < 1:
                raise ValueError("CheckpointConfig: %s is %r, and must be at least 1"
                                 % (name, value))
        self.checkpoint_dir = checkpoint_dir or os.getcwd()
        self.max_num_checkpoints = max_num_checkpoints
        self.epoch_interval, self.step_interval = epoch_interval, step_interval
        self.epoch_id = self.step_id = 0
        self.load_serial = None

    def _serials(self):
        """The numbers of the checkpoints that are whole, oldest first."""
        found = []
        for name in os.listdir(self.checkpoint_dir) if os.path.isdir(self.checkpoint_dir) else ():
            number = name.rpartition("_")[2]
            if name == "checkpoint_" + number and number.isdigit() and \
                    os.path.exists(os.path.join(self.checkpoint_dir, name, "_SUCCESS")):
                found.append(int(number))
        return sorted(found)

    def _folder(self, serial):
        return os.path.join(self.checkpoint_dir, "checkpoint_%d" % serial)

    def _load(self, executor, program):
        serials = self._serials()
        if not serials:
            return
        folder = self._folder(serials[-1])
        io.load_persistables(executor, os.path.join(folder, "__model__"), program)
        with open(os.path.join(folder, "step")) as f:
            self.epoch_id, self.step_id = map(int, f.read().split())
        self.load_serial = serials[-1]

    def _save(self, executor, program, epoch, step):
        serials = self._serials()
        folder = self._folder(serials[-1] + 1 if serials else 0)
        shutil.rmtree(folder, ignore_errors=True)  # of a save that was cut short
        io.save_persistables(executor, os.path.join(folder, "__model__"), program)
        for name, text in ("step", "%d %d\n" % (epoch, step)), ("_SUCCESS", ""):
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        for serial in self._serials()[:-self.max_num_checkpoints]:
            shutil.rmtree(self._folder(serial))

    def _clean(self):
        for serial in self._serials():
            shutil.rmtree(self._folder(serial))


def _place(place):
    return CPUPlace() if place is None else place


def _job():
    """(role, trainer id, endpoints of the servers, trainers, this server's endpoint) where the
    environment names a job as it did then; None otherwise."""
    role = os.environ.get("PADDLE_TRAINING_ROLE")
    if role is None and "PADDLE_TRAINER_IPS" not in os.environ:
        return None
    if "PADDLE_TRAINER_IPS" in os.environ:
        raise NotImplementedError(
            "fluid.Trainer: PADDLE_TRAINER_IPS (NCCL2) is not implemented; train with "
            "fluid.incubate.fleet.collective, or with servers: PADDLE_TRAINING_ROLE")
    if role not in ("PSERVER", "TRAINER"):
        raise ValueError("PADDLE_TRAINING_ROLE is %r, and must be PSERVER or TRAINER" % role)
    needed = ["PADDLE_PSERVER_IPS", "PADDLE_TRAINERS",
              "PADDLE_CURRENT_IP" if role == "PSERVER" else "PADDLE_TRAINER_ID"]
    lacking = [name for name in needed if not os.environ.get(name)]
    if lacking:
        raise ValueError("PADDLE_TRAINING_ROLE=%s also needs %s" % (role, ", ".join(lacking)))
    port = os.environ.get("PADDLE_PSERVER_PORT", "6174")
    servers = ",".join("%s:%s" % (ip.strip(), port)
                       for ip in os.environ["PADDLE_PSERVER_IPS"].split(","))
    return (role, int(os.environ.get("PADDLE_TRAINER_ID") or 0), servers,
            int(os.environ["PADDLE_TRAINERS"]),
            "%s:%s" % (os.environ.get("PADDLE_CURRENT_IP", ""), port))


def feed_variables(feed_order, program):
    """The variables that a batch feeds: of names in order, of {name: place}, or all data of the
    program."""
    block = program.global_block()
    if feed_order is None:
        return [var for var in block.vars.values() if var.is_data]
    if isinstance(feed_order, dict):
        if sorted(feed_order.values()) != list(range(len(feed_order))):
            raise ValueError("feed_order is %r, and must give its %d names the places 0 to %d"
                             % (feed_order, len(feed_order), len(feed_order) - 1))
        feed_order = sorted(feed_order, key=feed_order.get)
    if not isinstance(feed_order, (list, tuple)):
        raise TypeError("feed_order is %r, and must be a list of names, {name: place} or None"
                        % (feed_order,))
    return [block.var(name) for name in feed_order]


class Trainer:
    """Builds the program that train_func describes, and trains it with what optimizer_func
    returns. param_path: parameters to begin with. The environment makes it one of a job
    (PADDLE_TRAINING_ROLE, PADDLE_PSERVER_IPS, PADDLE_PSERVER_PORT, PADDLE_TRAINERS,
    PADDLE_TRAINER_ID, PADDLE_CURRENT_IP)."""

    def __init__(self, train_func, optimizer_func=None, param_path=None, place=None,
                 parallel=False, checkpoint_config=None, optimizer=None):
        if checkpoint_config is not None and not isinstance(checkpoint_config, CheckpointConfig):
            raise TypeError("checkpoint_config is %r, and must be a CheckpointConfig"
                            % (checkpoint_config,))
        self.checkpoint_cfg = checkpoint_config
        self.place, self.parallel = _place(place), parallel
        self.scope = Scope()
        self.startup_program, self.train_program = framework.Program(), framework.Program()
        self._stopped = False
        self._server = None
        # Inferencer makes its names anew, too: so they are the same.
        with framework.program_guard(self.train_program, self.startup_program), \
                unique_name.guard():
            outputs = train_func()
            self.train_func_outputs = list(outputs) if isinstance(outputs, (list, tuple)) \
                else [outputs]
            self.test_program = self.train_program.clone(for_test=True)
            self._optimizer(optimizer_func if optimizer is None else optimizer).minimize(
                self.train_func_outputs[0])
        self._transpile(_job())
        with self._within():
            self.exe = Executor(self.place)
            if self._server is None:
                self._begin(param_path)

    @staticmethod
    def _optimizer(given):
        """Of 0.13 the optimizer itself, later a function that makes it."""
        made = given() if callable(given) and not isinstance(given, Optimizer) else given
        if not isinstance(made, Optimizer):
            raise TypeError("the optimizer is %r, and optimizer_func must return a "
                            "fluid.optimizer" % (made,))
        return made

    def _transpile(self, job):
        if job is None:
            return
        if self.checkpoint_cfg is not None:
            raise NotImplementedError(
                "CheckpointConfig: a job with servers keeps its state there; use "
                "`launch_ps --journal`, or save with trainer.save_params")
        from ..transpiler import DistributeTranspiler
        role, trainer_id, servers, trainers, endpoint = job
        transpiler = DistributeTranspiler()
        transpiler.transpile(trainer_id, program=self.train_program, pservers=servers,
                             trainers=trainers, startup_program=self.startup_program)
        if role == "PSERVER":
            program = transpiler.get_pserver_program(endpoint)
            self._server = (transpiler.get_startup_program(endpoint, program), program)
        else:
            self.train_program = transpiler.get_trainer_program()

    def _begin(self, param_path):
        self.exe.run(self.startup_program)
        if self.checkpoint_cfg is not None:
            self.checkpoint_cfg._load(self.exe, self.startup_program)
        if param_path is not None and os.path.isdir(param_path):
            io.load_persistables(self.exe, param_path, self.startup_program)

    @contextlib.contextmanager
    def _within(self):
        with framework.program_guard(self.train_program, self.startup_program), \
                scope_guard(self.scope):
            yield

    def stop(self):
        """Ends the training after this step; to be called by the event_handler."""
        self._stopped = True

    def train(self, num_epochs, event_handler, reader=None, feed_order=None):
        """Trains num_epochs times on all batches of reader. A server serves here."""
        with self._within():
            if self._server is not None:
                for program in self._server:
                    self.exe.run(program)
                return
            if reader is None:
                raise ValueError("Trainer.train: reader is None; give a reader of batches, as "
                                 "paddle.batch makes")
            feeder = DataFeeder(feed_variables(feed_order, self.train_program), self.place,
                                program=self.train_program)
            run = self._runner()
            for epoch in range(self.checkpoint_cfg.epoch_id if self.checkpoint_cfg else 0,
                               num_epochs):
                if not self._epoch(epoch, reader, feeder, run, event_handler):
                    return
            if self.checkpoint_cfg is not None:
                self.checkpoint_cfg._clean()

    def _runner(self):
        names = [var.name for var in self.train_func_outputs]
        if not self.parallel:
            return lambda feed, fetch: self.exe.run(self.train_program, feed=feed,
                                                    fetch_list=names if fetch else [])
        parallel = ParallelExecutor(use_cuda=not isinstance(self.place, CPUPlace),
                                    loss_name=names[0], main_program=self.train_program)
        return lambda feed, fetch: parallel.run(feed=feed, fetch_list=names if fetch else [])

    def _epoch(self, epoch, reader, feeder, run, event_handler):
        """False where the handler stopped it."""
        event_handler(BeginEpochEvent(epoch))
        for step, batch in enumerate(reader()):
            if self._stopped:
                return False
            if self._was_done(epoch, step):
                continue
            begin = BeginStepEvent(epoch, step)
            event_handler(begin)
            metrics = run(feeder.feed(batch), begin.fetch_metrics)
            cfg = self.checkpoint_cfg
            if cfg is not None and epoch % cfg.epoch_interval == 0 and \
                    step % cfg.step_interval == 0:
                cfg._save(self.exe, self.startup_program, epoch, step)
            event_handler(EndStepEvent(epoch, step, metrics))
        event_handler(EndEpochEvent(epoch))
        return not self._stopped

    def _was_done(self, epoch, step):
        """Whether the checkpoint that was loaded has this step."""
        cfg = self.checkpoint_cfg
        return cfg is not None and cfg.load_serial is not None and epoch == cfg.epoch_id and \
            step <= cfg.step_id

    def test(self, reader, feed_order=None):
        """The mean, over all batches of reader, of each output of train_func."""
        names = [var.name for var in self.train_func_outputs]
        feeder = DataFeeder(feed_variables(feed_order, self.test_program), self.place,
                            program=self.test_program)
        sums, count = [0.0] * len(names), 0
        with self._within():
            for batch in reader():
                values = self.exe.run(self.test_program, feed=feeder.feed(batch),
                                      fetch_list=names)
                sums = [total + value.reshape(-1)[0] for total, value in zip(sums, values)]
                count += 1
        if not count:
            raise ValueError("Trainer.test: the reader has no batch")
        return [total / count for total in sums]

    def save_params(self, param_path):
        """Saves all that lasts, for Inferencer or another Trainer's param_path."""
        with self._within():
            io.save_persistables(self.exe, param_path, self.startup_program)

    def save_inference_model(self, param_path, feeded_var_names, target_var_indexes):
        """Saves a model that gives these of train_func's outputs."""
        with self._within():
            io.save_inference_model(param_path, list(feeded_var_names),
                                    [self.train_func_outputs[i] for i in target_var_indexes],
                                    self.exe)
