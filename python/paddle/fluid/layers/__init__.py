"""fluid.layers: functions that build programs."""
from . import io, nn, ops, tensor
from .io import *  # noqa: F401,F403
from .nn import *  # noqa: F401,F403
from .ops import *  # noqa: F401,F403
from .tensor import *  # noqa: F401,F403

__all__ = io.__all__ + nn.__all__ + ops.__all__ + tensor.__all__
