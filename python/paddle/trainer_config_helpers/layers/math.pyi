# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def cos_sim(a: LayerOutput, b: LayerOutput, scale: float = ..., size: Optional[int] = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """scale * the cosine of the angle between a and b; size > 1: between a and each of the `size`
    vectors that b holds side by side.

    Args:
        a (LayerOutput): One input.
        b (LayerOutput): The other.
        scale (float): A factor. Default: 1.
        size (int, optional): The width of the layer. Default: 1.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = cos_sim(x, y)
        >>> out.size
        1
    """
    ...

def l2_distance_layer(x: LayerOutput, y: LayerOutput, name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """The length of x - y.

    Args:
        x (LayerOutput): One input.
        y (LayerOutput): The other.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = l2_distance_layer(x, y)
        >>> out.size
        1
    """
    ...

def dot_prod_layer(input1: LayerOutput, input2: LayerOutput, name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """The product of two rows, one number.

    Args:
        input1 (LayerOutput): The inputs.
        input2 (LayerOutput): The inputs.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = dot_prod_layer(x, y)
        >>> out.size
        1
    """
    ...

def out_prod_layer(input1: LayerOutput, input2: LayerOutput, name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each element of input1 times each of input2.

    Args:
        input1 (LayerOutput): The inputs.
        input2 (LayerOutput): The inputs.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = out_prod_layer(x, y)
        >>> out.size
        64
    """
    ...

def scaling_layer(input: Union[LayerOutput, Sequence[Any]], weight: Optional[LayerOutput], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each row by its number.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        weight (LayerOutput, optional): How much each example counts.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> number = data_layer("number", size=1)
        >>> out = scaling_layer(x, number)
        >>> out.size
        8
    """
    ...

def power_layer(input: Union[LayerOutput, Sequence[Any]], weight: Optional[LayerOutput], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each row to the power of its number.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        weight (LayerOutput, optional): How much each example counts.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> number = data_layer("number", size=1)
        >>> out = power_layer(x, number)
        >>> out.size
        8
    """
    ...

def interpolation_layer(input: Union[LayerOutput, Sequence[Any]], weight: Optional[LayerOutput], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """weight * the first + (1 - weight) * the second.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        weight (LayerOutput, optional): How much each example counts.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> number = data_layer("number", size=1)
        >>> out = interpolation_layer([x, y], number)
        >>> out.size
        8
    """
    ...

def slope_intercept_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., slope: float = ..., intercept: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """slope * input + intercept.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        slope (float): What it is multiplied by. Default: 1.0.
        intercept (float): What is added. Default: 0.0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = slope_intercept_layer(x, slope=2.0, intercept=1.0)
        >>> out.size
        8
    """
    ...

def clip_layer(input: Union[LayerOutput, Sequence[Any]], min: float, max: float, name: Optional[str] = ...) -> LayerOutput:
    """Each element kept between min and max.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        min (float): The limits.
        max (float): The limits.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = clip_layer(x, min=-1.0, max=1.0)
        >>> out.size
        8
    """
    ...

def linear_comb_layer(weights: LayerOutput, vectors: LayerOutput, size: Optional[int] = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum of the vectors that `vectors` holds side by side, each by its weight.

    Args:
        weights (LayerOutput): The weights.
        vectors (LayerOutput): The vectors, side by side.
        size (int, optional): The width of the layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = linear_comb_layer(data_layer("w", size=2), x)
        >>> out.size
        4
    """
    ...

def conv_shift_layer(a: LayerOutput, b: LayerOutput, name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """c[i] = the sum of a[i + j] b[j], j around 0, what leaves a at one end coming in at the other; b
    has an odd size.

    Args:
        a (LayerOutput): One input.
        b (LayerOutput): The other.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = conv_shift_layer(x, data_layer("three", size=3))
        >>> out.size
        8
    """
    ...

def multiplex_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Row by row from one of the inputs behind the first, which says which: 0, 1 ...

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = multiplex_layer([data_layer("which", size=2), x, y])
        >>> out.size
        8
    """
    ...
