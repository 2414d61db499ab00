# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def data(name: str, shape: Union[Sequence[Any], None], dtype: str = ..., lod_level: int = ..., type: Any = ...) -> Variable:
    """A variable to be fed, with its whole shape; what is fed is checked against it.

    Args:
        name (str): The name of the variable.
        shape (list of int or None): The sizes of the dimensions; None or -1: any.
        dtype (str): The type of the elements. Default: 'float32'.
        lod_level (int): Levels of sequences; 0: none. Default: 0.
        type (VarType): What the variable holds. Default: VarType.LOD_TENSOR.

    Returns:
        Variable: the variable.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.data("pixel", [None, 784])
        >>> out.shape
        (-1, 784)
    """
    ...
