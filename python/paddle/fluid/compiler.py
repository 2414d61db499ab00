"""CompiledProgram: a program with options for how it runs, or on several threads."""
import os
import sys

from .. import _core
from .core import CUDAPlace, OpRole, VarDesc, _Enum
from .framework import Program, Variable

__all__ = ["CompiledProgram", "ExecutionStrategy", "BuildStrategy"]


class _Strategy:
    """Settings with defaults; one that does not exist is refused, one that asks for something
    this build does not do is refused when it is set."""
    _defaults = {}
    _refused = {}  # name -> (values that are refused or None for any but the default, why)

    def __init__(self):
        self.__dict__.update(self._defaults)

    def __setattr__(self, name, value):
        if name not in self._defaults:
            raise AttributeError("%s has no setting %r; it has %s"
                                 % (type(self).__name__, name, ", ".join(sorted(self._defaults))))
        if name in self._refused and value and value != self._defaults[name]:
            raise ValueError("%s.%s = %r: %s" % (type(self).__name__, name, value,
                                                 self._refused[name]))
        self.__dict__[name] = value

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join(
            "%s=%r" % item for item in sorted(self.__dict__.items())))


class _ReduceStrategy(_Enum):
    _owner = "ReduceStrategy"


class _GradientScaleStrategy(_Enum):
    _owner = "GradientScaleStrategy"


class BuildStrategy(_Strategy):
    """How a program is rewritten before it runs. Regatta's plans always fuse and share memory,
    with equal numbers, so most settings are accepted and change nothing."""

    class ReduceStrategy:
        AllReduce = _ReduceStrategy(0, "AllReduce")
        Reduce = _ReduceStrategy(1, "Reduce")

    class GradientScaleStrategy:
        CoeffNumDevice = _GradientScaleStrategy(0, "CoeffNumDevice")
        One = _GradientScaleStrategy(1, "One")
        Customized = _GradientScaleStrategy(2, "Customized")

    _defaults = {
        "reduce_strategy": ReduceStrategy.AllReduce,
        "gradient_scale_strategy": GradientScaleStrategy.CoeffNumDevice,
        "debug_graphviz_path": "", "enable_sequential_execution": False,
        "remove_unnecessary_lock": True, "num_trainers": 1, "trainer_id": 0,
        "trainers_endpoints": [], "nccl_comm_num": 1, "use_hierarchical_allreduce": False,
        "hierarchical_allreduce_inter_nranks": 0, "fuse_elewise_add_act_ops": False,
        "fuse_bn_act_ops": False, "enable_auto_fusion": False, "fuse_relu_depthwise_conv": False,
        "fuse_broadcast_ops": True, "fuse_all_optimizer_ops": False, "sync_batch_norm": False,
        "memory_optimize": None, "is_distribution": False, "async_mode": False,
        "enable_inplace": True, "enable_backward_optimizer_op_deps": True,
        "fuse_all_reduce_ops": True, "cache_runtime_context": False,
        "mkldnn_enabled_op_types": set(),
    }
    _refused = {
        "sync_batch_norm": "batch_norm over all threads' parts is not implemented",
        "debug_graphviz_path": "use fluid.debugger.draw_block_graphviz",
        "use_hierarchical_allreduce": "MPI and NCCL choose by themselves how a sum goes over hosts",
    }


class ExecutionStrategy(_Strategy):
    """How a program runs. The number of threads is that of the places (CPU_NUM)."""
    _defaults = {
        "num_threads": 0, "use_cuda": False, "allow_op_delay": False,
        "num_iteration_per_drop_scope": 100, "num_iteration_per_run": 1,
        "use_experimental_executor": True, "use_thread_barrier": False, "_dry_run": False,
    }
    _refused = {"use_cuda": "the place of the Executor says where a program runs",
                "_dry_run": "a program is run or it is not"}


