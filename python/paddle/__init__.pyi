# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from . import (compat as compat, dataset as dataset, distributed as distributed, fleet as fleet, fluid as fluid, python2 as python2, reader as reader, scripts as scripts, sysconfig as sysconfig, trainer as trainer, trainer_config_helpers as trainer_config_helpers, utils as utils, v2 as v2, version as version)
from paddle.batch import (batch as batch)

def __getattr__(name: str) -> Any: ...
