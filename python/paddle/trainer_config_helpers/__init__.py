"""The functions of v1 config files: `from paddle.trainer_config_helpers import *`."""
from . import (activations, attrs, data_sources, evaluators, layer_math, layers, networks,
               optimizers, poolings)
from .activations import *  # noqa: F401,F403
from .attrs import *  # noqa: F401,F403
from .data_sources import *  # noqa: F401,F403
from .evaluators import *  # noqa: F401,F403
from .layers import *  # noqa: F401,F403
from .networks import *  # noqa: F401,F403
from .optimizers import *  # noqa: F401,F403
from .poolings import *  # noqa: F401,F403

_PARTS = (activations, attrs, data_sources, evaluators, layers, networks, optimizers, poolings)

__all__ = ["layer_math"] + [name for part in _PARTS for name in part.__all__]
