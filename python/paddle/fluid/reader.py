"""DataLoader and PyReader: batches made by a Python generator in a thread of its own, or read
from a dataset.

A loader that is iterable gives feeds: a list with one dict for each place. One that is not
belongs to the program of its variables: start() begins a pass, Executor.run() takes the next
batch for itself, and raises fluid.core.EOFException when there is none; reset() ends the pass."""
import warnings

import numpy as np

from .. import _core
from . import core, reader_ops, unique_name
from .batch_queue import END, BatchQueue, Feeding
from .data_feeder import DataFeeder

__all__ = ["PyReader", "DataLoader", "default_collate_fn"]


def _places(places):
    """A list of places, whichever way they are given."""
    if places is None:
        return None
    if not isinstance(places, (list, tuple)):
        places = [places]
    for place in places:
        if not isinstance(place, core.CPUPlace):
            raise ValueError("a loader's place is %r, and must be fluid.CPUPlace()" % (place,))
    return list(places)


def _tensor(item):
    if isinstance(item, core.LoDTensor):
        return item
    array = item if isinstance(item, np.ndarray) else np.array(item)
    if array.dtype == object:
        raise TypeError("a batch's array is of mixed lengths or types (%r); give samples of one "
                        "shape, or LoDTensors" % (array.shape,))
    tensor = core.LoDTensor()
    tensor.set(array, core.CPUPlace())
    return tensor


def _tensors(batches, names):
    """Batches as lists of tensors."""
    def run():
        for batch in batches():
            if isinstance(batch, dict):
                batch = [batch[name] for name in names]
            if len(batch) != len(names):
                raise ValueError("a batch has %d parts, and there are %d variables (%s)"
                                 % (len(batch), len(names), ", ".join(names)))
            yield [_tensor(item) for item in batch]
    return run


class _Pass:
    """An iterator over a loader. Asked for an iterator it is its own; after its last batch it
    begins anew, as Fluid's do, so that a script may go over it again in the next epoch."""

    def __init__(self, loader):
        self._loader, self._over = loader, False

    def __iter__(self):
        if self._over:
            iter(self._loader)
            self._over = False
        return self

    def __next__(self):
        try:
            return self._loader.__next__()
        except StopIteration:
            self._over = True
            raise

    next = __next__


class DataLoaderBase:
    """What all loaders are: iterable."""
    _places = None

    def __init__(self):
        self._places = None

    def __call__(self):
        return self

    def next(self):
        """Python 2's name."""
        return self.__next__()

    def __iter__(self):
        raise NotImplementedError()

    def __next__(self):
        raise NotImplementedError()


