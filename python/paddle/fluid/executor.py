"""Executor: runs programs."""
import contextlib

from .. import _core
from . import core
from .core import CPUPlace
from .framework import Program, Variable, default_main_program

__all__ = ["Executor", "global_scope", "scope_guard"]

_scope = core.Scope()


def global_scope():
    """The scope in use: where persistable variables live."""
    return _scope


def _switch_scope(scope):
    global _scope
    old, _scope = _scope, scope
    return old


@contextlib.contextmanager
def scope_guard(scope):
    old = _switch_scope(scope)
    try:
        yield
    finally:
        _switch_scope(old)


def as_numpy(tensor):
    """A LoDTensor, or a list of them, as numpy arrays."""
    import numpy
    if isinstance(tensor, (list, tuple, core.LoDTensorArray)):
        return [as_numpy(t) for t in tensor]
    if tensor.lod():
        raise RuntimeError(
            "Some of your fetched tensors hold LoD information. They can not be completely cast "
            "to Python ndarray. Please set the parameter 'return_numpy' as 'False' to return "
            "LoDTensor itself directly.")
    return numpy.array(tensor)


def _fetch_list(fetch):
    """Variables and names, whichever way the user lists them."""
    if fetch is None:
        return []
    if isinstance(fetch, (Variable, str)):
        return [fetch]
    return list(fetch)


def _read(program, feed):
    """The feed, with a batch of each of the program's readers that it does not replace."""
    whole = dict(feed or ())
    for reader in program._readers:
        if not all(name in whole for name in reader._names):
            whole.update(reader._take())
    return whole


def _read_places(compiled, feed):
    """A feed for each place of a CompiledProgram whose program has readers."""
    program = getattr(compiled, "_program", None)
    if isinstance(feed, (list, tuple)):
        return feed[0] if len(feed) == 1 and not compiled._threads else feed
    if not getattr(program, "_readers", ()):
        return feed
    if not compiled._threads:
        return _read(program, feed)
    return [_read(program, feed) for _ in range(compiled._threads)]


class Executor:
    """Runs a program on a place. Plans are made at the first run and kept."""

    def __init__(self, place=None):
        if place is not None and not isinstance(place, CPUPlace):
            raise RuntimeError("Executor(%r): Regatta runs on fluid.CPUPlace()" % (place,))
        self.place = CPUPlace() if place is None else place
        self._core = _core.Executor()
        self._run = self._core.run
        self._closed = False

    def run(self, program=None, feed=None, fetch_list=None, feed_var_name="feed",
            fetch_var_name="fetch", scope=None, return_numpy=True, use_program_cache=False,
            return_merged=True, use_prune=False):
        """Run the program once; the values of fetch_list come back as a list."""
        if (type(program) is Program and type(fetch_list) is list and type(feed) is not list
                and not use_prune and not program._readers):
            return self._run(program, feed, fetch_list, _scope if scope is None else scope,
                             return_numpy) if not self._closed else self._refuse()
        return self._run_any(program, feed, fetch_list, scope, return_numpy, return_merged,
                             use_prune)

    def _refuse(self):
        raise RuntimeError("Attempted to use a closed Executor")

    def _run_any(self, program, feed, fetch_list, scope, return_numpy, return_merged, use_prune):
        if self._closed:
            self._refuse()
        if program is None:
            program = default_main_program()
        scope = _scope if scope is None else scope
        fetch = _fetch_list(fetch_list)
        if not isinstance(program, Program):
            if hasattr(program, "_run_parallel"):
                feed = _read_places(program, feed)
                return program._run_parallel(self, feed, fetch, scope, return_numpy,
                                             return_merged)
            raise TypeError("Executor requires Program as its Parameter. But you passed in %s"
                            % type(program))
        if isinstance(feed, (list, tuple)) and len(feed) == 1:
            feed = feed[0]  # as a DataLoader gives it for one place
        if isinstance(feed, (list, tuple)):
            raise TypeError("feed is %s: a list of dicts is for a CompiledProgram "
                            "with_data_parallel; a Program takes one dict" % type(feed))
        if feed is not None and not isinstance(feed, dict):
            raise TypeError("feed requires dict as its Parameter. But you passed in %s"
                            % type(feed))
        if program._readers:
            feed = _read(program, feed)
        if use_prune:
            program = self._pruned(program, feed, fetch)
        return self._run(program, feed, fetch, scope, return_numpy)

    def _pruned(self, program, feed, fetch):
        """The part of the program that the fetches need, and the optimizer ops given."""
        from .framework import Operator
        cache = self.__dict__.setdefault("_prunes", {})
        names = [f if isinstance(f, str) else f.name for f in fetch
                 if not isinstance(f, Operator)]
        key = (id(program), program._version, tuple(sorted(feed or ())), tuple(names))
        if key not in cache:
            cache.clear()
            cache[key] = program._prune_with_input(list(feed or ()), names)
        return cache[key]

    def close(self):
        """Drop the plans. In a distributed job, tell the servers that this trainer is done."""
        if not self._closed:
            self._closed = True
            self._core.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
