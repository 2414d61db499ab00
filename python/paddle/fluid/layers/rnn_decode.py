"""Decoders: a cell whose next input depends on what it has given, step by step, until all are
done."""
import collections

from .. import core
from ..framework import Variable, default_main_program
from . import utils
from .rnn_cells import _swapped, kept_where

__all__ = ["Decoder", "BeamSearchDecoder", "dynamic_decode", "DecodeHelper", "TrainingHelper",
           "GreedyEmbeddingHelper", "SampleEmbeddingHelper", "BasicDecoder"]


def _layers():
    from .. import layers  # which imports this module
    return layers


def _constant(x):
    """x, through which no gradient goes."""
    x.stop_gradient = True
    return x


def _must_have(self, what):
    return NotImplementedError("%s must have %s" % (type(self).__name__, what))


class Decoder:
    """What dynamic_decode runs."""

    def initialize(self, inits):
        """(first inputs, first states, who is done at the start)"""
        raise _must_have(self, "initialize(self, inits)")

    def step(self, time, inputs, states, **kwargs):
        """(outputs, next states, next inputs, who is done)"""
        raise _must_have(self, "step(self, time, inputs, states, **kwargs)")

    def finalize(self, outputs, final_states, sequence_lengths):
        """(outputs, states) as they are given back, of the outputs of all steps, time first."""
        raise _must_have(self, "finalize(self, outputs, final_states, sequence_lengths)")


# ---- the loop ----

def _array_outside(dtype):
    """An array in the block around the loop that is being built."""
    program = default_main_program()
    inside = program.current_block_idx
    program.current_block_idx = program.current_block().parent_idx
    try:
        return _layers().create_array(dtype)
    finally:
        program.current_block_idx = inside


def _decode_loop(decoder, first, max_step_num, impute_finished, is_test, kwargs):
    """The loop: (arrays of the outputs, last states, lengths). While training inputs and states
    stand in arrays, whose elements the gradient reads; in a test they are written over."""
    layers = _layers()
    inputs, states, finished = first
    step = layers.fill_constant(shape=[1], dtype="int64", value=0)
    going = layers.logical_not(layers.reduce_all(finished))
    if max_step_num is not None:
        max_step_num = layers.fill_constant(shape=[1], dtype="int64", value=max_step_num)
    lengths = _constant(layers.cast(layers.zeros_like(finished), "int64"))
    if not is_test:
        inputs = utils.map_structure(lambda x: layers.array_write(x, step), inputs)
        states = utils.map_structure(lambda x: layers.array_write(x, step), states)
    loop = layers.While(going, is_test=is_test)
    with loop.block():
        now, before = inputs, states
        if not is_test:
            now = utils.map_structure(lambda x: layers.array_read(x, step), inputs)
            before = utils.map_structure(lambda x: layers.array_read(x, step), states)
        outputs, new_states, new_inputs, done = decoder.step(step, now, before, **kwargs)
        done = layers.logical_or(done, finished)
        new_lengths = layers.elementwise_add(
            lengths, layers.cast(layers.logical_not(finished), lengths.dtype))
        if impute_finished:
            new_states = utils.map_structure(
                lambda old, new: kept_where(_constant(layers.cast(finished, "float32")), old, new),
                before, new_states)
        utils.assert_same_structure(states, new_states, check_types=False)
        arrays = utils.map_structure(lambda x: _array_outside(x.dtype), outputs)
        utils.map_structure(lambda x, to: layers.array_write(x, i=step, array=to), outputs, arrays)
        layers.increment(step, value=1.0, in_place=True)

        def put(value, to):
            if is_test:
                layers.assign(value, to)
            else:
                layers.array_write(value, i=step, array=to)
        utils.map_structure(put, new_inputs, inputs)
        utils.map_structure(put, new_states, states)
        layers.assign(done, finished)
        layers.assign(new_lengths, lengths)
        _still_going(going, finished, step, max_step_num)
    if not is_test:
        return arrays, (states, step), lengths
    return arrays, (states, None), lengths


