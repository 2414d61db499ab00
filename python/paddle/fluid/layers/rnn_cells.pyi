# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

class RNNCell:
    """What cells have in common: call() takes (inputs, states) to (outputs, new states).

    Examples:
        >>> import paddle.fluid as fluid
        >>> class Counter(fluid.layers.RNNCell):
        ...     def call(self, inputs, states):
        ...         return inputs, states + 1.0
        ...     @property
        ...     def state_shape(self):
        ...         return [1]
        ...
        >>> steps = fluid.data("steps", [None, 6, 8])
        >>> out, last = fluid.layers.rnn(Counter(), steps)
        >>> out.shape
        (-1, 6, 8)
    """
    state_shape: Any
    state_dtype: Any
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def call(self, inputs: Variable, states: Sequence[Any], **kwargs: Any) -> Any:
        """One step: (output, new states).

        Args:
            inputs (Variable): What this step sees.
            states (list of Variable): The states before this step.
            **kwargs (dict): Handed to the cell.
        """
        ...

    def get_initial_states(self, batch_ref: Variable, shape: Optional[Sequence[Any]] = ..., dtype: str = ..., init_value: Union[float, Variable] = ..., batch_dim_idx: Union[int, Variable] = ...) -> Any:
        """States of one value, for as many rows as batch_ref has in dimension batch_dim_idx.

        Args:
            batch_ref (Variable): Whose batch it has.
            shape (list of int, optional): That of a state without the batch. Default: None.
            dtype (str): The type of the elements. Default: 'float32'.
            init_value (float): What it is filled with at the start. Default: 0.
            batch_dim_idx (int): The dimension of batch_ref that is the batch. Default: 0.
        """
        ...

