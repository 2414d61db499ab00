"""Layers over the steps of sequences: pooling, first and last, expansion, concatenation, choice."""
import paddle.fluid as fluid

from ..attrs import ParameterAttribute
from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from ..network import SparseValue
from ..poolings import BasePoolingType, MaxPooling
from .mixed import Projection
from .ops import append_op

__all__ = ["AggregateLevel", "ExpandLevel", "pooling_layer", "last_seq", "first_seq",
           "context_projection", "expand_layer", "seq_concat_layer", "seq_reshape_layer",
           "seq_slice_layer", "sub_seq_layer", "sub_nested_seq_layer", "kmax_seq_score_layer"]


class AggregateLevel:
    """What a layer over sequences makes: one row of a whole sequence, or, of a sequence of
    sub-sequences, a sequence with one row of each."""
    TO_NO_SEQUENCE = "non-seq"
    TO_SEQUENCE = "seq"
    EACH_TIMESTEP = TO_NO_SEQUENCE
    EACH_SEQUENCE = TO_SEQUENCE


class ExpandLevel:
    FROM_NO_SEQUENCE = AggregateLevel.TO_NO_SEQUENCE
    FROM_SEQUENCE = AggregateLevel.TO_SEQUENCE
    FROM_TIMESTEP = FROM_NO_SEQUENCE


def regroup(value, how, **attrs):
    """The rows of a value in other sequences: see the op sequence_regroup."""
    return append_op("sequence_regroup", {"X": value}, dict(attrs, how=how), value.dtype)


def optional_bias(attr):
    """bias_attr of layers that have none unless asked."""
    return False if attr is None else attr


def expect_sequence(what, value, levels=(1, 2)):
    """How many levels of sequences a value has; an error that names the layer unless allowed."""
    if isinstance(value, SparseValue):
        raise ConfigError("%s: its input is sparse data; put an fc_layer between them" % what)
    if value.lod_level not in levels:
        raise ConfigError("%s: its input %s, and must be %s"
                          % (what, ("is no sequence", "is a sequence", "is a nested sequence")
                             [min(value.lod_level, 2)],
                             " or ".join(("no sequence", "a sequence", "a nested sequence")[n]
                                         for n in levels)))
    return value.lod_level


def over_steps(what, value, function):
    """function(value), which makes a row of each step of a sequence; of a nested one all steps of
    its sub-sequences are one sequence, and it stays nested."""
    if expect_sequence(what, value) == 1:
        return function(value)
    return fluid.layers.lod_reset(function(regroup(value, "merge")), value)


def _aggregated(layer, value, agg_level, stride, from_end=False):
    """The value so grouped that sequence_pool, which is over the lowest level, gives what is
    asked for."""
    what = "layer %r" % layer.name
    if agg_level == AggregateLevel.TO_SEQUENCE:
        expect_sequence(what + " with agg_level TO_SEQUENCE", value, (2,))
        return value
    if stride > 0:
        expect_sequence(what + " with a stride", value, (1,))
        return regroup(value, "windows", stride=stride, from_end=from_end)
    return regroup(value, "merge") if expect_sequence(what, value) == 2 else value


def _check_aggregation(name, agg_level, stride):
    if agg_level not in (AggregateLevel.TO_NO_SEQUENCE, AggregateLevel.TO_SEQUENCE):
        raise ConfigError("layer %r: agg_level is %r, and may be AggregateLevel.TO_NO_SEQUENCE or "
                          "AggregateLevel.TO_SEQUENCE" % (name, agg_level))
    if stride != -1 and (not isinstance(stride, int) or stride < 1):
        raise ConfigError("layer %r: stride is %r, and must be at least 1, or -1 for none"
                          % (name, stride))
    if stride != -1 and agg_level == AggregateLevel.TO_SEQUENCE:
        raise ConfigError("layer %r: stride does not go with AggregateLevel.TO_SEQUENCE" % name)


