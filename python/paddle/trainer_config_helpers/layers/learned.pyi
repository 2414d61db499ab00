# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def tensor_layer(a: LayerOutput, b: LayerOutput, size: Optional[int], act: Any = ..., name: Optional[str] = ..., param_attr: Any = ..., bias_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """y[i] = a W[i] b for each of `size` matrices.

    Args:
        a (LayerOutput): One input.
        b (LayerOutput): The other.
        size (int, optional): The width of the layer.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = tensor_layer(x, y, size=4)
        >>> out.size
        4
    """
    ...

def selective_fc_layer(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], select: Optional[LayerOutput] = ..., act: Any = ..., name: Optional[str] = ..., pass_generation: bool = ..., has_selected_colums: bool = ..., mul_ratio: float = ..., param_attr: Any = ..., bias_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """fc_layer of which each example has only some columns, those that `select` marks; the others are
    0. The matrix is transposed, [size, the input's]. mul_ratio chose between two ways to the same
    numbers, and is not needed.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        select (LayerOutput, optional): Which columns are computed. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        pass_generation (bool): As v1's had them. Default: False.
        has_selected_colums (bool): As v1's had them. Default: True.
        mul_ratio (float): Taken: the result is the same. Default: 0.02.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = selective_fc_layer(x, size=16)
        >>> out.size
        16
    """
    ...

def scale_shift_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., param_attr: Any = ..., bias_attr: Any = ...) -> LayerOutput:
    """w * input + b, with two numbers that are learned.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = scale_shift_layer(x)
        >>> out.size
        8
    """
    ...

def prelu_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., partial_sum: int = ..., channel_shared: Optional[bool] = ..., num_channels: Optional[int] = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """Negative elements by a factor that is learned, one for each partial_sum elements:
    channel_shared=True is one for all, False one for each channel.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        partial_sum (int): Elements that share a factor. Default: 1.
        channel_shared (bool, optional): Whether all channels share one. Default: None.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = prelu_layer(x)
        >>> out.size
        8
    """
    ...

def gated_unit_layer(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], act: Any = ..., name: Optional[str] = ..., gate_attr: Any = ..., gate_param_attr: Any = ..., gate_bias_attr: Any = ..., inproj_attr: Any = ..., inproj_param_attr: Any = ..., inproj_bias_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """act(input W + b) * sigmoid(input V + c).

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        gate_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        gate_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        gate_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            True.
        inproj_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        inproj_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        inproj_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            True.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = gated_unit_layer(x, size=16)
    """
    ...

def factorization_machine(input: Union[LayerOutput, Sequence[Any]], factor_size: int, act: Any = ..., name: Optional[str] = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum over pairs of columns of x[i] x[j] <v[i], v[j]>.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        factor_size (int): The width of a factor.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = factorization_machine(x, factor_size=4)
        >>> out.size
        1
    """
    ...

def row_conv_layer(input: Union[LayerOutput, Sequence[Any]], context_len: int, act: Any = ..., name: Optional[str] = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each step of a sequence and the next ones, context_len in all, column by column by factors that
    are learned.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        context_len (int): How many steps are seen.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = row_conv_layer(words, context_len=3)
        >>> out.size
        8
    """
    ...
