"""fluid.contrib: what is implemented of it. paddle/_names.py answers for the rest."""
from . import decoder, extend_optimizer, layers, mixed_precision, reader, utils
from .decoder import *  # noqa: F401,F403
from .extend_optimizer import *  # noqa: F401,F403
from .layers import *  # noqa: F401,F403
from .mixed_precision import *  # noqa: F401,F403
from .reader import *  # noqa: F401,F403
from .utils import *  # noqa: F401,F403

__all__ = (decoder.__all__ + extend_optimizer.__all__ + layers.__all__ + mixed_precision.__all__
           + reader.__all__ + utils.__all__)
