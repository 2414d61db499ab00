# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def conv2d(input: Variable, num_filters: Union[int, Variable], filter_size: Union[int, Variable, Sequence[Any]], stride: Union[int, Variable, Sequence[Any]] = ..., padding: Union[int, Variable, str, Sequence[Any]] = ..., dilation: Union[int, Variable, Sequence[Any]] = ..., groups: Optional[Union[int, Variable]] = ..., param_attr: Any = ..., bias_attr: Any = ..., use_cudnn: bool = ..., act: Optional[str] = ..., name: Optional[str] = ..., data_format: str = ...) -> Variable:
    """act(input filtered + b).

    Args:
        input (Variable): Images, [batch, channels, space]. Of float16, float32 or float64.
        num_filters (int): How many filters, and so channels of the result.
        filter_size (int or list of int): The size of a filter.
        stride (int or list of int): The step of a filter along each side. Default: 1.
        padding (int, str or list of int): Zeros around the image; or "SAME" or "VALID". Default: 0.
        dilation (int or list of int): The step between the taps of a filter. Default: 1.
        groups (int): Groups of channels that do not mix. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        use_cudnn (bool): Taken, and changes nothing. Default: True.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        data_format (str): Where the channels stand. Default: 'NCHW'.

    Returns:
        Variable: [batch, output channels, space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.conv2d(image, num_filters=8, filter_size=3, padding=1)
        >>> out.shape
        (-1, 8, 16, 16)
    """
    ...

def conv3d(input: Variable, num_filters: Union[int, Variable], filter_size: Union[int, Variable, Sequence[Any]], stride: Union[int, Variable, Sequence[Any]] = ..., padding: Union[int, Variable, str, Sequence[Any]] = ..., dilation: Union[int, Variable, Sequence[Any]] = ..., groups: Optional[Union[int, Variable]] = ..., param_attr: Any = ..., bias_attr: Any = ..., use_cudnn: bool = ..., act: Optional[str] = ..., name: Optional[str] = ..., data_format: str = ...) -> Variable:
    """act(input filtered + b).

    Args:
        input (Variable): Images, [batch, channels, space]. Of float16, float32 or float64.
        num_filters (int): How many filters, and so channels of the result.
        filter_size (int or list of int): The size of a filter.
        stride (int or list of int): The step of a filter along each side. Default: 1.
        padding (int, str or list of int): Zeros around the image; or "SAME" or "VALID". Default: 0.
        dilation (int or list of int): The step between the taps of a filter. Default: 1.
        groups (int): Groups of channels that do not mix. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        use_cudnn (bool): Taken, and changes nothing. Default: True.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        data_format (str): Where the channels stand. Default: 'NCDHW'.

    Returns:
        Variable: [batch, output channels, space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> volume = fluid.data("volume", [None, 4, 8, 8, 8])
        >>> out = fluid.layers.conv3d(volume, num_filters=8, filter_size=3)
        >>> out.shape
        (-1, 8, 6, 6, 6)
    """
    ...

def conv2d_transpose(input: Variable, num_filters: Union[int, Variable], output_size: Optional[Sequence[Any]] = ..., filter_size: Optional[Union[int, Variable, Sequence[Any]]] = ..., padding: Union[int, Variable, str, Sequence[Any]] = ..., stride: Union[int, Variable, Sequence[Any]] = ..., dilation: Union[int, Variable, Sequence[Any]] = ..., groups: Optional[Union[int, Variable]] = ..., param_attr: Any = ..., bias_attr: Any = ..., use_cudnn: bool = ..., act: Optional[str] = ..., name: Optional[str] = ..., data_format: str = ...) -> Variable:
    """A convolution turned round.

    Args:
        input (Variable): [batch, channels, space]. Of float16, float32 or float64.
        num_filters (int): How many filters, and so channels of the result.
        output_size (list of int): The size wanted; empty: smallest. Default: None.
        filter_size (int or list of int): The size of a filter. Default: None.
        padding (int, str or list of int): Zeros around the image; or "SAME" or "VALID". Default: 0.
        stride (int or list of int): The step of a filter along each side. Default: 1.
        dilation (int or list of int): The step between the taps of a filter. Default: 1.
        groups (int): Groups of channels that do not mix. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        use_cudnn (bool): Taken, and changes nothing. Default: True.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        data_format (str): Where the channels stand. Default: 'NCHW'.

    Returns:
        Variable: [batch, output channels, space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.conv2d_transpose(image, num_filters=8, filter_size=2, stride=2)
        >>> out.shape
        (-1, 8, 32, 32)
    """
    ...

