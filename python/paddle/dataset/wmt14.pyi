# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train(dict_size: int) -> Callable[..., Any]:
    """A reader of (source, target, target one word later): '<s>' first, '<e>' last, words beyond the
    first dict_size of the dictionary as '<unk>'.

    Args:
        dict_size (int): How many words are known.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> source, target, following = next(paddle.dataset.wmt14.train(1000)())
        >>> target[1:] == following[:-1]
        True
    """
    ...

def test(dict_size: int) -> Callable[..., Any]:
    """The part of the set for tests: a reader like that of train().

    Args:
        dict_size (int): How many words are known.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> source, target, following = next(paddle.dataset.wmt14.test(1000)())
        >>> target[1:] == following[:-1]
        True
    """
    ...

def get_dict(dict_size: int, reverse: bool = ...) -> Dict[Any, Any]:
    """(of the source, of the target): number -> word, or word -> number with reverse=False.

    Args:
        dict_size (int): How many words are known.
        reverse (bool): Whether it goes from numbers to words. Default: True.

    Returns:
        dict: as the first line says.

    Examples:
        >>> import paddle
        >>> source, target = paddle.dataset.wmt14.get_dict(1000)
        >>> len(source)
        1000
    """
    ...
