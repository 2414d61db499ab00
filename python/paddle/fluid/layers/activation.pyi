# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def relu6(x: Variable, threshold: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x between 0 and the threshold.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        threshold (float): Upper bound. Default: 6.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.relu6(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def leaky_relu(x: Variable, alpha: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x, or alpha x below 0.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        alpha (float): Slope below 0. Default: 0.02.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.leaky_relu(x, alpha=0.1)
        >>> out.shape
        (-1, 8)
    """
    ...

def elu(x: Variable, alpha: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x, or alpha (e^x - 1) below 0.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        alpha (float): Scale below 0. Default: 1.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.elu(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def swish(x: Variable, beta: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x sigmoid(beta x). Fluid 1.8 takes beta for 1 whatever is given.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        beta (float): Beta. Default: 1.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.swish(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def hard_sigmoid(x: Variable, slope: Union[float, Variable] = ..., offset: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """slope x + offset, between 0 and 1.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        slope (float): Slope. Default: 0.2.
        offset (float): Value at 0. Default: 0.5.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.hard_sigmoid(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def stanh(x: Variable, scale_a: Union[float, Variable] = ..., scale_b: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """scale_b tanh(scale_a x).

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        scale_a (float): Inner scale. Default: 0.67.
        scale_b (float): Outer scale. Default: 1.7159.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.stanh(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def brelu(x: Variable, t_min: Union[float, Variable] = ..., t_max: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x between t_min and t_max.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        t_min (float): Lower bound. Default: 0.0.
        t_max (float): Upper bound. Default: 24.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.brelu(x, t_min=0.0, t_max=6.0)
        >>> out.shape
        (-1, 8)
    """
    ...

def soft_relu(x: Variable, threshold: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """log(1 + e^x), x clipped to the threshold.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        threshold (float): Bound of |x|. Default: 40.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.soft_relu(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def selu(x: Variable, scale: Optional[Union[float, Variable]] = ..., alpha: Optional[Union[float, Variable]] = ..., name: Optional[str] = ...) -> Variable:
    """scale (x, or alpha (e^x - 1) below 0).

    Args:
        x (Variable): Any shape. Of float32 or float64.
        scale (float): Scale. Default: None.
        alpha (float): Scale below 0. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.selu(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def prelu(x: Variable, mode: str, param_attr: Any = ..., name: Optional[str] = ...) -> Variable:
    """x where it is positive, and elsewhere x times a learnt slope: one for 'all', for each 'channel',
    or for each 'element'.

    Args:
        x (Variable): Any shape. Of float32 or float64.
        mode (str): All, channel or element.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.prelu(x, mode="all")
        >>> out.shape
        (-1, 8)
    """
    ...

def hard_swish(x: Variable, threshold: Union[float, Variable] = ..., scale: Union[float, Variable] = ..., offset: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x min(max(x + offset, 0), threshold) / scale.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        threshold (float): Threshold. Default: 6.0.
        scale (float): Divisor. Default: 6.0.
        offset (float): Offset. Default: 3.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.hard_swish(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def gelu(x: Variable, approximate: bool = ...) -> Variable:
    """x times the normal distribution's value at x.

    Args:
        x (Variable): Any shape.
        approximate (bool): By tanh instead of erf. Default: False.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.gelu(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def softshrink(x: Variable, alpha: Optional[Union[float, Variable]] = ...) -> Variable:
    """x brought nearer to 0 by lambda.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        alpha (float): A factor. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.softshrink(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def hard_shrink(x: Variable, threshold: Optional[Union[float, Variable]] = ...) -> Variable:
    """x, or 0 within the threshold.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        threshold (float): Bound of |x|. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.hard_shrink(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def thresholded_relu(x: Variable, threshold: Optional[Union[float, Variable]] = ...) -> Variable:
    """x above the threshold, else 0.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        threshold (float): Threshold. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.thresholded_relu(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def maxout(x: Variable, groups: Union[int, Variable], name: Optional[str] = ..., axis: Union[int, Variable] = ...) -> Variable:
    """The largest of each group of channels, which lie at axis 1 or last.

    Args:
        x (Variable): Four dimensions. Of float32 or float64.
        groups (int): Channels in a group.
        name (str, optional): The beginning of the names of what is made. Default: None.
        axis (int): The dimension of the channels. Default: 1.

    Returns:
        Variable: fewer channels.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.maxout(image, groups=2)
        >>> out.shape
        (-1, 2, 16, 16)
    """
    ...

def mish(x: Variable, threshold: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x tanh(log(1 + e^x)).

    Args:
        x (Variable): Any shape. Of float32 or float64.
        threshold (float): |x| from which log(1 + e^x) is x or e^x. Default: 20.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.mish(x)
        >>> out.shape
        (-1, 8)
    """
    ...
