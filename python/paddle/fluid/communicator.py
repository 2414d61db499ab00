"""What a trainer asks of its job: everything that goes to the core's engine goes through here.

Ops of a transpiled program join the job by themselves when they first run; these calls are for
what no op does: ending, barriers and sums over all trainers, and whole variables of servers."""
import atexit
import json
import os
import sys

import numpy

from .. import _core
from .core import CPUPlace, LoDTensor

__all__ = ["Communicator"]

_turns = {}  # how often each kind of meeting was called, so that every meeting has its own name


@atexit.register
def _say_why():
    """An exception that nobody catches ends this trainer: the others hear which. After Ctrl+C
    Python ends by the signal, and nothing behind this is run: they would wait for the lease."""
    error = getattr(sys, "last_value", None)
    if error is None or hasattr(sys, "ps1"):
        return
    why = "it was interrupted (Ctrl+C)" if isinstance(error, KeyboardInterrupt) else \
        " ".join(("%s: %s" % (type(error).__name__, error)).split())[:300]
    _core.job_fail(why)
    _core.group_fail(why)


def default_settings():
    """Of a trainer's communication, by the name of their flag; where one is said to be the
    number of threads it is CPU_NUM."""
    threads = os.environ.get("CPU_NUM", "1")
    return {"communicator_max_merge_var_num": threads, "communicator_send_queue_size": threads,
            "communicator_independent_recv_thread": "1",
            "communicator_min_send_grad_num_before_recv": threads,
            "communicator_thread_pool_size": "5", "communicator_send_wait_times": "5",
            "communicator_is_sgd_optimizer": "1", "rpc_deadline": "180000",
            "rpc_retry_times": "3"}


def _turn(name):
    _turns[name] = _turns.get(name, 0) + 1
    return "%s#%d" % (name, _turns[name])


def join(endpoints, trainer_id, trainers):
    """Join the job of these servers. trainer_id: -1 for the next free one."""
    _core.job_join(list(endpoints), trainer_id, trainers)


def leave(job=None):
    """Tell all servers that this trainer is done. May be called twice, or without a job."""
    (_core.job_leave if job in (None, _core.job) else job.leave)()


def trainer_id(given):
    """This trainer's number: the one it was given, or the one that the servers gave it."""
    if given >= 0:
        return given
    who = _core.job_who()
    if who is None:
        raise RuntimeError("this trainer has no number yet: run its startup program first")
    return who[0]


def barrier(name="barrier"):
    """Wait for all trainers."""
    _core.job_barrier(_turn(name))


def reduce(array, op="sum", name="reduce"):
    """The sum (max, min) of an array over all trainers, in its own type and shape. Whole numbers
    are exact; a sum that its type has no room for is an OverflowError."""
    return _reduce(array, op, lambda *given: _core.job_reduce(_turn(name), *given))


def _reduce(array, op, ask):
    if op not in ("sum", "max", "min"):
        raise ValueError("mode is %r, and must be sum, max or min" % (op,))
    array = numpy.asarray(array)
    if array.dtype.kind not in "biuf":
        raise TypeError("numbers over all trainers are whole or real, and not %s" % array.dtype)
    whole = array.dtype.kind != "f"
    if array.dtype == "uint64" and array.size and array.max() > numpy.iinfo("int64").max:
        raise OverflowError("%d over all trainers: whole numbers have 63 bits" % array.max())
    kind = "int64" if whole else "float64"
    out = ask(op, array.astype(kind).tobytes(), whole)
    out = numpy.frombuffer(out, dtype=kind).reshape(array.shape)
    if array.dtype.kind in "iu" and (out != out.astype(array.dtype)).any():
        raise OverflowError("a %s over all trainers has no room in %s" % (op, array.dtype))
    return out.astype(array.dtype)


def _packed(thing):
    try:
        return json.dumps(thing).encode()
    except TypeError as e:
        raise TypeError("all_gather takes numbers, texts, lists and dicts of them: %s" % e)


