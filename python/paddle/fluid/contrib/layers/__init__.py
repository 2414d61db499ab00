"""fluid.contrib.layers: those that are implemented. paddle/_names.py answers for the others."""
from . import nn
from .nn import *  # noqa: F401,F403

__all__ = list(nn.__all__)
