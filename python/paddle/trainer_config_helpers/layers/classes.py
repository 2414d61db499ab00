"""Classes: which is the most probable, a draw, and costs that look at a few of many."""
import collections

import numpy
import paddle.fluid as fluid
from paddle.fluid.layers.loss import _alias_tables

from ..activations import SigmoidActivation
from ..graph import (ConfigError, Evaluator, LayerOutput, as_layers, layer_function, layer_name)
from ..network import SparseValue
from .basic import per_input
from .ops import append_op, shaped

__all__ = ["maxid_layer", "sampling_id_layer", "eos_layer", "printer_layer", "print_layer",
           "hsigmoid", "nce_layer"]


@layer_function
def maxid_layer(input, name=None, layer_attr=None):
    """The number of the largest column."""
    return LayerOutput(layer_name(name, "maxid_layer"), "maxid", [input], size=input.size,
                       layer_attr=layer_attr, finished=True,
                       build=lambda net, value: fluid.layers.topk(value, k=1)[1])


@layer_function
def sampling_id_layer(input, name=None, layer_attr=None):
    """The number of a column, drawn by the row's probabilities."""
    return LayerOutput(layer_name(name, "sampling_id_layer"), "sampling_id", [input],
                       size=input.size, layer_attr=layer_attr, finished=True,
                       build=lambda net, value: shaped(
                           append_op("sampling_id", {"X": [value]}, dtype="int64"), 1))


@layer_function
def eos_layer(input, eos_id, name=None, layer_attr=None):
    """1 where an id is eos_id, else 0."""
    def build(net, ids):
        # As many as there are ids: fill_constant_batch_size_like counts sequences.
        end = append_op("fill_any_like", {"X": [ids]}, {"value": float(eos_id)}, "int64")
        return fluid.layers.cast(fluid.layers.equal(ids, end), "int64")
    return LayerOutput(layer_name(name, "eos_layer"), "eos_id", [input], size=1, build=build,
                       layer_attr=layer_attr, finished=True)


@layer_function
def printer_layer(input, format=None, name=None):
    """Shows the values of its inputs in each batch of a network that has them. format: text with a
    %s for each input."""
    name = layer_name(name, "print")
    inputs = as_layers(input)
    texts = ["layer=%s " % each.name for each in inputs]
    if format is not None:
        texts = format.split("%s")[:-1]
        if len(texts) != len(inputs):
            raise ConfigError("layer %r: format is %r, and must have a %%s for each of the %d "
                              "inputs" % (name, format, len(inputs)))

    def build(net, *values):
        for text, value in zip(texts, values):
            for part in ([value.ids, value.values] if isinstance(value, SparseValue) else [value]):
                if part is not None:
                    fluid.layers.Print(part, message=text, summarize=-1, print_phase="forward")
        return []
    return Evaluator(name, "print", inputs, build, lambda sums: collections.OrderedDict())


print_layer = printer_layer


# ---- a few of many classes ----

def _joined(net, layer, inputs, values, rows, attrs):
    """(the inputs side by side, their weights side by side): one product is that of all."""
    weights = [net.weight(layer, i, [rows, each.size], attrs[i], std=rows ** -0.5)
               for i, each in enumerate(inputs)]
    if len(inputs) == 1:
        return values[0], weights[0]
    return fluid.layers.concat(list(values), axis=1), fluid.layers.concat(weights, axis=1)


def _classes(what, num_classes, label):
    count = label.size if num_classes is None else num_classes
    if not isinstance(count, int) or count < 2:
        raise ConfigError("%s: num_classes is %r, and must be 2 or more" % (what, count))
    return count


@layer_function
def hsigmoid(input, label, num_classes=None, name=None, bias_attr=None, param_attr=None,
             layer_attr=None):
    """-log of the label's probability by the nodes of a complete binary tree on the way to it."""
    name = layer_name(name, "hsigmoid")
    what = "layer %r" % name
    inputs = as_layers(input)
    attrs = per_input(param_attr, len(inputs), what + ": param_attr")
    classes = _classes(what, num_classes, label)

    def build(net, *values):
        value, weight = _joined(net, layer, inputs, values[:-1], classes - 1, attrs)
        slots = {"X": [value], "W": [weight], "Label": [values[-1]]}
        bias = net.bias(layer, [classes - 1], bias_attr)
        if bias is not None:
            slots["Bias"] = [fluid.layers.reshape(bias, [classes - 1, 1])]
        return append_op("hierarchical_sigmoid", slots, {"num_classes": classes},
                         also=("PreOut", "W_Out"))

    layer = LayerOutput(name, "hsigmoid", inputs + [label], size=1, build=build,
                        layer_attr=layer_attr, is_cost=True)
    return layer


@layer_function
def nce_layer(input, label, num_classes=None, param_attr=None, weight=None, num_neg_samples=10,
              neg_distribution=None, name=None, bias_attr=None, layer_attr=None, act=None):
    """Noise-contrastive estimation: the label told from num_neg_samples classes that are drawn, by
    neg_distribution or all alike. weight: a layer with a factor for each example."""
    name = layer_name(name, "nce_layer")
    what = "layer %r" % name
    if act is not None and not isinstance(act, SigmoidActivation):
        raise ConfigError("%s: act is %r, and can only be a SigmoidActivation()" % (what, act))
    inputs = as_layers(input)
    attrs = per_input(param_attr, len(inputs), what + ": param_attr")
    classes = _classes(what, num_classes, label)
    if neg_distribution is not None:
        if len(neg_distribution) != classes or abs(sum(neg_distribution) - 1.0) > 1e-5:
            raise ConfigError("%s: neg_distribution must have %d chances with the sum 1"
                              % (what, classes))
    more = [] if weight is None else [weight]

    def build(net, *values):
        value, matrix = _joined(net, layer, inputs, values[:len(inputs)], classes, attrs)
        slots = {"Input": [value], "Weight": [matrix], "Label": [values[len(inputs)]]}
        bias = net.bias(layer, [classes], bias_attr)
        if bias is not None:
            slots["Bias"] = [fluid.layers.reshape(bias, [classes, 1])]
        if more:
            slots["SampleWeight"] = [values[-1]]
        if neg_distribution is not None:
            alias, keep = _alias_tables([float(p) for p in neg_distribution])
            for slot, numbers, kind in (("CustomDistProbs", neg_distribution, "float32"),
                                        ("CustomDistAlias", alias, "int32"),
                                        ("CustomDistAliasProbs", keep, "float32")):
                slots[slot] = [fluid.layers.assign(numpy.array(numbers, kind))]
        return append_op("nce", slots,
                         {"num_total_classes": classes, "num_neg_samples": int(num_neg_samples),
                          "sampler": 0 if neg_distribution is None else 2}, out="Cost",
                         also=("SampleLogits", "SampleLabels"))

    layer = LayerOutput(name, "nce", inputs + [label] + more, size=1, build=build,
                        layer_attr=layer_attr, is_cost=True)
    return layer
