"""Ready-made networks, of layers."""
from . import networks_sequence
from .networks_sequence import *  # noqa: F401,F403

__all__ = list(networks_sequence.__all__)
