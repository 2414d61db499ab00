"""Layers in formulas: see paddle.trainer_config_helpers.layer_math."""
from paddle.trainer_config_helpers.layer_math import *  # noqa: F401,F403
from paddle.trainer_config_helpers.layer_math import __all__  # noqa: F401
