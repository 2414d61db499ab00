"""Recurrent layers: over whole sequences, and single steps for the inside of recurrent groups."""
import paddle.fluid as fluid

from ..activations import BaseActivation, SigmoidActivation, TanhActivation
from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from .mixed import dotmul_operator, full_matrix_projection, identity_projection, mixed_layer
from .ops import append_op
from .sequence import over_steps

__all__ = ["lstmemory", "grumemory", "recurrent_layer", "lstm_step_layer", "gru_step_layer",
           "gru_step_naive_layer", "get_output_layer"]


def cell_act(name, what, act, default):
    """The name by which recurrent ops know an activation."""
    act = default() if act is None else act
    if not isinstance(act, BaseActivation) or not (act.support_hppl or act.name == ""):
        raise ConfigError("layer %r: %s is %r; inside a recurrent unit it may be sigmoid, tanh, "
                          "relu or linear" % (name, what, act))
    return act.name or "identity"


def state_size(name, input, parts, size):
    """The size of the state of a unit whose input has `parts` parts."""
    if input.size is None or input.size % parts:
        raise ConfigError("layer %r: its input %r has size %s, and must be %d times the layer's: "
                          "one part for each gate" % (name, input.name, input.size, parts))
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
        weight = net.weight(layer, 0, [size, 4 * size], param_attr, dims=[size, size, 4])
        bias = net.bias(layer, [1, 7 * size], bias_attr, dims=[1, 7 * size])
        if bias is None:
            bias = fluid.layers.fill_constant([1, 4 * size], "float32", 0.0)
        return over_steps("layer %r" % name, value, lambda steps: append_op(
            "lstm", {"Input": steps, "Weight": weight, "Bias": bias}, attrs, out="Hidden",
            also=("Cell", "BatchGate", "BatchCellPreAct")))

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
        inputs = {"Weight": net.weight(layer, 0, [size, 3 * size], param_attr)}
        bias = net.bias(layer, [1, 3 * size], bias_attr, dims=[1, 3 * size])
        if bias is not None:
            inputs["Bias"] = bias
        return over_steps("layer %r" % name, value, lambda steps: append_op(
            "gru", dict(inputs, Input=steps), attrs, out="Hidden",
            also=("BatchGate", "BatchResetHiddenPrev", "BatchHidden")))

    layer = LayerOutput(name, "gated_recurrent", [input], size=size, build=build,
                        layer_attr=layer_attr, reverse=reverse)
    return layer


@layer_function
def recurrent_layer(input, act=None, bias_attr=None, param_attr=None, name=None, reverse=False,
                    layer_attr=None):
    """out[t] = act(input[t] + out[t - 1] W + bias)"""
    name = layer_name(name, "recurrent_layer")
    act, size = TanhActivation() if act is None else act, input.size

    def build(net, value):
        weight = net.weight(layer, 0, [size, size], param_attr)
        return over_steps("layer %r" % name, net.add_bias(layer, value, bias_attr),
                          lambda steps: run(steps, weight))

    def run(steps, weight):
        rnn = fluid.layers.DynamicRNN()
        steps = fluid.layers.sequence_reverse(steps) if reverse else steps
        with rnn.block():
            step = rnn.step_input(steps)
            before = rnn.memory(shape=[size], value=0.0)
            out = act.apply(fluid.layers.sums([step, fluid.layers.mul(before, weight)]))
            rnn.update_memory(before, out)
            rnn.output(out)
        return fluid.layers.sequence_reverse(rnn()) if reverse else rnn()

    layer = LayerOutput(name, "recurrent", [input], size=size, build=build, layer_attr=layer_attr,
                        reverse=reverse)
    return layer


