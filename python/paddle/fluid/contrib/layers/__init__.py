"""fluid.contrib.layers: those that are implemented. paddle/_names.py answers for the others."""
from . import metric_op, nn
from .metric_op import *  # noqa: F401,F403
from .nn import *  # noqa: F401,F403

__all__ = nn.__all__ + metric_op.__all__
