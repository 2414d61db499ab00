"""The layer functions of trainer_config_helpers, by family; each is in one file and knows all
about itself. paddle.v2.layer has them without the suffix _layer."""
from ..graph import LayerOutput
from . import basic, cost, group, mixed, recurrent, sequence, structured
from .basic import *  # noqa: F401,F403
from .cost import *  # noqa: F401,F403
from .group import *  # noqa: F401,F403
from .mixed import *  # noqa: F401,F403
from .recurrent import *  # noqa: F401,F403
from .sequence import *  # noqa: F401,F403
from .structured import *  # noqa: F401,F403

_FAMILIES = (basic, cost, group, mixed, recurrent, sequence, structured)

__all__ = ["LayerOutput"] + [name for family in _FAMILIES for name in family.__all__]
