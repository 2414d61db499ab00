"""Layers of recurrent units over steps of one length, in one or both directions."""
import copy

from ... import layers
from ...layers.rnn_cells import BasicGRUUnit, BasicLSTMUnit, kept_where
from ...param_attr import ParamAttr

__all__ = ["BasicGRUUnit", "basic_gru", "BasicLSTMUnit", "basic_lstm"]


def _attr(attr, end):
    """With a name of its own for one layer, where a name was given."""
    if not attr:
        return attr
    attr = copy.deepcopy(ParamAttr._to_attr(attr))
    if attr.name is not None:
        attr.name += end
    return attr


def _units(make, name, num_layers, param_attr, bias_attr, reverse):
    which, short = ("_reverse_layers_", "_bw") if reverse else ("_layers_", "_fw")
    return [make(name + which + str(i), _attr(param_attr, "%s_w_%d" % (short, i)),
                 _attr(bias_attr, "%s_b_%d" % (short, i))) for i in range(num_layers)]


def _run(units, input, mask, inits, direction, size, dropout_prob):
    """(outputs of the last layer, the last states of all layers: for each kind, [layers, batch,
    size]). inits: for each kind the states before, [layers, directions, batch, size], or None."""
    firsts = [[None if init is None else init[i, direction] for init in inits]
              for i in range(len(units))]
    rnn = layers.StaticRNN()
    with rnn.step():
        step = rnn.step_input(input)
        within = rnn.step_input(mask) if mask is not None else None
        for i, unit in enumerate(units):
            before = [rnn.memory(init=first) if first is not None else
                      rnn.memory(batch_ref=input, shape=[-1, size], ref_batch_dim_idx=1)
                      for first in firsts[i]]
            states = unit(step, *before)
            states = list(states) if isinstance(states, (list, tuple)) else [states]
            if within is not None:
                states = [kept_where(within, new, old) for new, old in zip(states, before)]
            for old, new in zip(before, states):
                rnn.update_memory(old, new)
            for new in states:
                rnn.step_output(new)
            step = states[0]
            if dropout_prob is not None and dropout_prob > 0.0:
                step = layers.dropout(step, dropout_prob=dropout_prob)
        rnn.step_output(step)
    made = rnn()
    kinds, last = len(inits), [x[-1] for x in made[:-1]]
    finals = [layers.reshape(layers.concat(last[kind::kinds], axis=0),
                             shape=[len(units), -1, size]) for kind in range(kinds)]
    return made[-1], finals


def _layered(make, name, input, inits, size, num_layers, sequence_length, dropout_prob,
             bidirectional, batch_first, param_attr, bias_attr):
    """[outputs, last states of each kind]"""
    directions = 2 if bidirectional else 1
    both = [_units(make, name, num_layers, param_attr, bias_attr, reverse)
            for reverse in (False, True)[:directions]]
    if batch_first:
        input = layers.transpose(input, [1, 0, 2])
    mask = None
    if sequence_length is not None:
        longest = layers.shape(input)[0]
        mask = layers.transpose(
            layers.sequence_mask(sequence_length, maxlen=longest, dtype="float32"), [1, 0])
    inits = [None if init is None else
             layers.reshape(init, shape=[num_layers, directions, -1, size]) for init in inits]
    out, finals = _run(both[0], input, mask, inits, 0, size, dropout_prob)
    if bidirectional:
        turned = layers.reverse(input, axis=[0])
        turned_mask = layers.reverse(mask, axis=[0]) if mask is not None else None
        back, back_finals = _run(both[1], turned, turned_mask, inits, 1, size, dropout_prob)
        out = layers.concat([out, layers.reverse(back, axis=[0])], axis=2)
        finals = [layers.reshape(layers.concat(pair, axis=1),
                                 shape=[num_layers * directions, -1, size])
                  for pair in zip(finals, back_finals)]
    if batch_first:
        out = layers.transpose(out, [1, 0, 2])
    return [out] + finals


def basic_gru(input, init_hidden, hidden_size, num_layers=1, sequence_length=None,
              dropout_prob=0.0, bidirectional=False, batch_first=True, param_attr=None,
              bias_attr=None, gate_activation=None, activation=None, dtype="float32",
              name="basic_gru"):
    """Layers of gated recurrent units: (outputs of all steps, last states)."""
    def make(scope, weights, biases):
        return BasicGRUUnit(scope, hidden_size, weights, biases, gate_activation, activation,
                            dtype)
    return tuple(_layered(make, name, input, [init_hidden], hidden_size, num_layers,
                          sequence_length, dropout_prob, bidirectional, batch_first, param_attr,
                          bias_attr))


def basic_lstm(input, init_hidden, init_cell, hidden_size, num_layers=1, sequence_length=None,
               dropout_prob=0.0, bidirectional=False, batch_first=True, param_attr=None,
               bias_attr=None, gate_activation=None, activation=None, forget_bias=1.0,
               dtype="float32", name="basic_lstm"):
    """Layers of long short-term memory: (outputs of all steps, last states, last cells)."""
    def make(scope, weights, biases):
        return BasicLSTMUnit(scope, hidden_size, weights, biases, gate_activation, activation,
                             forget_bias, dtype)
    return tuple(_layered(make, name, input, [init_hidden, init_cell], hidden_size, num_layers,
                          sequence_length, dropout_prob, bidirectional, batch_first, param_attr,
                          bias_attr))
