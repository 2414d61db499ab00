# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

class InitState:
    """What a state is at the beginning: a Variable, or one value in the batch of init_boot.

    Args:
        init (Variable, optional): The state at the start. Default: None.
        shape (list of int, optional): Of a state that is filled with value. Default: None.
        value (float): What it is set to. Default: 0.0.
        init_boot (Variable, optional): Whose batch such a state has. Default: None.
        need_reorder (bool): Whether it follows the order of the sequences by length. Default:
            False.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.

    Examples:
        >>> import paddle.fluid as fluid
        >>> source = fluid.data("source", [None, 16])
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> start = fluid.contrib.InitState(init=source, need_reorder=True)
        >>> cell = fluid.contrib.StateCell(inputs={"word": None}, states={"h": start}, out_state="h")
        >>> @cell.state_updater
        ... def update(cell):
        ...     cell.set_state("h", fluid.layers.fc([cell.get_state("h"), cell.get_input("word")], 16))
        ...
        >>> decoder = fluid.contrib.TrainingDecoder(cell)
        >>> with decoder.block():
        ...     word = decoder.step_input(words)
        ...     decoder.state_cell.compute_state(inputs={"word": word})
        ...     score = fluid.layers.fc(decoder.state_cell.get_state("h"), 50, act="softmax")
        ...     decoder.state_cell.update_states()
        ...     decoder.output(score)
        ...
        >>> decoder().shape
        (-1, 50)
    """
    value: Any
    need_reorder: Any
    def __init__(self, init: Optional[Variable] = ..., shape: Optional[Sequence[Any]] = ..., value: float = ..., init_boot: Optional[Variable] = ..., need_reorder: bool = ..., dtype: str = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class StateCell:
    """Inputs and states by name, and the function that makes new states of both.

    Args:
        inputs (dict): Inputs by name, None where each step gives them.
        states (dict): InitState by name.
        out_state (str): The state that is the output.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> source = fluid.data("source", [None, 16])
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> start = fluid.contrib.InitState(init=source, need_reorder=True)
        >>> cell = fluid.contrib.StateCell(inputs={"word": None}, states={"h": start}, out_state="h")
        >>> @cell.state_updater
        ... def update(cell):
        ...     cell.set_state("h", fluid.layers.fc([cell.get_state("h"), cell.get_input("word")], 16))
        ...
        >>> decoder = fluid.contrib.TrainingDecoder(cell)
        >>> with decoder.block():
        ...     word = decoder.step_input(words)
        ...     decoder.state_cell.compute_state(inputs={"word": word})
        ...     score = fluid.layers.fc(decoder.state_cell.get_state("h"), 50, act="softmax")
        ...     decoder.state_cell.update_states()
        ...     decoder.output(score)
        ...
        >>> decoder().shape
        (-1, 50)
    """
    def __init__(self, inputs: Dict[Any, Any], states: Dict[Any, Any], out_state: str, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_state(self, state_name: str) -> Any:
        """The state as it is now.

        Args:
            state_name (str): Its name.

        Returns:
            Variable: what is computed.
        """
        ...

    def get_input(self, input_name: str) -> Any:
        """The input of this step.

        Args:
            input_name (str): Its name.

        Returns:
            Variable: what is computed.
        """
        ...

    def set_state(self, state_name: str, state_value: Variable) -> Any:
        """What the state becomes.

        Args:
            state_name (str): Its name.
            state_value (Variable): What it becomes.

        Returns:
            Variable: what is computed.
        """
        ...

    def state_updater(self, updater: Callable[..., Any]) -> Any:
        """Decorator of the function, of this cell, that sets new states.

        Args:
            updater (callable): Of the cell: sets its states.

        Returns:
            Variable: what is computed.
        """
        ...

    def compute_state(self, inputs: Dict[Any, Any]) -> Any:
        """New states of these inputs.

        Args:
            inputs (dict): Inputs by name, None where each step gives them.

        Returns:
            Variable: what is computed.
        """
        ...

    def update_states(self) -> Any:
        """Keep the states for the next step.

        Returns:
            Variable: what is computed.
        """
        ...

    def out_state(self) -> Any:
        """The state that is the output.

        Returns:
            Variable: what is computed.
        """
        ...

class TrainingDecoder(_Decoder):
    """The cell over words that are known.

    Args:
        state_cell (StateCell): What makes one step.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> source = fluid.data("source", [None, 16])
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> start = fluid.contrib.InitState(init=source, need_reorder=True)
        >>> cell = fluid.contrib.StateCell(inputs={"word": None}, states={"h": start}, out_state="h")
        >>> @cell.state_updater
        ... def update(cell):
        ...     cell.set_state("h", fluid.layers.fc([cell.get_state("h"), cell.get_input("word")], 16))
        ...
        >>> decoder = fluid.contrib.TrainingDecoder(cell)
        >>> with decoder.block():
        ...     word = decoder.step_input(words)
        ...     decoder.state_cell.compute_state(inputs={"word": word})
        ...     score = fluid.layers.fc(decoder.state_cell.get_state("h"), 50, act="softmax")
        ...     decoder.state_cell.update_states()
        ...     decoder.output(score)
        ...
        >>> decoder().shape
        (-1, 50)
    """
    dynamic_rnn: Any
    type: Any
    def __init__(self, state_cell: Any, name: Optional[str] = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def block(self) -> Any:
        """The ops inside the with block are one step.

        Returns:
            Variable: what is computed.
        """
        ...

    def step_input(self, x: Variable) -> Any:
        """This step's rows of sequences.

        Args:
            x (Variable): What it is computed from.

        Returns:
            Variable: what is computed.
        """
        ...

    def static_input(self, x: Variable) -> Any:
        """What is the same at every step.

        Args:
            x (Variable): What it is computed from.

        Returns:
            Variable: what is computed.
        """
        ...

    def output(self, *outputs: Any) -> Any:
        """What the step gives.

        Args:
            *outputs (Variable): What this step gives.

        Returns:
            Variable: what is computed.
        """
        ...

class BeamSearchDecoder(_Decoder):
    """The cell over the words that it finds: decode() is the usual step; another can be built in
    block().

    Args:
        state_cell (StateCell): What makes one step.
        init_ids (Variable): The first word of each sentence.
        init_scores (Variable): The score of each.
        target_dict_dim (int): How many words there are.
        word_dim (int): The width of a word's vector.
        input_var_dict (dict): Further inputs by name. Default: {}.
        topk_size (int): Words that are looked at for each prefix. Default: 50.
        sparse_emb (bool): Whether gradients of the words' table are rows. Default: True.
        max_len (int): The most words. Default: 100.
        beam_size (int): How many prefixes are kept at each step. Default: 1.
        end_id (int): The id that ends a sentence. Default: 1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> source = fluid.data("source", [None, 16], lod_level=1)
        >>> start = fluid.contrib.InitState(init=source, need_reorder=True)
        >>> cell = fluid.contrib.StateCell(inputs={"word": None}, states={"h": start}, out_state="h")
        >>> @cell.state_updater
        ... def update(cell):
        ...     cell.set_state("h", fluid.layers.fc([cell.get_state("h"), cell.get_input("word")], 16))
        ...
        >>> ids = fluid.data("ids", [None, 1], "int64", lod_level=2)
        >>> scores = fluid.data("scores", [None, 1], lod_level=2)
        >>> decoder = fluid.contrib.BeamSearchDecoder(cell, ids, scores, target_dict_dim=50, word_dim=8,
        ...                                           beam_size=2, max_len=10)
        >>> decoder.decode()
        >>> sentences, totals = decoder()
    """
    type: Any
    def __init__(self, state_cell: Any, init_ids: Variable, init_scores: Variable, target_dict_dim: int, word_dim: int, input_var_dict: Dict[Any, Any] = ..., topk_size: int = ..., sparse_emb: bool = ..., max_len: int = ..., beam_size: int = ..., end_id: int = ..., name: Optional[str] = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def block(self) -> Any:
        """The ops inside the with block are one step.

        Returns:
            Variable: what is computed.
        """
        ...

    def early_stop(self) -> Any:
        """No step comes after this one.

        Returns:
            Variable: what is computed.
        """
        ...

    def read_array(self, init: Optional[Variable], is_ids: bool = ..., is_scores: bool = ...) -> Any:
        """What the step before gave to update_array(), or init at the first.

        Args:
            init (Variable, optional): The state at the start.
            is_ids (bool): Whether the array holds ids, or scores. Default: False.
            is_scores (bool): Whether the array holds ids, or scores. Default: False.

        Returns:
            Variable: what is computed.
        """
        ...

    def update_array(self, array: Variable, value: float) -> Any:
        """What read_array(), whose result `array` is, will give at the next step.

        Args:
            array (Variable): The array.
            value (float): What it is set to.

        Returns:
            Variable: what is computed.
        """
        ...

    def decode(self) -> Any:
        """The usual step: embed the words before, compute the states, and keep the best words.

        Returns:
            Variable: what is computed.
        """
        ...

class _Decoder:
    """block(), and what may be called inside and after it alone.

    Args:
        state_cell (StateCell): What makes one step.
    """
    state_cell: Any
    def __init__(self, state_cell: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
