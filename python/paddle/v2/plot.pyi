# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.utils.plot import (Ploter as Ploter)

def __getattr__(name: str) -> Any: ...
