"""paddle.fluid on Regatta."""
from . import core
from . import framework, executor, initializer, layers, regularizer, clip, backward, optimizer
from . import unique_name, param_attr, layer_helper, data_feeder, lod_tensor, io, compiler
from .framework import *  # noqa: F401,F403
from .executor import *  # noqa: F401,F403
from .core import CPUPlace, CUDAPlace, CUDAPinnedPlace, LoDTensor, LoDTensorArray, Scope
from .core import LoDTensor as Tensor
from .data import data
from .data_feeder import DataFeeder
from .input import embedding, one_hot
from .lod_tensor import *  # noqa: F401,F403
from .param_attr import ParamAttr, WeightNormParamAttr
from .backward import gradients
from .compiler import BuildStrategy, CompiledProgram, ExecutionStrategy
from .parallel_executor import ParallelExecutor
from .io import save, load, load_program_state, set_program_state

# Imported when they are first used, so that importing Fluid stays quick.
_MODULES = ("average", "contrib", "data_feed_desc", "dataset", "debugger", "dygraph", "evaluator",
            "incubate", "install_check", "log_helper", "metrics", "nets", "profiler", "reader",
            "safe_pickle", "transpiler")
_OF_MODULES = {"DatasetFactory": "dataset", "DataFeedDesc": "data_feed_desc",
               "DistributeTranspiler": "transpiler", "DistributeTranspilerConfig": "transpiler",
               "memory_optimize": "transpiler", "release_memory": "transpiler"}
_OF_DYGRAPH = ("enable_dygraph", "disable_dygraph", "enable_imperative", "disable_imperative")


def __getattr__(name):
    if name in _MODULES:
        __import__("paddle.fluid." + name)
        return globals()[name]
    if name in _OF_MODULES:
        return getattr(__getattr__(_OF_MODULES[name]), name)
    if name in _OF_DYGRAPH:
        from . import dygraph
        return getattr(dygraph, name)
    from .._names import missing
    return missing(__name__, name)
