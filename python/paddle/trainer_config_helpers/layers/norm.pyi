# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def batch_norm_layer(input: Union[LayerOutput, Sequence[Any]], act: Any = ..., name: Optional[str] = ..., img3D: bool = ..., num_channels: Optional[int] = ..., bias_attr: Any = ..., param_attr: Any = ..., layer_attr: Any = ..., batch_norm_type: Optional[str] = ..., epsilon: float = ..., moving_average_fraction: float = ..., use_global_stats: Optional[bool] = ..., mean_var_names: Optional[Sequence[Any]] = ...) -> LayerOutput:
    """Each channel brought to mean 0 and variance 1, then scaled and moved; relu unless told.

    The moving mean and variance are parameters (.w1 and .w2) that no optimizer touches; tests take
    them, and with use_global_stats=True training does; with False not even tests do.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        img3D (bool): Whether images have a depth. Default: False.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        batch_norm_type (str, optional): Which way it is computed: the result is the same. Default:
            None.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-05.
        moving_average_fraction (float): How slowly the running mean forgets. Default: 0.9.
        use_global_stats (bool, optional): Whether what was learned is used; None: in tests.
            Default: None.
        mean_var_names (list of str, optional): Names of the running mean and variance. Default:
            None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = batch_norm_layer(image, num_channels=3)
        >>> out.size
        768
    """
    ...

def img_cmrnorm_layer(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], scale: float = ..., power: float = ..., name: Optional[str] = ..., num_channels: Optional[int] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each pixel divided by (1 + scale/size * the squares of `size` channels around it)^power.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        scale (float): A factor. Default: 0.0128.
        power (float): Of the divisor. Default: 0.75.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = img_cmrnorm_layer(image, size=3, num_channels=3)
        >>> out.size
        768
    """
    ...

def cross_channel_norm_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., param_attr: Any = ...) -> LayerOutput:
    """At each place of an image the vector of its channels at length 1, each channel by a factor that
    is learned.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = cross_channel_norm_layer(img_conv_layer(image, filter_size=1, num_filters=4, num_channels=3))
        >>> out.size
        1024
    """
    ...

def sum_to_one_norm_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each row divided by its sum.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = sum_to_one_norm_layer(x)
        >>> out.size
        8
    """
    ...

def row_l2_norm_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each row divided by its length.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = row_l2_norm_layer(x)
        >>> out.size
        8
    """
    ...