def gather(thing, index, count):
    """The list of what each of `count` trainers gave, in their order. A thing is made of
    numbers, texts, lists and dicts."""
    own = _packed(thing)
    sizes = numpy.zeros(count, dtype="int64")
    sizes[index] = len(own)
    sizes = reduce(sizes, name="gather")
    rows = numpy.zeros((count, (int(sizes.max()) + 7) // 8), dtype="int64")
    rows[index].view("uint8")[:len(own)] = numpy.frombuffer(own, dtype="uint8")
    rows = reduce(rows, name="gather")  # what the others have is 0: the sum is each one's own
    return [json.loads(row.tobytes()[:size]) for row, size in zip(rows, sizes)]


def flush():
    """Wait until all that this trainer has computed has been taken by the servers."""
    _core.job_flush()


def pull(parts):
    """The parts of a variable, [Part], from their servers: an array of all their rows."""
    arrays = [numpy.array(pull_one(part)) for part in parts]
    return arrays[0] if len(arrays) == 1 else numpy.concatenate(arrays)


def pull_one(part):
    """A tensor of the rows of one Part."""
    return _core.job_get(part.endpoint, part.remote)


def push(array, parts):
    """Set the parts, rows of the array, on their servers."""
    put, change = _core.job_set, _core.job_change(len(parts))
    for part in parts:
        rows = array if part.rows is None else array[part.begin:part.begin + part.rows]
        tensor = LoDTensor()
        tensor.set(numpy.ascontiguousarray(rows), CPUPlace())
        put(change, part.endpoint, part.remote, tensor)


def shrink(parts, unseen):
    """Drop rows of a table that were not touched in the last `unseen` calls. How many went."""
    change = _core.job_change(len(parts))
    return sum(_core.job_shrink(change, part.endpoint, part.remote, unseen) for part in parts)


def clear(parts):
    """Drop all rows of a table: they start anew when they are next touched."""
    change = _core.job_change(len(parts))
    for part in parts:
        _core.job_clear(change, part.endpoint, part.remote)


class Group(object):
    """All trainers, for the meetings of a role maker. It joins the job where nobody has yet."""

    def __init__(self, endpoints, index, count):
        self._endpoints, self._index, self._count = endpoints, index, count
        self._joined = False

    def join(self):
        if not self._joined:
            join(self._endpoints, self._index, self._count)
        self._joined = True

    def barrier(self):
        self.join()
        barrier("fleet")

    def all_reduce(self, array, mode="sum"):
        self.join()
        return reduce(array, mode)

    def all_gather(self, thing):
        self.join()
        return gather(thing, self._index, self._count)


class RankGroup(object):
    """All ranks of collective training, for the meetings of a role maker."""

    def __init__(self, index, endpoints):
        self._index, self._endpoints = index, list(endpoints)

    def join(self):
        _core.group_open(self._index, self._endpoints)

    def barrier(self):
        self.join()
        _core.group_barrier()

    def all_reduce(self, array, mode="sum"):
        self.join()
        return _reduce(array, mode, _core.group_reduce)

    def all_gather(self, thing):
        self.join()
        return [json.loads(one) for one in _core.group_gather(_packed(thing))]


class Communicator(object):
    """Sends gradients while a trainer computes, in the modes that do not wait: the core does so
    by itself. start() makes its settings, and stop() waits until all has been sent.

    mode: a DistributedMode. envs: settings by the name of their flag."""

    def __init__(self, program, mode, kwargs=None, envs={}):
        self._program, self._mode = program, mode
        self._envs = {name: str(value) for name, value in envs.items()}
        self._running = False
        for name in kwargs or ():
            if name not in ("pserver_endpoints", "trainer_id", "barrier_table_id", "trainers",
                            "push_vars", "need_global_step"):
                raise ValueError("Communicator has no setting %r" % name)

    def _set_flags(self):
        for name, value in sorted(self._envs.items()):
            usual = value == default_settings().get(name)
            try:
                _, now, moot = _core.get_flag(name)
            except ValueError:
                if not usual:
                    raise ValueError("%s = %s cannot be honoured: there is no such flag"
                                     % (name, value))
                continue
            # A flag without effect warns, of which nobody wants to hear who set nothing.
            if now != value and not (moot and usual):
                _core.set_flag(name, value)

    def start(self):
        if not self._running:
            self._set_flags()
            self._running = True

    def stop(self):
        if self._running:
            self._running = False
            if _core.job_who() is not None:  # else nothing was ever sent
                flush()

    def is_running(self):
        return self._running
