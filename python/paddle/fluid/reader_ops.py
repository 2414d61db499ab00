"""The ops of programs that take batches by themselves: create_py_reader, create_double_buffer_reader
and read. The executor does their work: before each run it takes a batch from the queue that a `read`
op comes down to, and feeds it to the op's outputs.

Queues and readers go by the names of their variables, as in a scope: a program that was saved and
is loaded again finds the queue of the layer that has been built since, or of
core.init_lod_tensor_blocking_queue()."""
import weakref

from . import core
from .batch_queue import END, BatchQueue

__all__ = ["add_reader", "add_double_buffer", "add_read", "readers_of", "own_queue",
           "init_lod_tensor_blocking_queue"]

_queues = weakref.WeakValueDictionary()  # variable -> queue; its loader holds it
_held = {}      # those that no loader holds
_sources = {}   # a reader's variable -> its queue's, or the reader's under it


def own_queue(name, queue):
    """The variable `name` holds this queue from now on."""
    _held.pop(name, None)
    _queues[name] = queue


def init_lod_tensor_blocking_queue(variable, capacity, is_ordered=False):
    """A queue in a variable of a scope, for the create_py_reader that reads it: push() lists of
    LoDTensors, close() after the last one, begin() for another pass. is_ordered: there is one queue
    for all replicas, which is in order anyway."""
    queue = BatchQueue(capacity)
    own_queue(variable.name(), queue)
    _held[variable.name()] = queue
    return queue


def add_reader(block, queue, name, shapes, dtypes, lod_levels, check=False):
    """create_py_reader in a block: the variable of its reader."""
    reader = block.create_var(name=name, type=core.VarDesc.VarType.READER, persistable=True)
    block.append_op(
        type="create_py_reader", inputs={"blocking_queue": [queue]}, outputs={"Out": [reader]},
        attrs={"shape_concat": [dim for shape in shapes for dim in shape],
               "ranks": [len(shape) for shape in shapes], "lod_levels": list(lod_levels),
               "dtypes": [int(dtype) for dtype in dtypes],
               "need_check_feed": [int(check)] * len(shapes)})
    _sources[name] = queue
    return reader


def add_double_buffer(block, reader, name, place=None):
    out = block.create_var(name=name, type=core.VarDesc.VarType.READER, persistable=True)
    block.append_op(type="create_double_buffer_reader", inputs={"UnderlyingReader": [reader]},
                    outputs={"Out": [out]},
                    attrs={} if place is None else {"place": str(place).upper()})
    _sources[name] = reader if isinstance(reader, str) else reader.name
    return out


def add_read(block, reader, variables, drop_last=True):
    block.append_op(type="read", inputs={"Reader": [reader]}, outputs={"Out": variables},
                    attrs={"drop_last": drop_last})


class _OpReader:
    """What a `read` op of a loaded program takes."""

    def __init__(self, reader, names):
        self._reader, self._names = reader, names

    def _queue(self):
        name = self._reader
        while name in _sources:
            name = _sources[name]
        if name not in _queues:
            raise RuntimeError(
                "the reader %s has no queue: load and run the startup program that creates it, and "
                "make the queue by fluid.core.init_lod_tensor_blocking_queue(scope.var(%r), "
                "capacity, False); or feed %s" % (self._reader, name, ", ".join(self._names)))
        return _queues[name]

    def _take(self):
        queue = self._queue()
        if not queue.started:
            raise RuntimeError("the reader %s has not been started: start() it, or push() into its "
                               "queue, before Executor.run()" % self._reader)
        batch = queue.take()
        if batch is END:
            raise core.EOFException("There is no next data.")
        if len(batch) != len(self._names):
            raise ValueError("a batch has %d parts, and %s reads %d (%s)"
                             % (len(batch), self._reader, len(self._names),
                                ", ".join(self._names)))
        return dict(zip(self._names, batch))


def readers_of(program):
    """What the `read` ops of a loaded program take, in their order."""
    found = []
    for op in program.global_block().ops:
        if op.type == "create_py_reader":
            for name in op.output("Out"):
                _sources[name] = op.input("blocking_queue")[0]
        elif op.type == "create_double_buffer_reader":
            _sources[op.output("Out")[0]] = op.input("UnderlyingReader")[0]
        elif op.type == "read":
            found.append(_OpReader(op.input("Reader")[0], op.output("Out")))
    return tuple(found)
