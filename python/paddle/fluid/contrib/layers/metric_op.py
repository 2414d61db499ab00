"""Metrics of fluid.contrib."""
from ...framework import Variable
from ...initializer import Constant
from ...layer_helper import LayerHelper

__all__ = ["ctr_metric_bundle"]


def ctr_metric_bundle(input, label):
    """Sums over all batches so far, for metrics of predicted click rates: (squared error, absolute
    error, sum of predictions, sum of their sigmoids, positives, instances), each of shape [1].

    input: predictions [batch, 1]; label: 0 or 1, float32 [batch, 1]. RMSE is the root of squared
    error / instances, COPC positives / sum of predictions; over all workers: fleet.metrics."""
    for name, var in ("input", input), ("label", label):
        if not isinstance(var, Variable):
            raise TypeError("ctr_metric_bundle: %s is %s, and must be a Variable"
                            % (name, type(var).__name__))
    if tuple(input.shape) != tuple(label.shape):
        raise ValueError("ctr_metric_bundle: input is of shape %s and label of %s, and they must "
                         "be of one" % (tuple(input.shape), tuple(label.shape)))
    helper = LayerHelper("ctr_metric_bundle")

    def variables(count, shape, persistable):
        return [helper.create_global_variable(persistable=persistable, dtype="float32",
                                              shape=list(shape)) for _ in range(count)]

    sums = abserr, sqrerr, prob, q, positives, instances = variables(6, [1], True)
    error, sigmoid, ones = variables(3, [-1], False)
    prob_now, abserr_now, sqrerr_now, q_now, positives_now, instances_now = now = variables(
        6, [1], False)
    for var in (abserr, abserr_now, sqrerr, sqrerr_now, prob, prob_now, q, q_now, positives_now,
                instances_now, positives, instances):
        helper.set_variable_initializer(var, Constant(value=0.0, force_cpu=True))

    def total(of, batch, so_far, op_type="reduce_sum"):
        attrs = {"dim": [0], "keep_dim": False} if op_type == "reduce_sum" else {}
        helper.append_op(op_type, {"X": [of]}, {"Out": [batch]}, attrs)
        helper.append_op("elementwise_add", {"X": [batch], "Y": [so_far]}, {"Out": [so_far]})

    helper.append_op("elementwise_sub", {"X": [input], "Y": [label]}, {"Out": [error]})
    total(error, sqrerr_now, sqrerr, "squared_l2_norm")
    total(error, abserr_now, abserr, "l1_norm")
    total(input, prob_now, prob)
    helper.append_op("sigmoid", {"X": [input]}, {"Out": [sigmoid]})
    total(sigmoid, q_now, q)
    total(label, positives_now, positives)
    helper.append_op("fill_constant_batch_size_like", {"Input": [label]}, {"Out": [ones]},
                     {"shape": [-1, 1], "dtype": ones.dtype, "value": 1.0})
    total(ones, instances_now, instances)
    return sqrerr, abserr, prob, q, positives, instances
