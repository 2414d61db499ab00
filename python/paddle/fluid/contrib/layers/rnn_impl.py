"""basic_gru and basic_lstm of fluid.contrib: stacked recurrent layers, one way or both, made of
StaticRNN."""
import copy

from ... import layers, unique_name
from ...layer_helper import LayerHelper
from ...param_attr import ParamAttr

__all__ = ["basic_gru", "basic_lstm"]


def _suffixed(attr, suffix):
    """The attribute with its name, where it has one, made another parameter's."""
    attr = copy.deepcopy(attr)
    if isinstance(attr, ParamAttr) and attr.name is not None:
        attr.name += suffix
    return attr


class _Unit:
    """One step of one layer. Its parameters are made when it first runs."""
    kind, states = None, 1

    def __init__(self, scope, hidden_size, param_attr, bias_attr, gate, activation, dtype):
        self.name = unique_name.generate("%s/%s" % (scope, self.kind))
        self.size, self.dtype = hidden_size, dtype
        self.param_attr, self.bias_attr = param_attr, bias_attr
        self.gate, self.activation = gate or layers.sigmoid, activation or layers.tanh
        self.parameters = None

    def make(self, shapes):
        """Weights of these widths by their inputs, then as many biases."""
        helper = LayerHelper(self.kind, name=self.name)
        self.parameters = [
            helper.create_parameter(ParamAttr._to_attr(_suffixed(self.param_attr, suffix)),
                                    shape, self.dtype) for suffix, shape in shapes]
        self.parameters += [
            helper.create_parameter(ParamAttr._to_attr(_suffixed(self.bias_attr, suffix)),
                                    [shape[1]], self.dtype, is_bias=True)
            for suffix, shape in shapes]


class _GRUUnit(_Unit):
    kind = "BasicGRUUnit"

    def __call__(self, x, hidden):
        width = x.shape[-1] + self.size
        if self.parameters is None:
            self.make([("_gate", [width, 2 * self.size]), ("_candidate", [width, self.size])])
        gate_w, candidate_w, gate_b, candidate_b = self.parameters
        gates = layers.elementwise_add(
            layers.matmul(layers.concat([x, hidden], 1), gate_w), gate_b)
        reset, update = layers.split(self.gate(gates), num_or_sections=2, dim=1)
        seen = reset * hidden
        candidate = self.activation(layers.elementwise_add(
            layers.matmul(layers.concat([x, seen], 1), candidate_w), candidate_b))
        return (update * hidden + (1 - update) * candidate,)


class _LSTMUnit(_Unit):
    kind, states = "BasicLSTMUnit", 2

    def __init__(self, *args, **kwargs):
        forget_bias = kwargs.pop("forget_bias")
        super().__init__(*args, **kwargs)
        self.forget_bias = layers.fill_constant([1], dtype=self.dtype, value=forget_bias)
        self.forget_bias.stop_gradient = False

    def __call__(self, x, hidden, cell):
        if self.parameters is None:
            self.make([("", [x.shape[-1] + self.size, 4 * self.size])])
        w, b = self.parameters
        gates = layers.elementwise_add(layers.matmul(layers.concat([x, hidden], 1), w), b)
        enter, value, forget, leave = layers.split(gates, num_or_sections=4, dim=-1)
        kept = layers.elementwise_mul(
            cell, self.gate(layers.elementwise_add(forget, self.forget_bias)))
        cell = layers.elementwise_add(
            kept, layers.elementwise_mul(self.gate(enter), self.activation(value)))
        return self.activation(cell) * self.gate(leave), cell


def _one_way(units, x, mask, starts, dropout_prob):
    """(outputs [time, batch, size], the last of each state [layers, batch, size])."""
    size, states = units[0].size, units[0].states
    rnn = layers.StaticRNN()
    with rnn.step():
        step = rnn.step_input(x)
        step_mask = rnn.step_input(mask) if mask is not None else None
        for unit, start in zip(units, starts):
            before = [rnn.memory(init=value) if value is not None
                      else rnn.memory(batch_ref=x, shape=[-1, size]) for value in start]
            after = unit(step, *before)
            if step_mask is not None:  # a sequence that has ended keeps its state
                after = [layers.elementwise_mul(new, step_mask, axis=0)
                         - layers.elementwise_mul(old, (step_mask - 1), axis=0)
                         for old, new in zip(before, after)]
            for old, new in zip(before, after):
                rnn.update_memory(old, new)
                rnn.step_output(new)
            step = after[0]
            if dropout_prob > 0:
                step = layers.dropout(step, dropout_prob=dropout_prob,
                                      dropout_implementation="upscale_in_train")
        rnn.step_output(step)
    outputs = rnn()
    last = [out[-1] for out in outputs[:-1]]
    finals = []
    for state in range(states):
        final = layers.concat(last[state::states], axis=0)
        finals.append(layers.reshape(final, [len(units), -1, size]))
    return outputs[-1], finals


