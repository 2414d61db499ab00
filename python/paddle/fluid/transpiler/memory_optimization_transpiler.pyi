# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

def memory_optimize(input_program: Program, skip_opt_set: Optional[Sequence[Any]] = ..., print_log: bool = ..., level: int = ..., skip_grads: bool = ...) -> None:
    """Does nothing: the executor shares memory between temporaries anyway.

    Args:
        input_program (Program): Not changed.
        skip_opt_set (set of str, optional): Not looked at. Default: None.
        print_log (bool): Not looked at. Default: False.
        level (int): Not looked at. Default: 0.
        skip_grads (bool): Not looked at. Default: True.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.memory_optimize(fluid.default_main_program())
    """
    ...

def release_memory(input_program: Program, skip_opt_set: Optional[Sequence[Any]] = ...) -> None:
    """Does nothing: memory is shared, and released with the executor.

    Args:
        input_program (Program): Not changed.
        skip_opt_set (set of str, optional): Not looked at. Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.release_memory(fluid.default_main_program())
    """
    ...
