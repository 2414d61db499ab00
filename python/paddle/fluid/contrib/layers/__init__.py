"""fluid.contrib.layers: those that are implemented. paddle/_names.py answers for the others."""
from . import metric_op, nn, rnn_impl
from .metric_op import *  # noqa: F401,F403
from .nn import *  # noqa: F401,F403
from .rnn_impl import *  # noqa: F401,F403

__all__ = nn.__all__ + metric_op.__all__ + rnn_impl.__all__