def _still_going(going, finished, step, max_step_num):
    layers = _layers()
    if max_step_num is None:
        layers.logical_not(layers.reduce_all(finished), out=going)
        return
    layers.logical_and(layers.logical_not(layers.reduce_all(finished)),
                       layers.less_equal(step, max_step_num), out=going)


def dynamic_decode(decoder, inits=None, max_step_num=None, output_time_major=False,
                   impute_finished=False, is_test=False, return_length=False, **kwargs):
    """Steps of the decoder until all are done, or past max_step_num: (outputs of all steps, last
    states), and with return_length how many steps each had. impute_finished: those that are done
    keep their states."""
    layers = _layers()
    first = decoder.initialize(inits)
    arrays, (states, step), lengths = _decode_loop(decoder, first, max_step_num, impute_finished,
                                                   is_test, kwargs)
    outputs = utils.map_structure(
        lambda x: layers.tensor_array_to_tensor(x, axis=0, use_stack=True)[0], arrays)
    if step is not None:
        states = utils.map_structure(lambda x: layers.array_read(x, step), states)
    try:
        outputs, states = decoder.finalize(outputs, states, lengths)
    except NotImplementedError:
        pass
    if not output_time_major:
        outputs = utils.map_structure(_swapped, outputs)
    return (outputs, states, lengths) if return_length else (outputs, states)


# ---- beam search ----

