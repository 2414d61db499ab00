# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def simple_img_conv_pool(input: Union[LayerOutput, Sequence[Any]], filter_size: int, num_filters: int, pool_size: int, name: Optional[str] = ..., pool_type: Any = ..., act: Any = ..., groups: int = ..., conv_stride: Union[int, Sequence[Any]] = ..., conv_padding: Union[int, Sequence[Any]] = ..., bias_attr: Any = ..., num_channel: Optional[int] = ..., param_attr: Any = ..., shared_bias: bool = ..., conv_layer_attr: Any = ..., pool_stride: Union[int, Sequence[Any]] = ..., pool_padding: Union[int, Sequence[Any]] = ..., pool_layer_attr: Any = ...) -> LayerOutput:
    """A convolution and a pooling.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        filter_size (int): The size of a filter, or its width.
        num_filters (int): How many filters, and so channels of the result.
        pool_size (int): The size of a window, or its width.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        pool_type (BasePoolingType, optional): What a window gives; None: the maximum. Default:
            None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        groups (int): Groups of channels that do not mix. Default: 1.
        conv_stride (int or list of int): Of that layer. Default: 1.
        conv_padding (int or list of int): Of that layer. Default: 0.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        num_channel (int, optional): Channels of the input; None: as it says itself. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        shared_bias (bool): Whether all places of a filter have one bias. Default: True.
        conv_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        pool_stride (int or list of int): Of that layer. Default: 1.
        pool_padding (int or list of int): Of that layer. Default: 0.
        pool_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = simple_img_conv_pool(image, filter_size=3, num_filters=8, pool_size=2, pool_stride=2,
        ...                            num_channel=3)
        >>> out.size
        392
    """
    ...

def img_conv_bn_pool(input: Union[LayerOutput, Sequence[Any]], filter_size: int, num_filters: int, pool_size: int, name: Optional[str] = ..., pool_type: Any = ..., act: Any = ..., groups: int = ..., conv_stride: Union[int, Sequence[Any]] = ..., conv_padding: Union[int, Sequence[Any]] = ..., conv_bias_attr: Any = ..., num_channel: Optional[int] = ..., conv_param_attr: Any = ..., shared_bias: bool = ..., conv_layer_attr: Any = ..., bn_param_attr: Any = ..., bn_bias_attr: Any = ..., bn_layer_attr: Any = ..., pool_stride: Union[int, Sequence[Any]] = ..., pool_padding: Union[int, Sequence[Any]] = ..., pool_layer_attr: Any = ...) -> LayerOutput:
    """A convolution, a batch normalisation that has the activation, and a pooling.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        filter_size (int): The size of a filter, or its width.
        num_filters (int): How many filters, and so channels of the result.
        pool_size (int): The size of a window, or its width.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        pool_type (BasePoolingType, optional): What a window gives; None: the maximum. Default:
            None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        groups (int): Groups of channels that do not mix. Default: 1.
        conv_stride (int or list of int): Of that layer. Default: 1.
        conv_padding (int or list of int): Of that layer. Default: 0.
        conv_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            None.
        num_channel (int, optional): Channels of the input; None: as it says itself. Default: None.
        conv_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        shared_bias (bool): Whether all places of a filter have one bias. Default: True.
        conv_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        bn_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        bn_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default: None.
        bn_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        pool_stride (int or list of int): Of that layer. Default: 1.
        pool_padding (int or list of int): Of that layer. Default: 0.
        pool_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = img_conv_bn_pool(image, filter_size=3, num_filters=8, pool_size=2, pool_stride=2,
        ...                        num_channel=3)
        >>> out.size
        392
    """
    ...

def img_conv_group(input: Union[LayerOutput, Sequence[Any]], conv_num_filter: Sequence[Any], pool_size: int, num_channels: Optional[int] = ..., conv_padding: Union[int, Sequence[Any]] = ..., conv_filter_size: Union[int, Sequence[Any]] = ..., conv_act: Any = ..., conv_with_batchnorm: Union[bool, Sequence[Any]] = ..., conv_batchnorm_drop_rate: Union[float, Sequence[Any]] = ..., pool_stride: Union[int, Sequence[Any]] = ..., pool_type: Any = ..., param_attr: Any = ...) -> LayerOutput:
    """Convolutions one after the other, with batch normalisation where asked, and a pooling.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        conv_num_filter (list of int): Filters of each convolution.
        pool_size (int): The size of a window, or its width.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        conv_padding (int or list of int): Of that layer. Default: 1.
        conv_filter_size (int or list of int): Of that layer. Default: 3.
        conv_act (BaseActivation, optional): The activation of each convolution. Default: None.
        conv_with_batchnorm (bool or list of bool): Whether each has a batch normalisation. Default:
            False.
        conv_batchnorm_drop_rate (float or list of float): Dropout behind it. Default: 0.
        pool_stride (int or list of int): Of that layer. Default: 1.
        pool_type (BasePoolingType, optional): What a window gives; None: the maximum. Default:
            None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = img_conv_group(image, conv_num_filter=[8, 8], pool_size=2, pool_stride=2,
        ...                      num_channels=3)
        >>> out.size
        512
    """
    ...

def small_vgg(input_image: LayerOutput, num_channels: Optional[int], num_classes: Optional[int]) -> LayerOutput:
    """VGG for small images: four groups, a pooling, and a fully connected layer.

    Args:
        input_image (LayerOutput): Images.
        num_channels (int, optional): Channels of the input; None: as it says itself.
        num_classes (int, optional): How many classes there are.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = small_vgg(data_layer("large", size=3 * 32 * 32, height=32, width=32), num_channels=3,
        ...                 num_classes=10)
        >>> out.size
        10
    """
    ...

def vgg_16_network(input_image: LayerOutput, num_channels: Optional[int], num_classes: Optional[int] = ...) -> LayerOutput:
    """VGG with 16 layers, for large images.

    Args:
        input_image (LayerOutput): Images.
        num_channels (int, optional): Channels of the input; None: as it says itself.
        num_classes (int, optional): How many classes there are. Default: 1000.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = vgg_16_network(data_layer("large", size=3 * 32 * 32, height=32, width=32),
        ...                      num_channels=3, num_classes=10)
        >>> out.size
        10
    """
    ...

def inputs(layers: Union[LayerOutput, Sequence[Any]], *args: Any) -> LayerOutput:
    """The data layers in the order of a sample's slots.

    Args:
        layers (LayerOutput or list of LayerOutput): The layers.
        *args (LayerOutput): More of them.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> inputs(x)
        >>> outputs(fc_layer(x, 1))
    """
    ...

def outputs(layers: Union[LayerOutput, Sequence[Any]], *args: Any) -> LayerOutput:
    """What is computed: costs for training, or layers for prediction.

    Args:
        layers (LayerOutput or list of LayerOutput): The layers.
        *args (LayerOutput): More of them.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> inputs(x)
        >>> outputs(fc_layer(x, 1))
    """
    ...
