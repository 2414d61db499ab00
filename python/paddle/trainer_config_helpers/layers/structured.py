"""Costs of whole sequences of labels: conditional random fields and connectionist temporal
classification."""
import paddle.fluid as fluid

from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from .cost import cost_layer
from .ops import append_op
from .sequence import expect_sequence

__all__ = ["crf_layer", "crf_decoding_layer", "ctc_layer", "warp_ctc_layer"]


def _tags(name, input, size):
    if size is not None and size != input.size:
        raise ConfigError("layer %r: size is %s, and its input %r has size %s: one score for each "
                          "tag"
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
    it, and the tags are its output 'ids'. param_attr names the parameter of the crf_layer."""
    name = layer_name(name, "crf_decoding_layer")
    tags = _tags(name, input, size)

    def build(net, scores, *labels):
        for value in (scores,) + labels:
            expect_sequence("layer %r" % name, value, (1,))
        inputs = {"Emission": scores,
                  "Transition": net.weight(layer, 0, [tags + 2, tags], param_attr)}
        path = append_op("crf_decoding", inputs, dtype="int64", out="ViterbiPath")
        if not labels:
            return path
        net.keep(layer, "ids", path)
        return fluid.layers.cast(fluid.layers.not_equal(path, labels[0]), "float32")

    layer = LayerOutput(name, "crf_decoding", [input] + ([] if label is None else [label]),
                        size=1, build=build, layer_attr=layer_attr,
                        outputs=None if label is None else ["default", "ids"])
    return layer


def _ctc(name, kind, input, label, size, blank, norm_by_times, layer_attr, logits):
    what = "layer %r" % name
    size = label.size + 1 if size is None else size
    if input.size != size:
        raise ConfigError("%s: its input %r has size %s, and must have %s: the labels and the blank"
                          % (what, input.name, input.size, size))
    if not 0 <= blank < size:
        raise ConfigError("%s: blank is %r, and must be from 0 to %d" % (what, blank, size - 1))

    def build(net, scores, labels):
        for value in (scores, labels):
            expect_sequence(what, value, (1,))
        return append_op("warpctc", {"Logits": logits(scores), "Label": labels},
                         {"blank": blank, "norm_by_times": bool(norm_by_times)}, out="Loss",
                         also=("WarpCTCGrad",))
    return cost_layer(name, kind, [input, label], build, 1.0, None, layer_attr)


@layer_function
def ctc_layer(input, label, size=None, name=None, norm_by_times=False, layer_attr=None):
    """-log of how probable the labels are, whichever steps of `input`, a softmax, say them; its
    last column is the blank, which says nothing. norm_by_times: the gradient over the number of
    steps."""
    name = layer_name(name, "ctc_layer")
    return _ctc(name, "ctc", input, label, size, input.size - 1, norm_by_times, layer_attr,
                # Probabilities of 0 are kept off the logarithm, whose gradient has no number there.
                lambda p: fluid.layers.log(fluid.layers.clip(p, 1e-30, 1.0)))


@layer_function
def warp_ctc_layer(input, label, size=None, name=None, blank=0, norm_by_times=False,
                   layer_attr=None):
    """As ctc_layer, of an `input` that is no softmax yet, with the blank at any column."""
    name = layer_name(name, "warp_ctc_layer")
    return _ctc(name, "warp_ctc", input, label, size, blank, norm_by_times, layer_attr,
                lambda scores: scores)
