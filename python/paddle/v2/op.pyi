# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.layer_math import (abs as abs, exp as exp, log as log, reciprocal as reciprocal, relu as relu, sigmoid as sigmoid, sqrt as sqrt, square as square, tanh as tanh)

def __getattr__(name: str) -> Any: ...
