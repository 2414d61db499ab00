"""Arithmetic of layers: exp(x), x + y, 2 * x."""
from paddle.trainer_config_helpers import layer_math as _v1
from paddle.trainer_config_helpers.layer_math import *  # noqa: F401,F403

__all__ = list(_v1.__all__)
