# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def embedding(input: Variable, size: Sequence[Any], is_sparse: bool = ..., is_distributed: bool = ..., padding_idx: Optional[int] = ..., param_attr: Any = ..., dtype: str = ...) -> Variable:
    """Rows of a table by id: the shape of input, and size[1].

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
        >>> out = fluid.embedding(ids, size=[1000, 16])
        >>> out.shape
        (-1, 1, 16)
    """
    ...

def one_hot(input: Variable, depth: int, allow_out_of_range: bool = ...) -> Variable:
    """Classes as rows with a single one: the shape of input, and depth.

    Args:
        input (Variable): What it is computed from.
        depth (int): Classes.
        allow_out_of_range (bool): Zeros for what is no class. Default: False.

    Returns:
        Variable: the variable.

    Examples:
        >>> import paddle.fluid as fluid
        >>> ids = fluid.data("ids", [None, 1], "int64")
        >>> out = fluid.one_hot(ids, depth=10)
        >>> out.shape
        (-1, 1, 10)
    """
    ...
