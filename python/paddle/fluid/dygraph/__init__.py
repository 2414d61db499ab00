"""Dygraph, Fluid's eager mode, is not there: its names can be imported, and say so when used."""
from ..._names import NotSupported, why


def enable_dygraph(place=None):
    raise NotSupported("fluid.enable_dygraph(): " + why(__name__))


def disable_dygraph():
    """Nothing to do: it is never on."""


def enabled():
    return False


enable_imperative, disable_imperative = enable_dygraph, disable_dygraph
