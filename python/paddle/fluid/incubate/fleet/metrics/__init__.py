"""Metrics over all workers of a job, carried by its servers. Every worker calls, and every one
gets the same result; without a job they are those of this process.

A value is an array, a number, a Variable or the name of one in the scope."""
import numpy as np

from paddle.fluid import communicator
from paddle.fluid.framework import Variable

__all__ = ["sum", "max", "min", "auc", "mae", "rmse", "mse", "acc"]


def _value(value, scope):
    if isinstance(value, Variable):
        value = value.name
    if not isinstance(value, str):
        return np.array(value, dtype="float64")
    from paddle.fluid import global_scope
    var = (scope or global_scope()).find_var(value)
    if var is None:
        raise ValueError("the scope has no variable %r" % value)
    return np.array(var.get_tensor(), dtype="float64")


def _workers():
    """The fleet's role maker in a job; None in a process of its own."""
    import sys
    for name in ("distribute_transpiler", "pslib"):
        module = sys.modules.get("paddle.fluid.incubate.fleet.parameter_server." + name)
        roles = module and module.fleet._role_maker
        if roles is not None and roles.is_worker():
            return roles
    return None


def _over_all(value, op):
    roles = _workers()
    if roles is None or roles.worker_num() == 1:
        return value
    if roles._group is None:
        raise RuntimeError("fleet.metrics: the workers are not connected: call "
                           "fleet.init_worker() first")
    return communicator.reduce(value, op, "metrics")


def sum(input, scope=None):
    """The sum over all workers, element by element."""
    return _over_all(_value(input, scope), "sum")


def max(input, scope=None):
    return _over_all(_value(input, scope), "max")


def min(input, scope=None):
    return _over_all(_value(input, scope), "min")


def auc(stat_pos, stat_neg, scope=None):
    """The area under the curve, of the counts by bucket that layers.auc keeps."""
    from ..utils.fleet_util import _auc
    return _auc(sum(stat_pos, scope).ravel(), sum(stat_neg, scope).ravel())


def _mean(total, count, scope):
    total, count = sum(total, scope).ravel(), sum(count, scope).ravel()
    if total.size != 1 or count.size != 1:
        raise ValueError("a metric is made of two numbers, and these have %d and %d elements"
                         % (total.size, count.size))
    return float(total[0] / count[0]) if count[0] else 0.0


def mae(abserr, total_ins_num, scope=None):
    """Mean absolute error: the sum of errors by the number of examples."""
    return _mean(abserr, total_ins_num, scope)


def mse(sqrerr, total_ins_num, scope=None):
    return _mean(sqrerr, total_ins_num, scope)


def rmse(sqrerr, total_ins_num, scope=None):
    return mse(sqrerr, total_ins_num, scope) ** 0.5


def acc(correct, total, scope=None):
    """The share of examples that were right."""
    return _mean(correct, total, scope)
