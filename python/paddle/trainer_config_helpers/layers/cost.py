"""Costs: a row with one number for each example, or for each step of each sequence. The Network
sums them."""
import paddle.fluid as fluid

from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from .ops import append_op, dense, row_sum, same_size, shaped, size_is

__all__ = ["cost_layer", "classification_cost", "cross_entropy", "square_error_cost", "mse_cost",
           "regression_cost", "cross_entropy_with_selfnorm", "multi_binary_label_cross_entropy",
           "sum_cost", "rank_cost", "lambda_cost", "huber_regression_cost",
           "huber_classification_cost", "smooth_l1_cost"]


def cost_layer(name, kind, parents, build, coeff=1.0, weight=None, layer_attr=None):
    """A layer whose build(net, *values) gives the cost of each example; weight: a layer with a
    factor for each."""
    def weighted(net, *values):
        if weight is None:
            return build(net, *values)
        return fluid.layers.elementwise_mul(build(net, *values[:-1]), values[-1])

    return LayerOutput(name, kind, list(parents) + ([] if weight is None else [weight]), size=1,
                       build=weighted, layer_attr=layer_attr, is_cost=True, coeff=coeff)


@layer_function
def classification_cost(input, label, weight=None, name=None, evaluator=None, layer_attr=None,
                        top_k=None, coeff=1.0):
    """-log of the probability that `input`, a softmax, gives the label; with the error rate as an
    evaluator, unless others are given."""
    from ..activations import SoftmaxActivation
    from ..evaluators import classification_error_evaluator
    if not isinstance(input.activation, SoftmaxActivation):
        raise ConfigError("classification_cost: its input %r has no softmax; give it "
                          "act=SoftmaxActivation()" % input.name)
    layer = cost_layer(layer_name(name, "cost"), "multi-class-cross-entropy", [input, label],
                       lambda net, p, ids: fluid.layers.cross_entropy(p, ids), coeff, weight,
                       layer_attr)
    evaluators = [classification_error_evaluator] if evaluator is None else evaluator
    for each in evaluators if isinstance(evaluators, (list, tuple)) else [evaluators]:
        each(name=each.__name__, input=input, label=label, weight=weight,
             **({"top_k": top_k} if top_k is not None else {}))
    return layer


@layer_function
def cross_entropy(input, label, name=None, coeff=1.0, weight=None, layer_attr=None):
    return cost_layer(layer_name(name, "cross_entropy"), "multi-class-cross-entropy",
                      [input, label], lambda net, p, ids: fluid.layers.cross_entropy(p, ids), coeff,
                      weight, layer_attr)


@layer_function
def square_error_cost(input, label, weight=None, name=None, coeff=1.0, layer_attr=None):
    """The sum over its columns of (input - label)^2, without a half."""
    if input.size is not None and label.size is not None:
        same_size("square_error_cost", input, label)

    def build(net, x, y):
        return fluid.layers.reduce_sum(fluid.layers.square_error_cost(x, y), dim=1, keep_dim=True)
    return cost_layer(layer_name(name, "square_error_cost"), "square_error", [input, label], build,
                      coeff, weight, layer_attr)


mse_cost = regression_cost = square_error_cost


# ---- of classes ----

@layer_function
def cross_entropy_with_selfnorm(input, label, name=None, coeff=1.0, softmax_selfnorm_alpha=0.1,
                                layer_attr=None):
    """Of numbers whose sum Z is to become 1: -log(input of the label / Z) + alpha log(Z)^2."""
    def build(net, p, ids):
        total = fluid.layers.log(row_sum(p))
        square = fluid.layers.scale(fluid.layers.square(total), float(softmax_selfnorm_alpha))
        return fluid.layers.sums([fluid.layers.cross_entropy(p, ids), total, square])
    return cost_layer(layer_name(name, "cross_entropy_with_selfnorm"),
                      "multi_class_cross_entropy_with_selfnorm", [input, label], build, coeff,
                      None, layer_attr)


