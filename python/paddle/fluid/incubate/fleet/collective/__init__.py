"""Fleet without servers: every worker has the whole model, and gradients are added up over all.

    fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
    fleet.distributed_optimizer(optimizer, DistributedStrategy()).minimize(loss)
    exe.run(fleet.startup_program)
    exe.run(fleet.main_program, feed=..., fetch_list=...)

Workers are started by python -m paddle.distributed.launch, or by mpirun."""
import json
import os
import warnings

from paddle.distributed.fs_wrapper import LocalFS
from paddle.fluid import communicator, io
from paddle.fluid.compiler import BuildStrategy, CompiledProgram, ExecutionStrategy
from paddle.fluid.executor import Executor
from paddle.fluid.framework import Program, default_main_program, default_startup_program
from paddle.fluid.transpiler.distribute_transpiler import (DistributeTranspiler,
                                                           DistributeTranspilerConfig)
from ..base.fleet_base import DistributedOptimizer, Fleet, Mode, ProgramOptimizer
from ..base.role_maker import PaddleCloudRoleMaker

__all__ = []


class LambConfig(object):
    """Has no settings."""


class DistFCConfig(object):
    """Has no settings."""


class TrainStatus(object):
    """How far training has come: the epoch that a checkpoint was saved in."""

    def __init__(self, epoch_no=-1):
        self._epoch_no = epoch_no

    def next(self):
        """The epoch to go on with."""
        return self._epoch_no + 1

    def __eq__(self, other):
        return isinstance(other, TrainStatus) and self._epoch_no == other._epoch_no

    def __ne__(self, other):
        return not self == other

    __hash__ = None


def _check_executor(executor, call):
    if not isinstance(executor, Executor):
        raise TypeError("in fleet.%s() function, executor must be as Executor type" % call)


