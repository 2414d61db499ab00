# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def uniform_random(shape: Sequence[Any], dtype: Union[int, Variable] = ..., min: Union[float, Variable] = ..., max: Union[float, Variable] = ..., seed: Union[int, Variable] = ...) -> Variable:
    """Numbers drawn evenly from [min, max).

    Args:
        shape (list of int): The shape.
        dtype (int): The data type's number. Default: 'float32'.
        min (float): Lower bound. Default: -1.0.
        max (float): Upper bound. Default: 1.0.
        seed (int): 0: the program's or the process's. Default: 0.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.uniform_random(shape=[2, 3], min=0.0, max=1.0)
        >>> out.shape
        (2, 3)
    """
    ...

def gaussian_random(shape: Sequence[Any], mean: Union[float, Variable] = ..., std: Union[float, Variable] = ..., seed: Union[int, Variable] = ..., dtype: Union[int, Variable] = ...) -> Variable:
    """Numbers drawn from a normal distribution.

    Args:
        shape (list of int): The shape.
        mean (float): Mean. Default: 0.0.
        std (float): Standard deviation. Default: 1.0.
        seed (int): 0: the program's or the process's. Default: 0.
        dtype (int): The data type's number. Default: 'float32'.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.gaussian_random(shape=[2, 3])
        >>> out.shape
        (2, 3)
    """
    ...

def uniform_random_batch_size_like(input: Variable, shape: Sequence[Any], dtype: Union[int, Variable] = ..., input_dim_idx: Union[int, Variable] = ..., output_dim_idx: Union[int, Variable] = ..., min: Union[float, Variable] = ..., max: Union[float, Variable] = ..., seed: Union[int, Variable] = ...) -> Variable:
    """uniform_random, with the batch size of input.

    Args:
        input (Variable): Gives the batch size. Of float32 or float64.
        shape (list of int): The shape, but for the batch.
        dtype (int): The data type's number. Default: 'float32'.
        input_dim_idx (int): The batch dimension of input. Default: 0.
        output_dim_idx (int): The batch dimension of Out. Default: 0.
        min (float): Min. Default: -1.0.
        max (float): Max. Default: 1.0.
        seed (int): 0: the program's or the process's. Default: 0.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.uniform_random_batch_size_like(x, shape=[-1, 3])
        >>> out.shape
        (-1, 3)
    """
    ...

def gaussian_random_batch_size_like(input: Variable, shape: Sequence[Any], input_dim_idx: Union[int, Variable] = ..., output_dim_idx: Union[int, Variable] = ..., mean: Union[float, Variable] = ..., std: Union[float, Variable] = ..., seed: Union[int, Variable] = ..., dtype: Union[int, Variable] = ...) -> Variable:
    """gaussian_random, with the batch size of input.

    Args:
        input (Variable): Gives the batch size.
        shape (list of int): The shape, but for the batch.
        input_dim_idx (int): The batch dimension of input. Default: 0.
        output_dim_idx (int): The batch dimension of Out. Default: 0.
        mean (float): Mean. Default: 0.0.
        std (float): Std. Default: 1.0.
        seed (int): 0: the program's or the process's. Default: 0.
        dtype (int): The data type's number. Default: 'float32'.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.gaussian_random_batch_size_like(x, shape=[-1, 3])
        >>> out.shape
        (-1, 3)
    """
    ...

def randint(low: Union[int, Variable], high: Optional[Union[int, Variable]] = ..., shape: Optional[Sequence[Any]] = ..., out: Optional[Variable] = ..., dtype: Optional[Union[int, Variable]] = ..., device: Optional[str] = ..., stop_gradient: bool = ..., seed: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Whole numbers from low .. high - 1, or from 0 .. low - 1 where high is not given.

    Args:
        low (int): The least.
        high (int): One above the largest. Default: None.
        shape (list of int): The shape. Default: None.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        dtype (int): The data type's number. Default: None.
        device (str, optional): Where the op runs; None: where the program does. Default: None.
        stop_gradient (bool): Whether no gradient passes it. Default: False.
        seed (int): 0: the program's or the process's. Default: 0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.randint(0, 10, shape=[2, 3])
        >>> out.shape
        (2, 3)
    """
    ...

def randn(shape: Sequence[Any], out: Optional[Variable] = ..., dtype: Optional[Union[int, Variable]] = ..., device: Optional[str] = ..., stop_gradient: bool = ..., name: Optional[str] = ...) -> Variable:
    """Numbers of the standard normal distribution, others in each step.

    Args:
        shape (list of int): The shape.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        dtype (int): The data type's number. Default: None.
        device (str, optional): Where the op runs; None: where the program does. Default: None.
        stop_gradient (bool): Whether no gradient passes it. Default: True.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.randn(shape=[2, 3])
        >>> out.shape
        (2, 3)
    """
    ...

def randperm(n: Union[int, Variable], out: Optional[Variable] = ..., dtype: Union[int, Variable] = ..., device: Optional[str] = ..., stop_gradient: bool = ..., seed: Union[int, Variable] = ...) -> Variable:
    """0 .. n - 1 in any order.

    Args:
        n (int): How many.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        dtype (int): The data type's number. Default: 'int64'.
        device (str, optional): Where the op runs; None: where the program does. Default: None.
        stop_gradient (bool): Whether no gradient passes it. Default: True.
        seed (int): 0: the program's or the process's. Default: 0.

    Returns:
        Variable: [n].

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.randperm(8)
        >>> out.shape
        (8,)
    """
    ...
