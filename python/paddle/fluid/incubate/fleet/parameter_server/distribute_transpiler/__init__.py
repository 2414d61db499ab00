"""Fleet over parameter servers: the same script is trainer or server, as its role says.

    fleet.init(role_maker.PaddleCloudRoleMaker())
    fleet.distributed_optimizer(optimizer, StrategyFactory.create_async_strategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
    else:
        fleet.init_worker()
        exe.run(fleet.startup_program)
        exe.train_from_dataset(fleet.main_program, dataset)
        fleet.stop_worker()
"""
import os
import sys

from paddle import _core
from paddle.fluid import communicator, io
from paddle.fluid.communicator import Communicator
from paddle.fluid.compiler import CompiledProgram
from paddle.fluid.executor import Executor
from paddle.fluid.framework import Program, default_main_program, default_startup_program
from paddle.fluid.contrib.mixed_precision.decorator import OptimizerWithMixedPrecision
from paddle.fluid.optimizer import Optimizer
from paddle.fluid.parallel_executor import ParallelExecutor
from paddle.fluid.transpiler.distribute_transpiler import (
    DistributedMode, DistributeTranspiler as OriginTranspiler, DistributeTranspilerConfig,
    ServerRuntimeConfig)
from ...base.fleet_base import DistributedOptimizer, Fleet, Mode, ProgramOptimizer
from ...base.role_maker import MPISymetricRoleMaker
from .distributed_strategy import (AsyncStrategy, DistributedStrategy, GeoStrategy,
                                   HalfAsyncStrategy, StrategyFactory, SyncStrategy,
                                   TrainerRuntimeConfig, of_config)


def _check_executor(executor, call):
    if isinstance(executor, ParallelExecutor):
        raise TypeError("in fleet.%s() function, executor must be as Executor type, "
                        "ParallelExecutor is not allowed" % call)
    if not isinstance(executor, Executor):
        raise TypeError("in fleet.%s() function, executor must be as Executor type" % call)


def _check_program(program, call):
    if isinstance(program, CompiledProgram):
        raise TypeError("in fleet.%s() function, main_program must be as Program type, "
                        "CompiledProgram is not allowed" % call)
    if not isinstance(program, Program):
        raise TypeError("in fleet.%s() function, main_program must be as Program type" % call)


def _kind_of_folder(path):
    """What servers of a job left there: "snapshot", "journals", or None."""
    names = os.listdir(path) if path and os.path.isdir(path) else []
    if any(name.startswith("server-0-of-") for name in names):
        return "snapshot"
    return "journals" if "job.json" in names or "server-0" in names else None


