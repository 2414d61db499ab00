# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def generate(key: str) -> str:
    """A name that no other variable has: the key and a number.

    Args:
        key (str): The beginning of the name.

    Returns:
        str: the name.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.unique_name.generate("fc")
        'fc_0'
    """
    ...

def switch(new_generator: Any = ...) -> Any:
    """Use another generator from now on; the old one is returned.

    Args:
        new_generator (str or object, optional): A prefix for names, or a generator of them.
            Default: None.

    Returns:
        object: the generator before.

    Examples:
        >>> import paddle.fluid as fluid
        >>> before = fluid.unique_name.switch()
        >>> fluid.unique_name.generate("fc")
        'fc_0'
        >>> _ = fluid.unique_name.switch(before)
    """
    ...

def guard(new_generator: Any = ...) -> Any:
    """Count anew, or with a prefix, inside the block.

    Args:
        new_generator (str or object, optional): A prefix for names, or a generator of them.
            Default: None.

    Returns:
        context manager: for a with block.

    Examples:
        >>> import paddle.fluid as fluid
        >>> with fluid.unique_name.guard():
        ...     print(fluid.unique_name.generate("fc"))
        ...
        fc_0
    """
    ...