class GeneratorLoader(DataLoaderBase):
    """Batches of a Python generator."""

    def __init__(self, feed_list=None, capacity=None, use_double_buffer=True, iterable=True,
                 return_list=False, drop_last=True, queue=None):
        """queue: that of a py_reader, whose ops are in the program already."""
        if not capacity or capacity < 0:
            raise ValueError("Please give value to capacity.")
        if not feed_list:
            raise ValueError("Feed list must be given when DataLoader is used with a program.")
        self._feed_list = list(feed_list)
        self._names = [var.name for var in self._feed_list]
        self._capacity, self._iterable, self._drop_last = capacity, iterable, drop_last
        self._return_list = return_list
        self._use_double_buffer = use_double_buffer  # the queue is one, of `capacity` buffers
        self._batches = self._feeding = None
        self._queue = BatchQueue(capacity) if queue is None else queue
        if not iterable:
            program = self._feed_list[0].block.program
            if queue is None:
                self._add_ops(program.global_block())
            program._readers = tuple(program._readers) + (self,)

    def _add_ops(self, block):
        """What real Paddle's program has of a loader."""
        names = [unique_name.generate(kind) for kind in
                 ("lod_tensor_blocking_queue", "create_py_reader", "double_buffer")]
        reader_ops.own_queue(names[0], self._queue)
        reader = reader_ops.add_reader(
            block, names[0], names[1], [var.shape for var in self._feed_list],
            [var.dtype for var in self._feed_list], [var.lod_level for var in self._feed_list],
            check=True)
        if self._use_double_buffer:
            reader = reader_ops.add_double_buffer(block, reader, names[2])
        reader_ops.add_read(block, reader, self._feed_list, self._drop_last)

    @property
    def queue(self):
        """Where the batches wait: queue.size() of them."""
        return self._queue

    @property
    def iterable(self):
        return self._iterable

    # ---- where batches come from ----

    def set_sample_generator(self, reader, batch_size, drop_last=True, places=None):
        """reader() gives samples: tuples of arrays, one for each variable."""
        if batch_size <= 0:
            raise ValueError("batch_size must be larger than 0")
        for var in self._feed_list:
            if var.lod_level:
                return self.set_sample_list_generator(_batched(reader, batch_size, drop_last),
                                                      places)
        dtypes = [core_dtype(var) for var in self._feed_list]
        shapes = [tuple(var.shape) for var in self._feed_list]

        def batches():
            for samples in _batched(reader, batch_size, drop_last)():
                yield [_stack(column, dtype, shape)
                       for column, dtype, shape in zip(zip(*samples), dtypes, shapes)]
        return self.set_batch_generator(batches, places)

    def set_sample_list_generator(self, reader, places=None):
        """reader() gives lists of samples, as paddle.batch makes them."""
        feeder = DataFeeder(self._feed_list, core.CPUPlace(),
                            program=self._feed_list[0].block.program)

        def batches():
            for samples in reader():
                yield feeder.feed(samples)
        return self.set_batch_generator(batches, places)

    def set_batch_generator(self, reader, places=None):
        """reader() gives batches: a list of arrays or LoDTensors, one for each variable."""
        if self._iterable:
            if places is None:
                raise AssertionError("Places cannot be None when DataLoader is iterable")
            self._places = _places(places)
        self._batches = reader
        return self

    def _begin(self):
        if self._batches is None:
            raise AssertionError("Data source of DataLoader has not set yet")
        self._feeding = Feeding(_tensors(self._batches, self._names), self._queue)

    def _end(self):
        self._queue.end()
        if self._feeding is not None:
            self._feeding.wait()
            self._feeding = None

    # ---- iterable ----

    def __iter__(self):
        if not self._iterable:
            raise AssertionError("DataLoader is not iterable")
        self._end()
        self._begin()
        return _Pass(self)

    def __next__(self):
        if not self._queue.started:
            raise StopIteration
        feeds = []
        try:
            while len(feeds) < len(self._places):
                batch = self._queue.take()
                if batch is END:
                    break
                feeds.append(batch)
        except BaseException:
            self._end()
            raise
        if not feeds or (len(feeds) < len(self._places) and self._drop_last):
            self._end()
            raise StopIteration
        if self._return_list:
            return feeds
        return [dict(zip(self._names, feed)) for feed in feeds]

    # ---- not iterable ----

    def start(self):
        """Begin a pass; after the end of one, reset() may be left out."""
        if self._iterable:
            raise AssertionError("start() cannot be called when DataLoader is iterable")
        if self._queue.started and not self._queue.exhausted:
            raise RuntimeError("the loader has been started; call reset() before it is again")
        self._end()
        self._begin()

    def reset(self):
        """End the pass, whether or not all batches have been taken."""
        if self._iterable:
            raise AssertionError("reset() cannot be called when DataLoader is iterable")
        self._end()

    def _take(self):
        """The next batch as a feed, for the executor."""
        if not self._queue.started:
            raise RuntimeError("the reader of %s has not been started: call its start() before "
                               "Executor.run()" % ", ".join(self._names))
        batch = self._queue.take()
        if batch is END:
            raise core.EOFException("There is no next data.")
        return dict(zip(self._names, batch))

    def __del__(self):
        queue = self.__dict__.get("_queue")
        if queue is not None:
            queue.end()


def core_dtype(var):
    from .data_feeder import convert_dtype
    return convert_dtype(var.dtype)


def _stack(column, dtype, shape):
    """Samples of one variable as an array of the variable's rank."""
    array = np.array(column, dtype=dtype)
    if array.ndim != len(shape) and sum(dim < 0 for dim in shape) <= 1:
        array = array.reshape(shape)
    return array


def _batched(reader, batch_size, drop_last):
    def batches():
        held = []
        for sample in reader():
            held.append(sample if isinstance(sample, (list, tuple)) else (sample,))
            if len(held) == batch_size:
                yield held
                held = []
        if held and not drop_last:
            yield held
    return batches


