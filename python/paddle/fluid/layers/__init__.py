"""fluid.layers: functions that build programs."""
from . import (activation, arguments, classify, control_flow, conv, distributions,  # noqa: F401
               host, io, learning_rate_scheduler, loss, math, math_op_patch, metric_op, nn, norm,
               ops, random, rnn, sequence_lod, shape, structured, subscript, tensor)

__all__ = []
for _module in (nn, ops, activation, math, tensor, shape, classify, loss, metric_op, norm, conv,
                sequence_lod, rnn, structured, control_flow, learning_rate_scheduler, io, random,
                host, distributions):
    arguments.guard(vars(_module))
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
    __all__ += _module.__all__


def __getattr__(name):
    from ..._names import missing
    return missing(__name__, name)


def _old_spelling(name):
    """fluid.layers.nn.topk is an old spelling of fluid.layers.topk. It is looked up rather than
    put there, where layers such as range and sum would stand before Python's own."""
    if name in __all__:
        return globals()[name]
    from ..._names import missing
    return missing(nn.__name__, name)


nn.__getattr__ = _old_spelling
