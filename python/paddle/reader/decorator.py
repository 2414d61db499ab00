"""Decorators of readers.

Where threads or processes work ahead, they end when the consumer does: at the end of the data,
at an exception, or when the iterator is dropped half way. An exception of theirs is raised in
the consumer, after the samples that came before it."""
import itertools
import random

__all__ = [
    "cache", "map_readers", "buffered", "compose", "chain", "shuffle", "ComposeNotAligned",
    "firstn", "xmap_readers", "multiprocess_reader",
]

_END = object()


def cache(reader):
    """Keep all samples in memory; the reader itself is read once, now."""
    samples = tuple(reader())

    def cached():
        return iter(samples)
    return cached


def map_readers(func, *readers):
    """func(sample of the first, sample of the second, ...), until the shortest ends."""
    def mapped():
        return map(func, *[reader() for reader in readers])
    return mapped


def shuffle(reader, buf_size):
    """Samples in random order within each buf_size of them (0: as they come). The order is
    that of Python's random, which random.seed() repeats."""
    if buf_size < 0:
        raise ValueError("shuffle: buf_size is %r, and must not be negative" % (buf_size,))

    def shuffled():
        samples = iter(reader())
        while True:
            some = list(itertools.islice(samples, max(buf_size, 1)))
            if not some:
                return
            random.shuffle(some)
            for sample in some:
                yield sample
    return shuffled


def chain(*readers):
    """All samples of the first, then all of the second, ..."""
    def chained():
        return itertools.chain.from_iterable(reader() for reader in readers)
    return chained


class ComposeNotAligned(ValueError):
    """Readers of different lengths in compose()."""


def compose(*readers, **kwargs):
    """One flat tuple of a sample of each. Readers must have equal lengths, unless
    check_alignment=False: then the shortest decides."""
    check_alignment = kwargs.pop("check_alignment", True)
    for name in kwargs:
        raise TypeError("compose() has no argument %r" % name)

    def flat(samples):
        out = ()
        for sample in samples:
            out += sample if isinstance(sample, tuple) else (sample,)
        return out

    def composed():
        iterators = [reader() for reader in readers]
        if not check_alignment:
            for samples in zip(*iterators):
                yield flat(samples)
            return
        for samples in itertools.zip_longest(*iterators, fillvalue=_END):
            if any(sample is _END for sample in samples):
                raise ComposeNotAligned("outputs of readers are not aligned: reader %d of %d "
                                        "ends before others" % (
                                            1 + [s is _END for s in samples].index(True),
                                            len(samples)))
            yield flat(samples)
    return composed


def firstn(reader, n):
    """The first n samples; all of them for a negative n."""
    def first():
        return itertools.islice(reader(), n) if n >= 0 else iter(reader())
    return first


# ---- threads ----

class _Failure:
    """An exception on its way to the consumer."""

    def __init__(self, error):
        self.error = error


class _Channel:
    """A bounded queue that either side can end."""

    def __init__(self, size):
        import threading
        from collections import deque
        self.items, self.size = deque(), size
        lock = threading.Lock()
        self.filled, self.emptied = threading.Condition(lock), threading.Condition(lock)
        self.finished = self.closed = False

    def put(self, item):
        """False: nobody will take it."""
        with self.emptied:
            while len(self.items) >= self.size and not self.closed:
                self.emptied.wait()
            if self.closed:
                return False
            self.items.append(item)
            self.filled.notify()
        return True

    def get(self):
        """The next item; _END after the last."""
        with self.filled:
            while not self.items:
                if self.finished or self.closed:
                    return _END
                self.filled.wait()
            item = self.items.popleft()
            self.emptied.notify()
        return item

    def finish(self):
        """No more items will come; those that are there can be taken."""
        with self.filled:
            self.finished = True
            self.filled.notify_all()

    def close(self):
        """The consumer has gone."""
        with self.filled:
            self.closed = True
            self.items.clear()
            self.filled.notify_all()
            self.emptied.notify_all()


def _start(target, *args):
    import threading
    threading.Thread(target=target, args=args, daemon=True).start()


def _pump(reader, put):
    """Give put() all samples; what the reader raises too. False from put() ends it."""
    try:
        samples = iter(reader())
        try:
            for sample in samples:
                if not put(sample):
                    return
        finally:
            if hasattr(samples, "close"):
                samples.close()
    except BaseException as error:  # every one is the consumer's
        put(_Failure(error))


def _positive(what, value):
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise ValueError("%s is %r, and must be a whole number of 1 or more" % (what, value))


def buffered(reader, size):
    """Read up to size samples ahead, in a thread."""
    _positive("buffered: size", size)

    def ahead():
        channel = _Channel(size)

        def run():
            _pump(reader, channel.put)
            channel.finish()

        _start(run)
        try:
            while True:
                sample = channel.get()
                if sample is _END:
                    return
                if type(sample) is _Failure:
                    raise sample.error
                yield sample
        finally:
            channel.close()
    return ahead


class _Slot:
    """A sample on its way through a mapper, with its place in the order."""

    def __init__(self, sample):
        import _thread
        self.value = sample
        self.done = _thread.allocate_lock()
        self.done.acquire()


