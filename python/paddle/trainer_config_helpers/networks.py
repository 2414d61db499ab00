"""Ready-made networks, of layers."""
from . import networks_image, networks_sequence
from .networks_image import *  # noqa: F401,F403
from .networks_sequence import *  # noqa: F401,F403

__all__ = networks_image.__all__ + networks_sequence.__all__
