# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

class Decoder:
    """What dynamic_decode runs.

    Examples:
        >>> import paddle.fluid as fluid
        >>> issubclass(fluid.layers.BeamSearchDecoder, fluid.layers.Decoder)
        True
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def initialize(self, inits: Sequence[Any]) -> Any:
        """(first inputs, first states, who is done at the start).

        Args:
            inits (list of Variable): The states at the start.
        """
        ...

    def step(self, time: Variable, inputs: Sequence[Any], states: Sequence[Any], **kwargs: Any) -> Any:
        """(outputs, next states, next inputs, who is done).

        Args:
            time (Variable): The number of the step.
            inputs (list of Variable): What this step sees.
            states (list of Variable): The states before this step.
            **kwargs (dict): Handed to the cell.
        """
        ...

    def finalize(self, outputs: Sequence[Any], final_states: Sequence[Any], sequence_lengths: Variable) -> Any:
        """(outputs, states) as they are given back, of the outputs of all steps, time first.

        Args:
            outputs (list of Variable): What the cell gave at this step.
            final_states (list of Variable): The states at the end.
            sequence_lengths (Variable): How long each sentence is.
        """
        ...

class BeamSearchDecoder(Decoder):
    """Of all ways to go on, at each step, the beam_size best of each row.

    Args:
        cell (RNNCell): What makes one step.
        start_token (int): The first word.
        end_token (int): The id that ends a sentence.
        beam_size (int): How many prefixes are kept at each step.
        embedding_fn (callable): Ids to vectors. Default: None.
        output_fn (callable, optional): The cell's output to scores of words. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> cell = fluid.layers.GRUCell(hidden_size=16)
        >>> decoder = fluid.layers.BeamSearchDecoder(cell, start_token=0, end_token=1, beam_size=4,
        ...                                          embedding_fn=lambda ids: fluid.embedding(ids, [50, 16]),
        ...                                          output_fn=lambda x: fluid.layers.fc(x, 50, num_flatten_dims=2))
        >>> state = fluid.data("state", [None, 16])
        >>> outputs, states = fluid.layers.dynamic_decode(decoder, inits=state, max_step_num=10)
    """
    def __init__(self, cell: Any, start_token: Union[int, Variable], end_token: Union[int, Variable], beam_size: Union[int, Variable], embedding_fn: Optional[Union[Callable[..., Any]]] = ..., output_fn: Optional[Union[Callable[..., Any]]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    @staticmethod
    def tile_beam_merge_with_batch(x: Variable, beam_size: Union[int, Variable]) -> Any:
        """[batch, ...] to [batch * beam_size, ...]: each row beam_size times, for what a cell reads beside
        its input (attention).

        Args:
            x (Variable): What it is computed from.
            beam_size (int): How many prefixes are kept at each step.
        """
        ...

    def initialize(self, initial_cell_states: Sequence[Any]) -> Any:
        """(first inputs, first states, who is done at the start).

        Args:
            initial_cell_states (list of Variable): The states at the start.
        """
        ...

    def step(self, time: Variable, inputs: Sequence[Any], states: Sequence[Any], **kwargs: Any) -> Any:
        """(outputs, next states, next inputs, who is done).

        Args:
            time (Variable): The number of the step.
            inputs (list of Variable): What this step sees.
            states (list of Variable): The states before this step.
            **kwargs (dict): Handed to the cell.
        """
        ...

    def finalize(self, outputs: Sequence[Any], final_states: Sequence[Any], sequence_lengths: Variable) -> Any:
        """The sentences, [steps, batch, beam], each walked back from its end.

        Args:
            outputs (list of Variable): What the cell gave at this step.
            final_states (list of Variable): The states at the end.
            sequence_lengths (Variable): How long each sentence is.
        """
        ...

def dynamic_decode(decoder: Any, inits: Optional[Sequence[Any]] = ..., max_step_num: Optional[Union[int, Variable]] = ..., output_time_major: bool = ..., impute_finished: bool = ..., is_test: bool = ..., return_length: bool = ..., **kwargs: Any) -> Sequence[Any]:
    """Steps of the decoder until all are done, or past max_step_num: (outputs of all steps, last
    states), and with return_length how many steps each had. impute_finished: those that are done
    keep their states.

    Args:
        decoder (Decoder): What makes one step.
        inits (list of Variable): The states at the start. Default: None.
        max_step_num (int, optional): The most steps; None: until all sentences have ended. Default:
            None.
        output_time_major (bool): Whether steps come first in the result. Default: False.
        impute_finished (bool): Whether sentences that have ended keep their states. Default: False.
        is_test (bool): Whether the model is used, and not trained. Default: False.
        return_length (bool): Whether lengths come back too. Default: False.
        **kwargs (dict): Handed to the cell.

    Returns:
        tuple: the outputs, the last states and, if asked for, lengths.

    Examples:
        >>> import paddle.fluid as fluid
        >>> cell = fluid.layers.GRUCell(hidden_size=16)
        >>> decoder = fluid.layers.BeamSearchDecoder(cell, start_token=0, end_token=1, beam_size=4,
        ...                                          embedding_fn=lambda ids: fluid.embedding(ids, [50, 16]),
        ...                                          output_fn=lambda x: fluid.layers.fc(x, 50, num_flatten_dims=2))
        >>> state = fluid.data("state", [None, 16])
        >>> outputs, states = fluid.layers.dynamic_decode(decoder, inits=state, max_step_num=10)
    """
    ...

class DecodeHelper:
    """How BasicDecoder takes words of outputs, and makes the next inputs of them.

    Examples:
        >>> import paddle.fluid as fluid
        >>> issubclass(fluid.layers.TrainingHelper, fluid.layers.DecodeHelper)
        True
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def initialize(self) -> Any:
        """(first inputs, who is done at the start)."""
        ...

    def sample(self, time: Variable, outputs: Sequence[Any], states: Sequence[Any]) -> Any:
        """The ids that are taken.

        Args:
            time (Variable): The number of the step.
            outputs (list of Variable): What the cell gave at this step.
            states (list of Variable): The states before this step.
        """
        ...

    def next_inputs(self, time: Variable, outputs: Sequence[Any], states: Sequence[Any], sample_ids: Variable) -> Any:
        """(who is done, next inputs, next states).

        Args:
            time (Variable): The number of the step.
            outputs (list of Variable): What the cell gave at this step.
            states (list of Variable): The states before this step.
            sample_ids (Variable): The words that were chosen.
        """
        ...

