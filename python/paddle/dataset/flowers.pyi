# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train(mapper: Callable[..., Any] = ..., buffered_size: int = ..., use_xmap: bool = ..., cycle: bool = ...) -> Callable[..., Any]:
    """A reader of (3 * 224 * 224 floats, label from 0 to 101): 6,149, each cropped and mirrored at
    random. cycle: again and again.

    Args:
        mapper (callable): What is made of a sample. Default: a function.
        buffered_size (int): Samples ahead. Default: 1024.
        use_xmap (bool): Whether threads map. Default: True.
        cycle (bool): Whether it begins again at the end. Default: False.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> reader = paddle.dataset.flowers.valid(use_xmap=False)
        >>> image, label = next(reader())
        >>> image.shape
        (150528,)
    """
    ...

def test(mapper: Callable[..., Any] = ..., buffered_size: int = ..., use_xmap: bool = ..., cycle: bool = ...) -> Callable[..., Any]:
    """1,020, from the middle.

    Args:
        mapper (callable): What is made of a sample. Default: a function.
        buffered_size (int): Samples ahead. Default: 1024.
        use_xmap (bool): Whether threads map. Default: True.
        cycle (bool): Whether it begins again at the end. Default: False.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> reader = paddle.dataset.flowers.valid(use_xmap=False)
        >>> image, label = next(reader())
        >>> image.shape
        (150528,)
    """
    ...

def valid(mapper: Callable[..., Any] = ..., buffered_size: int = ..., use_xmap: bool = ...) -> Callable[..., Any]:
    """The part of the set for validation: a reader like that of train().

    Args:
        mapper (callable): What is made of a sample. Default: a function.
        buffered_size (int): Samples ahead. Default: 1024.
        use_xmap (bool): Whether threads map. Default: True.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> reader = paddle.dataset.flowers.valid(use_xmap=False)
        >>> image, label = next(reader())
        >>> image.shape
        (150528,)
    """
    ...
