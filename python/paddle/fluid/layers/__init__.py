"""fluid.layers: functions that build programs."""
from . import (activation, classify, control_flow, conv, distributions, host, io,  # noqa: F401
               learning_rate_scheduler, loss, math, math_op_patch, metric_op, nn, norm, ops,
               random, rnn, sequence_lod, shape, tensor)

__all__ = []
for _module in (nn, ops, activation, math, tensor, shape, classify, loss, metric_op, norm, conv,
                sequence_lod, rnn, control_flow, learning_rate_scheduler, io, random, host,
                distributions):
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
    __all__ += _module.__all__
    if _module is not nn:  # fluid.layers.nn.topk is an old spelling of fluid.layers.topk
        for _name in _module.__all__:
            if not hasattr(nn, _name):
                setattr(nn, _name, getattr(_module, _name))
