# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class CountFilterEntry(EntryAttr):
    """An id gets a row by its count_filter-th push.

    Args:
        count_filter (int): How many pushes.

    Examples:
        >>> import paddle.fluid as fluid
        >>> import paddle.distributed
        >>> ids = fluid.data("ids", [None, 1], "int64")
        >>> rows = fluid.contrib.layers.sparse_embedding(ids, [1000, 16],
        ...                                              entry=paddle.distributed.CountFilterEntry(5))
        >>> rows.shape
        (-1, 16)
    """
    def __init__(self, count_filter: int) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class ProbabilityEntry(EntryAttr):
    """Each push of an id gives it a row with this probability.

    Args:
        probability (float): From 0 to 1.

    Examples:
        >>> import paddle.fluid as fluid
        >>> import paddle.distributed
        >>> ids = fluid.data("ids", [None, 1], "int64")
        >>> rows = fluid.contrib.layers.sparse_embedding(ids, [1000, 16],
        ...                                              entry=paddle.distributed.ProbabilityEntry(0.1))
        >>> rows.shape
        (-1, 16)
    """
    def __init__(self, probability: float) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class EntryAttr:
    """What all of them are."""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
