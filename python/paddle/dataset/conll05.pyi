# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def test() -> Callable[..., Any]:
    """A reader of nine lists; see reader_creator().

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> sample = next(paddle.dataset.conll05.test()())
        >>> len(sample)
        9
    """
    ...

def get_dict() -> Dict[Any, Any]:
    """(word -> number, verb -> number, label -> number).

    Returns:
        dict: as the first line says.

    Examples:
        >>> import paddle
        >>> words, verbs, labels = paddle.dataset.conll05.get_dict()
        >>> type(words).__name__
        'dict'
    """
    ...

def get_embedding() -> str:
    """The path of a file of word vectors: 16 bytes, then 32 floats for each word of the dictionary.

    Returns:
        str: the path.

    Examples:
        >>> import paddle
        >>> path = paddle.dataset.conll05.get_embedding()
    """
    ...
