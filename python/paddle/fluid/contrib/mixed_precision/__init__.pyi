# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from . import (decorator as decorator, fp16_lists as fp16_lists, fp16_utils as fp16_utils)
from paddle.fluid.contrib.mixed_precision.decorator import (decorate as decorate)
from paddle.fluid.contrib.mixed_precision.fp16_lists import (AutoMixedPrecisionLists as AutoMixedPrecisionLists)

def __getattr__(name: str) -> Any: ...