class Collective(Fleet):
    """The fleet. main_program is what a worker runs, startup_program what it runs before."""

    def __init__(self):
        super(Collective, self).__init__(Mode.COLLECTIVE)
        self._local_ip = 0
        self._checkoint_prefix = "__paddle_fleet_checkpoint__"
        self._param_file_name = "_paddle_fleet_param__"
        self._forget()

    def _forget(self):
        self.startup_program = self.main_program = None
        self._origin_program = self._transpiled_program = None

    def init(self, role_maker=None):
        super(Collective, self).init(role_maker or PaddleCloudRoleMaker(is_collective=True))
        self._forget()
        self._role_maker._group = communicator.RankGroup(self.worker_index(),
                                                         self.worker_endpoints())

    def init_worker(self):
        warnings.warn("fleet.init_worker() has nothing to do in collective mode", stacklevel=2)

    def run_worker(self, main_programs=None, scopes=None):
        warnings.warn("fleet.run_worker() has nothing to do in collective mode", stacklevel=2)

    def init_server(self, model_dir=None):
        warnings.warn("there are no servers in collective mode", stacklevel=2)

    def run_server(self):
        warnings.warn("there are no servers in collective mode", stacklevel=2)

    def stop_worker(self):
        warnings.warn("fleet.stop_worker() has nothing to do in collective mode", stacklevel=2)

    def distributed_optimizer(self, optimizer, strategy=None):
        self._optimizer = CollectiveOptimizer(optimizer, strategy or DistributedStrategy(), self)
        return self._optimizer

    # ---- saving: whoever calls it writes; mostly the first worker does ----

    def _program(self, main_program, call):
        if main_program is None:
            main_program = self._origin_program
        if main_program is None:
            raise ValueError("fleet.%s(): there is no program yet: call minimize() first, or give "
                             "main_program" % call)
        if not isinstance(main_program, Program):
            raise TypeError("in fleet.%s() function, main_program must be as Program type" % call)
        return main_program

    def save_inference_model(self, executor, dirname, feeded_var_names=None, target_vars=None,
                             main_program=None, export_for_deployment=True):
        """As fluid.io.save_inference_model."""
        _check_executor(executor, "save_inference_model")
        io.save_inference_model(dirname, feeded_var_names, target_vars, executor,
                                self._program(main_program, "save_inference_model"), None, None,
                                export_for_deployment)

    def save_persistables(self, executor, dirname, main_program=None, filename=None):
        """As fluid.io.save_persistables."""
        _check_executor(executor, "save_persistables")
        io.save_persistables(executor, dirname, self._program(main_program, "save_persistables"),
                             filename=filename)

    # ---- checkpoints: PATH/__paddle_fleet_checkpoint__.N, the highest N is the last ----

    def _save_train_status(self, path, train_status):
        with open(os.path.join(path, "fleet_train_status"), "w") as f:
            json.dump({"epoch_no": train_status._epoch_no}, f)

    def _load_train_status(self, path):
        name = os.path.join(path, "fleet_train_status")
        if not os.path.isfile(name):
            return TrainStatus()
        with open(name) as f:
            try:
                return TrainStatus(json.load(f)["epoch_no"])
            except (ValueError, KeyError, TypeError) as e:
                raise ValueError("%s is not the status of a training: %s" % (name, e))

    def _checkpoint_numbers(self, root_path, fs):
        """Of whole checkpoints: what has .tmp behind it was not finished."""
        numbers = []
        for name in fs.list_dirs(root_path):
            prefix, _, number = name.rpartition(".")
            if prefix == self._checkoint_prefix and number.isdigit():
                numbers.append(int(number))
        return sorted(numbers)

    def _get_last_checkpoint_no(self, root_path, fs):
        return (self._checkpoint_numbers(root_path, fs) or [-1])[-1]

    def _checkpoint(self, root_path, number):
        return "%s/%s.%d" % (root_path, self._checkoint_prefix, number)

    def clean_redundant_check_points(self, root_path, fs=LocalFS(), checkpoint_num=1):
        """All but the last checkpoint_num (at least one) are removed."""
        numbers = self._checkpoint_numbers(root_path, fs)
        for number in numbers[:-max(1, checkpoint_num)]:
            fs.rmr(self._checkpoint(root_path, number))

    def save_check_point(self, executor, path, train_status, main_program=None, fs=LocalFS(),
                         local_cache_path=".cache", remain_all_checkpoint=True):
        """All persistable variables and the status, as the next checkpoint in the folder `path`;
        it appears whole or not at all."""
        _check_executor(executor, "save_check_point")
        program = self._program(main_program, "save_check_point")
        if not isinstance(train_status, TrainStatus):
            raise TypeError("fleet.save_check_point(): train_status is %s, and must be a "
                            "TrainStatus" % type(train_status))
        if not fs.stat(path):
            fs.mkdir(path)
        final = self._checkpoint(path, self._get_last_checkpoint_no(path, fs) + 1)
        aside = final + ".tmp"
        fs.delete(aside)
        local = aside
        if fs.need_upload_download():
            local = "%s/%s.%d.saved_cache" % (local_cache_path, os.path.basename(final),
                                              self.worker_index())
            LocalFS().delete(local)
        self.save_persistables(executor, local, program, self._param_file_name)
        self._save_train_status(local, train_status)
        if local != aside:
            fs.upload(local, aside)
            LocalFS().delete(local)
        fs.mv(aside, final)
        if not remain_all_checkpoint:
            self.clean_redundant_check_points(path, fs)

    def load_check_point(self, executor, path, trainer_id, main_program=None, fs=LocalFS(),
                         local_cache_path=".cache", ignore_empty=True):
        """The last checkpoint in the folder; its TrainStatus. None where there is no checkpoint
        and ignore_empty. Every worker loads."""
        _check_executor(executor, "load_check_point")
        number = self._get_last_checkpoint_no(path, fs)
        if number < 0:
            if not ignore_empty:
                raise AssertionError("Can't find checkpoint in %s" % path)
            return None
        program = self._program(main_program, "load_check_point")
        local = self._checkpoint(path, number)
        if fs.need_upload_download():
            there, local = local, "%s/%s.%d.load_cache.%s" % (
                local_cache_path, self._checkoint_prefix, number, trainer_id)
            LocalFS().delete(local)
            LocalFS().mkdir(local_cache_path)
            fs.download(there, local)
        io.load_persistables(executor, local, program, filename=self._param_file_name)
        return self._load_train_status(local)

    # As later releases call them.
    save_checkpoint = save_check_point
    load_checkpoint = load_check_point
    clean_redundant_checkpoints = clean_redundant_check_points


class DistributedStrategy(BuildStrategy):
    """How a program is trained by all workers: a BuildStrategy, and these."""
    _defaults = dict(
        BuildStrategy._defaults, use_local_sgd=False, use_dist_fc=False, dist_fc_config=None,
        mode="nccl2", collective_mode=None, forward_recompute=False, recompute_checkpoints=[],
        use_amp=False, amp_loss_scaling=2 ** 15, exec_strategy=None, _ut4grad_allreduce=False)
    _refused = {name: why for name, why in BuildStrategy._refused.items()
                if name != "trainers_endpoints"}
    _refused["use_dist_fc"] = "a last layer that is cut over workers is not implemented"

    def __init__(self):
        super(DistributedStrategy, self).__init__()
        self.exec_strategy = ExecutionStrategy()
        self.recompute_checkpoints = []


