"""paddle.v2: models of layers, trained by trainer.SGD, here or with `paddle pserver`.

    import paddle.v2 as paddle
    paddle.init(use_gpu=False, trainer_count=1)

Its layers are those of paddle.trainer_config_helpers without the suffix _layer; a model becomes a
Fluid program (docs/v2.md). Modules are imported when they are first used; readers and data sets
are those of paddle itself."""
import sys

from .. import batch, dataset, reader

__all__ = ["init", "batch", "infer", "dataset", "reader", "activation", "attr", "config_base",
           "data_feeder", "data_type", "default_main_program", "default_startup_program",
           "evaluator", "event", "image", "inference", "layer", "master", "minibatch", "model",
           "networks", "op", "optimizer", "parameters", "plot", "pooling", "topology", "trainer"]

# Also for `import paddle.v2.dataset.mnist`: the same modules, never a second copy.
for _name in ["reader", "reader.decorator", "reader.creator", "dataset", "dataset.common"] + [
        "dataset." + _set for _set in dataset.__all__]:
    __import__("paddle." + _name)
    sys.modules["paddle.v2." + _name] = sys.modules["paddle." + _name]

_FUNCTIONS = {"init": "flags", "infer": "inference"}


def __getattr__(name):
    if name in ("default_main_program", "default_startup_program"):
        from .. import fluid
        return getattr(fluid, name)
    if name in _FUNCTIONS:
        module = __import__("paddle.v2." + _FUNCTIONS[name], fromlist=[name])
        globals()[name] = getattr(module, name)
        return globals()[name]
    if name in __all__ or name == "fluid":  # it stood here in 0.11
        return __import__("paddle.v2." + name, fromlist=[name])
    raise AttributeError("module 'paddle.v2' has no attribute %r; it has %s"
                         % (name, ", ".join(__all__)))


def __dir__():
    return sorted(set(globals()) | set(__all__))
