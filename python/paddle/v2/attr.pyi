# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.attrs import (ExtraLayerAttribute as _ExtraLayerAttribute, HookAttribute as _HookAttribute, ParameterAttribute as _ParameterAttribute)

def __getattr__(name: str) -> Any: ...

Param = _ParameterAttribute

Extra = _ExtraLayerAttribute

Hook = _HookAttribute

ParamAttr = _ParameterAttribute

ExtraAttr = _ExtraLayerAttribute

HookAttr = _HookAttribute
