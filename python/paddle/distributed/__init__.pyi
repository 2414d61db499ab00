# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from . import (cloud_utils as cloud_utils, elastic as elastic, entry_attr as entry_attr, fs_wrapper as fs_wrapper, job as job, launch as launch, launch_ps as launch_ps, resume as resume, utils as utils)
from paddle.distributed.entry_attr import (CountFilterEntry as CountFilterEntry, ProbabilityEntry as ProbabilityEntry)

def __getattr__(name: str) -> Any: ...
