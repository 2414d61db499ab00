"""Decoders over sequences with a LoD: one StateCell says how a state follows from the one before,
TrainingDecoder runs it over the words that are known, BeamSearchDecoder over those it finds."""
import contextlib

from ... import layers, unique_name
from ...core import VarDesc
from ...framework import Variable, default_main_program
from ...layer_helper import LayerHelper

__all__ = ["InitState", "StateCell", "TrainingDecoder", "BeamSearchDecoder"]


def _parent_block():
    """The block around the one that is being built."""
    program = default_main_program()
    parent = program.current_block().parent_idx
    if parent < 0:
        raise ValueError("this must be called inside the decoder's block()")
    return program.block(parent)


class InitState:
    """What a state is at the beginning: a Variable, or one value in the batch of init_boot."""

    def __init__(self, init=None, shape=None, value=0.0, init_boot=None, need_reorder=False,
                 dtype="float32"):
        if init is None and init_boot is None:
            raise ValueError("InitState: give init, or init_boot, whose batch size it takes")
        if init is None:
            init = layers.fill_constant_batch_size_like(input=init_boot, value=value, shape=shape,
                                                        dtype=dtype)
        self._init, self._shape, self._value = init, shape, value
        self._need_reorder, self._dtype = need_reorder, dtype

    @property
    def value(self):
        return self._init

    @property
    def need_reorder(self):
        return self._need_reorder


class _MemoryState:
    """A state in a TrainingDecoder: a memory of its DynamicRNN."""

    def __init__(self, rnn, init):
        self._rnn = rnn
        self._memory = rnn.memory(init=init.value, need_reorder=init.need_reorder)

    def get_state(self):
        return self._memory

    def update_state(self, state):
        self._rnn.update_memory(self._memory, state)


class _ArrayState:
    """A state in a BeamSearchDecoder: an array, and how far it is written."""

    def __init__(self, init):
        block = _parent_block()
        self._array = block.create_var(name=unique_name.generate("array_state_array"),
                                       type=VarDesc.VarType.LOD_TENSOR_ARRAY,
                                       dtype=init.value.dtype)
        self._counter = block.create_var(name=unique_name.generate("array_state_counter"),
                                         type=VarDesc.VarType.LOD_TENSOR, dtype="int64")
        block.append_op(type="fill_constant", inputs={}, outputs={"Out": [self._counter]},
                        attrs={"shape": [1], "dtype": self._counter.dtype, "value": 0.0,
                               "force_cpu": True})
        self._counter.stop_gradient = True
        block.append_op(type="write_to_array", inputs={"X": init.value, "I": self._counter},
                        outputs={"Out": self._array})

    def get_state(self):
        return layers.array_read(array=self._array, i=self._counter)

    def update_state(self, state):
        layers.increment(x=self._counter, value=1.0, in_place=True)
        layers.array_write(state, array=self._array, i=self._counter)


class StateCell:
    """Inputs and states by name, and the function that makes new states of both."""

    def __init__(self, inputs, states, out_state, name=None):
        self._helper = LayerHelper("state_cell", name=name)
        for state_name, state in states.items():
            if not isinstance(state, InitState):
                raise ValueError("StateCell: the state %s is %r, and must be an InitState"
                                 % (state_name, state))
        if out_state not in states:
            raise ValueError("StateCell: out_state is %r, and must be one of the states %s"
                             % (out_state, sorted(states)))
        self._inputs, self._init_states = dict(inputs), dict(states)
        self._state_names, self._out_state = list(states), out_state
        self._now = {n: s.value for n, s in states.items()}
        self._decoder, self._places, self._updater = None, {}, None

    def _enter_decoder(self, decoder):
        if self._decoder is not None:
            raise ValueError("StateCell: it has entered a decoder already")
        self._decoder, self._places = decoder, {}

    def _leave_decoder(self, decoder):
        if self._decoder is not decoder:
            raise ValueError("StateCell: it is not in this decoder")
        self._decoder, self._places = None, {}
        self._now = {n: s.value for n, s in self._init_states.items()}

    def _switch_decoder(self):
        """The states' places in the decoder, made when one is first asked for."""
        if self._decoder is None:
            raise ValueError("StateCell: states can be read inside a decoder's block() alone")
        if not self._places:
            for name in self._state_names:
                place = self._decoder._place_for(self._init_states[name])
                self._places[name] = place
                self._now[name] = place.get_state()

    def get_state(self, state_name):
        """The state as it is now."""
        self._switch_decoder()
        if state_name not in self._now:
            raise ValueError("StateCell: there is no state %s; there are %s"
                             % (state_name, ", ".join(sorted(self._now))))
        return self._now[state_name]

    def get_input(self, input_name):
        """The input of this step."""
        if self._inputs.get(input_name) is None:
            raise ValueError("StateCell: the input %s was not given to compute_state" % input_name)
        return self._inputs[input_name]

    def set_state(self, state_name, state_value):
        """What the state becomes."""
        self._now[state_name] = state_value

    def state_updater(self, updater):
        """Decorator of the function, of this cell, that sets new states."""
        self._updater = updater

        def called(cell):
            if cell is not self:
                raise TypeError("the updater of a StateCell must be called with that cell")
            updater(cell)
        return called

    def compute_state(self, inputs):
        """New states of these inputs."""
        self._switch_decoder()
        for name, value in inputs.items():
            if name not in self._inputs:
                raise ValueError("StateCell: there is no input %s; there are %s"
                                 % (name, ", ".join(sorted(self._inputs))))
            self._inputs[name] = value
        if self._updater is None:
            raise ValueError("StateCell: it has no function marked with @state_updater")
        self._updater(self)

    def update_states(self):
        """Keep the states for the next step."""
        self._switch_decoder()
        for name, place in self._places.items():
            place.update_state(self._now[name])

    def out_state(self):
        return self._now[self._out_state]