def xmap_readers(mapper, reader, process_num, buffer_size, order=False):
    """mapper(sample) for all samples, by process_num threads that work up to buffer_size samples
    ahead. order=True keeps the reader's order."""
    _positive("xmap_readers: process_num", process_num)
    _positive("xmap_readers: buffer_size", buffer_size)

    def mapped():
        todo, done = _Channel(buffer_size), _Channel(buffer_size)
        try:
            for slot in _xmap(mapper, reader, process_num, order, todo, done):
                if order:
                    slot.done.acquire()
                    slot = slot.value
                if type(slot) is _Failure:
                    raise slot.error
                yield slot
        finally:
            todo.close()
            done.close()
    return mapped


def _xmap(mapper, reader, process_num, order, todo, done):
    """Start the threads; what they put into done."""
    def apply(sample):
        if type(sample) is _Failure:
            return sample
        try:
            return mapper(sample)
        except BaseException as error:
            return _Failure(error)

    def feed_in_order(sample):
        slot = _Slot(sample)
        return done.put(slot) and todo.put(slot)

    def read():
        _pump(reader, feed_in_order if order else todo.put)
        todo.finish()
        if order:
            done.finish()

    left = [None] * process_num  # one for each worker: list.pop() is atomic

    def work():
        while True:
            item = todo.get()
            if item is _END:
                break
            if order:
                item.value = apply(item.value)
                item.done.release()
            elif not done.put(apply(item)):
                break
        left.pop()
        if not left and not order:
            done.finish()

    _start(read)
    for _ in range(process_num):
        _start(work)
    return iter(done.get, _END)


# ---- processes ----

def multiprocess_reader(readers, use_pipe=True, queue_size=1000):
    """The samples of several readers, each read in a process of its own, as they come.

    use_pipe: a pipe from each process; otherwise one queue of queue_size samples. Samples must
    be picklable. An exception in a reader is raised here, and so is its sudden death."""
    if not isinstance(readers, (list, tuple)) or not readers:
        raise AssertionError("multiprocess_reader: readers must be a list of one or more readers")
    _positive("multiprocess_reader: queue_size", queue_size)

    def merged():
        import multiprocessing
        # Readers are closures: only a forked child has them.
        context = multiprocessing.get_context("fork")
        gather = _from_pipes if use_pipe else _from_queue
        processes = []
        try:
            for kind, value in gather(context, list(readers), processes, queue_size):
                if kind == "error":
                    raise value
                yield value
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.join(5)
                if process.is_alive():
                    process.kill()
                    process.join()
    return merged


def _child(reader, send):
    """In the child: everything the reader gives, then ("end", None) or ("error", what)."""
    import traceback
    from multiprocessing.reduction import ForkingPickler
    from pickle import dumps

    def checked(sample):
        if type(sample) is not _Failure:
            send(dumps(("sample", sample), protocol=-1))
            return True
        error = sample.error
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        try:
            ForkingPickler.loads(dumps(error))
        except Exception:
            error = RuntimeError("%s in a reader's process: %s" % (type(error).__name__, error))
        send(dumps(("error", error, text)))
        return False

    try:
        _pump(reader, checked)
        send(dumps(("end", None)))
    except BrokenPipeError:
        pass  # the consumer has gone


class _InProcess(Exception):
    """Shows the child's traceback as the cause of the exception."""

    def __str__(self):
        return "in a reader's process:\n" + self.args[0]


def _received(data):
    from multiprocessing.reduction import ForkingPickler
    message = ForkingPickler.loads(data)  # of a process that we forked
    if message[0] == "error":
        message[1].__cause__ = _InProcess(message[2])
    return message[:2]


def _died(number, process):
    process.join(1)
    return ("error", RuntimeError("multiprocess_reader: the process of reader %d died (exit code "
                                  "%s) before its data ended" % (number, process.exitcode)))


def _from_pipes(context, readers, processes, queue_size):
    from multiprocessing.connection import wait
    pipes = {}
    for number, reader in enumerate(readers):
        here, there = context.Pipe(duplex=False)

        def run(reader=reader, there=there, others=[here] + list(pipes)):
            for pipe in others:  # a dead sibling's pipe must read as ended
                pipe.close()
            _child(reader, there.send_bytes)

        process = context.Process(target=run, daemon=True)
        process.start()
        there.close()
        processes.append(process)
        pipes[here] = number
    while pipes:
        for pipe in wait(list(pipes)):
            try:
                message = _received(pipe.recv_bytes())
            except EOFError:
                message = _died(pipes[pipe], processes[pipes[pipe]])
            if message[0] == "end":
                del pipes[pipe]
                pipe.close()
            else:
                yield message


def _from_queue(context, readers, processes, queue_size):
    import os
    from queue import Empty, Full
    queue = context.Queue(queue_size)
    parent = os.getpid()

    def put(item):
        while True:
            try:
                return queue.put(item, timeout=1)
            except Full:
                if os.getppid() != parent:  # nobody will ever take it
                    os._exit(1)

    for number, reader in enumerate(readers):
        def run(number=number, reader=reader):
            _child(reader, lambda data: put((number, data)))

        process = context.Process(target=run, daemon=True)
        process.start()
        processes.append(process)
    left = set(range(len(readers)))
    while left:
        dead = [n for n in left if not processes[n].is_alive()]
        try:
            # What a dead process had sent is in the queue before we see it dead.
            number, data = queue.get(timeout=0.2)
        except Empty:
            if dead:
                yield _died(dead[0], processes[dead[0]])
            continue
        message = _received(data)
        if message[0] == "end":
            left.discard(number)
        else:
            yield message
    queue.close()
