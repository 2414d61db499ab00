"""Ready-made networks, as trainer_config_helpers has them."""
from paddle.trainer_config_helpers import networks as _v1

__all__ = [_name for _name in _v1.__all__ if _name not in ("inputs", "outputs")]
globals().update({_name: getattr(_v1, _name) for _name in __all__})