class DistributedTranspiler(Fleet):
    """The fleet. main_program and startup_program are what this process runs."""

    def __init__(self):
        super(DistributedTranspiler, self).__init__(Mode.TRANSPILER)
        self._forget()

    def _forget(self):
        self._transpile_config = None
        self._transpiler = None
        self._origin_program = None
        self._communicator = None
        self._opt_info = None
        self.startup_program = None
        self.main_program = None

    def init(self, role_maker=None):
        super(DistributedTranspiler, self).init(role_maker)
        self._forget()
        if self.is_server() and self.server_index() >= self.server_num():
            raise ValueError("this is server %d of %d" % (self.server_index(), self.server_num()))

    @property
    def metrics(self):
        """Metrics over all workers."""
        from ... import metrics
        return metrics

    # ---- programs ----

    def distributed_optimizer(self, optimizer, strategy=None):
        """strategy: one of StrategyFactory's, or a DistributeTranspilerConfig; None is sync."""
        if not isinstance(optimizer, (Optimizer, OptimizerWithMixedPrecision)):
            raise ValueError("optimizer must be an instance of Optimizer")
        if not self._is_initialized:
            raise ValueError("use fleet.init(role) to initialize the role of current node before "
                             "optimizer.minimize(loss)")
        self._optimizer = TranspilerOptimizer(optimizer, strategy, self)
        return self._optimizer

    def _set_opt_info(self, opt_info):
        self._opt_info = opt_info

    def _transpile(self, config, main_program=None, startup_program=None):
        """Make the programs of this process. config: a strategy."""
        main = default_main_program() if main_program is None else main_program
        startup = default_startup_program() if startup_program is None else startup_program
        self._transpile_config = config
        self._origin_program = main.clone()
        transpiler = OriginTranspiler(config.get_program_config())
        transpiler._set_server_config(config.get_server_runtime_config())
        transpiler.transpile(trainer_id=self.worker_index() if self.is_worker() else 0,
                             program=main, startup_program=startup, trainers=self.worker_num(),
                             pservers=self.server_endpoints(to_string=True),
                             sync_mode=config.get_program_config().sync_mode)
        self._transpiler = transpiler
        if self.is_worker():
            # Those of MPI are started together; the others may come before the servers.
            self.main_program = transpiler.get_trainer_program(
                wait_port=not isinstance(self._role_maker, MPISymetricRoleMaker))
            self.startup_program = startup
        else:
            endpoint = self.server_endpoints()[self.server_index()]
            self.main_program, self.startup_program = transpiler.get_pserver_programs(endpoint)

    def _strategy(self, call):
        if self._transpile_config is None:
            raise ValueError("fleet.%s(): main_program is None, need invoke "
                             "DistributedOptimizer.minimize first" % call)
        return self._transpile_config

    # ---- workers ----

    def init_worker(self):
        """Join the job; with wait_port=False of the program's config it is joined when a program
        first talks to the servers. Calls after the first do nothing."""
        strategy = self._strategy("init_worker")
        if not self.is_worker():
            raise RuntimeError("fleet.init_worker() on a server: call init_server() and "
                               "run_server()")
        if self._communicator is not None:
            return
        runtime = strategy.get_trainer_runtime_config()
        group = communicator.Group(self.server_endpoints(), self.worker_index(),
                                   self.worker_num())
        if strategy.get_program_config().wait_port:
            group.join()
        self._role_maker._group = group
        print(runtime)
        self._communicator = Communicator(self.main_program, strategy._mode, None,
                                          runtime.get_communicator_flags())
        self._communicator.start()

    def stop_worker(self):
        """Send what is left and tell the servers that this worker is done."""
        if self._communicator is not None:
            self._communicator.stop()
            self._communicator = None
        if self._role_maker is not None:
            self._role_maker._group = None
        if isinstance(self._role_maker, MPISymetricRoleMaker):
            self._role_maker._finalize()
        if self._executor is not None:
            self._executor.close()

    # ---- servers ----

    def init_server(self, model_dir=None):
        """Start the parameters, or load this server's part of a folder that save_persistables
        or save_inference_model has written, here or in real Paddle, or of a snapshot of any number
        of servers (paddle export_snapshot --snapshot): with states of optimizers."""
        self._strategy("init_server")
        if not self.is_server():
            raise RuntimeError("fleet.init_server() on a worker: call init_worker()")
        self._executor.run(self.startup_program)
        kind = _kind_of_folder(model_dir)
        if kind == "journals":
            raise ValueError("fleet.init_server(%r) is a folder of journals: go on with its job by launch_ps "
                             "--resume, or make a snapshot of it by `paddle export_snapshot --snapshot "
                             "%s FOLDER`" % (model_dir, model_dir))
        if kind == "snapshot":
            _core.set_flag("ps_init_from", os.path.abspath(model_dir))
        elif model_dir:
            io.load_persistables(self._executor, model_dir, self.main_program)

    def run_server(self):
        """Serve until the last worker has stopped."""
        self._strategy("run_server")
        if not self.is_server():
            raise RuntimeError("fleet.run_server() on a worker")
        sys.stdout.flush()
        self._executor.run(self.main_program)

    # ---- saving ----

    def save_inference_model(self, executor, dirname, feeded_var_names, target_vars,
                             main_program=None, export_for_deployment=True):
        """As fluid.io.save_inference_model, with what servers keep; whoever calls it writes."""
        _check_executor(executor, "save_inference_model")
        if main_program is None:
            self._strategy("save_inference_model")
            main_program = self.main_program
        _check_program(main_program, "save_inference_model")
        io.save_inference_model(dirname, feeded_var_names, target_vars, executor, main_program,
                                None, None, export_for_deployment)

    def save_persistables(self, executor, dirname, main_program=None):
        """As fluid.io.save_persistables, with what servers keep; whoever calls it writes."""
        _check_executor(executor, "save_persistables")
        if main_program is None:
            self._strategy("save_persistables")
            main_program = self.main_program
        _check_program(main_program, "save_persistables")
        if not main_program._is_distributed:
            raise ValueError("in fleet.save_persistables() function, main_program was not made by "
                             "the fleet's minimize()")
        io.save_persistables(executor, dirname, main_program)

    def load(self, executor, dirname, main_program=None):
        """What save_persistables has written: on a server its part, on a worker its own
        variables, and worker 0 sets those of servers. Follow it with barrier_worker()."""
        _check_executor(executor, "load")
        self._strategy("load")
        io.load_persistables(executor, dirname, main_program or self.main_program)

    def shrink(self, threshold=None, unseen=1):
        """Drop rows of tables that nobody used since so many calls of this; worker 0 does.
        threshold, as in Paddle 2.x, counts this call too: 1 drops all rows, 2 those that were not
        used since the call before. unseen: the same without this call. How many were dropped; None
        on other workers."""
        self._strategy("shrink")
        given = unseen if threshold is None else threshold
        if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < 2 ** 31:
            raise ValueError("shrink: %s is %r, and must be a whole number of calls from 0 on"
                             % ("unseen" if threshold is None else "threshold", given))
        if threshold is not None:
            unseen = max(threshold, 1) - 1
        layout = self.main_program._parameters_on_pservers
        if self.is_first_worker():
            return sum(communicator.shrink(layout.parts[name], unseen)
                       for name in sorted(layout.tables))
        return None


