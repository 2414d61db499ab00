# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train() -> Callable[..., Any]:
    """2,913 images: those of test() and val().

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, classes = next(paddle.dataset.voc2012.train()())
        >>> image.shape[2]
        3
    """
    ...

def test() -> Callable[..., Any]:
    """1,464 images.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, classes = next(paddle.dataset.voc2012.test()())
        >>> image.shape[2]
        3
    """
    ...

def val() -> Callable[..., Any]:
    """1,449 images.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> image, classes = next(paddle.dataset.voc2012.val()())
        >>> image.shape[2]
        3
    """
    ...
