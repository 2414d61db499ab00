"""Arithmetic between layers, row by row."""
import paddle.fluid as fluid

from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from .ops import append, shaped

__all__ = ["cos_sim"]


@layer_function
def cos_sim(a, b, scale=1, size=1, name=None, layer_attr=None):
    """scale * the cosine of the angle between a and b; size > 1: between a and each of the `size`
    vectors that b holds side by side."""
    name = layer_name(name, "cos_sim")
    if b.size != a.size * size:
        raise ConfigError("layer %r: %r has size %d, and %r has %d: it must have %d"
                          % (name, a.name, a.size, b.name, b.size, a.size * size))

    def build(net, x, y):
        if size > 1:
            x = shaped(fluid.layers.expand(x, [1, size]), a.size)
            y = shaped(y, a.size)
        made = append("cos_sim", {"X": [x], "Y": [y]},
                      unused={"XNorm": "float32", "YNorm": "float32"})
        made = shaped(made, size) if size > 1 else made
        return made if scale == 1 else fluid.layers.scale(made, float(scale))

    return LayerOutput(name, "cos" if size == 1 else "cos_vm", [a, b], size=size, build=build,
                       layer_attr=layer_attr)