@layer_function
def pooling_layer(input, pooling_type=None, name=None, bias_attr=None,
                  agg_level=AggregateLevel.TO_NO_SEQUENCE, stride=-1, layer_attr=None):
    """One row of each sequence; with a stride, of each `stride` steps of it. Max unless told."""
    name = layer_name(name, "seq_pooling")
    pooling = MaxPooling() if pooling_type is None else pooling_type
    if not isinstance(pooling, BasePoolingType) or pooling.sequence is None:
        raise ConfigError("layer %r: pooling_type is %r, and may be MaxPooling(), AvgPooling(), "
                          "SumPooling() or SquareRootNPooling()" % (name, pooling_type))
    _check_aggregation(name, agg_level, stride)

    def build(net, value):
        value = _aggregated(layer, value, agg_level, stride)
        if getattr(pooling, "output_max_index", None):
            index = append_op("sequence_pool", {"X": value}, {"pooltype": "MAX"}, "int32",
                              "MaxIndex", ("Out",))
            return fluid.layers.cast(index, "float32")
        pooled = fluid.layers.sequence_pool(value, pooling.sequence)
        return net.add_bias(layer, pooled, optional_bias(bias_attr))

    layer = LayerOutput(name, pooling.name, [input], size=input.size, build=build,
                        layer_attr=layer_attr)
    return layer


def _one_step(kind, which, input, name, agg_level, stride, layer_attr):
    name = layer_name(name, kind)
    _check_aggregation(name, agg_level, stride)

    def build(net, value):
        # v1 counts the windows of first_seq from the end.
        value = _aggregated(layer, value, agg_level, stride, from_end=which == "first")
        return fluid.layers.sequence_pool(value, which)

    layer = LayerOutput(name, "seqlastins", [input], size=input.size, build=build,
                        layer_attr=layer_attr)
    return layer


@layer_function
def last_seq(input, name=None, agg_level=AggregateLevel.TO_NO_SEQUENCE, stride=-1,
             layer_attr=None):
    """The last step of each sequence; with a stride, of each window of it."""
    return _one_step("last_seq", "last", input, name, agg_level, stride, layer_attr)


@layer_function
def first_seq(input, name=None, agg_level=AggregateLevel.TO_NO_SEQUENCE, stride=-1,
              layer_attr=None):
    return _one_step("first_seq", "first", input, name, agg_level, stride, layer_attr)


@layer_function
def context_projection(input, context_len, context_start=None, padding_attr=False):
    """Each step with those around it, context_len in all. Outside a sequence there are zeros, or
    rows that are learnt where padding_attr is a ParameterAttribute (or True)."""
    start = -(context_len - 1) // 2 if context_start is None else context_start
    around = max(0, -start) + max(0, start + context_len - 1)
    trainable = padding_attr is not False and around > 0
    attr = padding_attr
    if attr is None or attr is True:
        attr = ParameterAttribute(initial_std=0.0, initial_mean=0.0)

    def build(net, layer, index, value):
        padding = {}
        if trainable:
            padding["PaddingData"] = net.weight(layer, index, [around, input.size], attr)
        return over_steps("layer %r: context_projection" % layer.name, value,
                          lambda steps: append_op("sequence_context", dict(padding, X=steps),
                                                  {"contextLength": context_len,
                                                   "contextStart": start,
                                                   "paddingTrainable": trainable}))
    return Projection("context_projection", input, input.size * context_len, build)


@layer_function
def expand_layer(input, expand_as, name=None, bias_attr=False,
                 expand_level=ExpandLevel.FROM_NO_SEQUENCE, layer_attr=None):
    """A row for each step of the sequence of expand_as that it belongs to; with FROM_SEQUENCE,
    step i of a sequence for each step of sub-sequence i."""
    name = layer_name(name, "expand_layer")
    if expand_level not in (ExpandLevel.FROM_NO_SEQUENCE, ExpandLevel.FROM_SEQUENCE):
        raise ConfigError("layer %r: expand_level is %r, and may be ExpandLevel.FROM_NO_SEQUENCE "
                          "or ExpandLevel.FROM_SEQUENCE" % (name, expand_level))

    def build(net, value, like):
        nested = expect_sequence("layer %r: expand_as" % name, like) == 2
        if expand_level == ExpandLevel.FROM_SEQUENCE:
            expect_sequence("layer %r with FROM_SEQUENCE" % name, value, (1,))
            expect_sequence("layer %r with FROM_SEQUENCE: expand_as" % name, like, (2,))
        else:
            expect_sequence("layer %r" % name, value, (0,))
        groups = like
        if nested:
            from_sequence = expand_level == ExpandLevel.FROM_SEQUENCE
            groups = regroup(like, "inner" if from_sequence else "merge")
        made = fluid.layers.sequence_expand_as(value, groups)
        made = fluid.layers.lod_reset(made, like) if nested else made
        return net.add_bias(layer, made, optional_bias(bias_attr))

    layer = LayerOutput(name, "expand", [input, expand_as], size=input.size, build=build,
                        layer_attr=layer_attr)
    return layer


