# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def relu(x: Variable, name: Optional[str] = ...) -> Variable:
    """max(x, 0).

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.relu(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def sigmoid(x: Variable, name: Optional[str] = ...) -> Variable:
    """1 / (1 + e^-x).

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.sigmoid(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def tanh(x: Variable, name: Optional[str] = ...) -> Variable:
    """Hyperbolic tangent.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.tanh(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def exp(x: Variable, name: Optional[str] = ...) -> Variable:
    """e^x.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.exp(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def log(x: Variable, name: Optional[str] = ...) -> Variable:
    """Natural logarithm.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.log(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def sqrt(x: Variable, name: Optional[str] = ...) -> Variable:
    """Square root.

    Args:
        x (Variable): Any shape; may be sparse. Of float16, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.sqrt(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def rsqrt(x: Variable, name: Optional[str] = ...) -> Variable:
    """1 / sqrt(x).

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.rsqrt(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def square(x: Variable, name: Optional[str] = ...) -> Variable:
    """x^2.

    Args:
        x (Variable): Any shape; may be sparse. Of int32, int64, float16, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.square(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def abs(x: Variable, name: Optional[str] = ...) -> Variable:
    """|x|.

    Args:
        x (Variable): Any shape; may be sparse.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.abs(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def ceil(x: Variable, name: Optional[str] = ...) -> Variable:
    """The next whole number up.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.ceil(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def floor(x: Variable, name: Optional[str] = ...) -> Variable:
    """The next whole number down.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.floor(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def round(x: Variable, name: Optional[str] = ...) -> Variable:
    """The nearest whole number, halves away from zero.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.round(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def reciprocal(x: Variable, name: Optional[str] = ...) -> Variable:
    """1 / x.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.reciprocal(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def sin(x: Variable, name: Optional[str] = ...) -> Variable:
    """Sine.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.sin(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def cos(x: Variable, name: Optional[str] = ...) -> Variable:
    """Cosine.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.cos(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def asin(x: Variable, name: Optional[str] = ...) -> Variable:
    """Arc sine.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.asin(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def acos(x: Variable, name: Optional[str] = ...) -> Variable:
    """Arc cosine.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.acos(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def atan(x: Variable, name: Optional[str] = ...) -> Variable:
    """Arc tangent.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.atan(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def erf(x: Variable, name: Optional[str] = ...) -> Variable:
    """The error function.

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.erf(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def softplus(x: Variable, name: Optional[str] = ...) -> Variable:
    """log(1 + e^x).

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.softplus(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def softsign(x: Variable, name: Optional[str] = ...) -> Variable:
    """x / (1 + |x|).

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.softsign(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def logsigmoid(x: Variable, name: Optional[str] = ...) -> Variable:
    """log(sigmoid(x)).

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.logsigmoid(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def tanh_shrink(x: Variable, name: Optional[str] = ...) -> Variable:
    """x - tanh(x).

    Args:
        x (Variable): Any shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.tanh_shrink(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def sign(x: Variable, name: Optional[str] = ...) -> Variable:
    """-1, 0 or 1. x: a variable, or an array.

    Args:
        x (Variable): A tensor, a sparse gradient or an array.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.sign(x)
        >>> out.shape
        (-1, 8)
    """
    ...
