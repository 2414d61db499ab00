# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train() -> Callable[..., Any]:
    """A reader of (784 floats in -1..1, digit): 60,000.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, digit = next(paddle.dataset.mnist.train()())
        >>> image.shape
        (784,)
    """
    ...

def test() -> Callable[..., Any]:
    """10,000 more.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, digit = next(paddle.dataset.mnist.test()())
        >>> image.shape
        (784,)
    """
    ...
