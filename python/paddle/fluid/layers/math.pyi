# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def matmul(x: Variable, y: Variable, transpose_x: bool = ..., transpose_y: bool = ..., alpha: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Products of matrices, vectors, or batches of them.

    Args:
        x (Variable): One dimension or more. Of float16, float32 or float64.
        y (Variable): One dimension or more. Of float16, float32 or float64.
        transpose_x (bool): Whether x is transposed first. Default: False.
        transpose_y (bool): Whether y is transposed first. Default: False.
        alpha (float): A factor. Default: 1.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the batch, rows of x, columns of y.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> y = fluid.data("y", [8, 3])
        >>> out = fluid.layers.matmul(x, y)
        >>> out.shape
        (4, 3)
    """
    ...

def mul(x: Variable, y: Variable, x_num_col_dims: Union[int, Variable] = ..., y_num_col_dims: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """The matrix product of two tensors taken as matrices.

    Args:
        x (Variable): Cut into rows after x_num_col_dims dimensions. Of float16, float32 or float64.
        y (Variable): Cut into rows after y_num_col_dims dimensions. Of float16, float32 or float64.
        x_num_col_dims (int): Dimensions that make the rows of x. Default: 1.
        y_num_col_dims (int): Dimensions that make the rows of y. Default: 1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: x's first dimensions and y's last ones.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> y = fluid.data("y", [8, 3])
        >>> out = fluid.layers.mul(x, y)
        >>> out.shape
        (4, 3)
    """
    ...

def pow(x: Variable, factor: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x to a power.

    Args:
        x (Variable): Any shape. Of int32, int64, float32 or float64.
        factor (float): The exponent. Default: 1.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.pow(x, factor=2.0)
        >>> out.shape
        (-1, 8)
    """
    ...

def clip(x: Variable, min: Union[float, Variable], max: Union[float, Variable], name: Optional[str] = ...) -> Variable:
    """Each element kept between min and max.

    Args:
        x (Variable): Any shape; may be sparse. Of float16, float32 or float64.
        min (float): Lower bound.
        max (float): Upper bound.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.clip(x, min=-1.0, max=1.0)
        >>> out.shape
        (-1, 8)
    """
    ...

def clip_by_norm(x: Variable, max_norm: Union[float, Variable], name: Optional[str] = ...) -> Variable:
    """A tensor made no longer than max_norm.

    Args:
        x (Variable): Any shape; may be sparse. Of float32.
        max_norm (float): The greatest length.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.clip_by_norm(x, max_norm=1.0)
        >>> out.shape
        (-1, 8)
    """
    ...

