# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train(word_idx: Dict[Any, Any], n: int, data_type: int = ...) -> Callable[..., Any]:
    """A reader of tuples of n word numbers that follow one another; with DataType.SEQ of (sentence,
    the words that follow), for sentences of at most n words (n <= 0: all).

    Args:
        word_idx (dict): Numbers by word.
        n (int): Words in a sample.
        data_type (int): DataType.NGRAM or DataType.SEQ. Default: 1.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> words = paddle.dataset.imikolov.build_dict(min_word_freq=1)
        >>> sample = next(paddle.dataset.imikolov.train(words, 5)())
        >>> len(sample)
        5
    """
    ...

def test(word_idx: Dict[Any, Any], n: int, data_type: int = ...) -> Callable[..., Any]:
    """The part of the set for tests: a reader like that of train().

    Args:
        word_idx (dict): Numbers by word.
        n (int): Words in a sample.
        data_type (int): DataType.NGRAM or DataType.SEQ. Default: 1.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> words = paddle.dataset.imikolov.build_dict(min_word_freq=1)
        >>> sample = next(paddle.dataset.imikolov.train(words, 5)())
        >>> len(sample)
        5
    """
    ...

def build_dict(min_word_freq: int = ...) -> Dict[Any, Any]:
    """word -> number, for words seen more than min_word_freq times, the most frequent first; the last
    number is '<unk>'.

    Args:
        min_word_freq (int): Words that are not more frequent are left out. Default: 50.

    Returns:
        dict: as the first line says.

    Examples:
        >>> import paddle
        >>> words = paddle.dataset.imikolov.build_dict(min_word_freq=1)
        >>> sample = next(paddle.dataset.imikolov.train(words, 5)())
        >>> len(sample)
        5
    """
    ...
