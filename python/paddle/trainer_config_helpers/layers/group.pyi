# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class StaticInput:
    """A layer that each step sees whole: a row, or (is_seq) a sequence, for each example. Whether it
    is a sequence, the layer itself says.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        is_seq (bool): Whether it is a sequence. Default: False.
        size (int, optional): The width of the layer. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = StaticInput(data_layer("x", size=8))
    """
    def __init__(self, input: Union[LayerOutput, Sequence[Any]], is_seq: bool = ..., size: Optional[int] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def SubsequenceInput(input: Union[LayerOutput, Sequence[Any]]) -> LayerOutput:
    """A nested sequence: each step is a sub-sequence. The layer itself says that it is one.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = SubsequenceInput(data_layer("x", size=8))
        >>> out.size
        8
    """
    ...

def memory(name: Optional[str], size: Optional[int], memory_name: Optional[str] = ..., is_seq: bool = ..., boot_layer: Optional[LayerOutput] = ..., boot_bias: Any = ..., boot_bias_active_type: Any = ..., boot_with_const_id: Optional[int] = ...) -> LayerOutput:
    """Inside a step: the layer `name` as it was at the step before; before the first, zeros, or
    boot_layer, or a learnt row (boot_bias), or an id (boot_with_const_id). With name=None it is
    said by set_input(). It is a sequence where boot_layer is one; is_seq=True expects that.

    Args:
        name (str, optional): The name of the layer; None: one that is made.
        size (int, optional): The width of the layer.
        memory_name (str, optional): The name of the memory itself. Default: None.
        is_seq (bool): Whether it is a sequence. Default: False.
        boot_layer (LayerOutput, optional): What it is before the first step. Default: None.
        boot_bias (ParameterAttribute, optional): A row that is learned for that. Default: None.
        boot_bias_active_type (BaseActivation, optional): Its activation. Default: None.
        boot_with_const_id (int, optional): An id for that. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> def step(word):
        ...     before = memory(name="state", size=16)
        ...     return fc_layer([word, before], size=16, name="state")
        ...
        >>> out = recurrent_group(step, input=words)
        >>> out.size
        16
    """
    ...

def recurrent_group(step: Callable[..., Any], input: Union[LayerOutput, Sequence[Any]], reverse: bool = ..., name: Optional[str] = ..., targetInlink: Optional[LayerOutput] = ..., is_generating: bool = ...) -> LayerOutput:
    """step(one layer for each input) is called once, and run for each step of the sequences; it gives
    a layer, or several. Inputs are sequences (of sub-sequences: a step is one of them) of the same
    length, and StaticInputs; anything else is handed to the step as it is. targetInlink: the input
    whose sequences the output has; here they are what the step makes of them.

    Args:
        step (callable): Makes one step of one layer for each input.
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        targetInlink (LayerOutput, optional): Whose sequences the result has. Default: None.
        is_generating (bool): Whether sentences are made. Default: False.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> def step(word):
        ...     before = memory(name="state", size=16)
        ...     return fc_layer([word, before], size=16, name="state")
        ...
        >>> out = recurrent_group(step, input=words)
        >>> out.size
        16
    """
    ...
