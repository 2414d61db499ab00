"""Costs of whole sequences of labels: conditional random fields and connectionist temporal
classification."""
import paddle.fluid as fluid

from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from .cost import cost_layer
from .sequence import append_op, expect_sequence

__all__ = ["crf_layer", "crf_decoding_layer", "ctc_layer", "warp_ctc_layer"]


def _tags(name, input, size):
    if size is not None and size != input.size:
        raise ConfigError("layer %r: size is %s, and its input %r has size %s: one score for each tag"
                          % (name, size, input.name, input.size))
    return input.size


@layer_function
def crf_layer(input, label, size=None, weight=None, param_attr=None, name=None, coeff=1.0,
              layer_attr=None):
    """-log of how probable the labels of each sequence are under a linear-chain conditional random
    field over the scores `input`. The parameter has the scores of the first tag, of the last one,
    and of each tag after each."""
    name = layer_name(name, "crf_layer")
    tags = _tags(name, input, size)

    def build(net, scores, labels):
        for value in (scores, labels):
            expect_sequence("layer %r" % name, value, (1,))
        transition = net.weight(layer, 0, [tags + 2, tags], param_attr)
        return append_op("linear_chain_crf",
                         {"Emission": scores, "Transition": transition, "Label": labels},
                         out="LogLikelihood", also=("Alpha", "EmissionExps", "TransitionExps"))

    layer = cost_layer(name, "crf", [input, label], build, coeff, weight, layer_attr)
    return layer


@layer_function
def crf_decoding_layer(input, size, label=None, param_attr=None, name=None, layer_attr=None):
    """The most probable tags of each sequence; with a label, 1 at each step where they differ from
    it. param_attr names the parameter of the crf_layer."""
    name = layer_name(name, "crf_decoding_layer")
    tags = _tags(name, input, size)

    def build(net, scores, *labels):
        for value in (scores,) + labels:
            expect_sequence("layer %r" % name, value, (1,))
        inputs = {"Emission": scores,
                  "Transition": net.weight(layer, 0, [tags + 2, tags], param_attr)}
        if not labels:
            return append_op("crf_decoding", inputs, dtype="int64", out="ViterbiPath")
        right = append_op("crf_decoding", dict(inputs, Label=labels[0]), dtype="int64",
                          out="ViterbiPath")
        return fluid.layers.scale(fluid.layers.cast(right, "float32"), -1.0, bias=1.0)

    layer = LayerOutput(name, "crf_decoding", [input] + ([] if label is None else [label]),
                        size=1, build=build, layer_attr=layer_attr)
    return layer


def _refused(name):
    raise ConfigError("%s: connectionist temporal classification has no op here yet; crf_layer is a "
                      "cost of whole sequences of labels that there is" % name)


@layer_function
def ctc_layer(input, label, size=None, name=None, norm_by_times=False, layer_attr=None):
    _refused("ctc_layer")


@layer_function
def warp_ctc_layer(input, label, size=None, name=None, blank=0, norm_by_times=False,
                   layer_attr=None):
    _refused("warp_ctc_layer")
