"""Where the batches of a loader wait: filled by a thread of its own, or by hand with push()."""
import collections
import sys
import threading
import time

from . import core

__all__ = ["BatchQueue", "Feeding"]

END = object()  # what take() gives when no more will come


class BatchQueue:
    """At most `capacity` batches. A pass begins with begin() and ends with end(); whoever still
    puts into one that has ended is told so."""

    def __init__(self, capacity):
        self._capacity = capacity
        self._changed = threading.Condition()
        self._batches = collections.deque()
        self._number = 0  # of passes
        self._open = self._started = False
        self._error = None

    # ---- Fluid's names: what scripts ask of reader.queue ----

    def size(self):
        """How many batches wait."""
        return len(self._batches)

    def capacity(self):
        return self._capacity

    def push(self, batch):
        """Put a batch by hand, in the place of a generator; waits while the queue is full. False:
        the queue has been closed."""
        if not self._started:
            self.begin()
        return self.put(list(batch), self._number)

    def close(self):
        """No more will come: whoever takes gets what waits, and then the end."""
        self.finish(self._number)

    def kill(self):
        """Close, and forget what waits."""
        with self._changed:
            self._batches.clear()
        self.close()

    # ---- a pass ----

    @property
    def started(self):
        return self._started

    @property
    def exhausted(self):
        """The last batch has been taken, or the generator has failed."""
        return not self._open and not self._batches

    def begin(self):
        """The number of the new pass."""
        with self._changed:
            self._number += 1
            self._batches.clear()
            self._open = self._started = True
            self._error = None
            self._changed.notify_all()
            return self._number

    def end(self):
        with self._changed:
            self._number += 1
            self._batches.clear()
            self._open = self._started = False
            self._changed.notify_all()

    def put(self, batch, number):
        """Whether it was put: not when pass `number` is over."""
        with self._changed:
            while self._open and number == self._number and len(self._batches) >= self._capacity:
                self._changed.wait()
            if not self._open or number != self._number:
                return False
            self._batches.append(batch)
            self._changed.notify_all()
            return True

    def finish(self, number, error=None):
        """No more will come in this pass; error: because the generator has raised it."""
        with self._changed:
            if number == self._number:
                self._open, self._error = False, error
                self._changed.notify_all()

    def take(self):
        """The next batch, or END. A failure of the generator is raised."""
        with self._changed:
            begun = time.monotonic()
            seconds = 10
            while self._open and not self._batches:
                if not self._changed.wait(seconds) and self._open and not self._batches:
                    seconds = 30
                    sys.stderr.write("waiting for the data reader: it runs, and has given nothing "
                                     "for %.0f s\n" % (time.monotonic() - begun))
            if self._batches:
                batch = self._batches.popleft()
                self._changed.notify_all()
                return batch
            if self._error is not None:
                raise core.EnforceNotMet("the data reader has raised %s: %s" % (
                    type(self._error).__name__, self._error)) from self._error
            return END


class Feeding(threading.Thread):
    """One pass: runs a generator and puts what it gives into the queue. Knows nothing of the
    loader: it must not keep one that everybody else has dropped."""

    def __init__(self, make, queue):
        super().__init__(daemon=True)
        self._make, self._queue, self._number = make, queue, queue.begin()
        self.start()

    def run(self):
        error = None
        try:
            for batch in self._make():
                if not self._queue.put(batch, self._number):
                    return
        except BaseException as e:  # to be raised where the batches are taken
            error = e
        self._queue.finish(self._number, error)

    def wait(self):
        """After queue.end(): for the generator to notice; one that waits itself is left."""
        if threading.current_thread() is not self:
            self.join(timeout=5)