class TrainingHelper(DecodeHelper):
    """The next input is the next step of inputs that are given.

    Args:
        inputs (list of Variable): What this step sees.
        sequence_length (Variable, optional): The length of each sequence; None: all steps count.
        time_major (bool): Whether steps are the first dimension, and the batch the second. Default:
            False.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 6, 16])
        >>> lengths = fluid.data("lengths", [None], "int32")
        >>> helper = fluid.layers.TrainingHelper(words, lengths)
        >>> decoder = fluid.layers.BasicDecoder(fluid.layers.GRUCell(16), helper)
    """
    def __init__(self, inputs: Sequence[Any], sequence_length: Optional[Variable], time_major: bool = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def initialize(self) -> Any:
        """(first inputs, who is done at the start)."""
        ...

    def sample(self, time: Variable, outputs: Sequence[Any], states: Sequence[Any]) -> Any:
        """The ids that are taken.

        Args:
            time (Variable): The number of the step.
            outputs (list of Variable): What the cell gave at this step.
            states (list of Variable): The states before this step.
        """
        ...

    def next_inputs(self, time: Variable, outputs: Sequence[Any], states: Sequence[Any], sample_ids: Variable) -> Any:
        """(who is done, next inputs, next states).

        Args:
            time (Variable): The number of the step.
            outputs (list of Variable): What the cell gave at this step.
            states (list of Variable): The states before this step.
            sample_ids (Variable): The words that were chosen.
        """
        ...

class GreedyEmbeddingHelper(DecodeHelper):
    """The next input is the embedding of the likeliest word.

    Args:
        embedding_fn (callable): Ids to vectors.
        start_tokens (Variable): The first word of each sentence.
        end_token (int): The id that ends a sentence.

    Examples:
        >>> import paddle.fluid as fluid
        >>> starts = fluid.layers.fill_constant([4], "int64", 0)
        >>> helper = fluid.layers.GreedyEmbeddingHelper(lambda ids: fluid.embedding(ids, [50, 16]),
        ...                                             starts, end_token=1)
        >>> decoder = fluid.layers.BasicDecoder(fluid.layers.GRUCell(16), helper,
        ...                                     lambda x: fluid.layers.fc(x, 50))
    """
    def __init__(self, embedding_fn: Union[Callable[..., Any]], start_tokens: Variable, end_token: Union[int, Variable]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def initialize(self) -> Any:
        """(first inputs, who is done at the start)."""
        ...

    def sample(self, time: Variable, outputs: Sequence[Any], states: Sequence[Any]) -> Any:
        """The ids that are taken.

        Args:
            time (Variable): The number of the step.
            outputs (list of Variable): What the cell gave at this step.
            states (list of Variable): The states before this step.
        """
        ...

    def next_inputs(self, time: Variable, outputs: Sequence[Any], states: Sequence[Any], sample_ids: Variable) -> Any:
        """(who is done, next inputs, next states).

        Args:
            time (Variable): The number of the step.
            outputs (list of Variable): What the cell gave at this step.
            states (list of Variable): The states before this step.
            sample_ids (Variable): The words that were chosen.
        """
        ...

class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """The next input is the embedding of a word drawn by its probability.

    Args:
        embedding_fn (callable): Ids to vectors.
        start_tokens (Variable): The first word of each sentence.
        end_token (int): The id that ends a sentence.
        softmax_temperature (float, optional): Divides the scores before a word is drawn. Default:
            None.
        seed (int): Of random numbers; 0: one for the whole program. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> starts = fluid.layers.fill_constant([4], "int64", 0)
        >>> helper = fluid.layers.SampleEmbeddingHelper(lambda ids: fluid.embedding(ids, [50, 16]),
        ...                                             starts, end_token=1, seed=7)
        >>> decoder = fluid.layers.BasicDecoder(fluid.layers.GRUCell(16), helper,
        ...                                     lambda x: fluid.layers.fc(x, 50))
    """
    def __init__(self, embedding_fn: Union[Callable[..., Any]], start_tokens: Variable, end_token: Union[int, Variable], softmax_temperature: Optional[Union[float, Variable]] = ..., seed: Optional[Union[int, Variable]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def sample(self, time: Variable, outputs: Sequence[Any], states: Sequence[Any]) -> Any:
        """Which words are chosen at this step.

        Args:
            time (Variable): The number of the step.
            outputs (list of Variable): What the cell gave at this step.
            states (list of Variable): The states before this step.
        """
        ...

class BasicDecoder(Decoder):
    """A cell, and a helper that makes its next input.

    Args:
        cell (RNNCell): What makes one step.
        helper (DecodeHelper): Says what the next step sees.
        output_fn (callable, optional): The cell's output to scores of words. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 6, 16])
        >>> lengths = fluid.data("lengths", [None], "int32")
        >>> helper = fluid.layers.TrainingHelper(words, lengths)
        >>> decoder = fluid.layers.BasicDecoder(fluid.layers.GRUCell(16), helper)
        >>> outputs, states = fluid.layers.dynamic_decode(decoder,
        ...                                               inits=fluid.data("state", [None, 16]))
    """
    def __init__(self, cell: Any, helper: Any, output_fn: Optional[Union[Callable[..., Any]]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def initialize(self, initial_cell_states: Sequence[Any]) -> Any:
        """(first inputs, first states, who is done at the start).

        Args:
            initial_cell_states (list of Variable): The states at the start.
        """
        ...

    def step(self, time: Variable, inputs: Sequence[Any], states: Sequence[Any], **kwargs: Any) -> Any:
        """(outputs, next states, next inputs, who is done).

        Args:
            time (Variable): The number of the step.
            inputs (list of Variable): What this step sees.
            states (list of Variable): The states before this step.
            **kwargs (dict): Handed to the cell.
        """
        ...