class TranspilerOptimizer(ProgramOptimizer):
    """minimize() makes the program and transpiles it at once."""

    def __init__(self, optimizer, strategy=None, owner=None):
        super(TranspilerOptimizer, self).__init__(optimizer, strategy)
        self._fleet = fleet if owner is None else owner
        if not strategy:
            self._strategy = StrategyFactory.create_sync_strategy()
        elif isinstance(strategy, DistributeTranspilerConfig):
            self._strategy = of_config(strategy)
        elif not isinstance(strategy, (SyncStrategy, HalfAsyncStrategy, AsyncStrategy,
                                       GeoStrategy)):
            raise TypeError("In %s mode, strategy must be an instance of "
                            "DistributeTranspilerConfig, SyncStrategy, HalfAsyncStrategy, "
                            "AsyncStrategy, or GeoStrategy" % self._fleet._mode)
        self.opt_info = {"mpi_rank": self._fleet.worker_index(),
                         "mpi_size": self._fleet.worker_num(), "trainer": "MultiTrainer",
                         "device_worker": "Hogwild"}
        self.opt_info.update(self._strategy.get_debug_opt())
        self._fleet._set_opt_info(self.opt_info)

    def minimize(self, loss, scopes=None, startup_program=None, parameter_list=None,
                 no_grad_set=None):
        if isinstance(loss, (list, tuple)):
            raise TypeError("DistributedTranspiler's minimize can not accept loss with list")
        if scopes is not None:
            raise ValueError("minimize: scopes has no meaning here: a program runs in the scope "
                             "that its Executor is given")
        result = self._optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)
        program = loss.block.program
        program._fleet_opt = self.opt_info
        self._fleet._transpile(self._strategy, program, startup_program)
        return result


fleet = DistributedTranspiler()