def conv3d_transpose(input: Variable, num_filters: Union[int, Variable], output_size: Optional[Sequence[Any]] = ..., filter_size: Optional[Union[int, Variable, Sequence[Any]]] = ..., padding: Union[int, Variable, str, Sequence[Any]] = ..., stride: Union[int, Variable, Sequence[Any]] = ..., dilation: Union[int, Variable, Sequence[Any]] = ..., groups: Optional[Union[int, Variable]] = ..., param_attr: Any = ..., bias_attr: Any = ..., use_cudnn: bool = ..., act: Optional[str] = ..., name: Optional[str] = ..., data_format: str = ...) -> Variable:
    """A convolution turned round.

    Args:
        input (Variable): [batch, channels, space]. Of float16, float32 or float64.
        num_filters (int): How many filters, and so channels of the result.
        output_size (list of int): The size wanted; empty: smallest. Default: None.
        filter_size (int or list of int): The size of a filter. Default: None.
        padding (int, str or list of int): Zeros around the image; or "SAME" or "VALID". Default: 0.
        stride (int or list of int): The step of a filter along each side. Default: 1.
        dilation (int or list of int): The step between the taps of a filter. Default: 1.
        groups (int): Groups of channels that do not mix. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        use_cudnn (bool): Taken, and changes nothing. Default: True.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        data_format (str): Where the channels stand. Default: 'NCDHW'.

    Returns:
        Variable: [batch, output channels, space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> volume = fluid.data("volume", [None, 4, 8, 8, 8])
        >>> out = fluid.layers.conv3d_transpose(volume, num_filters=8, filter_size=2, stride=2)
        >>> out.shape
        (-1, 8, 16, 16, 16)
    """
    ...

def pool2d(input: Variable, pool_size: Union[int, Variable, Sequence[Any]] = ..., pool_type: str = ..., pool_stride: Union[int, Variable, Sequence[Any]] = ..., pool_padding: Union[int, Variable, str, Sequence[Any]] = ..., global_pooling: bool = ..., use_cudnn: bool = ..., ceil_mode: bool = ..., name: Optional[str] = ..., exclusive: bool = ..., data_format: str = ...) -> Variable:
    """The largest or the average of windows.

    Args:
        input (Variable): [batch, channels, space].
        pool_size (int or list of int): The size of a window. Default: -1.
        pool_type (str): What a window gives: "max" or "avg". Default: 'max'.
        pool_stride (int or list of int): The step of a window. Default: 1.
        pool_padding (int, str or list of int): Zeros around the image. Default: 0.
        global_pooling (bool): One window: the whole image. Default: False.
        use_cudnn (bool): Taken, and changes nothing. Default: True.
        ceil_mode (bool): The last window may reach over the edge. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.
        exclusive (bool): Averages do not count what is over the edge. Default: True.
        data_format (str): Where the channels stand. Default: 'NCHW'.

    Returns:
        Variable: [batch, channels, windows].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.pool2d(image, pool_size=2, pool_stride=2, pool_type="max")
        >>> out.shape
        (-1, 4, 8, 8)
    """
    ...

