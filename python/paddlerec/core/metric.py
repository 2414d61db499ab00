"""Metric: something that is counted over all batches, and over all workers of a job."""
import abc

import numpy as np

import paddle.fluid as fluid

__all__ = ["Metric"]


class Metric(abc.ABC):
    """A metric keeps its counts in persistable variables, _global_metric_state_vars: what it
    calls each -> (the variable's name, dtype). They are summed over workers, and _calculate()
    makes a line of text of the sums."""

    _window_state_vars = ()  # names of what is counted over the last batches alone

    def __init__(self, config):
        self._global_metric_state_vars = {}

    def state_names(self):
        """Of all variables that it counts in."""
        return [name for name, _ in self._global_metric_state_vars.values()] + \
            list(self._window_state_vars)

    def clear(self, scope=None):
        """Count from nothing again."""
        scope = fluid.global_scope() if scope is None else scope
        for name in self.state_names():
            var = scope.find_var(name)
            if var is not None:
                # In the variable's own type: AUC calls its whole numbers float32.
                tensor = var.get_tensor()
                tensor.set(np.zeros_like(np.array(tensor)), fluid.CPUPlace())

    def _get_global_metric_state(self, fleet, scope, metric_name, mode="sum"):
        """A count as an array: of this process, or of all workers of the fleet."""
        var = scope.find_var(metric_name)
        if var is None:
            return None
        mine = np.array(var.get_tensor())
        if fleet is None:
            return mine
        total = np.zeros(mine.size, "float64")
        fleet._role_maker.all_reduce_worker(mine.reshape(-1).astype("float64"), total, mode)
        return total.reshape(mine.shape)

    def calc_global_metrics(self, fleet, scope=None):
        """The line of text. With a fleet all workers must call it."""
        scope = fluid.global_scope() if scope is None else scope
        return self._calculate({
            key: self._get_global_metric_state(fleet, scope, name)
            for key, (name, _) in self._global_metric_state_vars.items()})

    def _states(self, global_metrics):
        """Each count as a flat array; one that is not there is refused."""
        for key, (name, _) in self._global_metric_state_vars.items():
            if global_metrics.get(key) is None:
                raise ValueError("%s not existed (variable %s)" % (key, name))
        return {key: np.asarray(value, "float64") for key, value in global_metrics.items()}

    def _calculate(self, global_metrics):
        """A line of text of the counts."""

    @abc.abstractmethod
    def get_result(self):
        """Name -> Variable, of what each batch shows."""

    def __str__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join(self._global_metric_state_vars))


def require_variables(**arguments):
    """ValueError for an argument that is no Variable."""
    from paddle.fluid.framework import Variable
    for name, value in arguments.items():
        if not isinstance(value, Variable):
            raise ValueError("%s must be Variable, but received %s" % (name, type(value)))


def counter(helper, name, shape=(1,)):
    """A persistable variable of zeros."""
    var, _ = helper.create_or_get_global_variable(
        name=name, persistable=True, dtype="float32", shape=list(shape))
    helper.set_variable_initializer(var, fluid.initializer.Constant(value=0.0, force_cpu=True))
    return var


def count(helper, total, batch):
    """total += batch"""
    helper.append_op(type="elementwise_add", inputs={"X": [total], "Y": [batch]},
                     outputs={"Out": [total]})
