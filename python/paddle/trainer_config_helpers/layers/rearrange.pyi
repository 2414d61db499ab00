# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def maxout_layer(input: Union[LayerOutput, Sequence[Any]], groups: int, num_channels: Optional[int] = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Of each `groups` channels that follow each other the largest.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        groups (int): Groups of channels that do not mix.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = maxout_layer(img_conv_layer(image, filter_size=1, num_filters=4, num_channels=3),
        ...                    groups=2)
        >>> out.size
        512
    """
    ...

def pad_layer(input: Union[LayerOutput, Sequence[Any]], pad_c: Optional[Sequence[Any]] = ..., pad_h: Optional[Sequence[Any]] = ..., pad_w: Optional[Sequence[Any]] = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Zeros around an image: [how many before, how many behind] for channels, height and width.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        pad_c (list of int, optional): Zeros before and behind. Default: None.
        pad_h (list of int, optional): Zeros before and behind. Default: None.
        pad_w (list of int, optional): Zeros before and behind. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = pad_layer(image, pad_c=[0, 0], pad_h=[1, 1], pad_w=[2, 2])
        >>> out.size
        1080
    """
    ...

def crop_layer(input: Union[LayerOutput, Sequence[Any]], offset: Optional[Union[int, Sequence[Any]]], axis: int = ..., shape: Optional[Sequence[Any]] = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """A part of each image, from `offset` on, along `axis` (1: channels, 2: height, 3: width) and
    those behind it; as large as `shape` (of all four axes), or as the second input.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        offset (int or list of int, optional): Where it begins.
        axis (int): 1: channels, 2: height, 3: width. Default: 2.
        shape (list of int, optional): Of the result. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = crop_layer(image, offset=[2, 2], axis=2, shape=[1, 3, 8, 8])
        >>> out.size
        192
    """
    ...

def block_expand_layer(input: Union[LayerOutput, Sequence[Any]], block_x: int = ..., block_y: int = ..., stride_x: int = ..., stride_y: Optional[int] = ..., padding_x: int = ..., padding_y: Optional[int] = ..., num_channels: Optional[int] = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each image as a sequence of its windows, row by row; the last ones may reach beyond it.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        block_x (int): Width and height of a window. Default: 0.
        block_y (int): Width and height of a window. Default: 0.
        stride_x (int): Along the width. Default: 0.
        stride_y (int, optional): The step along the height, or the depth; None: as along the width.
            Default: 0.
        padding_x (int): Along the width. Default: 0.
        padding_y (int, optional): Zeros above and below, or before and behind; None: as left and
            right. Default: 0.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = block_expand_layer(image, block_x=4, block_y=4, stride_x=4, stride_y=4,
        ...                          num_channels=3)
        >>> out.size
        48
    """
    ...

def bilinear_interp_layer(input: Union[LayerOutput, Sequence[Any]], out_size_x: Optional[int] = ..., out_size_y: Optional[int] = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Images at another size, the corners kept.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        out_size_x (int): Width and height of the result. Default: None.
        out_size_y (int): Width and height of the result. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = bilinear_interp_layer(img_conv_layer(image, filter_size=1, num_filters=4, num_channels=3),
        ...                             out_size_x=32, out_size_y=32)
        >>> out.size
        4096
    """
    ...

def upsample_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., scale: Optional[float] = ..., scale_y: Optional[int] = ..., upsample_size: Optional[int] = ..., upsample_size_y: Optional[int] = ..., pad_out_x: bool = ..., pad_out_y: bool = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each value back where a pooling took it from, zeros elsewhere. input: [the values, the pooling,
    which has pool_type=MaxWithMaskPooling()].

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        scale (float): A factor. Default: None.
        scale_y (int, optional): The factor of the height. Default: None.
        upsample_size (int, optional): Width and height of the result. Default: None.
        upsample_size_y (int, optional): Width and height of the result. Default: None.
        pad_out_x (bool): Whether the result has a column or a row less. Default: False.
        pad_out_y (bool): Whether the result has a column or a row less. Default: False.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=2 * 16, height=4, width=4)
        >>> pooled = img_pool_layer(image, pool_size=2, stride=2, pool_type=MaxWithMaskPooling())
        >>> out = upsample_layer([data_layer("y", size=2 * 4, height=2, width=2), pooled], scale=2)
        >>> out.size
        32
    """
    ...

def rotate_layer(input: Union[LayerOutput, Sequence[Any]], height: Optional[int], width: Optional[int], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Images turned by 90 degrees, clockwise.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        height (int, optional): Of the image.
        width (int, optional): Of the image.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = rotate_layer(image, height=16, width=16)
        >>> out.size
        768
    """
    ...

def switch_order_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., reshape_axis: Optional[int] = ..., act: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """[channels, height, width] as [height, width, channels]; the axes from reshape_axis on (0: the
    examples, 1: height, 2: width, 3: channels) are a row, those before it count rows.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        reshape_axis (int, optional): The axes from there on are one. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = switch_order_layer(img_conv_layer(image, filter_size=1, num_filters=4, num_channels=3),
        ...                          reshape_axis=3)
        >>> out.size
        4
    """
    ...

def resize_layer(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], name: Optional[str] = ...) -> LayerOutput:
    """The same numbers in rows of another length.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = resize_layer(x, size=4)
        >>> out.size
        4
    """
    ...

def scale_sub_region_layer(input: Union[LayerOutput, Sequence[Any]], indices: LayerOutput, value: float, name: Optional[str] = ...) -> LayerOutput:
    """A part of each image times `value`. indices: for each image the first and last channel, row and
    column of the part, counted from 1.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        indices (LayerOutput): Which part of each image.
        value (float): A factor.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> out = scale_sub_region_layer(image, data_layer("indices", size=6), value=2.0)
        >>> out.size
        768
    """
    ...

def trans_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """The matrix of the batch, transposed.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = trans_layer(x)
        >>> out.size
        8
    """
    ...

def repeat_layer(input: Union[LayerOutput, Sequence[Any]], num_repeats: int, as_row_vector: bool = ..., act: Any = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Each row several times side by side; as_row_vector=False: each element several times.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        num_repeats (int): How often.
        as_row_vector (bool): Whether rows are repeated, and not elements. Default: True.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = repeat_layer(x, num_repeats=2)
        >>> out.size
        16
    """
    ...