@layer_function
def multi_binary_label_cross_entropy(input, label, name=None, coeff=1.0, layer_attr=None):
    """Of columns that are each a probability of its own, label saying which are true."""
    size_is("multi_binary_label_cross_entropy", label, input.size)

    def build(net, p, y):
        y = dense(y, input.size)
        wrong = fluid.layers.scale(p, -1.0, bias=1.0)
        told = fluid.layers.sums([
            fluid.layers.elementwise_mul(y, fluid.layers.log(p)),
            fluid.layers.elementwise_mul(fluid.layers.scale(y, -1.0, bias=1.0),
                                         fluid.layers.log(wrong))])
        return fluid.layers.scale(row_sum(told), -1.0)
    return cost_layer(layer_name(name, "multi_binary_label_cross_entropy"),
                      "multi_binary_label_cross_entropy", [input, label], build, coeff, None,
                      layer_attr)


@layer_function
def huber_classification_cost(input, label, name=None, coeff=1.0, layer_attr=None):
    """Of one number and a label 0 or 1: with a = input, or -input for 0, (1 - a)^2 from -1 to 1,
    -4a below and 0 above."""
    size_is("huber_classification_cost", input, 1)

    def build(net, x, ids):
        side = fluid.layers.scale(fluid.layers.cast(ids, "float32"), 2.0, bias=-1.0)
        a = fluid.layers.elementwise_mul(x, side)
        near = fluid.layers.square(fluid.layers.relu(fluid.layers.scale(a, -1.0, bias=1.0)))
        far = fluid.layers.square(fluid.layers.relu(fluid.layers.scale(a, -1.0, bias=-1.0)))
        return fluid.layers.elementwise_sub(near, far)
    return cost_layer(layer_name(name, "huber_classification_cost"), "huber_classification",
                      [input, label], build, coeff, None, layer_attr)


# ---- of numbers ----

@layer_function
def sum_cost(input, name=None, layer_attr=None):
    """The sum of each row."""
    return cost_layer(layer_name(name, "sum_cost"), "sum_cost", [input],
                      lambda net, x: row_sum(x), 1.0, None, layer_attr)


@layer_function
def huber_regression_cost(input, label, name=None, delta=1.0, coeff=1.0, layer_attr=None):
    """The sum over columns of d^2 / 2, or delta (|d| - delta / 2) beyond delta."""
    same_size("huber_regression_cost", input, label)

    def build(net, x, y):
        made = append_op("huber_loss", {"X": [shaped(x, 1)], "Y": [shaped(y, 1)]},
                         {"delta": float(delta)}, also=("Residual",))
        return row_sum(shaped(made, input.size))
    return cost_layer(layer_name(name, "huber_regression_cost"), "huber_regression",
                      [input, label], build, coeff, None, layer_attr)


@layer_function
def smooth_l1_cost(input, label, name=None, coeff=1.0, layer_attr=None):
    """The sum over columns of d^2 / 2, or |d| - 1/2 beyond 1."""
    same_size("smooth_l1_cost", input, label)
    return cost_layer(layer_name(name, "smooth_l1_cost"), "smooth_l1", [input, label],
                      lambda net, x, y: append_op("smooth_l1_loss", {"X": [x], "Y": [y]},
                                                  {"sigma": 1.0}, also=("Diff",)),
                      coeff, None, layer_attr)


# ---- of an order ----

@layer_function
def rank_cost(left, right, label, weight=None, name=None, coeff=1.0, layer_attr=None):
    """Of two scores and the chance that the left one is the better: log(1 + e^o) - label o, with
    o = left - right."""
    for each in (left, right):
        size_is("rank_cost", each, 1)

    def build(net, a, b, y):
        return append_op("rank_loss", {"Left": [a], "Right": [b],
                                       "Label": [fluid.layers.cast(y, "float32")]})
    return cost_layer(layer_name(name, "rank_cost"), "rank-cost", [left, right, label], build,
                      coeff, weight, layer_attr)


@layer_function
def lambda_cost(input, score, name=None, NDCG_num=5, max_sort_size=-1, layer_attr=None):
    """Of lists, each a sequence: `input` are the scores that should bring them into the order of
    `score`. What it shows is the NDCG of the first NDCG_num places, for each row of a list; what it
    learns by is LambdaRank's gradient."""
    size_is("lambda_cost", input, 1)
    size_is("lambda_cost", score, 1)
    return cost_layer(layer_name(name, "lambda_cost"), "lambda_cost", [input, score],
                      lambda net, x, y: append_op("lambda_rank", {"X": [x], "Label": [y]},
                                                  {"ndcg_num": int(NDCG_num),
                                                   "max_sort_size": int(max_sort_size)}),
                      1.0, None, layer_attr)
