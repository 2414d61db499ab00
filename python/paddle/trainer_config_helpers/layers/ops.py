"""Short words for the ops that layers are made of."""
import numbers

import paddle.fluid as fluid
from paddle.fluid.layer_helper import LayerHelper

from ..graph import ConfigError
from ..network import SparseValue

__all__ = []  # for the layer functions alone, not for scripts


def append_op(kind, inputs, attrs=None, dtype="float32", out="Out", also=()):
    """One op of the program, and the variable that it makes. inputs: by slot, one or a list. also:
    outputs that it has besides."""
    helper = LayerHelper(kind)
    outputs = {slot: [helper.create_variable_for_type_inference(dtype)] for slot in (out,) + also}
    helper.append_op(type=kind, inputs=inputs, outputs=outputs, attrs=attrs or {})
    return outputs[out][0]


def shaped(value, *sizes):
    """Rows of a matrix as images or the like: the examples stay, each gets these sizes."""
    return fluid.layers.reshape(value, [-1] + [int(n) for n in sizes])


def steps_of(source, value):
    """`value`, made row by row of `source`, with the sequences of that: some ops leave them
    behind."""
    if isinstance(source, SparseValue) or source.lod_level == 0:
        return value
    return fluid.layers.lod_reset(value, y=source)


def constant(like, width, value, dtype="float32"):
    """A matrix with as many rows as `like` has (fill_constant_batch_size_like counts sequences),
    all of one number."""
    column = fluid.layers.slice(like, axes=[1], starts=[0], ends=[1])
    made = append_op("fill_any_like", {"X": column}, {"value": float(value)})
    made.stop_gradient = True
    made = made if width == 1 else fluid.layers.expand(made, [1, width])
    return made if dtype == "float32" else fluid.layers.cast(made, dtype)


def row_sum(value):
    """A column: the sum of each row."""
    return fluid.layers.reduce_sum(value, dim=1, keep_dim=True)


def by_row(value, factor):
    """Each row of a matrix times its one number."""
    return fluid.layers.elementwise_mul(value, shaped(factor), axis=0)


def dense(value, size):
    """A value as a matrix: the rows of a sparse one are spread out."""
    if not isinstance(value, SparseValue):
        return value
    if value.lod_level > 1:
        raise ConfigError("nested sequences of sparse rows are not taken; put an fc_layer between")
    layers, ids = fluid.layers, value.ids
    column = layers.sequence_pool(layers.cast(ids, "float32"), "first")  # for its rows alone
    if value.lod_level == 1:
        ids = append_op("sequence_regroup", {"X": ids}, {"how": "inner"}, "int64")
    row = layers.cumsum(layers.ones_like(column), axis=0, exclusive=True)
    row = layers.cast(layers.sequence_expand_as(row, ids), "int64")  # of each id
    places = layers.elementwise_add(layers.scale(row, float(size)), ids)
    given = layers.ones_like(layers.cast(ids, "float32")) if value.values is None \
        else value.values
    empty = layers.expand(layers.zeros_like(column), [1, size])
    made = layers.scatter(shaped(empty, 1), shaped(places), given, overwrite=False)
    return steps_of(column, shaped(made, size))


def is_count(value):
    """Whether it is a whole number, 0 or more; numpy's are, too."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= 0


def same_size(what, first, second):
    if first.size != second.size:
        raise ConfigError("%s: %r has size %s and %r has %s; they must be of one size"
                          % (what, first.name, first.size, second.name, second.size))


def size_is(what, layer, size):
    if layer.size != size:
        raise ConfigError("%s: %r has size %s, and must have %s"
                          % (what, layer.name, layer.size, size))
