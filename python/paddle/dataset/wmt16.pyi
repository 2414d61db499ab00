# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train(src_dict_size: int, trg_dict_size: int, src_lang: str = ...) -> Callable[..., Any]:
    """A reader of (source, target, target one word later) in word numbers.

    Args:
        src_dict_size (int): How many words are known.
        trg_dict_size (int): How many words are known.
        src_lang (str): "en" or "de". Default: 'en'.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> source, target, following = next(paddle.dataset.wmt16.train(1000, 1000)())
        >>> target[1:] == following[:-1]
        True
    """
    ...

def test(src_dict_size: int, trg_dict_size: int, src_lang: str = ...) -> Callable[..., Any]:
    """The part of the set for tests: a reader like that of train().

    Args:
        src_dict_size (int): How many words are known.
        trg_dict_size (int): How many words are known.
        src_lang (str): "en" or "de". Default: 'en'.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> source, target, following = next(paddle.dataset.wmt16.test(1000, 1000)())
        >>> target[1:] == following[:-1]
        True
    """
    ...

def validation(src_dict_size: int, trg_dict_size: int, src_lang: str = ...) -> Callable[..., Any]:
    """The part of the set for validation: a reader like that of train().

    Args:
        src_dict_size (int): How many words are known.
        trg_dict_size (int): How many words are known.
        src_lang (str): "en" or "de". Default: 'en'.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> source, target, following = next(paddle.dataset.wmt16.validation(1000, 1000)())
        >>> target[1:] == following[:-1]
        True
    """
    ...

def fetch() -> None:
    """Download the set.

    Returns:
        None: nothing.

    Examples:
        # a network is needed
        >>> import paddle  # doctest: +SKIP
        >>> paddle.dataset.wmt16.fetch()  # doctest: +SKIP
    """
    ...

def get_dict(lang: str, dict_size: int, reverse: bool = ...) -> Dict[Any, Any]:
    """word -> number of the dict_size most frequent words of the training set, after the three marks;
    or number -> word.

    Args:
        lang (str): "en" or "de".
        dict_size (int): How many words are known.
        reverse (bool): Whether it goes from numbers to words. Default: False.

    Returns:
        dict: as the first line says.

    Examples:
        >>> import paddle
        >>> words = paddle.dataset.wmt16.get_dict("en", 100)
        >>> len(words) <= 100
        True
    """
    ...
