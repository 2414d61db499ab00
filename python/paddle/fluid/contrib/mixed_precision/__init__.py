"""fluid.contrib.mixed_precision: training with 16 bits where that is precise enough. A GPU computes
so with float16, a CPU with bfloat16: docs/guide-mixed-precision.md."""
from . import decorator, fp16_lists, fp16_utils
from .decorator import *  # noqa: F401,F403
from .fp16_lists import *  # noqa: F401,F403

__all__ = decorator.__all__ + fp16_lists.__all__