class BeamSearchDecoder(Decoder):
    """Of all ways to go on, at each step, the beam_size best of each row."""

    OutputWrapper = collections.namedtuple("OutputWrapper",
                                           ("scores", "predicted_ids", "parent_ids"))
    StateWrapper = collections.namedtuple("StateWrapper", ("cell_states", "log_probs", "finished",
                                                           "lengths"))

    def __init__(self, cell, start_token, end_token, beam_size, embedding_fn=None, output_fn=None):
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    def tile_beam_merge_with_batch(x, beam_size):
        """[batch, ...] to [batch * beam_size, ...]: each row beam_size times, for what a cell reads
        beside its input (attention)."""
        layers = _layers()
        x = layers.unsqueeze(x, [1])
        x = layers.expand(x, [1, beam_size] + [1] * (len(x.shape) - 2))
        rest = list(range(2, len(x.shape)))
        # Real Paddle merges with the beams first, and turns them around.
        x = layers.transpose(x, rest + [0, 1])
        x = layers.reshape(x, shape=[0] * (len(x.shape) - 2) + [-1])
        return layers.transpose(x, [len(x.shape) - 1] + list(range(0, len(x.shape) - 1)))

    def _split_batch_beams(self, x):
        return _layers().reshape(x, shape=[-1, self.beam_size] + list(x.shape[1:]))

    def _merge_batch_beams(self, x):
        return _layers().reshape(x, shape=[-1] + list(x.shape[2:]))

    def _expand_to_beam_size(self, x):
        x = _layers().unsqueeze(x, [1])
        return _layers().expand(x, [1, self.beam_size] + [1] * (len(x.shape) - 2))

    def _mask_probs(self, probs, finished):
        """A beam that is done can go on by its end alone, which adds nothing."""
        layers = _layers()
        finished = layers.cast(finished, probs.dtype)
        ended = layers.elementwise_mul(
            layers.expand(layers.unsqueeze(finished, [2]), [1, 1, self.vocab_size]),
            self.noend_mask_tensor, axis=-1)
        return ended - layers.elementwise_mul(probs, finished - 1, axis=0)

    def _gather(self, x, indices, batch_size):
        """x at [row, index] of each row."""
        layers = _layers()
        batch_size = _constant(layers.cast(batch_size, indices.dtype))
        rows = layers.range(0, batch_size, 1, dtype=indices.dtype)
        rows = layers.expand(layers.unsqueeze(rows, [1]), [1, self.beam_size])
        return layers.gather_nd(x, _constant(layers.stack([rows, indices], axis=2)))

    def initialize(self, initial_cell_states):
        import numpy as np
        layers = _layers()
        self.kinf = 1e9
        state = utils.flatten(initial_cell_states)[0]
        self.batch_size = layers.shape(state)[0]
        self.start_token_tensor = layers.fill_constant([1], "int64", self.start_token)
        self.end_token_tensor = layers.fill_constant([1], "int64", self.end_token)
        cell_states = utils.map_structure(self._expand_to_beam_size, initial_cell_states)
        tokens = layers.expand(self.start_token_tensor, [self.batch_size])
        inputs = layers.expand(layers.unsqueeze(tokens, [1]), [1, self.beam_size])
        # The first beam alone counts: at the start all are the same.
        log_probs = layers.expand(
            layers.assign(np.array([[0.] + [-self.kinf] * (self.beam_size - 1)], "float32")),
            [self.batch_size, 1])
        finished = layers.fill_constant_batch_size_like(input=state, shape=[-1, self.beam_size],
                                                        dtype="bool", value=False,
                                                        force_cpu=True)
        lengths = layers.zeros_like(inputs)
        if self.embedding_fn:
            inputs = self.embedding_fn(inputs)
        return inputs, self.StateWrapper(cell_states, log_probs, finished, lengths), finished

    def _beam_search_step(self, time, logits, next_cell_states, beam_state):
        import numpy as np
        layers = _layers()
        self.vocab_size = logits.shape[-1]
        self.vocab_size_tensor = layers.fill_constant([1], "int64", self.vocab_size)
        noend = np.full(self.vocab_size, -self.kinf, "float32")
        noend[self.end_token] = 0
        self.noend_mask_tensor = layers.assign(noend)
        step_probs = self._mask_probs(layers.log(layers.softmax(logits)), beam_state.finished)
        probs = layers.elementwise_add(x=step_probs, y=beam_state.log_probs, axis=0)
        scores = layers.reshape(probs, [-1, self.beam_size * self.vocab_size])
        best, at = layers.topk(input=scores, k=self.beam_size)
        _constant(best), _constant(at)
        beams = layers.elementwise_floordiv(at, self.vocab_size_tensor)
        tokens = layers.elementwise_mod(at, self.vocab_size_tensor)
        next_probs = self._gather(
            layers.reshape(probs, [-1, self.beam_size * self.vocab_size]), at, self.batch_size)
        next_cell_states = utils.map_structure(
            lambda x: self._gather(x, beams, self.batch_size), next_cell_states)
        finished = self._gather(beam_state.finished, beams, self.batch_size)
        lengths = self._gather(beam_state.lengths, beams, self.batch_size)
        lengths = lengths + layers.cast(layers.logical_not(finished), beam_state.lengths.dtype)
        finished = layers.logical_or(finished, layers.equal(tokens, self.end_token_tensor))
        return (self.OutputWrapper(best, tokens, beams),
                self.StateWrapper(next_cell_states, next_probs, finished, lengths))

    def step(self, time, inputs, states, **kwargs):
        inputs = utils.map_structure(self._merge_batch_beams, inputs)
        cell_states = utils.map_structure(self._merge_batch_beams, states.cell_states)
        outputs, next_states = self.cell(inputs, cell_states, **kwargs)
        outputs = utils.map_structure(self._split_batch_beams, outputs)
        next_states = utils.map_structure(self._split_batch_beams, next_states)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        found, state = self._beam_search_step(time=time, logits=outputs,
                                              next_cell_states=next_states, beam_state=states)
        tokens = _constant(found.predicted_ids)
        next_inputs = self.embedding_fn(tokens) if self.embedding_fn else tokens
        return found, state, next_inputs, state.finished

    def finalize(self, outputs, final_states, sequence_lengths):
        """The sentences, [steps, batch, beam], each walked back from its end."""
        return _layers().gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states


# ---- what the next input is ----

class DecodeHelper:
    """How BasicDecoder takes words of outputs, and makes the next inputs of them."""

    def initialize(self):
        """(first inputs, who is done at the start)"""
        raise _must_have(self, "initialize(self)")

    def sample(self, time, outputs, states):
        """The ids that are taken."""
        raise _must_have(self, "sample(self, time, outputs, states)")

    def next_inputs(self, time, outputs, states, sample_ids):
        """(who is done, next inputs, next states)"""
        raise _must_have(self, "next_inputs(self, time, outputs, states, sample_ids)")


