"""Costs: a row with one number for each example, or for each step of each sequence. The Network
sums them."""
import paddle.fluid as fluid

from ..graph import ConfigError, LayerOutput, layer_function, layer_name

__all__ = ["cost_layer", "classification_cost", "cross_entropy", "square_error_cost", "mse_cost",
           "regression_cost"]


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
    def build(net, x, y):
        return fluid.layers.reduce_sum(fluid.layers.square_error_cost(x, y), dim=1, keep_dim=True)
    return cost_layer(layer_name(name, "square_error_cost"), "square_error", [input, label], build,
                      coeff, weight, layer_attr)


mse_cost = regression_cost = square_error_cost
