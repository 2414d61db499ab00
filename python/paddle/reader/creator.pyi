# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def np_array(x: Any) -> Callable[..., Any]:
    """The elements of an array: of a matrix its rows, of a vector its numbers.

    Args:
        x (array): The elements.

    Returns:
        callable: a reader.

    Examples:
        >>> import numpy
        >>> import paddle
        >>> reader = paddle.reader.creator.np_array(numpy.arange(3))
        >>> [int(x) for x in reader()]
        [0, 1, 2]
    """
    ...

def text_file(path: str) -> Callable[..., Any]:
    r"""The lines of a text file, without their ends.

    Args:
        path (str): A file.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle
        >>> with open("words.txt", "w") as f:
        ...     _ = f.write("one\ntwo\n")
        ...
        >>> list(paddle.reader.creator.text_file("words.txt")())
        ['one', 'two']
    """
    ...

def recordio(paths: str, buf_size: int = ...) -> Any:
    """Refused: RecordIO files are not read; write one of the other forms."""
    ...

def cloud_reader(paths: str, etcd_endpoints: str, timeout_sec: int = ..., buf_size: int = ...) -> Any:
    """Refused: there is no master and no etcd here."""
    ...
