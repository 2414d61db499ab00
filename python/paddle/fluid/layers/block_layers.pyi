# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

class IfElse:
    """Rows for which `cond` is true go through one block, the others through another:

    choice = fluid.layers.IfElse(cond)                # cond: bool, [batch, 1]
    with choice.true_block():
        choice.output(fluid.layers.scale(choice.input(x), 2.0))
    with choice.false_block():
        choice.output(choice.input(x))
    out = choice()[0]

    Args:
        cond (Variable): A bool for each row.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.layers.fill_constant([2, 1], "float32", 3.0)
        >>> small = fluid.layers.less_than(x, fluid.layers.fill_constant([2, 1], "float32", 5.0))
        >>> choice = fluid.layers.IfElse(small)
        >>> with choice.true_block():
        ...     choice.output(choice.input(x) * 10.0)
        ...
        >>> with choice.false_block():
        ...     choice.output(choice.input(x) * 100.0)
        ...
        >>> out, = choice()
    """
    OUT_IF_ELSE_BLOCKS: Any
    IN_IF_ELSE_TRUE_BLOCKS: Any
    IN_IF_ELSE_FALSE_BLOCKS: Any
    def __init__(self, cond: Variable, name: Optional[str] = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def true_block(self) -> Any:
        """What is done with the rows whose condition is true."""
        ...

    def false_block(self) -> Any:
        """What is done with the other rows."""
        ...

    def input(self, x: Variable) -> Any:
        """The rows of x that this block is for.

        Args:
            x (Variable): What it is computed from.
        """
        ...

    def output(self, *outs: Any) -> Any:
        """Each block gives as many outputs, in the same order.

        Args:
            *outs (Variable): What this step gives.
        """
        ...

class StaticRNN:
    """A block run once for each entry of dimension 0 of its step inputs:

    rnn = fluid.layers.StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)                      # x: [time, batch, width]
        before = rnn.memory(shape=[-1, size], batch_ref=word)
        hidden = fluid.layers.fc([word, before], size, act='tanh')
        rnn.update_memory(before, hidden)
        rnn.step_output(hidden)
    out = rnn()                                       # [time, batch, size]

    Args:
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> steps = fluid.data("steps", [6, 4, 8])
        >>> rnn = fluid.layers.StaticRNN()
        >>> with rnn.step():
        ...     word = rnn.step_input(steps)
        ...     state = rnn.memory(shape=[-1, 16], batch_ref=word)
        ...     new = fluid.layers.fc([word, state], 16, act="tanh")
        ...     rnn.update_memory(state, new)
        ...     rnn.step_output(new)
        ...
        >>> rnn().shape
        (6, 4, 16)
    """
    BEFORE_RNN_BLOCK: Any
    IN_RNN_BLOCK: Any
    AFTER_RNN_BLOCK: Any
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def step(self) -> Any:
        """The ops inside the with block are one step."""
        ...

    def step_input(self, x: Variable) -> Any:
        """Entry t of x.

        Args:
            x (Variable): What it is computed from.
        """
        ...

    def memory(self, init: Optional[Variable] = ..., shape: Optional[Sequence[Any]] = ..., batch_ref: Optional[Variable] = ..., init_value: Union[float, Variable] = ..., init_batch_dim_idx: Union[int, Variable] = ..., ref_batch_dim_idx: Union[int, Variable] = ...) -> Any:
        """What the step before left by update_memory(); before the first step `init`, or init_value in
        `shape`, with as many rows as batch_ref.

        Args:
            init (Variable, optional): The state at the start; None: init_value everywhere. Default:
                None.
            shape (list of int): The sizes of the dimensions. Default: None.
            batch_ref (Variable): Whose batch it has. Default: None.
            init_value (float): What it is filled with at the start. Default: 0.0.
            init_batch_dim_idx (int): The dimension of the state that is the batch. Default: 0.
            ref_batch_dim_idx (int): The dimension of batch_ref that is the batch. Default: 1.
        """
        ...

    def update_memory(self, mem: Variable, var: Variable) -> Any:
        """The next step finds `var` where this one found `mem`.

        Args:
            mem (Variable): A memory of this step.
            var (Variable): What it is at the next step.
        """
        ...

    def step_output(self, o: Variable) -> Any:
        """Entry t of an output.

        Args:
            o (Variable): What this step gives.
        """
        ...

    def output(self, *outputs: Any) -> Any:
        """What the steps give.

        Args:
            *outputs (Variable): What this step gives.
        """
        ...

class DynamicRNN:
    """A block run for each step of sequences, on all that have one:

    rnn = fluid.layers.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(x)                      # x: sequences
        before = rnn.memory(shape=[size], value=0.0)
        hidden = fluid.layers.fc([word, before], size, act='tanh')
        rnn.update_memory(before, hidden)
        rnn.output(hidden)
    out = rnn()                                       # sequences

    Args:
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> rnn = fluid.layers.DynamicRNN()
        >>> with rnn.block():
        ...     word = rnn.step_input(words)
        ...     state = rnn.memory(shape=[16], value=0.0)
        ...     new = fluid.layers.fc([word, state], 16, act="tanh")
        ...     rnn.update_memory(state, new)
        ...     rnn.output(new)
        ...
        >>> rnn().shape
        (-1, 16)
    """
    BEFORE_RNN: Any
    IN_RNN: Any
    AFTER_RNN: Any
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def step_input(self, x: Variable, level: Union[int, Variable] = ...) -> Any:
        """Step t of the sequences of x that have one, the longest first.

        Args:
            x (Variable): What it is computed from.
            level (int): The level of sequences whose steps are made. Default: 0.
        """
        ...

    def static_input(self, x: Variable) -> Any:
        """The rows, or sequences, of x that belong to the sequences of this step.

        Args:
            x (Variable): What it is computed from.
        """
        ...

    def block(self) -> Any:
        """The ops inside the with block are the loop's."""
        ...

    def memory(self, init: Optional[Variable] = ..., shape: Optional[Sequence[Any]] = ..., value: Union[float, Variable] = ..., need_reorder: bool = ..., dtype: str = ...) -> Any:
        """What the step before left by update_memory(); before the first step `init`, or `value` in rows
        of `shape`. need_reorder: init is in the order of the step input's sequences.

        Args:
            init (Variable, optional): The state at the start; None: init_value everywhere. Default:
                None.
            shape (list of int): The sizes of the dimensions. Default: None.
            value (float): What it is filled with. Default: 0.0.
            need_reorder (bool): Whether it follows the order of the sequences by length. Default:
                False.
            dtype (str): The type of the elements. Default: 'float32'.
        """
        ...

    def update_memory(self, ex_mem: Variable, new_mem: Variable) -> Any:
        """The next step finds new_mem where this one found ex_mem.

        Args:
            ex_mem (Variable): A memory of this step.
            new_mem (Variable): What it is at the next step.
        """
        ...

    def output(self, *outputs: Any) -> Any:
        """Step t of the outputs.

        Args:
            *outputs (Variable): What this step gives.
        """
        ...
