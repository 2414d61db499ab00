"""LR and FM: first-order weights, and all pairs of fields through factors."""
import paddle.fluid as fluid


def first_order(ids, rows, name):
    """The sum of a weight for each id, [batch, 1]."""
    weights = [fluid.layers.embedding(i, [rows, 1], is_sparse=True, param_attr=name) for i in ids]
    return fluid.layers.sums(weights)


def pairs(factors):
    """Half of (sum of factors)^2 - sum of squares, summed over the width: [batch, 1]."""
    of_sum = fluid.layers.square(fluid.layers.sums(factors))
    of_squares = fluid.layers.sums([fluid.layers.square(f) for f in factors])
    difference = fluid.layers.elementwise_sub(of_sum, of_squares)
    return fluid.layers.scale(fluid.layers.reduce_sum(difference, dim=1, keep_dim=True), 0.5)


def embed(ids, rows, width, name="factors", scale=0.1):
    attr = fluid.ParamAttr(name=name, initializer=fluid.initializer.Uniform(-scale, scale))
    return [fluid.layers.embedding(i, [rows, width], is_sparse=True, param_attr=attr) for i in ids]


def lr(ids, dense, rows, width):
    return fluid.layers.elementwise_add(first_order(ids, rows, "weights"),
                                        fluid.layers.fc(dense, 1))


def fm(ids, dense, rows, width):
    return fluid.layers.elementwise_add(lr(ids, dense, rows, width),
                                        pairs(embed(ids, rows, width)))