class GRUCell(RNNCell):
    """Gated recurrent units; its output is its state.

    Args:
        hidden_size (int): The width of the state.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        gate_activation (callable, optional): Of the gates; None: sigmoid. Default: None.
        activation (callable, optional): Of the candidate; None: tanh. Default: None.
        dtype (str): The type of the elements. Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: 'GRUCell'.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.GRUCell(hidden_size=16)
    """
    state_shape: Any
    def __init__(self, hidden_size: Union[int, Variable], param_attr: Any = ..., bias_attr: Any = ..., gate_activation: Optional[Union[Callable[..., Any]]] = ..., activation: Optional[Union[Callable[..., Any]]] = ..., dtype: str = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def call(self, inputs: Variable, states: Sequence[Any]) -> Any:
        """One step: (output, new states).

        Args:
            inputs (Variable): What this step sees.
            states (list of Variable): The states before this step.
        """
        ...

class LSTMCell(RNNCell):
    """Long short-term memory; its states are [state, cell], its output is the state.

    Args:
        hidden_size (int): The width of the state.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        gate_activation (callable, optional): Of the gates; None: sigmoid. Default: None.
        activation (callable, optional): Of the candidate; None: tanh. Default: None.
        forget_bias (float): Added to the forget gate. Default: 1.0.
        dtype (str): The type of the elements. Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: 'LSTMCell'.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.LSTMCell(hidden_size=16)
    """
    state_shape: Any
    def __init__(self, hidden_size: Union[int, Variable], param_attr: Any = ..., bias_attr: Any = ..., gate_activation: Optional[Union[Callable[..., Any]]] = ..., activation: Optional[Union[Callable[..., Any]]] = ..., forget_bias: Union[float, Variable] = ..., dtype: str = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def call(self, inputs: Variable, states: Sequence[Any]) -> Any:
        """One step: (output, new states).

        Args:
            inputs (Variable): What this step sees.
            states (list of Variable): The states before this step.
        """
        ...

def rnn(cell: Any, inputs: Variable, initial_states: Optional[Sequence[Any]] = ..., sequence_length: Optional[Variable] = ..., time_major: bool = ..., is_reverse: bool = ..., **kwargs: Any) -> Sequence[Any]:
    """The cell over the steps of inputs, [batch, steps, ...]: (outputs of all steps, last states).
    Past its sequence_length a row keeps its states; its outputs there are those of the cell.

    Args:
        cell (RNNCell): What makes one step.
        inputs (Variable): All steps.
        initial_states (list of Variable, optional): The states at the start; None: zeros. Default:
            None.
        sequence_length (Variable, optional): The length of each sequence; None: all steps count.
            Default: None.
        time_major (bool): Whether steps are the first dimension, and the batch the second. Default:
            False.
        is_reverse (bool): Whether it goes from the last step to the first. Default: False.
        **kwargs (dict): Handed to the cell.

    Returns:
        tuple: the outputs of all steps, and the last states.

    Examples:
        >>> import paddle.fluid as fluid
        >>> steps = fluid.data("steps", [None, 6, 8])
        >>> out = fluid.layers.rnn(fluid.layers.GRUCell(hidden_size=16), steps)
        >>> [v.shape for v in out]
        [(-1, 6, 16), (-1, 16)]
    """
    ...

class BasicGRUUnit(Unit):
    """One step of gated recurrent units: (input, state) to the next state.

    Args:
        name_scope (str): The beginning of the names of its parameters.
        hidden_size (int): The width of the state.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        gate_activation (callable, optional): Of the gates; None: sigmoid. Default: None.
        activation (callable, optional): Of the candidate; None: tanh. Default: None.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.

    Examples:
        >>> import paddle.fluid as fluid
        >>> unit = fluid.contrib.BasicGRUUnit("gru", hidden_size=16)
        >>> new = unit(fluid.data("x", [None, 8]), fluid.data("state", [None, 16]))
        >>> new.shape
        (-1, 16)
    """
    def __init__(self, name_scope: str, hidden_size: int, param_attr: Any = ..., bias_attr: Any = ..., gate_activation: Optional[Callable[..., Any]] = ..., activation: Optional[Callable[..., Any]] = ..., dtype: str = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def forward(self, input: Union[Variable, Sequence[Any]], pre_hidden: Variable) -> Any:
        """One step.

        Args:
            input (Variable or list of Variable): What it is computed from.
            pre_hidden (Variable): The state and the cell before.

        Returns:
            Variable: what is computed.
        """
        ...

class BasicLSTMUnit(Unit):
    """One step of long short-term memory: (input, state, cell) to the next state and cell.

    Args:
        name_scope (str): The beginning of the names of its parameters.
        hidden_size (int): The width of the state.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        gate_activation (callable, optional): Of the gates; None: sigmoid. Default: None.
        activation (callable, optional): Of the candidate; None: tanh. Default: None.
        forget_bias (float): Added to the forget gate. Default: 1.0.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.

    Examples:
        >>> import paddle.fluid as fluid
        >>> unit = fluid.contrib.BasicLSTMUnit("lstm", hidden_size=16)
        >>> new, cell = unit(fluid.data("x", [None, 8]), fluid.data("state", [None, 16]),
        ...                  fluid.data("cell", [None, 16]))
        >>> new.shape
        (-1, 16)
    """
    def __init__(self, name_scope: str, hidden_size: int, param_attr: Any = ..., bias_attr: Any = ..., gate_activation: Optional[Callable[..., Any]] = ..., activation: Optional[Callable[..., Any]] = ..., forget_bias: float = ..., dtype: str = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def forward(self, input: Union[Variable, Sequence[Any]], pre_hidden: Variable, pre_cell: Variable) -> Any:
        """One step.

        Args:
            input (Variable or list of Variable): What it is computed from.
            pre_hidden (Variable): The state and the cell before.
            pre_cell (Variable): The state and the cell before.

        Returns:
            Variable: what is computed.
        """
        ...

class Unit:
    """Parameters that are made when it is first called, and the step that uses them.

    Args:
        name_scope:
        hidden_size (int): The width of the state.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none.
        gate_activation (callable, optional): Of the gates; None: sigmoid.
        activation (callable, optional): Of the candidate; None: tanh.
        dtype (str): The type of the elements.
    """
    def __init__(self, name_scope: Any, hidden_size: Union[int, Variable], param_attr: Any, bias_attr: Any, gate_activation: Optional[Union[Callable[..., Any]]], activation: Optional[Union[Callable[..., Any]]], dtype: str) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def full_name(self) -> Any:
        """What its parameters are called after."""
        ...

    def parameters(self) -> Any:
        """Those it has, once it has been called."""
        ...
