"""Activations: those of trainer_config_helpers without the suffix Activation."""
from paddle.trainer_config_helpers import activations as _v1

_NAMES = {_name[:-len("Activation")]: _name for _name in _v1.__all__}
globals().update({_short: getattr(_v1, _name) for _short, _name in _NAMES.items()})

__all__ = sorted(_NAMES)
