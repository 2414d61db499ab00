"""Arithmetic between layers, row by row, and of one layer with numbers."""
import paddle.fluid as fluid

from ..graph import ConfigError, LayerOutput, as_layers, layer_function, layer_name
from .ops import append_op, by_row, row_sum, same_size, shaped, size_is, steps_of

__all__ = ["cos_sim", "l2_distance_layer", "dot_prod_layer", "out_prod_layer", "scaling_layer",
           "power_layer", "interpolation_layer", "slope_intercept_layer", "clip_layer",
           "linear_comb_layer", "convex_comb_layer", "conv_shift_layer", "multiplex_layer"]


# ---- two vectors ----

@layer_function
def cos_sim(a, b, scale=1, size=1, name=None, layer_attr=None):
    """scale * the cosine of the angle between a and b; size > 1: between a and each of the `size`
    vectors that b holds side by side."""
    name = layer_name(name, "cos_sim")
    size_is("layer %r" % name, b, a.size * size)

    def build(net, x, y):
        left, right = x, y
        if size > 1:
            left = shaped(fluid.layers.expand(x, [1, size]), a.size)
            right = shaped(y, a.size)
        made = append_op("cos_sim", {"X": [left], "Y": [right]}, also=("XNorm", "YNorm"))
        made = steps_of(x, shaped(made, size)) if size > 1 else made
        return made if scale == 1 else fluid.layers.scale(made, float(scale))

    return LayerOutput(name, "cos" if size == 1 else "cos_vm", [a, b], size=size, build=build,
                       layer_attr=layer_attr)


@layer_function
def l2_distance_layer(x, y, name=None, layer_attr=None):
    """The length of x - y."""
    name = layer_name(name, "l2_distance_layer")
    same_size("layer %r" % name, x, y)
    return LayerOutput(name, "l2_distance", [x, y], size=1, layer_attr=layer_attr,
                       build=lambda net, a, b: fluid.layers.sqrt(row_sum(fluid.layers.square(
                           fluid.layers.elementwise_sub(a, b)))))


@layer_function
def dot_prod_layer(input1, input2, name=None, layer_attr=None):
    name = layer_name(name, "dot_prod_layer")
    same_size("layer %r" % name, input1, input2)
    return LayerOutput(name, "dot_prod", [input1, input2], size=1, layer_attr=layer_attr,
                       build=lambda net, x, y: row_sum(fluid.layers.elementwise_mul(x, y)))


@layer_function
def out_prod_layer(input1, input2, name=None, layer_attr=None):
    """Each element of input1 times each of input2."""
    size = input1.size * input2.size

    def build(net, x, y):
        return shaped(fluid.layers.matmul(shaped(x, input1.size, 1), shaped(y, 1, input2.size)),
                      size)
    return LayerOutput(layer_name(name, "out_prod_layer"), "out_prod", [input1, input2], size=size,
                       build=build, layer_attr=layer_attr)


@layer_function
def linear_comb_layer(weights, vectors, size=None, name=None, layer_attr=None):
    """The sum of the vectors that `vectors` holds side by side, each by its weight."""
    name = layer_name(name, "linear_comb_layer")
    what = "layer %r" % name
    count = weights.size
    size = size or vectors.size // count
    size_is(what, vectors, size * count)

    def build(net, w, v):
        return shaped(fluid.layers.matmul(shaped(w, 1, count), shaped(v, count, size)), size)
    return LayerOutput(name, "convex_comb", [weights, vectors], size=size, build=build,
                       layer_attr=layer_attr)


convex_comb_layer = linear_comb_layer


@layer_function
def conv_shift_layer(a, b, name=None, layer_attr=None):
    """c[i] = the sum of a[i + j] b[j], j around 0, what leaves a at one end coming in at the other;
    b has an odd size."""
    name = layer_name(name, "conv_shift_layer")
    if b.size % 2 == 0 or b.size > a.size:
        raise ConfigError("layer %r: b has size %d, and must be odd and not above a's %d"
                          % (name, b.size, a.size))

    def build(net, x, y):
        parts = []
        for j in range(b.size):
            moved = append_op("roll", {"X": [x]}, {"dims": [1], "shifts": [b.size // 2 - j]})
            parts.append(by_row(moved, fluid.layers.slice(y, [1], [j], [j + 1])))
        return fluid.layers.sums(parts) if len(parts) > 1 else parts[0]
    return LayerOutput(name, "conv_shift", [a, b], size=a.size, build=build, layer_attr=layer_attr)


# ---- a vector and a number ----

@layer_function
def scaling_layer(input, weight, name=None, layer_attr=None):
    """Each row by its number."""
    name = layer_name(name, "scaling_layer")
    size_is("layer %r" % name, weight, 1)
    return LayerOutput(name, "scaling", [weight, input], size=input.size, layer_attr=layer_attr,
                       build=lambda net, w, x: by_row(x, w))


@layer_function
def power_layer(input, weight, name=None, layer_attr=None):
    """Each row to the power of its number."""
    name = layer_name(name, "power_layer")
    size_is("layer %r" % name, weight, 1)
    return LayerOutput(name, "power", [input, weight], size=input.size, layer_attr=layer_attr,
                       build=lambda net, x, w: fluid.layers.elementwise_pow(x, shaped(w), axis=0))


@layer_function
def interpolation_layer(input, weight, name=None, layer_attr=None):
    """weight * the first + (1 - weight) * the second."""
    name = layer_name(name, "interpolation_layer")
    inputs = as_layers(input)
    if len(inputs) != 2:
        raise ConfigError("layer %r: input must be two layers" % name)
    same_size("layer %r" % name, *inputs)
    size_is("layer %r" % name, weight, 1)

    def build(net, w, x, y):
        return fluid.layers.elementwise_add(
            y, by_row(fluid.layers.elementwise_sub(x, y), w))
    return LayerOutput(name, "interpolation", [weight] + inputs, size=inputs[0].size, build=build,
                       layer_attr=layer_attr)


@layer_function
def slope_intercept_layer(input, name=None, slope=1.0, intercept=0.0, layer_attr=None):
    """slope * input + intercept"""
    return LayerOutput(layer_name(name, "slope_intercept_layer"), "slope_intercept", [input],
                       size=input.size, layer_attr=layer_attr, num_filters=input.num_filters,
                       height=input.height, width=input.width, depth=input.depth,
                       build=lambda net, x: fluid.layers.scale(x, float(slope),
                                                               bias=float(intercept)))


@layer_function
def clip_layer(input, min, max, name=None):
    if not min < max:
        raise ConfigError("clip_layer: min is %r, and must be below max, %r" % (min, max))
    return LayerOutput(layer_name(name, "clip"), "clip", [input], size=input.size,
                       num_filters=input.num_filters, height=input.height, width=input.width,
                       build=lambda net, x: fluid.layers.clip(x, float(min), float(max)))


# ---- one of several ----

@layer_function
def multiplex_layer(input, name=None, layer_attr=None):
    """Row by row from one of the inputs behind the first, which says which: 0, 1 ..."""
    name = layer_name(name, "multiplex_layer")
    inputs = as_layers(input)
    if len(inputs) < 3:
        raise ConfigError("layer %r: input must be a layer of ids and two layers or more" % name)
    for each in inputs[2:]:
        same_size("layer %r" % name, inputs[1], each)

    def build(net, ids, *values):
        made = append_op("multiplex", {"X": list(values), "Ids": [fluid.layers.cast(ids, "int32")]})
        return steps_of(values[0], made)
    return LayerOutput(name, "multiplex", inputs, size=inputs[1].size, build=build,
                       layer_attr=layer_attr)
