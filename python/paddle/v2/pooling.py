"""Poolings: those of trainer_config_helpers without the suffix Pooling."""
from paddle.trainer_config_helpers import poolings as _v1

_NAMES = {_name[:-len("Pooling")]: _name for _name in _v1.__all__ if _name.endswith("Pooling")}
globals().update({_short: getattr(_v1, _name) for _short, _name in _NAMES.items()})
BasePool = _v1.BasePoolingType

__all__ = ["BasePool"] + sorted(_NAMES)
