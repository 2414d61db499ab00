# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train100() -> Callable[..., Any]:
    """A reader of (3072 floats in 0..1: red, green and blue planes; label): 50,000.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, label = next(paddle.dataset.cifar.train100()())
        >>> image.shape
        (3072,)
    """
    ...

def test100() -> Callable[..., Any]:
    """10,000 more.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, label = next(paddle.dataset.cifar.test100()())
        >>> image.shape
        (3072,)
    """
    ...

def train10(cycle: bool = ...) -> Callable[..., Any]:
    """50,000; cycle: again and again.

    Args:
        cycle (bool): Whether it begins again at the end. Default: False.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, label = next(paddle.dataset.cifar.train10()())
        >>> image.shape
        (3072,)
    """
    ...

def test10(cycle: bool = ...) -> Callable[..., Any]:
    """10,000 more.

    Args:
        cycle (bool): Whether it begins again at the end. Default: False.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, label = next(paddle.dataset.cifar.test10()())
        >>> image.shape
        (3072,)
    """
    ...
