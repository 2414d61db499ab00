# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def img_conv_layer(input: Union[LayerOutput, Sequence[Any]], filter_size: int, num_filters: int, name: Optional[str] = ..., num_channels: Optional[int] = ..., act: Any = ..., groups: int = ..., stride: int = ..., padding: int = ..., dilation: int = ..., bias_attr: Any = ..., param_attr: Any = ..., shared_biases: bool = ..., layer_attr: Any = ..., filter_size_y: Optional[int] = ..., stride_y: Optional[int] = ..., padding_y: Optional[int] = ..., dilation_y: Optional[int] = ..., trans: bool = ..., layer_type: Optional[str] = ...) -> LayerOutput:
    """Images filtered, and a bias for each filter (or each place); relu unless told. trans: the way
    back of such a convolution, which makes images larger.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        filter_size (int): The size of a filter, or its width.
        num_filters (int): How many filters, and so channels of the result.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        groups (int): Groups of channels that do not mix. Default: 1.
        stride (int): The step, or that along the width. Default: 1.
        padding (int): Zeros around the image, or left and right. Default: 0.
        dilation (int): The step between the taps of a filter. Default: 1.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        shared_biases (bool): Whether all places of a filter have one bias. Default: True.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        filter_size_y (int, optional): Its height; None: as the width. Default: None.
        stride_y (int, optional): The step along the height, or the depth; None: as along the width.
            Default: None.
        padding_y (int, optional): Zeros above and below, or before and behind; None: as left and
            right. Default: None.
        dilation_y (int, optional): That along the height. Default: None.
        trans (bool): Whether it is a transposed convolution. Default: False.
        layer_type (str, optional): Which way it is computed: the result is the same. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = img_conv_layer(image, filter_size=3, num_filters=8, num_channels=3, padding=1)
        >>> out.size
        2048
    """
    ...

def img_conv3d_layer(input: Union[LayerOutput, Sequence[Any]], filter_size: int, num_filters: int, name: Optional[str] = ..., num_channels: Optional[int] = ..., act: Any = ..., groups: int = ..., stride: int = ..., padding: int = ..., bias_attr: Any = ..., param_attr: Any = ..., shared_biases: bool = ..., layer_attr: Any = ..., trans: bool = ..., layer_type: Optional[str] = ...) -> LayerOutput:
    """Volumes filtered, and a bias for each filter.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        filter_size (int): The size of a filter, or its width.
        num_filters (int): How many filters, and so channels of the result.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        groups (int): Groups of channels that do not mix. Default: 1.
        stride (int): The step, or that along the width. Default: 1.
        padding (int): Zeros around the image, or left and right. Default: 0.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        shared_biases (bool): Whether all places of a filter have one bias. Default: True.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        trans (bool): Whether it is a transposed convolution. Default: False.
        layer_type (str, optional): Which way it is computed: the result is the same. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> volume = data_layer("volume", size=2 * 8 * 8 * 8, depth=8, height=8, width=8)
        >>> out = img_conv3d_layer(volume, filter_size=3, num_filters=4, num_channels=2)
        >>> out.size
        864
    """
    ...

def img_pool_layer(input: Union[LayerOutput, Sequence[Any]], pool_size: int, name: Optional[str] = ..., num_channels: Optional[int] = ..., pool_type: Any = ..., stride: int = ..., padding: int = ..., layer_attr: Any = ..., pool_size_y: Optional[int] = ..., stride_y: Optional[int] = ..., padding_y: Optional[int] = ..., ceil_mode: bool = ..., exclude_mode: Optional[bool] = ...) -> LayerOutput:
    """The largest or the average of each window; ceil_mode: windows that reach beyond the image count
    as well.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        pool_size (int): The size of a window, or its width.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        pool_type (BasePoolingType, optional): What a window gives; None: the maximum. Default:
            None.
        stride (int): The step, or that along the width. Default: 1.
        padding (int): Zeros around the image, or left and right. Default: 0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        pool_size_y (int, optional): Its height, or its depth; None: as the width. Default: None.
        stride_y (int, optional): The step along the height, or the depth; None: as along the width.
            Default: None.
        padding_y (int, optional): Zeros above and below, or before and behind; None: as left and
            right. Default: None.
        ceil_mode (bool): Whether windows may reach beyond the image. Default: True.
        exclude_mode (bool, optional): Whether averages leave the padding out. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = img_pool_layer(image, pool_size=2, stride=2, num_channels=3)
        >>> out.size
        192
    """
    ...

def img_pool3d_layer(input: Union[LayerOutput, Sequence[Any]], pool_size: int, name: Optional[str] = ..., num_channels: Optional[int] = ..., pool_type: Any = ..., stride: int = ..., padding: int = ..., layer_attr: Any = ..., pool_size_y: Optional[int] = ..., stride_y: Optional[int] = ..., padding_y: Optional[int] = ..., pool_size_z: Optional[int] = ..., stride_z: Optional[int] = ..., padding_z: Optional[int] = ..., ceil_mode: bool = ...) -> LayerOutput:
    """The largest or the average of each window of volumes.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        pool_size (int): The size of a window, or its width.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        pool_type (BasePoolingType, optional): What a window gives; None: the maximum. Default:
            None.
        stride (int): The step, or that along the width. Default: 1.
        padding (int): Zeros around the image, or left and right. Default: 0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        pool_size_y (int, optional): Its height, or its depth; None: as the width. Default: None.
        stride_y (int, optional): The step along the height, or the depth; None: as along the width.
            Default: None.
        padding_y (int, optional): Zeros above and below, or before and behind; None: as left and
            right. Default: None.
        pool_size_z (int, optional): Its height, or its depth; None: as the width. Default: None.
        stride_z (int, optional): The step along the height, or the depth; None: as along the width.
            Default: None.
        padding_z (int, optional): Zeros above and below, or before and behind; None: as left and
            right. Default: None.
        ceil_mode (bool): Whether windows may reach beyond the image. Default: True.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> volume = data_layer("volume", size=2 * 8 * 8 * 8, depth=8, height=8, width=8)
        >>> out = img_pool3d_layer(volume, pool_size=2, stride=2, num_channels=2)
        >>> out.size
        128
    """
    ...

def spp_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., num_channels: Optional[int] = ..., pool_type: Any = ..., pyramid_height: Optional[int] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Poolings of the whole image, its quarters, their quarters ..., side by side.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        pool_type (BasePoolingType, optional): What a window gives; None: the maximum. Default:
            None.
        pyramid_height (int): How often the image is divided. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = spp_layer(image, num_channels=3, pyramid_height=2, pool_type=MaxPooling())
        >>> out.size
        15
    """
    ...
