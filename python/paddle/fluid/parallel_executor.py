"""ParallelExecutor: the older spelling of a CompiledProgram with_data_parallel."""
from . import executor as _executor
from .compiler import BuildStrategy, CompiledProgram, ExecutionStrategy
from .core import CPUPlace, CUDAPlace
from .framework import default_main_program

__all__ = ["ParallelExecutor"]


class ParallelExecutor:
    def __init__(self, use_cuda, loss_name=None, main_program=None, share_vars_from=None,
                 exec_strategy=None, build_strategy=None, num_trainers=1, trainer_id=0,
                 scope=None):
        try:
            place = CUDAPlace(0) if use_cuda else CPUPlace()
        except RuntimeError as e:
            raise RuntimeError("ParallelExecutor(use_cuda=True): %s" % e) from None
        if num_trainers != 1:
            raise NotImplementedError("ParallelExecutor(num_trainers=%d): collective training over "
                                      "several machines is not implemented" % num_trainers)
        self._scope = scope
        self._executor = _executor.Executor(place)
        shared = share_vars_from._compiled if share_vars_from is not None else None
        self._compiled = CompiledProgram(main_program or default_main_program()) \
            .with_data_parallel(loss_name, build_strategy or BuildStrategy(),
                                exec_strategy or ExecutionStrategy(), shared)

    def run(self, fetch_list, feed=None, feed_dict=None, return_numpy=True):
        return self._executor.run(self._compiled, feed=feed_dict if feed is None else feed,
                                  fetch_list=fetch_list, scope=self._scope,
                                  return_numpy=return_numpy)

    @property
    def device_count(self):
        return self._compiled._threads

    def drop_local_exe_scopes(self):
        """Temporaries belong to plans and are used again; there is nothing to drop."""
