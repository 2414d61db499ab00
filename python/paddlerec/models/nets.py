"""Pieces that the models of the package share."""
import math

import paddle.fluid as fluid

from paddlerec.core.metrics import AUC, PosNegRatio
from paddlerec.core.utils import envs

__all__ = ["hyper", "embed", "tower", "one_column", "pair_products", "clicked",
           "nearer_by_margin", "TaskAUC", "judge_tasks"]


def hyper(name, default=None):
    return envs.get_global_env("hyper_parameters." + name, default)


def embed(ids, rows, width, name, pool="sum"):
    """The vectors of a slot's ids, pooled to one for each example (pool=None: as they are)."""
    vectors = fluid.layers.embedding(
        ids, size=[rows, width], is_sparse=True,
        param_attr=fluid.ParamAttr(name=name, initializer=fluid.initializer.Normal(
            scale=0.3 / math.sqrt(width))))
    return fluid.layers.sequence_pool(vectors, pool) if pool else vectors


def tower(layer, sizes, act="relu", name=None):
    """Layers one above the other. Towers of the same name share their weights."""
    for i, size in enumerate(sizes):
        weight = fluid.ParamAttr(
            name=name and "%s_w%d" % (name, i),
            initializer=fluid.initializer.Normal(scale=1.0 / math.sqrt(layer.shape[-1])))
        layer = fluid.layers.fc(layer, size, act=act, param_attr=weight,
                                bias_attr=fluid.ParamAttr(name=name and "%s_b%d" % (name, i)))
    return layer


def one_column(layer):
    """Weighs the columns of a layer into one, a logit."""
    return tower(layer, [1], act=None)


def pair_products(vectors):
    """The sum of the inner products of each two vectors, as (square of sum - sum of squares) / 2."""
    square = fluid.layers.square
    whole = square(fluid.layers.sums(vectors)) - fluid.layers.sums([square(v) for v in vectors])
    return fluid.layers.scale(fluid.layers.reduce_sum(whole, dim=1, keep_dim=True), 0.5)


def both_columns(probability):
    """What AUC wants: no and yes."""
    return fluid.layers.concat([1.0 - probability, probability], axis=1)


def clicked(model, logit, label, is_infer):
    """The end of a click model: loss and AUC."""
    metric = AUC(both_columns(fluid.layers.sigmoid(logit)), label, num_thresholds=2 ** 12,
                 slide_steps=20)
    if is_infer:
        model._infer_results["AUC"] = metric
        return
    model._cost = fluid.layers.reduce_mean(fluid.layers.sigmoid_cross_entropy_with_logits(
        logit, fluid.layers.cast(label, "float32")))
    model._metrics["LOSS"] = model._cost
    model._metrics["AUC"] = metric


def nearer_by_margin(model, right, wrong, margin, is_infer):
    """The end of a model of pairs: the right one is to be nearer than the wrong one by the margin."""
    metric = PosNegRatio(right, wrong)
    if is_infer:
        model._infer_results["pairs"] = metric
        return
    model._cost = fluid.layers.reduce_mean(
        fluid.layers.relu(fluid.layers.scale(wrong - right, bias=margin)))
    model._metrics["LOSS"] = model._cost
    model._metrics["pairs"] = metric


class TaskAUC(AUC):
    """An AUC of one of several tasks, shown with the task's name."""

    def __init__(self, task, probability, label):
        super().__init__(both_columns(probability), label, num_thresholds=2 ** 12,
                         slide_steps=20)
        self.task = task
        self.metrics = {"%s_%s" % (task, name): var for name, var in self.metrics.items()}

    def _calculate(self, global_metrics):
        return "%s_%s" % (self.task, super()._calculate(global_metrics))


def judge_tasks(model, tasks, is_infer):
    """The end of a model of several tasks, each a name, a probability and a label: the sum of
    their losses, and an AUC of each."""
    results = model._infer_results if is_infer else model._metrics
    if not is_infer:
        losses = [fluid.layers.reduce_mean(fluid.layers.log_loss(
            probability, fluid.layers.cast(label, "float32"))) for _, probability, label in tasks]
        model._cost = fluid.layers.sums(losses)
        results["LOSS"] = model._cost
    for task, probability, label in tasks:
        results[task] = TaskAUC(task, probability, label)
