# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def cache(reader: Callable[..., Any]) -> Callable[..., Any]:
    """Keep all samples in memory; the reader itself is read once, now.

    Args:
        reader (callable): Gives batches, or samples.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.cache(lambda: iter(range(3)))
        >>> list(reader())
        [0, 1, 2]
    """
    ...

def map_readers(func: Callable[..., Any], *readers: Any) -> Callable[..., Any]:
    """func(sample of the first, sample of the second, ...), until the shortest ends.

    Args:
        func (callable): What is made of a sample of each.
        *readers (callable): Functions whose calls give iterators over samples.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.map_readers(lambda a, b: a + b, lambda: iter([1, 2]),
        ...                               lambda: iter([10, 20]))
        >>> list(reader())
        [11, 22]
    """
    ...

def buffered(reader: Callable[..., Any], size: int) -> Callable[..., Any]:
    """Read up to size samples ahead, in a thread.

    Args:
        reader (callable): Gives batches, or samples.
        size (int): Samples that are read ahead.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.buffered(lambda: iter(range(3)), size=2)
        >>> list(reader())
        [0, 1, 2]
    """
    ...

def compose(*readers: Any, **kwargs: Any) -> Callable[..., Any]:
    """One flat tuple of a sample of each. Readers must have equal lengths, unless
    check_alignment=False: then the shortest decides.

    Args:
        *readers (callable): Functions whose calls give iterators over samples.
        **kwargs (dict): Check_alignment=False: readers may have different lengths.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.compose(lambda: iter([1, 2]), lambda: iter([(3, 4), (5, 6)]))
        >>> list(reader())
        [(1, 3, 4), (2, 5, 6)]
    """
    ...

def chain(*readers: Any) -> Callable[..., Any]:
    """All samples of the first, then all of the second, ...

    Args:
        *readers (callable): Functions whose calls give iterators over samples.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.chain(lambda: iter([1, 2]), lambda: iter([3]))
        >>> list(reader())
        [1, 2, 3]
    """
    ...

def shuffle(reader: Callable[..., Any], buf_size: int) -> Callable[..., Any]:
    """Samples in random order within each buf_size of them (0: as they come). The order is that of
    Python's random, which random.seed() repeats.

    Args:
        reader (callable): Gives batches, or samples.
        buf_size (int): Samples among which the order is random.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.shuffle(lambda: iter(range(5)), buf_size=5)
        >>> sorted(reader())
        [0, 1, 2, 3, 4]
    """
    ...

class ComposeNotAligned(ValueError):
    """Readers of different lengths in compose().

    Args:
        *args (tuple): What the message is made of.
        **kwargs (dict): Check_alignment=False: readers may have different lengths.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.compose(lambda: iter([1, 2]), lambda: iter([3]))
        >>> try:
        ...     list(reader())
        ... except fluid.io.ComposeNotAligned:
        ...     print("one reader is shorter")
        ...
        one reader is shorter
    """
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def firstn(reader: Callable[..., Any], n: int) -> Callable[..., Any]:
    """The first n samples; all of them for a negative n.

    Args:
        reader (callable): Gives batches, or samples.
        n (int): How many.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.firstn(lambda: iter(range(100)), 3)
        >>> list(reader())
        [0, 1, 2]
    """
    ...

def xmap_readers(mapper: Callable[..., Any], reader: Callable[..., Any], process_num: int, buffer_size: int, order: bool = ...) -> Callable[..., Any]:
    """mapper(sample) for all samples, by process_num threads that work up to buffer_size samples
    ahead. order=True keeps the reader's order.

    Args:
        mapper (callable): What is made of a sample.
        reader (callable): Gives batches, or samples.
        process_num (int): How many threads.
        buffer_size (int): Samples ahead.
        order (bool): Whether the order of the samples is kept. Default: False.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.xmap_readers(lambda sample: sample * 10, lambda: iter(range(3)),
        ...                                process_num=2, buffer_size=4, order=True)
        >>> list(reader())
        [0, 10, 20]
    """
    ...

def multiprocess_reader(readers: Sequence[Any], use_pipe: bool = ..., queue_size: int = ...) -> Callable[..., Any]:
    """The samples of several readers, each read in a process of its own, as they come.

    use_pipe: a pipe from each process; otherwise one queue of queue_size samples. Samples must
    be picklable. An exception in a reader is raised here, and so is its sudden death.

    Args:
        readers (list of callable): Functions whose calls give iterators over samples.
        use_pipe (bool): Whether processes write to pipes, and not to a queue. Default: True.
        queue_size (int): How many samples may wait. Default: 1000.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.io.multiprocess_reader([lambda: iter([1, 2]), lambda: iter([3])])
        >>> sorted(reader())
        [1, 2, 3]
    """
    ...
