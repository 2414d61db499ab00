# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def download(url: str, module_name: str, md5sum: str, save_name: Optional[str] = ...) -> str:
    """The path of the file in the cache; it is fetched where it is not there, or not the right one. It
    comes whole or not at all.

    Args:
        url (str): Where it is.
        module_name (str): The folder of the cache.
        md5sum (str): What its MD5 must be.
        save_name (str, optional): Its name in the cache; None: as in the URL. Default: None.

    Returns:
        str: the path.

    Examples:
        # a network is needed
        >>> import paddle  # doctest: +SKIP
        >>> path = paddle.dataset.common.download("http://10.0.0.1/data.tgz", "mine",  # doctest: +SKIP
        ...                                       "d41d8cd98f00b204e9800998ecf8427e")  # doctest: +SKIP
    """
    ...

def md5file(fname: str) -> str:
    """The MD5 of a file, in hexadecimal digits.

    Args:
        fname (str): A file.

    Returns:
        str: 32 digits.

    Examples:
        >>> import paddle
        >>> with open("a", "w") as f:
        ...     _ = f.write("text")
        ...
        >>> paddle.dataset.common.md5file("a")
        '1cb251ec0d568de6a929b520c4aed8d1'
    """
    ...

def split(reader: Callable[..., Any], line_count: int, suffix: str = ..., dumper: Callable[..., Any] = ...) -> None:
    """Write the samples of a reader into files of line_count samples each: suffix % 0, 1, ...

    Args:
        reader (callable): A function whose call gives an iterator over samples.
        line_count (int): Samples in a file.
        suffix (str): The files' names, with a number. Default: '%05d.pickle'.
        dumper (callable): Writes samples to a file. Default: <built-in function dump>.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle
        >>> paddle.dataset.common.split(lambda: iter(range(5)), line_count=2, suffix="part-%05d.pickle")
        >>> reader = paddle.dataset.common.cluster_files_reader("part-*.pickle", trainer_count=2,
        ...                                                     trainer_id=1)
        >>> list(reader())
        [2, 3]
    """
    ...

def cluster_files_reader(files_pattern: str, trainer_count: int, trainer_id: int, loader: Callable[..., Any] = ...) -> Callable[..., Any]:
    """The samples in this trainer's share of the files: every trainer_count-th, by name.

    Args:
        files_pattern (str): The files' names, with wildcards.
        trainer_count (int): How many trainers there are.
        trainer_id (int): The number of this trainer, from 0 on.
        loader (callable): Reads a file. Default: a function.

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> paddle.dataset.common.split(lambda: iter(range(5)), line_count=2, suffix="part-%05d.pickle")
        >>> reader = paddle.dataset.common.cluster_files_reader("part-*.pickle", trainer_count=2,
        ...                                                     trainer_id=1)
        >>> list(reader())
        [2, 3]
    """
    ...

DATA_HOME: Any
