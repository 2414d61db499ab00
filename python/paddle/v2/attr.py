"""Attributes of parameters and layers."""
from paddle.trainer_config_helpers.attrs import ExtraLayerAttribute, HookAttribute, \
    ParameterAttribute

__all__ = ["Param", "Extra", "Hook", "ParamAttr", "ExtraAttr", "HookAttr"]

Param = ParamAttr = ParameterAttribute
Extra = ExtraAttr = ExtraLayerAttribute
Hook = HookAttr = HookAttribute
