"""Cells of recurrent networks, and rnn(), which runs one over steps of one length."""
import copy

from .. import unique_name
from ..layer_helper import LayerHelper
from ..param_attr import ParamAttr
from . import utils

__all__ = ["RNNCell", "GRUCell", "LSTMCell", "rnn"]


def _layers():
    from .. import layers  # which imports this module
    return layers


def kept_where(mask, new, old):
    """new where the mask, of one number a row, is 1, and old where it is 0."""
    layers = _layers()
    return (layers.elementwise_mul(new, mask, axis=0)
            - layers.elementwise_mul(old, mask - 1, axis=0))


# ---- units: the step of a cell, with its parameters ----

class Unit:
    """Parameters that are made when it is first called, and the step that uses them."""

    def __init__(self, name_scope, hidden_size, param_attr, bias_attr, gate_activation, activation,
                 dtype):
        layers = _layers()
        self._full_name = unique_name.generate(name_scope + "/" + type(self).__name__)
        self._helper = LayerHelper(type(self).__name__, name=self._full_name)
        self._size, self._dtype = hidden_size, dtype
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self._gate_activation = gate_activation or layers.sigmoid
        self._activation = activation or layers.tanh
        self._parameters = None

    def full_name(self):
        """What its parameters are called after."""
        return self._full_name

    def parameters(self):
        """Those it has, once it has been called."""
        return [p for p in self._parameters or [] if p is not None]

    def _attr(self, attr, part):
        """Of one of several parameters: a name that was given gets the part's at its end."""
        if attr is False:
            return False
        attr = copy.deepcopy(ParamAttr._to_attr(attr))
        if attr.name is not None and part:
            attr.name += "_" + part
        return attr

    def _weight(self, shape, part=""):
        return self._helper.create_parameter(self._attr(self._param_attr, part), shape, self._dtype)

    def _bias(self, shape, part=""):
        attr = self._attr(self._bias_attr, part)
        if attr is False:
            return None
        return self._helper.create_parameter(attr, shape, self._dtype, is_bias=True)

    def _project(self, parts, weight, bias):
        layers = _layers()
        product = layers.matmul(layers.concat(parts, 1), weight)
        return product if bias is None else layers.elementwise_add(product, bias)

    def __call__(self, input, *states):
        if self._parameters is None:
            self._parameters = self._build(input.shape[-1])
        return self.forward(input, *states)


class BasicGRUUnit(Unit):
    """One step of gated recurrent units: (input, state) to the next state."""

    def __init__(self, name_scope, hidden_size, param_attr=None, bias_attr=None,
                 gate_activation=None, activation=None, dtype="float32"):
        Unit.__init__(self, name_scope, hidden_size, param_attr, bias_attr, gate_activation,
                      activation, dtype)

    def _build(self, width):
        size = self._size
        return [self._weight([width + size, 2 * size], "gate"),
                self._weight([width + size, size], "candidate"),
                self._bias([2 * size], "gate"), self._bias([size], "candidate")]

    def forward(self, input, pre_hidden):
        layers = _layers()
        gate_weight, weight, gate_bias, bias = self._parameters
        gates = self._gate_activation(self._project([input, pre_hidden], gate_weight, gate_bias))
        r, u = layers.split(gates, num_or_sections=2, dim=1)
        c = self._activation(self._project([input, r * pre_hidden], weight, bias))
        return u * pre_hidden + (1 - u) * c


class BasicLSTMUnit(Unit):
    """One step of long short-term memory: (input, state, cell) to the next state and cell."""

    def __init__(self, name_scope, hidden_size, param_attr=None, bias_attr=None,
                 gate_activation=None, activation=None, forget_bias=1.0, dtype="float32"):
        Unit.__init__(self, name_scope, hidden_size, param_attr, bias_attr, gate_activation,
                      activation, dtype)
        self._forget_bias = _layers().fill_constant([1], dtype=dtype, value=forget_bias)
        self._forget_bias.stop_gradient = False

    def _build(self, width):
        return [self._weight([width + self._size, 4 * self._size]), self._bias([4 * self._size])]

    def forward(self, input, pre_hidden, pre_cell):
        layers = _layers()
        gate, act = self._gate_activation, self._activation
        i, j, f, o = layers.split(self._project([input, pre_hidden], *self._parameters),
                                  num_or_sections=4, dim=-1)
        kept = layers.elementwise_mul(pre_cell,
                                      gate(layers.elementwise_add(f, self._forget_bias)))
        cell = layers.elementwise_add(kept, layers.elementwise_mul(gate(i), act(j)))
        return act(cell) * gate(o), cell


# ---- cells ----

def _is_shape(value):
    return isinstance(value, (list, tuple)) and all(isinstance(n, int) for n in value)


def _map_shapes(function, shapes, *others):
    """function of each shape, and of what stands at its place in the others."""
    if _is_shape(shapes):
        return function(shapes, *others)
    if isinstance(shapes, dict):
        return {key: _map_shapes(function, shapes[key],
                                 *[o[key] if isinstance(o, dict) else o for o in others])
                for key in sorted(shapes)}
    parts = [_map_shapes(function, shape, *[o[i] if utils.is_sequence(o) else o for o in others])
             for i, shape in enumerate(shapes)]
    if hasattr(shapes, "_fields"):
        return type(shapes)(*parts)
    return type(shapes)(parts)