class DatasetLoader(DataLoaderBase):
    """The batches of a dataset, as feeds."""

    def __init__(self, dataset, places, drop_last):
        from .dataset import DatasetBase
        if not isinstance(dataset, DatasetBase):
            raise AssertionError("dataset must be type of DatasetBase, not %s" % type(dataset))
        self._dataset, self._drop_last = dataset, drop_last
        self._places = _places(places)
        self._reader = None

    def __iter__(self):
        self._reader = None  # the dataset has one at a time
        self._reader = _core.Reader(self._dataset.dataset)
        return _Pass(self)

    def __next__(self):
        feeds, names = [], [var.name for var in self._dataset.use_vars]
        full = self._dataset.proto_desc.batch_size or 32
        while self._reader is not None and len(feeds) < len(self._places):
            batch = self._reader.next()
            if batch is None:
                self._reader = None
            elif batch[0] == full or not self._drop_last:
                feeds.append(dict(zip(names, batch[1])))
        if not feeds or (len(feeds) < len(self._places) and self._drop_last):
            self._reader = None
            raise StopIteration
        return feeds


def default_collate_fn(batch):
    """Samples, tuples of arrays or numbers, as one array for each part."""
    return [np.array(list(column)) for column in zip(*batch)]


class DataLoader:
    """Makes loaders; an instance goes over a map-style dataset (`__getitem__`, `__len__`)."""

    def __init__(self, dataset, feed_list=None, places=None, return_list=False,
                 batch_sampler=None, batch_size=1, shuffle=False, drop_last=False,
                 collate_fn=None, num_workers=0, use_buffer_reader=True, use_shared_memory=True,
                 timeout=0, worker_init_fn=None):
        if num_workers or worker_init_fn or timeout:
            raise NotImplementedError("DataLoader(num_workers=%r): samples are fetched by one "
                                      "thread; use paddle.reader.multiprocess_reader with "
                                      "DataLoader.from_generator for more" % num_workers)
        if batch_sampler is not None and (batch_size != 1 or shuffle or drop_last):
            raise ValueError("batch_size, shuffle and drop_last are the batch_sampler's")
        if places is None:
            raise ValueError("places cannot be None when DataLoader is used with a program")
        self.dataset, self.return_list, self.drop_last = dataset, return_list, drop_last
        self.batch_sampler, self.batch_size, self.shuffle = batch_sampler, batch_size, shuffle
        self.collate_fn = collate_fn or default_collate_fn
        self._loader = GeneratorLoader(feed_list, 2, use_buffer_reader, True, return_list,
                                       drop_last)
        self._loader.set_batch_generator(self._batches, places)

    def _indices(self):
        if self.batch_sampler is not None:
            yield from self.batch_sampler
            return
        order = np.arange(len(self.dataset))
        if self.shuffle:
            np.random.shuffle(order)
        for at in range(0, len(order), self.batch_size):
            part = order[at:at + self.batch_size]
            if len(part) == self.batch_size or not self.drop_last:
                yield part.tolist()

    def _batches(self):
        for indices in self._indices():
            yield self.collate_fn([self.dataset[i] for i in indices])

    def __len__(self):
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        n, size = len(self.dataset), self.batch_size
        return n // size if self.drop_last else -(-n // size)

    def __iter__(self):
        return iter(self._loader)

    def __call__(self):
        return self.__iter__()

    @staticmethod
    def from_generator(feed_list=None, capacity=None, use_double_buffer=True, iterable=True,
                       return_list=False, use_multiprocess=False, drop_last=True):
        """A loader over a Python generator; use_multiprocess is of dygraph, and does nothing."""
        if use_multiprocess:
            warnings.warn("use_multiprocess does nothing in a program: it is for dygraph; decorate "
                          "the generator with paddle.reader.multiprocess_reader", stacklevel=2)
        return GeneratorLoader(feed_list, capacity, use_double_buffer, iterable, return_list,
                               drop_last)

    @staticmethod
    def from_dataset(dataset, places, drop_last=True):
        """A loader over a QueueDataset or InMemoryDataset."""
        return DatasetLoader(dataset, places, drop_last)


class PyReader(DataLoaderBase):
    """A GeneratorLoader under the names of Fluid 1.3."""

    def __init__(self, feed_list=None, capacity=None, use_double_buffer=True, iterable=True,
                 return_list=False):
        self._loader = GeneratorLoader(feed_list, capacity, use_double_buffer, iterable,
                                       return_list)

    @property
    def queue(self):
        return self._loader.queue

    @property
    def iterable(self):
        return self._loader.iterable

    def __iter__(self):
        return iter(self._loader)

    def __next__(self):
        return next(self._loader)

    def start(self):
        self._loader.start()

    def reset(self):
        self._loader.reset()

    def decorate_sample_generator(self, sample_generator, batch_size, drop_last=True,
                                  places=None):
        self._loader.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(self, reader, places=None):
        self._loader.set_sample_list_generator(reader, places)

    def decorate_batch_generator(self, reader, places=None):
        self._loader.set_batch_generator(reader, places)
