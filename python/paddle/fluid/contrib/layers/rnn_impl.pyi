# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def basic_gru(input: Union[Variable, Sequence[Any]], init_hidden: Optional[Variable], hidden_size: int, num_layers: int = ..., sequence_length: Optional[Variable] = ..., dropout_prob: float = ..., bidirectional: bool = ..., batch_first: bool = ..., param_attr: Any = ..., bias_attr: Any = ..., gate_activation: Optional[Callable[..., Any]] = ..., activation: Optional[Callable[..., Any]] = ..., dtype: str = ..., name: Optional[str] = ...) -> Sequence[Any]:
    """Layers of gated recurrent units: (outputs of all steps, last states).

    Args:
        input (Variable or list of Variable): What it is computed from.
        init_hidden (Variable, optional): The states at the start; None: zeros.
        hidden_size (int): The width of the state.
        num_layers (int): Layers one above the other. Default: 1.
        sequence_length (Variable, optional): The length of each sequence; None: all steps count.
            Default: None.
        dropout_prob (float): The part of elements that is dropped. Default: 0.0.
        bidirectional (bool): Whether another goes from the end to the start. Default: False.
        batch_first (bool): Whether the batch is the first dimension. Default: True.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        gate_activation (callable, optional): Of the gates; None: sigmoid. Default: None.
        activation (callable, optional): Of the candidate; None: tanh. Default: None.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: 'basic_gru'.

    Returns:
        tuple: as the first line says.

    Examples:
        >>> import paddle.fluid as fluid
        >>> steps = fluid.data("steps", [None, 6, 8])
        >>> out = fluid.contrib.basic_gru(steps, None, hidden_size=16)
        >>> [v.shape for v in out]
        [(-1, 6, 16), (1, -1, 16)]
    """
    ...

def basic_lstm(input: Union[Variable, Sequence[Any]], init_hidden: Optional[Variable], init_cell: Optional[Variable], hidden_size: int, num_layers: int = ..., sequence_length: Optional[Variable] = ..., dropout_prob: float = ..., bidirectional: bool = ..., batch_first: bool = ..., param_attr: Any = ..., bias_attr: Any = ..., gate_activation: Optional[Callable[..., Any]] = ..., activation: Optional[Callable[..., Any]] = ..., forget_bias: float = ..., dtype: str = ..., name: Optional[str] = ...) -> Sequence[Any]:
    """Layers of long short-term memory: (outputs of all steps, last states, last cells).

    Args:
        input (Variable or list of Variable): What it is computed from.
        init_hidden (Variable, optional): The states at the start; None: zeros.
        init_cell (Variable, optional): The states at the start; None: zeros.
        hidden_size (int): The width of the state.
        num_layers (int): Layers one above the other. Default: 1.
        sequence_length (Variable, optional): The length of each sequence; None: all steps count.
            Default: None.
        dropout_prob (float): The part of elements that is dropped. Default: 0.0.
        bidirectional (bool): Whether another goes from the end to the start. Default: False.
        batch_first (bool): Whether the batch is the first dimension. Default: True.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        gate_activation (callable, optional): Of the gates; None: sigmoid. Default: None.
        activation (callable, optional): Of the candidate; None: tanh. Default: None.
        forget_bias (float): Added to the forget gate. Default: 1.0.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: 'basic_lstm'.

    Returns:
        tuple: as the first line says.

    Examples:
        >>> import paddle.fluid as fluid
        >>> steps = fluid.data("steps", [None, 6, 8])
        >>> out = fluid.contrib.basic_lstm(steps, None, None, hidden_size=16)
        >>> [v.shape for v in out]
        [(-1, 6, 16), (1, -1, 16), (1, -1, 16)]
    """
    ...