class CompiledProgram:
    def __init__(self, program_or_graph, build_strategy=None):
        if not isinstance(program_or_graph, Program):
            raise TypeError("The type of program_to_graph parameter is wrong, expected Program, "
                            "but received %s" % type(program_or_graph))
        if build_strategy is not None and not isinstance(build_strategy, BuildStrategy):
            raise TypeError("build_strategy is %s, and must be a BuildStrategy"
                            % type(build_strategy))
        self._program = program_or_graph
        self._build_strategy = build_strategy
        self._exec_strategy = None
        self._threads = 0  # 0: not data parallel
        self._gpus = 0  # among the places
        self._loss_name = None
        self._plans = {}
        self._shared = None  # (version, program) of several trainers
        self._spread = []    # scopes that begin as the first trainer's

    def with_data_parallel(self, loss_name=None, build_strategy=None, exec_strategy=None,
                           share_vars_from=None, places=None):
        """Run on several threads, each with a part of the batch."""
        if self._threads:
            raise AssertionError("Already compiled with parallel.")
        if places is None:
            threads = int(os.environ.get("CPU_NUM", 1))
        else:
            threads = len(places) if isinstance(places, (list, tuple)) else 1
        if threads < 1:
            raise ValueError("with_data_parallel: %d places" % threads)
        self._gpus = sum(isinstance(p, CUDAPlace) for p in places or ()
                         ) if isinstance(places, (list, tuple)) else 0
        if exec_strategy is not None and not isinstance(exec_strategy, ExecutionStrategy):
            raise TypeError("exec_strategy is %s, and must be an ExecutionStrategy"
                            % type(exec_strategy))
        if share_vars_from is not None and not isinstance(share_vars_from, CompiledProgram):
            raise TypeError("share_vars_from must be a CompiledProgram; its scope is the "
                            "executor's, which is shared anyway")
        self._build_strategy = build_strategy or self._build_strategy or BuildStrategy()
        if self._build_strategy.async_mode and not self._program._is_distributed:
            raise ValueError("BuildStrategy.async_mode = True is for a program made by fleet or "
                             "DistributeTranspiler, and this one was not")
        self._exec_strategy = exec_strategy or ExecutionStrategy()
        if self._build_strategy.gradient_scale_strategy == \
                BuildStrategy.GradientScaleStrategy.Customized:
            raise ValueError("BuildStrategy.gradient_scale_strategy = Customized: feed the loss's "
                             "gradient through fluid.gradients(target_gradients=...) instead")
        if self._ranks() > 1 and threads > 1:
            raise ValueError("with_data_parallel: %d places in each of %d trainers: start more "
                             "trainers instead, each with one place (CPU_NUM=1)"
                             % (threads, self._ranks()))
        self._threads = threads
        self._loss_name = loss_name
        return self

    # ---- one of several trainers ----

    def _ranks(self):
        """Trainers that train the program together: as the strategy says, or as the program was
        transpiled for (config.mode = "nccl2")."""
        strategy = self._build_strategy
        told = strategy.num_trainers if strategy is not None else 1
        endpoints = getattr(self._program, "_trainers_endpoints", None) or []
        if told > 1 and endpoints and told != len(endpoints):
            raise ValueError("BuildStrategy.num_trainers = %d, and the program was transpiled for "
                             "%d trainers" % (told, len(endpoints)))
        return max(told, len(endpoints), 1)

    def _of_rank(self, executor, scope):
        """The program that this trainer runs: with the sums of gradients over all trainers. They
        begin with the variables of the first."""
        if self._ranks() == 1 or not self._threads:
            return self._program
        from .transpiler.collective import GradAllReduce
        if self._shared is None or self._shared[0] != self._program._version:
            kind = GradAllReduce(nrings=1)
            kind.nranks, kind.main_program = self._ranks(), self._program.clone()
            scale = self._build_strategy.gradient_scale_strategy
            if scale == BuildStrategy.GradientScaleStrategy.CoeffNumDevice:
                kind._insert_scale_loss_grad_ops()
            kind._insert_allreduce_ops()
            if not self._build_strategy.fuse_all_reduce_ops:
                for op in kind.main_program.global_block().ops:
                    if op.type == "c_allreduce_sum":
                        op._set_attr("use_calc_stream", True)
            self._shared = (self._program._version, kind.main_program)
        if not any(known is scope for known in self._spread):
            self._spread.append(scope)
            self._spread_values(executor, scope)
        return self._shared[1]

    def _spread_values(self, executor, scope):
        program = Program()
        block = program.global_block()
        for var in sorted(self._program.list_vars(), key=lambda v: v.name):
            value = scope.find_var(var.name) if var.persistable else None
            if value is None or var.type != VarDesc.VarType.LOD_TENSOR or \
                    not value.get_tensor()._is_initialized():
                continue
            own = block.create_var(name=var.name, shape=var.shape, dtype=var.dtype,
                                   persistable=True)
            block.append_op(type="c_broadcast", inputs={"X": own}, outputs={"Out": own},
                            attrs={"root": 0, "ring_id": 0})
        executor._run(program, {}, [], scope, True)

    def _with_inference_optimize(self, config):
        raise NotImplementedError("CompiledProgram._with_inference_optimize: run the program with "
                                  "an Executor; its plan is optimized")

    def _trains(self):
        return any(op.attr("op_role") & OpRole.Optimize
                   for op in self._program.global_block().ops if op.has_attr("op_role"))

    def _run_on_gpu(self, executor, feed, fetch, scope, return_numpy):
        """The batch in one piece: an executor has one GPU."""
        if self._gpus > 1:
            raise NotImplementedError(
                "with_data_parallel over %d GPUs: one process trains on each; start them with "
                "python -m paddle.distributed.launch" % self._gpus)
        if isinstance(feed, (list, tuple)):
            if len(feed) != 1:
                raise TypeError("feed is a list of %d, and there is one GPU" % len(feed))
            feed = feed[0]
        return executor._run(self._program, feed, fetch, scope, return_numpy)

    def _run_parallel(self, executor, feed, fetch, scope, return_numpy, return_merged):
        if not self._threads:
            return executor._run(self._program, feed, fetch, scope, return_numpy)
        if isinstance(executor.place, CUDAPlace):
            return self._run_on_gpu(executor, feed, fetch, scope, return_numpy)
        feed = {} if feed is None else feed
        parts = list(feed) if isinstance(feed, (list, tuple)) else [feed]
        if not parts or not all(isinstance(part, dict) for part in parts):
            raise TypeError("feed is %s, and must be a dict or a list of dicts, one for each of "
                            "%d places" % (type(feed), self._threads))
        threads = self._threads
        if isinstance(feed, (list, tuple)) and len(parts) < threads and not self._trains():
            threads = len(parts)  # what is left at the end of the data
        if self._ranks() > 1:
            if len(parts) != 1:
                raise ValueError("feed has %d parts for the one place of a trainer" % len(parts))
            values = executor._run(self._of_rank(executor, scope), parts[0], fetch, scope,
                                   return_numpy)
            return values if return_merged else [[value] for value in values]
        names = tuple(sorted(parts[0]))
        key = (self._program._version, id(scope), id(executor._job), threads, names,
               tuple(f.name if isinstance(f, Variable) else f for f in fetch))
        plan = self._plans.get(key)
        if plan is None:
            # Those of this version whose scope somebody still has: a plan alone has two references,
            # its tuple's and the call's.
            self._plans = {k: v for k, v in self._plans.items()
                           if k[0] == key[0] and sys.getrefcount(v[1]) > 2}
            scale = self._build_strategy.gradient_scale_strategy
            plan = (_core.ParallelProgram(executor._core, self._program, scope, names, fetch,
                                          threads,
                                          scale == BuildStrategy.GradientScaleStrategy.One), scope)
            self._plans[key] = plan
        parts = feed if isinstance(feed, dict) else parts
        if not self._build_strategy.async_mode:
            return plan[0].run(parts, return_numpy, return_merged)
        # Fleet's strategies: threads of a trainer, of which the first one is seen.
        first = [of_threads[:1] for of_threads in plan[0].run(parts, return_numpy, False)]
        return [value for value, in first] if return_merged else first