@layer_function
def lstm_step_layer(input, state, size=None, act=None, name=None, gate_act=None, state_act=None,
                    bias_attr=None, layer_attr=None):
    """One step of lstmemory: the input has what comes from the state before in it already. The
    bias has three parts, by which i, f and o see the cell. get_output_layer(.., 'state') gives
    the cell."""
    name = layer_name(name, "lstm_step")
    size = state_size(name, input, 4, state.size if size is None else size)
    act = TanhActivation() if act is None else act
    gate = SigmoidActivation() if gate_act is None else gate_act
    state_act = TanhActivation() if state_act is None else state_act

    def build(net, value, before):
        candidate, i, f, o = fluid.layers.split(value, 4, dim=1)
        see = net.bias(layer, [3 * size], bias_attr)
        sees = [None] * 3 if see is None else fluid.layers.split(see, 3, dim=0)

        def gated(part, cell, weight):
            if weight is not None:
                part = fluid.layers.sums([part, fluid.layers.elementwise_mul(cell, weight, axis=1)])
            return gate.apply(part)
        multiply = fluid.layers.elementwise_mul
        cell = fluid.layers.sums([multiply(gated(f, before, sees[1]), before),
                                  multiply(gated(i, before, sees[0]), act.apply(candidate))])
        net.keep(layer, "state", cell)
        return multiply(gated(o, cell, sees[2]), state_act.apply(cell))

    layer = LayerOutput(name, "lstm_step", [input, state], size=size, build=build,
                        layer_attr=layer_attr, outputs=["default", "state"])
    return layer


_UNIT_ACTIVATIONS = {"identity": 0, "sigmoid": 1, "tanh": 2, "relu": 3}


@layer_function
def gru_step_layer(input, output_mem, size=None, act=None, name=None, gate_act=None,
                   bias_attr=None, param_attr=None, layer_attr=None):
    """One step of grumemory; output_mem: the memory of this layer."""
    name = layer_name(name, "gru_step")
    size = state_size(name, input, 3, output_mem.size if size is None else size)
    acts = {"activation": _UNIT_ACTIVATIONS[cell_act(name, "act", act, TanhActivation)],
            "gate_activation": _UNIT_ACTIVATIONS[cell_act(name, "gate_act", gate_act,
                                                          SigmoidActivation)]}

    def build(net, value, before):
        inputs = {"Input": value, "HiddenPrev": before,
                  "Weight": net.weight(layer, 0, [size, 3 * size], param_attr)}
        bias = net.bias(layer, [1, 3 * size], bias_attr, dims=[1, 3 * size])
        if bias is not None:
            inputs["Bias"] = bias
        return append_op("gru_unit", inputs, acts, out="Hidden", also=("Gate", "ResetHiddenPrev"))

    layer = LayerOutput(name, "gru_step", [input, output_mem], size=size, build=build,
                        layer_attr=layer_attr)
    return layer


@layer_function
def gru_step_naive_layer(input, output_mem, size=None, name=None, act=None, gate_act=None,
                         bias_attr=None, param_attr=None, layer_attr=None):
    """gru_step_layer as mixed layers, so that error clipping and dropout are of each gate. Each
    has its own parameters, so the attributes may not name them."""
    name = layer_name(name, "gru_step_naive")
    size = state_size(name, input, 3, output_mem.size if size is None else size)
    for what, attr in (("bias_attr", bias_attr), ("param_attr", param_attr)):
        if getattr(attr, "name", None) is not None:
            raise ConfigError("layer %r: %s names a parameter, and the three gates must not share "
                              "it"
                              % (name, what))
    act = TanhActivation() if act is None else act
    gate_act = SigmoidActivation() if gate_act is None else gate_act
    bias_attr = True if bias_attr is None else bias_attr

    def gate(what, offset, state, gate_act):
        return mixed_layer(size, [identity_projection(input, offset=offset, size=size),
                                  full_matrix_projection(state, param_attr=param_attr)],
                           name="%s_%s" % (name, what), act=gate_act, bias_attr=bias_attr,
                           layer_attr=layer_attr)

    update = gate("update", 0, output_mem, gate_act)
    reset = gate("reset", size, output_mem, gate_act)
    kept = mixed_layer(size, dotmul_operator(output_mem, reset), name=name + "_reset_output")
    candidate = gate("output_candidate", 2 * size, kept, act)
    return mixed_layer(size, [identity_projection(output_mem),
                              dotmul_operator(output_mem, update, -1.0),
                              dotmul_operator(candidate, update)], name=name)


@layer_function
def get_output_layer(input, arg_name, name=None, layer_attr=None):
    """Another output of a layer than its first: 'state' of lstm_step_layer."""
    name = layer_name(name, "get_output_layer")
    if arg_name not in input.outputs:
        raise ConfigError("layer %r: the layer %r has no output %r (it has %s)"
                          % (name, input.name, arg_name, ", ".join(input.outputs)))
    return LayerOutput(name, "get_output", [input], size=input.size, layer_attr=layer_attr,
                       build=lambda net, value: value if arg_name == "default"
                       else net.kept(input, arg_name))