def pool3d(input: Variable, pool_size: Union[int, Variable, Sequence[Any]] = ..., pool_type: str = ..., pool_stride: Union[int, Variable, Sequence[Any]] = ..., pool_padding: Union[int, Variable, str, Sequence[Any]] = ..., global_pooling: bool = ..., use_cudnn: bool = ..., ceil_mode: bool = ..., name: Optional[str] = ..., exclusive: bool = ..., data_format: str = ...) -> Variable:
    """The largest or the average of windows.

    Args:
        input (Variable): [batch, channels, space].
        pool_size (int or list of int): The size of a window. Default: -1.
        pool_type (str): What a window gives: "max" or "avg". Default: 'max'.
        pool_stride (int or list of int): The step of a window. Default: 1.
        pool_padding (int, str or list of int): Zeros around the image. Default: 0.
        global_pooling (bool): One window: the whole image. Default: False.
        use_cudnn (bool): Taken, and changes nothing. Default: True.
        ceil_mode (bool): The last window may reach over the edge. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.
        exclusive (bool): Averages do not count what is over the edge. Default: True.
        data_format (str): Where the channels stand. Default: 'NCDHW'.

    Returns:
        Variable: [batch, channels, windows].

    Examples:
        >>> import paddle.fluid as fluid
        >>> volume = fluid.data("volume", [None, 4, 8, 8, 8])
        >>> out = fluid.layers.pool3d(volume, pool_size=2, pool_stride=2)
        >>> out.shape
        (-1, 4, 4, 4, 4)
    """
    ...

def adaptive_pool2d(input: Variable, pool_size: Union[int, Variable, Sequence[Any]], pool_type: str = ..., require_index: bool = ..., name: Optional[str] = ...) -> Variable:
    """So many windows that share the image out; (output, mask) with require_index.

    Args:
        input (Variable): [batch, channels, space]. Of int32, int64, float16, float32 or float64.
        pool_size (int or list of int): The size of a window.
        pool_type (str): What a window gives: "max" or "avg". Default: 'max'.
        require_index (bool): Whether the places of the maxima come back too. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [batch, channels, windows].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.adaptive_pool2d(image, pool_size=4, pool_type="avg")
        >>> out.shape
        (-1, 4, 4, 4)
    """
    ...

def adaptive_pool3d(input: Variable, pool_size: Union[int, Variable, Sequence[Any]], pool_type: str = ..., require_index: bool = ..., name: Optional[str] = ...) -> Variable:
    """So many windows that share the volume out; (output, mask) with require_index.

    Args:
        input (Variable): [batch, channels, space]. Of int32, int64, float16, float32 or float64.
        pool_size (int or list of int): The size of a window.
        pool_type (str): What a window gives: "max" or "avg". Default: 'max'.
        require_index (bool): Whether the places of the maxima come back too. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [batch, channels, windows].

    Examples:
        >>> import paddle.fluid as fluid
        >>> volume = fluid.data("volume", [None, 4, 8, 8, 8])
        >>> out = fluid.layers.adaptive_pool3d(volume, pool_size=2)
        >>> out.shape
        (-1, 4, 2, 2, 2)
    """
    ...

def image_resize(input: Variable, out_shape: Optional[Union[Sequence[Any], Variable]] = ..., scale: Optional[Union[float, Variable]] = ..., name: Optional[str] = ..., resample: str = ..., actual_shape: Optional[Variable] = ..., align_corners: bool = ..., align_mode: Union[int, Variable] = ..., data_format: str = ...) -> Variable:
    """Images at another size.

    Args:
        input (Variable): What it is computed from.
        out_shape (list of int or Variable, optional): Height and width of the result. Default:
            None.
        scale (float): Above 0: sizes are those of input times it. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        resample (str): "BILINEAR", "TRILINEAR" or "NEAREST". Default: 'BILINEAR'.
        actual_shape (Variable, optional): The shape as a tensor, which comes before the list.
            Default: None.
        align_corners (bool): The corners stay where they are. Default: True.
        align_mode (int): 0: elements stand in the middle of pixels. Default: 1.
        data_format (str): Where the channels stand: "NCHW" or "NHWC". Default: 'NCHW'.

    Returns:
        Variable: [batch, channels, new space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.image_resize(image, out_shape=[32, 32])
        >>> out.shape
        (-1, 4, 32, 32)
    """
    ...