class RNNCell:
    """What cells have in common: call() takes (inputs, states) to (outputs, new states)."""

    def call(self, inputs, states, **kwargs):
        raise NotImplementedError("%s must have call(self, inputs, states, **kwargs)"
                                  % type(self).__name__)

    def __call__(self, inputs, states, **kwargs):
        return self.call(inputs, states, **kwargs)

    def get_initial_states(self, batch_ref, shape=None, dtype="float32", init_value=0,
                           batch_dim_idx=0):
        """States of one value, for as many rows as batch_ref has in dimension batch_dim_idx."""
        layers = _layers()
        batch_ref = utils.flatten(batch_ref)[0]
        shapes = self.state_shape if shape is None else shape
        try:
            dtypes = self.state_dtype if shape is None else dtype
        except NotImplementedError:
            dtypes = dtype

        def made(one, of):
            one = list(one)
            return layers.fill_constant_batch_size_like(
                input=batch_ref, shape=one if one and one[0] == -1 else [-1] + one, dtype=of,
                value=init_value, input_dim_idx=batch_dim_idx)
        return _map_shapes(made, shapes, dtypes)

    @property
    def state_shape(self):
        """Shapes of the states, without the batch."""
        raise NotImplementedError("%s must have state_shape, for get_initial_states to know it"
                                  % type(self).__name__)

    @property
    def state_dtype(self):
        """Their types."""
        raise NotImplementedError("%s has no state_dtype" % type(self).__name__)


class GRUCell(RNNCell):
    """Gated recurrent units; its output is its state."""

    def __init__(self, hidden_size, param_attr=None, bias_attr=None, gate_activation=None,
                 activation=None, dtype="float32", name="GRUCell"):
        self.hidden_size = hidden_size
        self.gru_unit = BasicGRUUnit(name, hidden_size, param_attr, bias_attr, gate_activation,
                                     activation, dtype)

    def call(self, inputs, states):
        new_hidden = self.gru_unit(inputs, states)
        return new_hidden, new_hidden

    @property
    def state_shape(self):
        return [self.hidden_size]


class LSTMCell(RNNCell):
    """Long short-term memory; its states are [state, cell], its output is the state."""

    def __init__(self, hidden_size, param_attr=None, bias_attr=None, gate_activation=None,
                 activation=None, forget_bias=1.0, dtype="float32", name="LSTMCell"):
        self.hidden_size = hidden_size
        self.lstm_unit = BasicLSTMUnit(name, hidden_size, param_attr, bias_attr, gate_activation,
                                       activation, forget_bias, dtype)

    def call(self, inputs, states):
        new_hidden, new_cell = self.lstm_unit(inputs, *states)
        return new_hidden, [new_hidden, new_cell]

    @property
    def state_shape(self):
        return [[self.hidden_size], [self.hidden_size]]


# ---- a cell over steps ----

def _swapped(x):
    """Batch and time exchanged."""
    return _layers().transpose(x, [1, 0] + list(range(2, len(x.shape))))


def _mask_of(inputs, sequence_length, dtype):
    """[steps, batch]: 1 where a step is within its sequence."""
    layers = _layers()
    longest = layers.shape(utils.flatten(inputs)[0])[0]
    mask = layers.sequence_mask(sequence_length, maxlen=longest, dtype=dtype)
    return layers.transpose(mask, [1, 0])


def rnn(cell, inputs, initial_states=None, sequence_length=None, time_major=False,
        is_reverse=False, **kwargs):
    """The cell over the steps of inputs, [batch, steps, ...]: (outputs of all steps, last states).
    Past its sequence_length a row keeps its states; its outputs there are those of the cell."""
    layers = _layers()
    if initial_states is None:
        initial_states = cell.get_initial_states(batch_ref=inputs,
                                                 batch_dim_idx=1 if time_major else 0)
    for state in utils.flatten(initial_states):
        state.stop_gradient = False
    if not time_major:
        inputs = utils.map_structure(_swapped, inputs)
    mask = None
    if sequence_length is not None:
        mask = _mask_of(inputs, sequence_length, utils.flatten(initial_states)[0].dtype)
    if is_reverse:
        inputs = utils.map_structure(lambda x: layers.reverse(x, axis=[0]), inputs)
        mask = layers.reverse(mask, axis=[0]) if mask is not None else None
    steps = layers.StaticRNN()
    with steps.step():
        now = utils.map_structure(steps.step_input, inputs)
        states = utils.map_structure(lambda x: steps.memory(init=x), initial_states)
        outputs, new_states = cell.call(now, utils.copy_mutable_vars(states), **kwargs)
        utils.assert_same_structure(states, new_states, check_types=False)
        if mask is not None:
            within = steps.step_input(mask)
            new_states = utils.map_structure(lambda old, new: kept_where(within, new, old), states,
                                             new_states)
        utils.map_structure(steps.update_memory, states, new_states)
        flat_outputs, flat_states = utils.flatten(outputs), utils.flatten(new_states)
        for var in flat_outputs + flat_states:
            steps.step_output(var)
    made = steps()
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    final_states = utils.pack_sequence_as(new_states, [x[-1] for x in made[len(flat_outputs):]])
    final_outputs = utils.pack_sequence_as(outputs, made[:len(flat_outputs)])
    if is_reverse:
        final_outputs = utils.map_structure(lambda x: layers.reverse(x, axis=[0]), final_outputs)
    if not time_major:
        final_outputs = utils.map_structure(_swapped, final_outputs)
    return final_outputs, final_states