class _Decoder:
    """block(), and what may be called inside and after it alone."""

    def __init__(self, state_cell):
        self._state_cell, self._state = state_cell, "before"
        state_cell._enter_decoder(self)

    @property
    def state_cell(self):
        self._assert_in_decoder_block("state_cell")
        return self._state_cell

    @contextlib.contextmanager
    def _entered(self):
        if self._state != "before":
            raise ValueError("%s: block() can be entered once" % type(self).__name__)
        self._state = "inside"
        yield
        self._state = "after"
        self._state_cell._leave_decoder(self)

    def _assert_in_decoder_block(self, method):
        if self._state != "inside":
            raise ValueError("%s: %s can be used inside block() alone"
                             % (type(self).__name__, method))

    def _assert_after(self):
        if self._state != "after":
            raise ValueError("%s: its outputs can be had after block() alone"
                             % type(self).__name__)


class TrainingDecoder(_Decoder):
    """The cell over words that are known."""

    def __init__(self, state_cell, name=None):
        self._helper = LayerHelper("training_decoder", name=name)
        self._rnn = layers.DynamicRNN()
        _Decoder.__init__(self, state_cell)

    def _place_for(self, init):
        return _MemoryState(self._rnn, init)

    @contextlib.contextmanager
    def block(self):
        with self._rnn.block():
            with self._entered():
                yield

    @property
    def dynamic_rnn(self):
        return self._rnn

    @property
    def type(self):
        return 1

    def step_input(self, x):
        """This step's rows of sequences."""
        self._assert_in_decoder_block("step_input")
        return self._rnn.step_input(x)

    def static_input(self, x):
        """What is the same at every step."""
        self._assert_in_decoder_block("static_input")
        return self._rnn.static_input(x)

    def output(self, *outputs):
        self._assert_in_decoder_block("output")
        self._rnn.output(*outputs)

    def __call__(self, *args, **kwargs):
        self._assert_after()
        return self._rnn(*args, **kwargs)