def image_resize_short(input: Variable, out_short_len: Union[int, Variable], resample: str = ...) -> Variable:
    """Images whose shorter side has that length, and the longer one in proportion.

    Args:
        input (Variable): What it is computed from.
        out_short_len (int): The new size of the shorter side.
        resample (str): "BILINEAR", "TRILINEAR" or "NEAREST". Default: 'BILINEAR'.

    Returns:
        Variable: [batch, channels, new space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.image_resize_short(image, out_short_len=8)
        >>> out.shape
        (-1, 4, 8, 8)
    """
    ...

def resize_bilinear(input: Variable, out_shape: Optional[Union[Sequence[Any], Variable]] = ..., scale: Optional[Union[float, Variable]] = ..., name: Optional[str] = ..., actual_shape: Optional[Variable] = ..., align_corners: bool = ..., align_mode: Union[int, Variable] = ..., data_format: str = ...) -> Variable:
    """Images at another size, between elements by distance.

    Args:
        input (Variable): What it is computed from.
        out_shape (list of int or Variable, optional): Height and width of the result. Default:
            None.
        scale (float): Above 0: sizes are those of input times it. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        actual_shape (Variable, optional): The shape as a tensor, which comes before the list.
            Default: None.
        align_corners (bool): The corners stay where they are. Default: True.
        align_mode (int): 0: elements stand in the middle of pixels. Default: 1.
        data_format (str): Where the channels stand: "NCHW" or "NHWC". Default: 'NCHW'.

    Returns:
        Variable: [batch, channels, new space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.resize_bilinear(image, out_shape=[32, 32])
        >>> out.shape
        (-1, 4, 32, 32)
    """
    ...

def resize_trilinear(input: Variable, out_shape: Optional[Union[Sequence[Any], Variable]] = ..., scale: Optional[Union[float, Variable]] = ..., name: Optional[str] = ..., actual_shape: Optional[Variable] = ..., align_corners: bool = ..., align_mode: Union[int, Variable] = ..., data_format: str = ...) -> Variable:
    """Volumes at another size, between elements by distance.

    Args:
        input (Variable): What it is computed from.
        out_shape (list of int or Variable, optional): Height and width of the result. Default:
            None.
        scale (float): Above 0: sizes are those of input times it. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        actual_shape (Variable, optional): The shape as a tensor, which comes before the list.
            Default: None.
        align_corners (bool): The corners stay where they are. Default: True.
        align_mode (int): 0: elements stand in the middle of pixels. Default: 1.
        data_format (str): Where the channels stand: "NCHW" or "NHWC". Default: 'NCDHW'.

    Returns:
        Variable: [batch, channels, new space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> volume = fluid.data("volume", [None, 4, 8, 8, 8])
        >>> out = fluid.layers.resize_trilinear(volume, out_shape=[16, 16, 16])
        >>> out.shape
        (-1, 4, 16, 16, 16)
    """
    ...

def resize_nearest(input: Variable, out_shape: Optional[Union[Sequence[Any], Variable]] = ..., scale: Optional[Union[float, Variable]] = ..., name: Optional[str] = ..., actual_shape: Optional[Variable] = ..., align_corners: bool = ..., data_format: str = ...) -> Variable:
    """Images at another size, by the nearest element.

    Args:
        input (Variable): What it is computed from.
        out_shape (list of int or Variable, optional): Height and width of the result. Default:
            None.
        scale (float): Above 0: sizes are those of input times it. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        actual_shape (Variable, optional): The shape as a tensor, which comes before the list.
            Default: None.
        align_corners (bool): The corners stay where they are. Default: True.
        data_format (str): Where the channels stand: "NCHW" or "NHWC". Default: 'NCHW'.

    Returns:
        Variable: [batch, channels, new space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.resize_nearest(image, out_shape=[32, 32])
        >>> out.shape
        (-1, 4, 32, 32)
    """
    ...