def _both_ways(unit, input, inits, hidden_size, num_layers, sequence_length, dropout_prob,
               bidirectional, batch_first, param_attr, bias_attr, name):
    """unit: makes the unit of (scope, parameter attribute, bias attribute)."""
    directions = [("fw", "_layers_")] + ([("bw", "_reverse_layers_")] if bidirectional else [])
    units = [[unit("%s%s%d" % (name, scope, i), _suffixed(param_attr, "_%s_w_%d" % (way, i)),
                   _suffixed(bias_attr, "_%s_b_%d" % (way, i))) for i in range(num_layers)]
             for way, scope in directions]
    x, mask = layers.transpose(input, [1, 0, 2]) if batch_first else input, None
    if sequence_length is not None:
        mask = layers.sequence_mask(sequence_length, maxlen=layers.shape(x)[0], dtype="float32")
        mask = layers.transpose(mask, [1, 0])
    inits = [None if init is None else
             layers.reshape(init, [num_layers, len(directions), -1, hidden_size]) for init in inits]
    outputs, finals = [], []
    for d, of_direction in enumerate(units):
        if d == 1:
            x = layers.reverse(x, axis=[0])
            mask = mask if mask is None else layers.reverse(mask, axis=[0])
        starts = [[None if init is None else init[i, d] for init in inits]
                  for i in range(num_layers)]
        out, final = _one_way(of_direction, x, mask, starts, dropout_prob)
        outputs.append(layers.reverse(out, axis=[0]) if d == 1 else out)
        finals.append(final)
    out, final = outputs[0], finals[0]
    if bidirectional:
        out = layers.concat(outputs, axis=2)
        final = []
        for pair in zip(*finals):
            both = layers.concat(list(pair), axis=1)
            final.append(layers.reshape(both, [num_layers * 2, -1, hidden_size]))
    if batch_first:
        out = layers.transpose(out, [1, 0, 2])
    return tuple([out] + final)


def basic_gru(input, init_hidden, hidden_size, num_layers=1, sequence_length=None,
              dropout_prob=0.0, bidirectional=False, batch_first=True, param_attr=None,
              bias_attr=None, gate_activation=None, activation=None, dtype="float32",
              name="basic_gru"):
    """(outputs, last hidden) of num_layers GRU layers over input [batch, time, width], or without
    batch_first [time, batch, width]. sequence_length: [batch], what follows keeps the state.
    init_hidden: [layers x ways, batch, hidden_size]; None: zeros."""
    def unit(scope, weights, bias):
        return _GRUUnit(scope, hidden_size, weights, bias, gate_activation, activation, dtype)
    return _both_ways(unit, input, [init_hidden], hidden_size, num_layers, sequence_length,
                      dropout_prob, bidirectional, batch_first, param_attr, bias_attr, name)


def basic_lstm(input, init_hidden, init_cell, hidden_size, num_layers=1, sequence_length=None,
               dropout_prob=0.0, bidirectional=False, batch_first=True, param_attr=None,
               bias_attr=None, gate_activation=None, activation=None, forget_bias=1.0,
               dtype="float32", name="basic_lstm"):
    """(outputs, last hidden, last cell) of num_layers LSTM layers; as basic_gru, with forget_bias
    added to the gate that forgets."""
    def unit(scope, weights, bias):
        return _LSTMUnit(scope, hidden_size, weights, bias, gate_activation, activation, dtype,
                         forget_bias=forget_bias)
    return _both_ways(unit, input, [init_hidden, init_cell], hidden_size, num_layers,
                      sequence_length, dropout_prob, bidirectional, batch_first, param_attr,
                      bias_attr, name)