class CollectiveOpBasedOptimizer(ProgramOptimizer):
    """Backward and update, as the optimizer does them."""

    def __init__(self, optimizer, strategy=None):
        if strategy is not None and not isinstance(strategy, DistributedStrategy):
            raise TypeError("strategy must be DistributedStrategy")
        super(CollectiveOpBasedOptimizer, self).__init__(optimizer, strategy)


class CollectiveOptimizer(CollectiveOpBasedOptimizer):
    """minimize() makes the program, and makes it one of all workers."""

    def __init__(self, optimizer, strategy=None, owner=None):
        super(CollectiveOptimizer, self).__init__(optimizer, strategy or DistributedStrategy())
        self._fleet = fleet if owner is None else owner
        self.print_config = False

    def _mode(self):
        """(mode, collective_mode) of a DistributeTranspilerConfig."""
        strategy = self._strategy
        if strategy.use_local_sgd:
            if strategy.collective_mode not in (None, "local_sgd"):
                raise ValueError("strategy.use_local_sgd, and strategy.collective_mode is %r"
                                 % (strategy.collective_mode,))
            return "collective", "local_sgd"
        if strategy.mode not in ("nccl2", "collective"):
            raise ValueError("strategy.mode is %r, and must be 'nccl2' or 'collective'"
                             % (strategy.mode,))
        if strategy.mode == "collective":
            return "collective", strategy.collective_mode or "grad_allreduce"
        if strategy.collective_mode is not None:
            raise ValueError("strategy.collective_mode is %r, and has no meaning with "
                             "strategy.mode 'nccl2'" % (strategy.collective_mode,))
        return "nccl2", None

    def _wrap(self, optimizer):
        from paddle.fluid.optimizer import RecomputeOptimizer
        strategy = self._strategy
        if strategy.forward_recompute:
            if not strategy.recompute_checkpoints:
                raise ValueError("please set strategy.recompute_checkpoints when "
                                 "strategy.forward_recompute is True")
            if isinstance(optimizer, RecomputeOptimizer):
                raise ValueError("can not use RecomputeOptimizer when you set "
                                 "DistStrategy.forward_recompute as True")
            optimizer = RecomputeOptimizer(optimizer)
            optimizer._set_checkpoints(strategy.recompute_checkpoints)
        if strategy.use_amp:
            from paddle.fluid.contrib import mixed_precision
            optimizer = mixed_precision.decorate(
                optimizer, init_loss_scaling=strategy.amp_loss_scaling,
                use_dynamic_loss_scaling=True)
        return optimizer

    def _transpile(self, startup_program, main_program):
        mode, collective_mode = self._mode()
        owner = self._fleet
        if owner.worker_num() == 1:
            return
        config = DistributeTranspilerConfig()
        config.mode, config.collective_mode = mode, collective_mode
        config.nccl_comm_num = self._strategy.nccl_comm_num
        transpiler = DistributeTranspiler(config=config)
        transpiler.transpile(trainer_id=owner.worker_index(), program=main_program,
                             startup_program=startup_program,
                             trainers=owner.worker_endpoints(to_string=True),
                             current_endpoint=owner.worker_endpoints()[owner.worker_index()])

    def _compile(self, main_program, loss):
        strategy, owner = self._strategy, self._fleet
        if self._mode()[0] == "nccl2":
            strategy.num_trainers, strategy.trainer_id = owner.worker_num(), owner.worker_index()
            strategy.trainers_endpoints = owner.worker_endpoints()
        return CompiledProgram(main_program).with_data_parallel(
            loss_name=loss.name, build_strategy=strategy, exec_strategy=strategy.exec_strategy)

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        if isinstance(loss, (list, tuple)):
            raise TypeError("CollectiveOptimizer's minimize can not accept loss with list")
        owner = self._fleet
        owner._roles()
        main = loss.block.program
        startup = default_startup_program() if startup_program is None else startup_program
        optimize_ops, params_grads = self._wrap(self._optimizer).minimize(
            loss, startup, parameter_list, no_grad_set=no_grad_set)
        owner._origin_program, owner.startup_program = main.clone(), startup
        self._transpile(startup, main)
        owner._transpiled_program = main
        owner.main_program = self._compile(main, loss)
        return optimize_ops, params_grads


fleet = Collective()
