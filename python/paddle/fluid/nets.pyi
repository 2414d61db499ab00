# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def simple_img_conv_pool(input: Variable, num_filters: int, filter_size: Union[int, Sequence[Any]], pool_size: Union[int, Sequence[Any]], pool_stride: Union[int, Sequence[Any]], pool_padding: Union[int, str, Sequence[Any]] = ..., pool_type: str = ..., global_pooling: bool = ..., conv_stride: int = ..., conv_padding: Union[int, Sequence[Any]] = ..., conv_dilation: int = ..., conv_groups: int = ..., param_attr: Any = ..., bias_attr: Any = ..., act: Optional[str] = ..., use_cudnn: bool = ...) -> Variable:
    """A convolution and a pooling.

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        num_filters (int): How many filters, and so channels of the result.
        filter_size (int or list of int): The size of a filter.
        pool_size (int or list of int): The size of a window.
        pool_stride (int or list of int): The step of a window.
        pool_padding (int, str or list of int): Zeros around the image. Default: 0.
        pool_type (str): What a window gives: "max" or "avg". Default: 'max'.
        global_pooling (bool): Whether the window is the whole image. Default: False.
        conv_stride (int): The step of a filter. Default: 1.
        conv_padding (int or list of int): Zeros around the image. Default: 0.
        conv_dilation (int): The step between the taps of a filter. Default: 1.
        conv_groups (int): Groups of channels that do not mix. Default: 1.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        use_cudnn (bool): Taken, and changes nothing. Default: True.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 3, 16, 16])
        >>> out = fluid.nets.simple_img_conv_pool(image, num_filters=8, filter_size=3, pool_size=2,
        ...                                       pool_stride=2, act="relu")
        >>> out.shape
        (-1, 8, 7, 7)
    """
    ...

def sequence_conv_pool(input: Variable, num_filters: int, filter_size: Union[int, Sequence[Any]], param_attr: Any = ..., act: Optional[str] = ..., pool_type: str = ..., bias_attr: Any = ...) -> Variable:
    """A convolution along sequences, and one row for each of them.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        num_filters (int): How many filters, and so channels of the result.
        filter_size (int or list of int): The size of a filter.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            'sigmoid'.
        pool_type (str): What a window gives: "max" or "avg". Default: 'max'.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.nets.sequence_conv_pool(words, num_filters=16, filter_size=3)
        >>> out.shape
        (-1, 16)
    """
    ...

def glu(input: Variable, dim: int = ...) -> Variable:
    """Gated linear units: one half of the input times the sigmoid of the other.

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        dim (int): The dimension that is halved. Default: -1.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.nets.glu(fluid.data("x", [None, 8]))
        >>> out.shape
        (-1, 4)
    """
    ...

def scaled_dot_product_attention(queries: Variable, keys: Variable, values: Variable, num_heads: int = ..., dropout_rate: float = ...) -> Variable:
    """softmax(queries keys^T / sqrt(width)) values, in heads each with a projection.

    Args:
        queries (Variable): [batch, steps, width]. Of float32.
        keys (Variable): [batch, steps, width]. Of float32.
        values (Variable): [batch, steps, width]. Of float32.
        num_heads (int): How many attentions side by side. Default: 1.
        dropout_rate (float): The part of weights that is dropped. Default: 0.0.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> steps = fluid.data("steps", [None, 6, 8])
        >>> out = fluid.nets.scaled_dot_product_attention(steps, steps, steps, num_heads=2)
        >>> out.shape
        (-1, 6, 8)
    """
    ...

def img_conv_group(input: Variable, conv_num_filter: Sequence[Any], pool_size: Union[int, Sequence[Any]], conv_padding: Union[int, Sequence[Any]] = ..., conv_filter_size: Union[int, Sequence[Any]] = ..., conv_act: Optional[str] = ..., param_attr: Any = ..., conv_with_batchnorm: Union[bool, Sequence[Any]] = ..., conv_batchnorm_drop_rate: Union[float, Sequence[Any]] = ..., pool_stride: Union[int, Sequence[Any]] = ..., pool_type: str = ..., use_cudnn: bool = ...) -> Variable:
    """Convolutions, each with batch normalisation and dropout if asked for, then a pooling. What is no
    list is the same for all of them.

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        conv_num_filter (list of int): Filters of each convolution.
        pool_size (int or list of int): The size of a window.
        conv_padding (int or list of int): Zeros around the image. Default: 1.
        conv_filter_size (int or list of int): The size of their filters. Default: 3.
        conv_act (str, optional): The activation of each. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        conv_with_batchnorm (bool or list of bool): Whether each has a batch normalisation. Default:
            False.
        conv_batchnorm_drop_rate (float or list of float): Dropout behind it. Default: 0.0.
        pool_stride (int or list of int): The step of a window. Default: 1.
        pool_type (str): What a window gives: "max" or "avg". Default: 'max'.
        use_cudnn (bool): Taken, and changes nothing. Default: True.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 3, 16, 16])
        >>> out = fluid.nets.img_conv_group(image, conv_num_filter=[8, 8], pool_size=2, pool_stride=2,
        ...                                 conv_act="relu")
        >>> out.shape
        (-1, 8, 8, 8)
    """
    ...
