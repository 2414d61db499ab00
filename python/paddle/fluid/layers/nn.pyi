# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def fc(input: Union[Variable, Sequence[Any]], size: Union[int, Variable], num_flatten_dims: Union[int, Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """Fully connected: act(sum of input_i W_i + b).

    Args:
        input (Variable or list of Variable): The inputs; each gets a matrix of its own. Of float16,
            float32 or float64.
        size (int): The width of the result.
        num_flatten_dims (int): How many dimensions stay; those behind are one row. Default: 1.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: a row of size numbers for each row of the input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.fc(x, size=16, act="relu")
        >>> out.shape
        (-1, 16)
    """
    ...

def mean(x: Variable, name: Optional[str] = ...) -> Variable:
    """The mean of all elements.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: shape [1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.mean(x)
        >>> out.shape
        (1,)
    """
    ...

def square_error_cost(input: Variable, label: Variable) -> Variable:
    """(input - label)^2, element by element.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        label (Variable): What is true. Of float32 or float64.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.square_error_cost(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def scale(x: Variable, scale: Union[float, Variable] = ..., bias: Union[float, Variable] = ..., bias_after_scale: bool = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """scale x + bias.

    Args:
        x (Variable): Any shape; may be sparse. Of int8, uint8, int32, int64, float16, float32 or
            float64.
        scale (float): The factor. Default: 1.0.
        bias (float): Added. Default: 0.0.
        bias_after_scale (bool): False: scale (x + bias). Default: True.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.scale(x, scale=2.0, bias=1.0)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_add(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """x + y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float16, float32 or float64.
        y (Variable): The second; its shape is a run of x's dimensions. Of int32, int64, float16,
            float32 or float64.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_add(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_sub(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """x - y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float16, float32 or float64.
        y (Variable): The second; its shape is a run of x's dimensions. Of int32, int64, float16,
            float32 or float64.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_sub(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_mul(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """x * y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float16, float32 or float64.
        y (Variable): The second; its shape is a run of x's dimensions. Of int32, int64, float16,
            float32 or float64.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_mul(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_div(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """x / y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float16, float32 or float64.
        y (Variable): The second; its shape is a run of x's dimensions. Of int32, int64, float16,
            float32 or float64.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_div(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_max(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """The larger of x and y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float16, float32 or float64.
        y (Variable): The second; its shape is a run of x's dimensions. Of int32, int64, float16,
            float32 or float64.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_max(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_min(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """The smaller of x and y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float16, float32 or float64.
        y (Variable): The second; its shape is a run of x's dimensions. Of int32, int64, float16,
            float32 or float64.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_min(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_pow(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """x to the power of y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float16, float32 or float64.
        y (Variable): The second; its shape is a run of x's dimensions. Of int32, int64, float16,
            float32 or float64.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_pow(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_mod(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """The rest of x divided by y.

    Args:
        x (Variable): The first tensor.
        y (Variable): The second; its shape is a run of x's dimensions.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_mod(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def elementwise_floordiv(x: Variable, y: Variable, axis: Union[int, Variable] = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """x divided by y, whole numbers.

    Args:
        x (Variable): The first tensor.
        y (Variable): The second; its shape is a run of x's dimensions.
        axis (int): Where y's dimensions begin in x's. Default: -1.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.elementwise_floordiv(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def reduce_sum(input: Variable, dim: Optional[Sequence[Any]] = ..., keep_dim: bool = ..., name: Optional[str] = ...) -> Variable:
    """The sum along dimensions.

    Args:
        input (Variable): Any shape. Of int32, int64, float32 or float64.
        dim (list of int): The dimensions to reduce; negative: from the end. Default: None.
        keep_dim (bool): Keep them, as 1. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.reduce_sum(x, dim=1)
        >>> out.shape
        (-1,)
    """
    ...

def reduce_mean(input: Variable, dim: Optional[Sequence[Any]] = ..., keep_dim: bool = ..., name: Optional[str] = ...) -> Variable:
    """The mean along dimensions.

    Args:
        input (Variable): Any shape. Of int32, int64, float32 or float64.
        dim (list of int): The dimensions to reduce; negative: from the end. Default: None.
        keep_dim (bool): Keep them, as 1. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.reduce_mean(x, dim=1)
        >>> out.shape
        (-1,)
    """
    ...

def reduce_max(input: Variable, dim: Optional[Sequence[Any]] = ..., keep_dim: bool = ..., name: Optional[str] = ...) -> Variable:
    """The largest along dimensions.

    Args:
        input (Variable): Any shape.
        dim (list of int): The dimensions to reduce; negative: from the end. Default: None.
        keep_dim (bool): Keep them, as 1. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.reduce_max(x, dim=1)
        >>> out.shape
        (-1,)
    """
    ...

def reduce_min(input: Variable, dim: Optional[Sequence[Any]] = ..., keep_dim: bool = ..., name: Optional[str] = ...) -> Variable:
    """The smallest along dimensions.

    Args:
        input (Variable): Any shape.
        dim (list of int): The dimensions to reduce; negative: from the end. Default: None.
        keep_dim (bool): Keep them, as 1. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.reduce_min(x, dim=1)
        >>> out.shape
        (-1,)
    """
    ...

def reduce_prod(input: Variable, dim: Optional[Sequence[Any]] = ..., keep_dim: bool = ..., name: Optional[str] = ...) -> Variable:
    """The product along dimensions.

    Args:
        input (Variable): Any shape.
        dim (list of int): The dimensions to reduce; negative: from the end. Default: None.
        keep_dim (bool): Keep them, as 1. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.reduce_prod(x, dim=1, keep_dim=True)
        >>> out.shape
        (-1, 1)
    """
    ...

def reduce_all(input: Variable, dim: Optional[Sequence[Any]] = ..., keep_dim: bool = ..., name: Optional[str] = ...) -> Variable:
    """Whether all are true along dimensions.

    Args:
        input (Variable): Any shape. Of bool.
        dim (list of int): The dimensions to reduce; negative: from the end. Default: None.
        keep_dim (bool): Keep them, as 1. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> flags = fluid.data("flags", [None, 8], "bool")
        >>> out = fluid.layers.reduce_all(flags, dim=1)
        >>> out.shape
        (-1,)
    """
    ...

def reduce_any(input: Variable, dim: Optional[Sequence[Any]] = ..., keep_dim: bool = ..., name: Optional[str] = ...) -> Variable:
    """Whether any is true along dimensions.

    Args:
        input (Variable): Any shape. Of bool.
        dim (list of int): The dimensions to reduce; negative: from the end. Default: None.
        keep_dim (bool): Keep them, as 1. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> flags = fluid.data("flags", [None, 8], "bool")
        >>> out = fluid.layers.reduce_any(flags, dim=1)
        >>> out.shape
        (-1,)
    """
    ...

def embedding(input: Variable, size: Sequence[Any], is_sparse: bool = ..., is_distributed: bool = ..., padding_idx: Optional[Union[int, Variable]] = ..., param_attr: Any = ..., dtype: str = ...) -> Variable:
    """Rows of a table by id; input is [..., 1]. See fluid.embedding() for any shape.

    Args:
        input (Variable): What it is computed from. Of int64.
        size (list of int): Rows and columns of the table.
        is_sparse (bool): The gradient holds only rows read. Default: False.
        is_distributed (bool): Whether the table is on servers. Default: False.
        padding_idx (int): This id gives zeros; -1: none does. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        dtype (str): The type of the elements. Default: 'float32'.

    Returns:
        Variable: the variable.

    Examples:
        >>> import paddle.fluid as fluid
        >>> ids = fluid.data("ids", [None, 1], "int64")
        >>> out = fluid.layers.embedding(ids, size=[1000, 16], is_sparse=True)
        >>> out.shape
        (-1, 16)
    """
    ...
