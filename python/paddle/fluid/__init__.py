"""paddle.fluid on Regatta."""
from . import core
from . import framework, executor, initializer, layers, regularizer, clip, backward, optimizer
from . import unique_name, param_attr, layer_helper, data_feeder, lod_tensor
from .framework import *  # noqa: F401,F403
from .executor import *  # noqa: F401,F403
from .core import CPUPlace, CUDAPlace, CUDAPinnedPlace, LoDTensor, LoDTensorArray, Scope
from .core import LoDTensor as Tensor
from .data_feeder import DataFeeder
from .input import data
from .lod_tensor import *  # noqa: F401,F403
from .param_attr import ParamAttr, WeightNormParamAttr
from .backward import gradients
from . import nets  # noqa: F401
