"""fluid.contrib.mixed_precision: float16 training, which is of GPUs."""
from ._refused import refused

__all__ = ["decorate", "AutoMixedPrecisionLists"]

for _name in __all__:
    globals()[_name] = refused("mixed_precision." + _name, "programs are trained in float32")
