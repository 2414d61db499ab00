"""Which server gets which slice: config.split_method is one of these classes."""
from ... import _core

__all__ = ["PSDispatcher", "HashName", "RoundRobin"]


class PSDispatcher:
    def __init__(self, pserver_endpoints):
        self._eps = pserver_endpoints
        self._step = 0

    @property
    def eps(self):
        return self._eps

    def reset(self):
        self._step = 0

    def dispatch(self, varlist):
        raise NotImplementedError("Interface has not been implemented.")


class HashName(PSDispatcher):
    """By a hash of the name, the same in every process and on every machine."""

    def dispatch(self, varlist):
        names = [var if isinstance(var, str) else var.name for var in varlist]
        return [self._eps[_core.hash_name(name) % len(self._eps)] for name in names]


class RoundRobin(PSDispatcher):
    """In turn."""

    def dispatch(self, varlist):
        out = []
        for _ in varlist:
            out.append(self._eps[self._step % len(self._eps)])
            self._step += 1
        return out
