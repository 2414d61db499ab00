# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def build_dict(pattern: Any, cutoff: int) -> Dict[Any, Any]:
    r"""word -> number, for words seen more than cutoff times, the most frequent first; the last number
    is '<unk>'.

    Args:
        pattern (re.Pattern): The files' names in the archive.
        cutoff (int): Words that are not more frequent are left out.

    Returns:
        dict: as the first line says.

    Examples:
        >>> import re
        >>> import paddle
        >>> words = paddle.dataset.imdb.build_dict(re.compile(r"aclImdb/train/.*\.txt$"), cutoff=1)
        >>> ids, label = next(paddle.dataset.imdb.train(words)())
        >>> label in (0, 1)
        True
    """
    ...

def train(word_idx: Dict[Any, Any]) -> Callable[..., Any]:
    r"""A reader of (word numbers, 0: praise, 1: damnation): 25,000.

    Args:
        word_idx (dict): Numbers by word.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import re
        >>> import paddle
        >>> words = paddle.dataset.imdb.build_dict(re.compile(r"aclImdb/train/.*\.txt$"), cutoff=1)
        >>> ids, label = next(paddle.dataset.imdb.train(words)())
        >>> label in (0, 1)
        True
    """
    ...

def test(word_idx: Dict[Any, Any]) -> Callable[..., Any]:
    r"""25,000 more.

    Args:
        word_idx (dict): Numbers by word.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import re
        >>> import paddle
        >>> words = paddle.dataset.imdb.build_dict(re.compile(r"aclImdb/train/.*\.txt$"), cutoff=1)
        >>> ids, label = next(paddle.dataset.imdb.train(words)())
        >>> label in (0, 1)
        True
    """
    ...
