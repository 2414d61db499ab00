"""Dygraph, Fluid's eager mode, is not there: every name of it is refused with one message."""
import sys

_MODULES = ("backward_strategy", "base", "checkpoint", "container", "io", "jit", "layers",
            "learning_rate_scheduler", "nn", "parallel", "profiler", "tracer")

# `from paddle.fluid.dygraph.nn import Conv2D` is answered like fluid.dygraph.Conv2D.
for _name in _MODULES:
    sys.modules["%s.%s" % (__name__, _name)] = sys.modules[__name__]


def _refuse(name):
    raise NotImplementedError("fluid.%s: Regatta runs programs, and has no dygraph (eager) mode; "
                              "build the model with fluid.layers and run it with fluid.Executor"
                              % name)


def enable_dygraph(place=None):
    _refuse("enable_dygraph()")


def disable_dygraph():
    """Nothing to do: it is never on."""


def enabled():
    return False


enable_imperative, disable_imperative = enable_dygraph, disable_dygraph


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError("module 'paddle.fluid.dygraph' has no attribute %r" % name)
    _refuse("dygraph." + name)
