"""Evaluators: those of trainer_config_helpers without the suffix _evaluator."""
from paddle.trainer_config_helpers import evaluators as _v1

_NAMES = {_name.replace("_evaluator", ""): _name for _name in _v1.__all__}
globals().update({_short: getattr(_v1, _name) for _short, _name in _NAMES.items()})

__all__ = sorted(_NAMES)