class TrainingHelper(DecodeHelper):
    """The next input is the next step of inputs that are given."""

    def __init__(self, inputs, sequence_length, time_major=False):
        self.inputs, self.sequence_length, self.time_major = inputs, sequence_length, time_major
        # One step more, which is read past the end and thrown away.
        self.inputs_ = utils.map_structure(
            lambda x: _layers().pad(x, ([0, 1] if time_major else [0, 0, 0, 1])
                                    + [0, 0] * (len(x.shape) - (1 if time_major else 2))), inputs)

    def initialize(self):
        layers = _layers()
        finished = layers.equal(self.sequence_length, layers.fill_constant(
            shape=[1], dtype=self.sequence_length.dtype, value=0))
        first = utils.map_structure(lambda x: x[0] if self.time_major else x[:, 0], self.inputs)
        return first, finished

    def sample(self, time, outputs, states):
        return _layers().argmax(outputs, axis=-1)

    def next_inputs(self, time, outputs, states, sample_ids):
        layers = _layers()
        int32 = core.VarDesc.VarType.INT32
        time = layers.cast(time, "int32") if time.dtype != int32 else time
        length = self.sequence_length
        length = layers.cast(length, "int32") if length.dtype != int32 else length
        later = time + 1
        finished = layers.less_equal(length, later)
        axis = 0 if self.time_major else 1

        def step_of(x):
            one = layers.slice(x, axes=[axis], starts=[later], ends=[later + 1])
            return layers.squeeze(one, axes=[axis])
        return finished, utils.map_structure(step_of, self.inputs_), states


class GreedyEmbeddingHelper(DecodeHelper):
    """The next input is the embedding of the likeliest word."""

    def __init__(self, embedding_fn, start_tokens, end_token):
        self.embedding_fn, self.start_tokens = embedding_fn, start_tokens
        self.end_token = _layers().fill_constant(shape=[1], dtype="int64", value=end_token)

    def initialize(self):
        finished = _layers().fill_constant_batch_size_like(
            input=self.start_tokens, shape=[-1], dtype="bool", value=False, force_cpu=True)
        return self.embedding_fn(self.start_tokens), finished

    def sample(self, time, outputs, states):
        return _layers().argmax(outputs, axis=-1)

    def next_inputs(self, time, outputs, states, sample_ids):
        finished = _layers().equal(sample_ids, self.end_token)
        return finished, self.embedding_fn(sample_ids), states


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """The next input is the embedding of a word drawn by its probability."""

    def __init__(self, embedding_fn, start_tokens, end_token, softmax_temperature=None, seed=None):
        GreedyEmbeddingHelper.__init__(self, embedding_fn, start_tokens, end_token)
        self.softmax_temperature = None
        if softmax_temperature is not None:
            self.softmax_temperature = _layers().fill_constant([1], "float32",
                                                               softmax_temperature)
        self.seed = seed

    def sample(self, time, outputs, states):
        layers = _layers()
        logits = outputs
        if self.softmax_temperature is not None:
            logits = outputs / self.softmax_temperature
        return layers.sampling_id(_constant(layers.softmax(logits)), seed=self.seed or 0,
                                  dtype=self.start_tokens.dtype)


class BasicDecoder(Decoder):
    """A cell, and a helper that makes its next input."""

    OutputWrapper = collections.namedtuple("OutputWrapper", ("cell_outputs", "sample_ids"))

    def __init__(self, cell, helper, output_fn=None):
        self.cell, self.helper, self.output_fn = cell, helper, output_fn

    def initialize(self, initial_cell_states):
        inputs, finished = self.helper.initialize()
        return inputs, initial_cell_states, finished

    def step(self, time, inputs, states, **kwargs):
        outputs, cell_states = self.cell(inputs, states, **kwargs)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        sample_ids = self.helper.sample(time=time, outputs=outputs, states=cell_states)
        if isinstance(sample_ids, Variable):
            sample_ids.stop_gradient = True
        finished, next_inputs, next_states = self.helper.next_inputs(
            time=time, outputs=outputs, states=cell_states, sample_ids=sample_ids)
        return self.OutputWrapper(outputs, sample_ids), next_states, next_inputs, finished