def pixel_shuffle(x: Variable, upscale_factor: Union[int, Variable]) -> Variable:
    """Channels become pixels.

    Args:
        x (Variable): [batch, channels, height, width]. Of float32 or float64.
        upscale_factor (int): How much larger images become.

    Returns:
        Variable: the elements of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.pixel_shuffle(image, upscale_factor=2)
        >>> out.shape
        (-1, 1, 32, 32)
    """
    ...

def space_to_depth(x: Variable, blocksize: Union[int, Variable], name: Optional[str] = ...) -> Variable:
    """Pixels become channels.

    Args:
        x (Variable): [batch, channels, height, width]. Of int32, int64, float16, float32 or
            float64.
        blocksize (int): Pixels that become channels, along each axis.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the elements of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.space_to_depth(image, blocksize=2)
        >>> out.shape
        (-1, 16, 8, 8)
    """
    ...

def shuffle_channel(x: Variable, group: Union[int, Variable], name: Optional[str] = ...) -> Variable:
    """Channels of several groups, mixed.

    Args:
        x (Variable): [batch, channels, height, width].
        group (int): Groups of channels that are mixed.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the elements of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.shuffle_channel(image, group=2)
        >>> out.shape
        (-1, 4, 16, 16)
    """
    ...

def temporal_shift(x: Variable, seg_num: Union[int, Variable], shift_ratio: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Channels that move along time.

    Args:
        x (Variable): [videos * seg_num, channels, height, width]. Of float32 or float64.
        seg_num (int): Segments of a video.
        shift_ratio (float): The part of the channels that moves. Default: 0.25.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.temporal_shift(image, seg_num=2)
        >>> out.shape
        (-1, 4, 16, 16)
    """
    ...

def grid_sampler(x: Variable, grid: Variable, name: Optional[str] = ...) -> Variable:
    """Images taken at given places.

    Args:
        x (Variable): [batch, channels, height, width]. Of float32 or float64.
        grid (Variable): [batch, height, width, 2]: places, from -1 to 1. Of float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [batch, channels, height and width of Grid].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.grid_sampler(image, fluid.data("grid", [None, 16, 16, 2]))
        >>> out.shape
        (-1, 4, 16, 16)
    """
    ...

def interpolate(input: Variable, out_shape: Optional[Union[Sequence[Any], Variable]] = ..., scale: Optional[Union[float, Variable]] = ..., name: Optional[str] = ..., resample: str = ..., actual_shape: Optional[Variable] = ..., align_corners: bool = ..., align_mode: Union[int, Variable] = ..., data_format: str = ...) -> Variable:
    """Images at another size.

    Args:
        input (Variable): What it is computed from.
        out_shape (list of int or Variable, optional): Height and width of the result. Default:
            None.
        scale (float): Above 0: sizes are those of input times it. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        resample (str): "BILINEAR", "TRILINEAR" or "NEAREST". Default: 'BILINEAR'.
        actual_shape (Variable, optional): The shape as a tensor, which comes before the list.
            Default: None.
        align_corners (bool): The corners stay where they are. Default: True.
        align_mode (int): 0: elements stand in the middle of pixels. Default: 1.
        data_format (str): Where the channels stand: "NCHW" or "NHWC". Default: 'NCHW'.

    Returns:
        Variable: [batch, channels, new space].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.interpolate(image, out_shape=[32, 32], resample="NEAREST")
        >>> out.shape
        (-1, 4, 32, 32)
    """
    ...
