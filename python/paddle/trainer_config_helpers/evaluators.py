"""Evaluators: figures of merit, as sums over the examples of a pass."""
import collections

import paddle.fluid as fluid

from .graph import Evaluator, layer_function, layer_name

__all__ = ["classification_error_evaluator"]


@layer_function
def classification_error_evaluator(input, label, name=None, weight=None, top_k=None,
                                   threshold=None):
    """The part of examples whose label is not among the top_k most probable."""
    name = layer_name(name, "classification_error_evaluator")

    def build(net, probability, ids, *factor):
        _, best = fluid.layers.topk(probability, k=top_k or 1)
        right = fluid.layers.cast(fluid.layers.equal(best, fluid.layers.expand(ids, [1, top_k or 1])),
                                  "float32")
        right = fluid.layers.reduce_sum(right, dim=1, keep_dim=True)
        ones = fluid.layers.fill_constant_batch_size_like(right, [-1, 1], "float32", 1.0)
        wrong = fluid.layers.elementwise_sub(ones, right)
        if factor:
            wrong = fluid.layers.elementwise_mul(wrong, factor[0])
            ones = factor[0]
        return [fluid.layers.reduce_sum(wrong), fluid.layers.reduce_sum(ones)]

    def result(sums):
        wrong, n = (float(each[0]) for each in sums)
        return collections.OrderedDict([(name, wrong / n if n else 0.0)])

    inputs = [input, label] + ([] if weight is None else [weight])
    return Evaluator(name, "classification_error", inputs, build, result)
