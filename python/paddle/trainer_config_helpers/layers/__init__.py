"""The layer functions of trainer_config_helpers, by family: each file of this folder is one, and
its __all__ is what scripts see. paddle.v2.layer has them without the suffix _layer."""
import importlib
import pkgutil

from ..graph import LayerOutput

__all__ = ["LayerOutput"]

for _found in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
    _family = importlib.import_module("." + _found.name, __name__)
    for _name in getattr(_family, "__all__", ()):
        globals()[_name] = getattr(_family, _name)
        __all__.append(_name)
