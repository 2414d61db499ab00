"""The parts of paddle.v2 that scripts of the Fluid generation use: readers and data sets. They
are those of paddle itself."""
import sys

from .. import batch, dataset, reader

__all__ = ["batch", "dataset", "reader"]

# Also for `import paddle.v2.dataset.mnist`: the same modules, never a second copy.
for _name in ["reader", "reader.decorator", "reader.creator", "dataset", "dataset.common"] + [
        "dataset." + _set for _set in dataset.__all__]:
    __import__("paddle." + _name)
    sys.modules["paddle.v2." + _name] = sys.modules["paddle." + _name]

_TRAINER_API = (
    "init", "infer", "optimizer", "layer", "activation", "parameters", "trainer", "event",
    "data_type", "attr", "pooling", "data_feeder", "topology", "networks", "plot", "evaluator",
    "inference", "minibatch", "image", "master", "op", "model", "config_base",
)


def __getattr__(name):
    if name in _TRAINER_API:
        raise NotImplementedError("paddle.v2.%s: the trainer API of paddle.v2 is not in this "
                                  "release; paddle.v2 has batch, dataset and reader, and models "
                                  "are written with paddle.fluid" % name)
    raise AttributeError("module 'paddle.v2' has no attribute %r; it has batch, dataset and reader"
                         % name)
