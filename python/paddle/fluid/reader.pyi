# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class PyReader(DataLoaderBase):
    """A GeneratorLoader under the names of Fluid 1.3.

    Args:
        feed_list (list of Variable): The variables that are fed, in the order of a sample's parts.
            Default: None.
        capacity (int): How many batches may wait. Default: None.
        use_double_buffer (bool): Whether batches are made ahead. Default: True.
        iterable (bool): Whether it is iterated over, and not started by start(). Default: True.
        return_list (bool): Whether a batch comes as a list, and not as a dict. Default: False.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> reader = fluid.io.PyReader(feed_list=[x], capacity=4)
        >>> reader.decorate_batch_generator(lambda: iter([[numpy.ones((3, 2), "float32")]]),
        ...                                 fluid.cpu_places(1))
        >>> [sorted(feed[0]) for feed in reader()]
        [['x']]
    """
    queue: Any
    iterable: Any
    def __init__(self, feed_list: Optional[Sequence[Any]] = ..., capacity: Optional[int] = ..., use_double_buffer: bool = ..., iterable: bool = ..., return_list: bool = ...) -> None: ...
    def __iter__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def start(self) -> Any:
        """Begin to read.

        Returns:
            callable: a reader.
        """
        ...

    def reset(self) -> Any:
        """Stop reading, so that start() begins anew.

        Returns:
            callable: a reader.
        """
        ...

    def decorate_sample_generator(self, sample_generator: Callable[..., Any], batch_size: int, drop_last: bool = ..., places: Optional[Sequence[Any]] = ...) -> Any:
        """Read single samples, of which batches are made.

        Args:
            sample_generator (callable): Gives samples.
            batch_size (int): Samples in a batch.
            drop_last (bool): Whether a last batch that is too small is left out. Default: True.
            places (list of places, optional): Where the parts of a batch run. Default: None.

        Returns:
            callable: a reader.
        """
        ...

    def decorate_sample_list_generator(self, reader: Callable[..., Any], places: Optional[Sequence[Any]] = ...) -> Any:
        """Read lists of samples, each a batch.

        Args:
            reader (callable): Gives batches, or samples.
            places (list of places, optional): Where the parts of a batch run. Default: None.

        Returns:
            callable: a reader.
        """
        ...

    def decorate_batch_generator(self, reader: Callable[..., Any], places: Optional[Sequence[Any]] = ...) -> Any:
        """Read whole batches.

        Args:
            reader (callable): Gives batches, or samples.
            places (list of places, optional): Where the parts of a batch run. Default: None.

        Returns:
            callable: a reader.
        """
        ...

class DataLoader:
    """Makes loaders; an instance goes over a map-style dataset (`__getitem__`, `__len__`).

    Args:
        dataset (object): What has __getitem__ and __len__; or a DatasetBase.
        feed_list (list of Variable): The variables that are fed, in the order of a sample's parts.
            Default: None.
        places (list of places, optional): Where the parts of a batch run. Default: None.
        return_list (bool): Whether a batch comes as a list, and not as a dict. Default: False.
        batch_sampler (BatchSampler, optional): Says which samples make a batch. Default: None.
        batch_size (int): Samples in a batch. Default: 1.
        shuffle (bool): Whether the order is random. Default: False.
        drop_last (bool): Whether a last batch that is too small is left out. Default: False.
        collate_fn (callable, optional): Makes a batch of a list of samples. Default: None.
        num_workers (int): 0: processes that read are not here. Default: 0.
        use_buffer_reader (bool): Whether batches are made ahead. Default: True.
        use_shared_memory (bool): Taken, and changes nothing. Default: True.
        timeout (int): Seconds to wait for a batch; 0: for ever. Default: 0.
        worker_init_fn (callable, optional): Of processes, which are not here. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> loader = fluid.io.DataLoader.from_generator(feed_list=[x], capacity=4)
        >>> _ = loader.set_batch_generator(lambda: iter([[numpy.ones((3, 2), "float32")]]),
        ...                                places=fluid.cpu_places(1))
        >>> [sorted(feed[0]) for feed in loader()]
        [['x']]
    """
    def __init__(self, dataset: Any, feed_list: Optional[Sequence[Any]] = ..., places: Optional[Sequence[Any]] = ..., return_list: bool = ..., batch_sampler: Any = ..., batch_size: int = ..., shuffle: bool = ..., drop_last: bool = ..., collate_fn: Optional[Callable[..., Any]] = ..., num_workers: int = ..., use_buffer_reader: bool = ..., use_shared_memory: bool = ..., timeout: int = ..., worker_init_fn: Optional[Callable[..., Any]] = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __len__(self, *args: Any, **kwargs: Any) -> int: ...
    def __iter__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    @staticmethod
    def from_generator(feed_list: Optional[Sequence[Any]] = ..., capacity: Optional[int] = ..., use_double_buffer: bool = ..., iterable: bool = ..., return_list: bool = ..., use_multiprocess: bool = ..., drop_last: bool = ...) -> Any:
        """A loader over a Python generator; use_multiprocess is of dygraph, and does nothing.

        Args:
            feed_list (list of Variable): The variables that are fed, in the order of a sample's parts.
                Default: None.
            capacity (int): How many batches may wait. Default: None.
            use_double_buffer (bool): Whether batches are made ahead. Default: True.
            iterable (bool): Whether it is iterated over, and not started by start(). Default: True.
            return_list (bool): Whether a batch comes as a list, and not as a dict. Default: False.
            use_multiprocess (bool): Of dygraph alone: True is warned of, and does nothing. Default:
                False.
            drop_last (bool): Whether a last batch that is too small is left out. Default: True.

        Returns:
            callable: a reader.
        """
        ...

    @staticmethod
    def from_dataset(dataset: Any, places: Optional[Sequence[Any]], drop_last: bool = ...) -> Any:
        """A loader over a QueueDataset or InMemoryDataset.

        Args:
            dataset (object): What has __getitem__ and __len__; or a DatasetBase.
            places (list of places, optional): Where the parts of a batch run.
            drop_last (bool): Whether a last batch that is too small is left out. Default: True.

        Returns:
            callable: a reader.
        """
        ...

def default_collate_fn(batch: Sequence[Any]) -> Sequence[Any]:
    """Samples, tuples of arrays or numbers, as one array for each part.

    Args:
        batch (list of tuple): Samples.

    Returns:
        list of array: one array for each part.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> xs, labels = fluid.io.default_collate_fn([(numpy.ones(2), 0), (numpy.zeros(2), 1)])
        >>> xs.shape
        (2, 2)
    """
    ...

class DataLoaderBase:
    """What all loaders are: iterable."""
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __iter__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def next(self) -> Any:
        """Python 2's name."""
        ...
