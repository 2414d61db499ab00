# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from . import (annotations as annotations, async_executor as async_executor, average as average, backward as backward, batch_queue as batch_queue, clip as clip, communicator as communicator, compiler as compiler, contrib as contrib, core as core, data_feed_desc as data_feed_desc, data_feeder as data_feeder, dataset as dataset, debugger as debugger, default_scope_funcs as default_scope_funcs, desc as desc, dist_io as dist_io, distribute_lookup_table as distribute_lookup_table, dygraph as dygraph, evaluator as evaluator, executor as executor, framework as framework, incubate as incubate, inference as inference, inference_tensor as inference_tensor, initializer as initializer, input as input, install_check as install_check, io as io, layer_helper as layer_helper, layers as layers, lod_tensor as lod_tensor, log_helper as log_helper, metrics as metrics, nets as nets, notebook as notebook, op as op, optimizer as optimizer, optimizer_wrappers as optimizer_wrappers, parallel_executor as parallel_executor, param_attr as param_attr, pickle_writer as pickle_writer, profiler as profiler, program as program, proto as proto, reader as reader, reader_ops as reader_ops, regularizer as regularizer, safe_pickle as safe_pickle, transpiler as transpiler, unique_name as unique_name, variable as variable, wrapped_decorator as wrapped_decorator)
from paddle.fluid.backward import (gradients as gradients)
from paddle.fluid.compiler import (BuildStrategy as BuildStrategy, CompiledProgram as CompiledProgram, ExecutionStrategy as ExecutionStrategy)
from paddle.fluid.core import (CPUPlace as CPUPlace, CUDAPinnedPlace as CUDAPinnedPlace, CUDAPlace as CUDAPlace)
from paddle.fluid.data import (data as data)
from paddle.fluid.data_feed_desc import (DataFeedDesc as DataFeedDesc)
from paddle.fluid.data_feeder import (DataFeeder as DataFeeder)
from paddle.fluid.dataset import (DatasetFactory as DatasetFactory)
from paddle.fluid.executor import (Executor as Executor, FetchHandler as FetchHandler, global_scope as global_scope, scope_guard as scope_guard)
from paddle.fluid.framework import (Program as Program, Variable as Variable, cpu_places as cpu_places, cuda_pinned_places as cuda_pinned_places, cuda_places as cuda_places, default_main_program as default_main_program, default_startup_program as default_startup_program, device_guard as device_guard, get_flags as get_flags, in_dygraph_mode as in_dygraph_mode, is_compiled_with_cuda as is_compiled_with_cuda, load_op_library as load_op_library, name_scope as name_scope, program_guard as program_guard, require_version as require_version, set_flags as set_flags)
from paddle.fluid.input import (embedding as embedding, one_hot as one_hot)
from paddle.fluid.io import (load as load, load_program_state as load_program_state, save as save, set_program_state as set_program_state)
from paddle.fluid.lod_tensor import (create_lod_tensor as create_lod_tensor, create_random_int_lodtensor as create_random_int_lodtensor)
from paddle.fluid.parallel_executor import (ParallelExecutor as ParallelExecutor)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr, WeightNormParamAttr as WeightNormParamAttr)
from paddle.fluid.transpiler.distribute_transpiler import (DistributeTranspiler as DistributeTranspiler, DistributeTranspilerConfig as DistributeTranspilerConfig)
from paddle.fluid.transpiler.memory_optimization_transpiler import (memory_optimize as memory_optimize, release_memory as release_memory)

def __getattr__(name: str) -> Any: ...

class LoDTensor:
    """A tensor with optional level-of-detail information (LoD).

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> tensor = fluid.LoDTensor()
        >>> tensor.set(numpy.arange(5, dtype="int64").reshape(5, 1), fluid.CPUPlace())
        >>> tensor.set_recursive_sequence_lengths([[2, 3]])
        >>> tensor.lod()
        [[0, 2, 5]]
    """
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set(self, *args: Any, **kwargs: Any) -> Any:
        """set(array, place): take the array's dtype, shape and data."""
        ...

    def set_lod(self, *args: Any, **kwargs: Any) -> Any:
        """set_lod(offsets): a list of offsets for each level."""
        ...

    def set_recursive_sequence_lengths(self, *args: Any, **kwargs: Any) -> Any:
        """set_recursive_sequence_lengths(lengths): a list of sequence lengths for each level."""
        ...

    def lod(self, *args: Any, **kwargs: Any) -> Any:
        """The offsets of each level."""
        ...

    def recursive_sequence_lengths(self, *args: Any, **kwargs: Any) -> Any:
        """The lengths of each level."""
        ...

    def has_valid_recursive_sequence_lengths(self, *args: Any, **kwargs: Any) -> Any:
        """Whether the LoD fits the tensor's rows."""
        ...

    def shape(self, *args: Any, **kwargs: Any) -> Any:
        """The shape as a list."""
        ...

class LoDTensorArray:
    """An array of LoDTensors.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> array = fluid.LoDTensorArray()
        >>> tensor = fluid.LoDTensor()
        >>> tensor.set(numpy.ones((2, 2), "float32"), fluid.CPUPlace())
        >>> array.append(tensor)
        >>> len(array)
        1
    """
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getitem__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __len__(self, *args: Any, **kwargs: Any) -> int: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def append(self, *args: Any, **kwargs: Any) -> Any:
        """append(tensor): a copy of it at the end."""
        ...

class Scope:
    """Named variables that outlive a run: parameters and the like.

    Examples:
        >>> import paddle.fluid as fluid
        >>> scope = fluid.Scope()
        >>> with fluid.scope_guard(scope):
        ...     exe = fluid.Executor()
        ...     exe.run(fluid.default_startup_program())
        ...
        []
    """
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def var(self, *args: Any, **kwargs: Any) -> Any:
        """var(name): this scope's own variable of that name, made if missing."""
        ...

    def find_var(self, *args: Any, **kwargs: Any) -> Any:
        """find_var(name): the variable, of this scope or one around it, or None."""
        ...

    def new_scope(self, *args: Any, **kwargs: Any) -> Any:
        """A scope inside this one."""
        ...

    def drop_kids(self, *args: Any, **kwargs: Any) -> Any:
        """Forget the scopes inside this one."""
        ...

    def erase(self, *args: Any, **kwargs: Any) -> Any:
        """erase(names): remove these variables."""
        ...

    def local_var_names(self, *args: Any, **kwargs: Any) -> Any:
        """The names of this scope's own variables."""
        ...

Tensor = LoDTensor
