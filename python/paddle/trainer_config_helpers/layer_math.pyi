# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def exp(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """exp of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.exp(x)
    """
    ...

def log(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """log of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.log(x)
    """
    ...

def abs(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """abs of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.abs(x)
    """
    ...

def sigmoid(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """sigmoid of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.sigmoid(x)
    """
    ...

def tanh(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """tanh of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.tanh(x)
    """
    ...

def square(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """square of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.square(x)
    """
    ...

def relu(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """relu of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.relu(x)
    """
    ...

def sqrt(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """sqrt of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.sqrt(x)
    """
    ...

def reciprocal(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """reciprocal of each element of a layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = layer_math.reciprocal(x)
    """
    ...
