"""The layer functions of trainer_config_helpers, by family; each is in one file and knows all
about itself. paddle.v2.layer has them without the suffix _layer."""
from ..graph import LayerOutput
from . import (basic, classes, cost, image, kinds, learned, math, mixed, norm, rearrange,
               recurrent, refused, sequence)
from .basic import *  # noqa: F401,F403
from .classes import *  # noqa: F401,F403
from .cost import *  # noqa: F401,F403
from .image import *  # noqa: F401,F403
from .kinds import *  # noqa: F401,F403
from .learned import *  # noqa: F401,F403
from .math import *  # noqa: F401,F403
from .mixed import *  # noqa: F401,F403
from .norm import *  # noqa: F401,F403
from .rearrange import *  # noqa: F401,F403
from .recurrent import *  # noqa: F401,F403
from .refused import *  # noqa: F401,F403
from .sequence import *  # noqa: F401,F403

_FAMILIES = (basic, classes, cost, image, kinds, learned, math, mixed, norm, rearrange,
             recurrent, refused, sequence)

__all__ = ["LayerOutput"] + [name for family in _FAMILIES for name in family.__all__]