class BeamSearchDecoder(_Decoder):
    """The cell over the words that it finds: decode() is the usual step; another can be built in
    block()."""

    def __init__(self, state_cell, init_ids, init_scores, target_dict_dim, word_dim,
                 input_var_dict={}, topk_size=50, sparse_emb=True, max_len=100, beam_size=1,
                 end_id=1, name=None):
        self._helper = LayerHelper("beam_search_decoder", name=name)
        self._counter = layers.fill_constant(shape=[1], dtype="int64", value=0)
        self._counter.stop_gradient = True
        self._max_len = layers.fill_constant(shape=[1], dtype="int64", value=max_len)
        self._cond = layers.less_than(
            x=self._counter, y=layers.fill_constant(shape=[1], dtype="int64", value=max_len))
        self._while = layers.While(self._cond)
        self._zero = layers.fill_constant(shape=[1], dtype="int64", value=0, force_cpu=True)
        self._init_ids, self._init_scores = init_ids, init_scores
        self._target_dict_dim, self._word_dim = target_dict_dim, word_dim
        self._topk_size, self._sparse_emb = topk_size, sparse_emb
        self._beam_size, self._end_id = beam_size, end_id
        self._input_var_dict = dict(input_var_dict)
        self._arrays, self._changes = {}, []  # by the name of what was read; (array, value)
        self._ids_array = self._scores_array = None
        _Decoder.__init__(self, state_cell)

    def _place_for(self, init):
        return _ArrayState(init)

    @contextlib.contextmanager
    def block(self):
        with self._while.block():
            with self._entered():
                yield
            with layers.Switch() as switch:
                with switch.case(self._cond):
                    layers.increment(x=self._counter, value=1.0, in_place=True)
                    for array, value in self._changes:
                        layers.array_write(x=value, i=self._counter, array=array)
                    layers.less_than(x=self._counter, y=self._max_len, cond=self._cond)

    @property
    def type(self):
        return 2

    def early_stop(self):
        """No step comes after this one."""
        self._assert_in_decoder_block("early_stop")
        layers.fill_constant(shape=[1], value=0, dtype="bool", force_cpu=True, out=self._cond)

    def read_array(self, init, is_ids=False, is_scores=False):
        """What the step before gave to update_array(), or init at the first."""
        self._assert_in_decoder_block("read_array")
        if is_ids and is_scores:
            raise ValueError("read_array: it can be of the ids or of the scores, not of both")
        if not isinstance(init, Variable):
            raise TypeError("read_array: init is %r, and must be a Variable" % (init,))
        block = _parent_block()
        array = block.create_var(name=unique_name.generate("beam_search_decoder_array"),
                                 type=VarDesc.VarType.LOD_TENSOR_ARRAY, dtype=init.dtype)
        block.append_op(type="write_to_array", inputs={"X": init, "I": self._zero},
                        outputs={"Out": array})
        if is_ids:
            self._ids_array = array
        elif is_scores:
            self._scores_array = array
        read = layers.array_read(array=array, i=self._counter)
        self._arrays[read.name] = array
        return read

    def update_array(self, array, value):
        """What read_array(), whose result `array` is, will give at the next step."""
        self._assert_in_decoder_block("update_array")
        if array.name not in self._arrays:
            raise ValueError("update_array: %s does not come from read_array()" % array.name)
        self._changes.append((self._arrays[array.name], value))

    def decode(self):
        """The usual step: embed the words before, compute the states, and keep the best words."""
        with self.block():
            ids = self.read_array(init=self._init_ids, is_ids=True)
            scores = self.read_array(init=self._init_scores, is_scores=True)
            words = layers.embedding(input=ids, size=[self._target_dict_dim, self._word_dim],
                                     dtype="float32", is_sparse=self._sparse_emb)
            feed, read = self._expand_inputs(scores)
            for name in self._state_cell._inputs:
                feed.setdefault(name, words)
            for name in self._state_cell._state_names:
                state = self._state_cell.get_state(name)
                self._state_cell.set_state(name, layers.sequence_expand(state, scores))
            self._state_cell.compute_state(inputs=feed)
            state = layers.lod_reset(x=self._state_cell.out_state(), y=scores)
            found_ids, found_scores = self._best(state, ids, scores)
            with layers.Switch() as switch:
                with switch.case(layers.is_empty(found_ids)):
                    self.early_stop()
                with switch.default():
                    self._state_cell.update_states()
                    self.update_array(ids, found_ids)
                    self.update_array(scores, found_scores)
                    for name, var in read.items():
                        self.update_array(var, feed[name])

    def _expand_inputs(self, scores):
        """Inputs beside the words, a row for each beam: (to feed, as read)."""
        feed, read = {}, {}
        for name, var in self._input_var_dict.items():
            if name not in self._state_cell._inputs:
                raise ValueError("BeamSearchDecoder: input_var_dict has %s, which is no input of "
                                 "the StateCell" % name)
            read[name] = self.read_array(init=var)
            feed[name] = layers.sequence_expand(read[name], scores)
        return feed, read

    def _best(self, state, ids, scores):
        probs = layers.fc(input=state, size=self._target_dict_dim, act="softmax")
        best, words = layers.topk(probs, k=self._topk_size)
        total = layers.elementwise_add(x=layers.log(best), y=layers.reshape(scores, shape=[-1]),
                                       axis=0)
        return layers.beam_search(ids, scores, words, total, self._beam_size, end_id=self._end_id,
                                  level=0)

    def __call__(self):
        """(the sentences, the scores of their words)"""
        self._assert_after()
        return layers.beam_search_decode(ids=self._ids_array, scores=self._scores_array,
                                         beam_size=self._beam_size, end_id=self._end_id)
