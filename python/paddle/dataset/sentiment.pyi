# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train() -> Any:
    """(word numbers, 0: damnation, 1: praise): 1,600.

    Returns:
        iterator: the samples.

    Examples:
        >>> import paddle
        >>> ids, label = next(paddle.dataset.sentiment.train())
        >>> label in (0, 1)
        True
    """
    ...

def test() -> Any:
    """400 more.

    Returns:
        iterator: the samples.

    Examples:
        >>> import paddle
        >>> ids, label = next(paddle.dataset.sentiment.test())
        >>> label in (0, 1)
        True
    """
    ...

def get_word_dict() -> Sequence[Any]:
    """[(word, number)], the most frequent first.

    Returns:
        list of tuple: words and numbers.

    Examples:
        >>> import paddle
        >>> word, number = paddle.dataset.sentiment.get_word_dict()[0]
        >>> number
        0
    """
    ...