def l2_normalize(x: Variable, axis: Union[int, Variable], epsilon: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Vectors divided by their length.

    Args:
        x (Variable): Any shape. Of float32 or float64.
        axis (int): The dimension the vectors lie along.
        epsilon (float): Keeps the length above 0. Default: 1e-12.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the lengths.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.l2_normalize(x, axis=1)
        >>> out.shape
        (-1, 8)
    """
    ...

def logical_and(x: Variable, y: Variable, out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x and y.

    Args:
        x (Variable): Bool. Of bool.
        y (Variable): Bool. Of bool.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> flags = fluid.data("flags", [None, 8], "bool")
        >>> more = fluid.data("more", [None, 8], "bool")
        >>> out = fluid.layers.logical_and(flags, more)
        >>> out.shape
        (-1, 8)
    """
    ...

def logical_or(x: Variable, y: Variable, out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x or y.

    Args:
        x (Variable): Bool. Of bool.
        y (Variable): Bool. Of bool.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> flags = fluid.data("flags", [None, 8], "bool")
        >>> more = fluid.data("more", [None, 8], "bool")
        >>> out = fluid.layers.logical_or(flags, more)
        >>> out.shape
        (-1, 8)
    """
    ...

def logical_xor(x: Variable, y: Variable, out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """One of x and y, not both.

    Args:
        x (Variable): Bool. Of bool.
        y (Variable): Bool. Of bool.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> flags = fluid.data("flags", [None, 8], "bool")
        >>> more = fluid.data("more", [None, 8], "bool")
        >>> out = fluid.layers.logical_xor(flags, more)
        >>> out.shape
        (-1, 8)
    """
    ...

def logical_not(x: Variable, out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Not x.

    Args:
        x (Variable): Bool. Of bool.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> flags = fluid.data("flags", [None, 8], "bool")
        >>> out = fluid.layers.logical_not(flags)
        >>> out.shape
        (-1, 8)
    """
    ...

def cumsum(x: Variable, axis: Optional[Union[int, Variable]] = ..., exclusive: Optional[bool] = ..., reverse: Optional[bool] = ...) -> Variable:
    """Running sums along a dimension.

    Args:
        x (Variable): Any shape.
        axis (int): The dimension; negative: from the end. Default: None.
        exclusive (bool): Each without its own element. Default: None.
        reverse (bool): From the last element on. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.cumsum(x, axis=1)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_equal(x: Variable, y: Variable, name: Optional[str] = ...) -> Variable:
    """Whether x == y, element by element.

    Args:
        x (Variable): The first tensor.
        y (Variable): The second; broadcast.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_equal(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def log1p(x: Variable, out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """log(1 + x), exact near 0.

    Args:
        x (Variable): Any shape. Of float32 or float64.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.log1p(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def logsumexp(x: Variable, dim: Optional[Sequence[Any]] = ..., keepdim: bool = ..., out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """log(sum of e^x), without care for large x: as Fluid computes it.

    Args:
        x (Variable): Any shape. Of float32 or float64.
        dim (list of int): The dimensions to reduce; negative: from the end. Default: None.
        keepdim (bool): Whether the dimension stays, with size 1. Default: False.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.logsumexp(x, dim=1)
        >>> out.shape
        (-1,)
    """
    ...

def clamp(input: Variable, min: Optional[Union[float, Variable]] = ..., max: Optional[Union[float, Variable]] = ..., output: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """x between bounds, which may be numbers or Variables; one of them may be left out.

    Args:
        input (Variable): What it is computed from.
        min (float): Lower bound. Default: None.
        max (float): Upper bound. Default: None.
        output (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.clamp(x, min=0.0)
        >>> out.shape
        (-1, 8)
    """
    ...

def addmm(input: Variable, x: Variable, y: Variable, alpha: Union[float, Variable] = ..., beta: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """beta input + alpha x y.

    Args:
        input (Variable): [m, n], or 1 for either.
        x (Variable): [m, k]. Of float32 or float64.
        y (Variable): [k, n]. Of float32 or float64.
        alpha (float): The factor of the product. Default: 1.0.
        beta (float): The factor of the input. Default: 1.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [m, n].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> y = fluid.data("y", [8, 3])
        >>> out = fluid.layers.addmm(fluid.data("input", [4, 3]), x, y)
        >>> out.shape
        (4, 3)
    """
    ...

def addcmul(input: Variable, tensor1: Variable, tensor2: Variable, value: Union[float, Variable] = ..., out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """input + value tensor1 tensor2.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        tensor1 (Variable): Of int32, int64, float32 or float64.
        tensor2 (Variable): Of int32, int64, float32 or float64.
        value (float): What it is filled with. Default: 1.0.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the copy.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.addcmul(x, x, y, value=0.5)
        >>> out.shape
        (-1, 8)
    """
    ...

def bmm(x: Variable, y: Variable, name: Optional[str] = ...) -> Variable:
    """The matrix products of two batches.

    Args:
        x (Variable): [batch, m, k].
        y (Variable): [batch, k, n].
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [batch, m, n].

    Examples:
        >>> import paddle.fluid as fluid
        >>> steps = fluid.data("steps", [None, 6, 8])
        >>> out = fluid.layers.bmm(steps, fluid.data("y", [None, 8, 3]))
        >>> out.shape
        (-1, 6, 3)
    """
    ...

def dot(x: Variable, y: Variable, name: Optional[str] = ...) -> Variable:
    """Sums of products along the last dimension.

    Args:
        x (Variable): Any. Of int32, int64, float32 or float64.
        y (Variable): The shape of x. Of int32, int64, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the last dimension is 1.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.dot(x, y)
        >>> out.shape
        (-1, 1)
    """
    ...

def dist(x: Variable, y: Variable, p: Union[float, Variable] = ...) -> Variable:
    """The p-norm of x - y.

    Args:
        x (Variable): Any. Of float32 or float64.
        y (Variable): Its shape, or one that goes with it. Of float32 or float64.
        p (float): The power. Default: 2.

    Returns:
        Variable: [1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.dist(x, y)
        >>> out.shape
        (1,)
    """
    ...

def allclose(input: Variable, other: Variable, rtol: Union[float, Variable] = ..., atol: Union[float, Variable] = ..., equal_nan: bool = ..., name: Optional[str] = ...) -> Variable:
    """Whether |input - other| <= atol + rtol |other| everywhere.

    Args:
        input (Variable): Any.
        other (Variable): Its shape.
        rtol (float): Allowed, as a part of |other|. Default: 1e-05.
        atol (float): Allowed, besides. Default: 1e-08.
        equal_nan (bool): Two NaNs are the same. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: a bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.allclose(x, y)
        >>> out.shape
        (1,)
    """
    ...

def bilinear_tensor_product(x: Variable, y: Variable, size: Union[int, Variable], act: Optional[str] = ..., name: Optional[str] = ..., param_attr: Any = ..., bias_attr: Any = ...) -> Variable:
    """act(x W_i y^T + b_i) for each of `size` outputs.

    Args:
        x (Variable): [n, p]. Of float16, float32 or float64.
        y (Variable): [n, q].
        size (int): The width of the result.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.

    Returns:
        Variable: [n, units].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.bilinear_tensor_product(x, y, size=4)
        >>> out.shape
        (-1, 4)
    """
    ...

def fsp_matrix(x: Variable, y: Variable) -> Variable:
    """Mean products of all pairs of channels.

    Args:
        x (Variable): [n, p, h, w]. Of float32 or float64.
        y (Variable): [n, q, h, w]. Of float32 or float64.

    Returns:
        Variable: [n, p, q].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.fsp_matrix(image, fluid.data("other", [None, 6, 16, 16]))
        >>> out.shape
        (-1, 4, 6)
    """
    ...

def similarity_focus(input: Variable, axis: Union[int, Variable], indexes: Sequence[Any], name: Optional[str] = ...) -> Variable:
    """1 at the largest elements of the matrices that `input` [batch, a, b, c] has at `indexes` of
    `axis`, no two of them in one row or column, along the whole axis; 0 elsewhere.

    Args:
        input (Variable): [batch, a, b, c]. Of float32 or float64.
        axis (int): 1, 2 or 3.
        indexes (list of int): Where axis is cut.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.similarity_focus(image, axis=1, indexes=[0])
        >>> out.shape
        (-1, 4, 16, 16)
    """
    ...