@layer_function
def seq_concat_layer(a, b, act=None, name=None, layer_attr=None, bias_attr=None):
    """Each sequence of a with that of b after it."""
    name = layer_name(name, "seqconcat")
    if a.size != b.size:
        raise ConfigError("layer %r: its inputs %r and %r have sizes %s and %s, and must have one"
                          % (name, a.name, b.name, a.size, b.size))

    def build(net, x, y):
        for value in (x, y):
            expect_sequence("layer %r" % name, value, (1,))
        return net.add_bias(layer, fluid.layers.sequence_concat([x, y]), optional_bias(bias_attr))

    layer = LayerOutput(name, "seqconcat", [a, b], act, a.size, build, layer_attr)
    return layer


@layer_function
def seq_reshape_layer(input, reshape_size, act=None, name=None, layer_attr=None, bias_attr=None):
    """The numbers of each sequence in steps of reshape_size."""
    name = layer_name(name, "seqreshape")

    def build(net, value):
        expect_sequence("layer %r" % name, value, (1,))
        return net.add_bias(layer, fluid.layers.sequence_reshape(value, reshape_size),
                            optional_bias(bias_attr))

    layer = LayerOutput(name, "seqreshape", [input], act, reshape_size, build, layer_attr)
    return layer


def _pick(value, how, inputs):
    return append_op("sequence_pick", dict(inputs, X=value), {"how": how}, also=("Rows",))


@layer_function
def seq_slice_layer(input, starts, ends, name=None):
    """Of each sequence the steps from starts to ends (that one too), for each column of theirs up
    to the first -1; each span is a sequence. None: from the first step, up to the last."""
    name = layer_name(name, "seq_slice_layer")
    if starts is None and ends is None:
        raise ConfigError("layer %r: give starts, or ends, or both" % name)
    if starts is not None and ends is not None and starts.size != ends.size:
        raise ConfigError("layer %r: starts %r and ends %r have sizes %s and %s, and must have one"
                          % (name, starts.name, ends.name, starts.size, ends.size))
    bounds = [(slot, layer) for slot, layer in (("Starts", starts), ("Ends", ends))
              if layer is not None]

    def build(net, value, *numbers):
        expect_sequence("layer %r" % name, value)
        return _pick(value, "spans", {slot: n for (slot, _), n in zip(bounds, numbers)})

    return LayerOutput(name, "seq_slice", [input] + [layer for _, layer in bounds],
                       size=input.size, build=build)


@layer_function
def sub_seq_layer(input, offsets, sizes, act=None, bias_attr=None, name=None):
    """Of each sequence `sizes` steps from `offsets` on; both are data layers of one number each."""
    name = layer_name(name, "sub_seq_layer")

    def whole(value):
        return value if value.dtype == fluid.core.VarDesc.VarType.INT64 else \
            fluid.layers.cast(value, "int64")

    def build(net, value, offset, length):
        expect_sequence("layer %r" % name, value, (1,))
        made = fluid.layers.sequence_slice(value, whole(offset), whole(length))
        made.desc.set_lod_level(1)  # which Fluid knows only when it runs
        return net.add_bias(layer, made, optional_bias(bias_attr))

    layer = LayerOutput(name, "subseq", [input, offsets, sizes], act, input.size, build)
    return layer


@layer_function
def sub_nested_seq_layer(input, selected_indices, name=None):
    """Of each nested sequence the sub-sequences whose numbers selected_indices has, up to the
    first -1."""
    name = layer_name(name, "sub_nested_seq_layer")

    def build(net, value, selected):
        expect_sequence("layer %r" % name, value, (2,))
        return _pick(value, "subsequences", {"Selected": selected})

    return LayerOutput(name, "sub_nested_seq", [input, selected_indices], size=input.size,
                       build=build)


@layer_function
def kmax_seq_score_layer(input, name=None, beam_size=1):
    """The numbers of the beam_size steps of each sequence with the largest scores; -1 where it has
    fewer."""
    name = layer_name(name, "kmax_seq_score_layer")
    if input.size != 1:
        raise ConfigError("layer %r: its input %r has size %s, and a score is one number"
                          % (name, input.name, input.size))

    def build(net, value):
        expect_sequence("layer %r" % name, value)
        return append_op("sequence_top_k", {"X": value}, {"k": beam_size})

    return LayerOutput(name, "kmax_seq_score", [input], size=beam_size, build=build)
