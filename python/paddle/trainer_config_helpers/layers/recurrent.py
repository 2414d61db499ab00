"""Recurrent layers that are one op: whole sequences at a time."""
import paddle.fluid as fluid

from ..activations import BaseActivation, SigmoidActivation, TanhActivation
from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from .sequence import append_op, expect_sequence

__all__ = ["lstmemory", "grumemory"]


def cell_act(name, what, act, default):
    """The name by which recurrent ops know an activation."""
    act = default() if act is None else act
    if not isinstance(act, BaseActivation) or not (act.support_hppl or act.name == ""):
        raise ConfigError("layer %r: %s is %r; inside a recurrent unit it may be sigmoid, tanh, relu "
                          "or linear" % (name, what, act))
    return act.name or "identity"


def state_size(name, input, parts, size):
    """The size of the state of a unit whose input has `parts` parts."""
    if input.size is None or input.size % parts:
        raise ConfigError("layer %r: its input %r has size %s, and must be %d times the layer's: one "
                          "part for each gate" % (name, input.name, input.size, parts))
    if size is not None and size * parts != input.size:
        raise ConfigError("layer %r: size is %s, and its input %r has size %d: it must be %d"
                          % (name, size, input.name, input.size, parts * size))
    return input.size // parts


@layer_function
def lstmemory(input, name=None, size=None, reverse=False, act=None, gate_act=None, state_act=None,
              bias_attr=None, param_attr=None, layer_attr=None):
    """Long short-term memory. The input is the sum of what comes from below for the candidate and
    the gates i, f, o, each of the layer's size. The bias has seven parts: four for those, and
    three by which i, f and o see the cell; without it (False) they do not."""
    name = layer_name(name, "lstmemory")
    size = state_size(name, input, 4, size)
    attrs = {"is_reverse": bool(reverse), "use_peepholes": bias_attr is not False,
             "candidate_activation": cell_act(name, "act", act, TanhActivation),
             "gate_activation": cell_act(name, "gate_act", gate_act, SigmoidActivation),
             "cell_activation": cell_act(name, "state_act", state_act, TanhActivation)}

    def build(net, value):
        expect_sequence("layer %r" % name, value, (1,))
        weight = net.weight(layer, 0, [size, 4 * size], param_attr, dims=[size, size, 4])
        bias = net.bias(layer, [1, 7 * size], bias_attr, dims=[1, 7 * size])
        if bias is None:
            bias = fluid.layers.fill_constant([1, 4 * size], "float32", 0.0)
        return append_op("lstm", {"Input": value, "Weight": weight, "Bias": bias}, attrs,
                         out="Hidden", also=("Cell", "BatchGate", "BatchCellPreAct"))

    layer = LayerOutput(name, "lstmemory", [input], size=size, build=build, layer_attr=layer_attr,
                        reverse=reverse)
    return layer


@layer_function
def grumemory(input, size=None, name=None, reverse=False, act=None, gate_act=None, bias_attr=None,
              param_attr=None, layer_attr=None):
    """Gated recurrent units. The input is what comes from below for the gates u (update), r (reset)
    and the candidate, each of the layer's size."""
    name = layer_name(name, "gru")
    size = state_size(name, input, 3, size)
    attrs = {"is_reverse": bool(reverse),
             "activation": cell_act(name, "act", act, TanhActivation),
             "gate_activation": cell_act(name, "gate_act", gate_act, SigmoidActivation)}

    def build(net, value):
        expect_sequence("layer %r" % name, value, (1,))
        inputs = {"Input": value, "Weight": net.weight(layer, 0, [size, 3 * size], param_attr)}
        bias = net.bias(layer, [1, 3 * size], bias_attr, dims=[1, 3 * size])
        if bias is not None:
            inputs["Bias"] = bias
        return append_op("gru", inputs, attrs, out="Hidden",
                         also=("BatchGate", "BatchResetHiddenPrev", "BatchHidden"))

    layer = LayerOutput(name, "gated_recurrent", [input], size=size, build=build,
                        layer_attr=layer_attr, reverse=reverse)
    return layer
