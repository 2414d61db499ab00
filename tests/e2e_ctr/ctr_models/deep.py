"""Wide & Deep, DeepFM, DCN and xDeepFM: what a deep network is put beside."""
import paddle.fluid as fluid

from ctr_models.linear import embed, lr, pairs


def tower(inputs, widths=(32, 16)):
    for width in widths:
        inputs = fluid.layers.fc(inputs, width, act="relu")
    return inputs


def wide_and_deep(ids, dense, rows, width):
    deep = tower(fluid.layers.concat(embed(ids, rows, width) + [dense], axis=1))
    return fluid.layers.elementwise_add(lr(ids, dense, rows, width), fluid.layers.fc(deep, 1))


def deepfm(ids, dense, rows, width):
    """One table of factors for both parts."""
    factors = embed(ids, rows, width)
    deep = fluid.layers.fc(tower(fluid.layers.concat(factors + [dense], axis=1)), 1)
    return fluid.layers.sums([lr(ids, dense, rows, width), pairs(factors), deep])


def cross(first, x):
    """first * (x . w) + b + x: all products of one degree more."""
    size = first.shape[1]
    weights = fluid.layers.create_parameter([size], "float32")
    bias = fluid.layers.create_parameter([size], "float32", is_bias=True)
    dot = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(x, weights, axis=1), dim=1,
                                  keep_dim=True)
    crossed = fluid.layers.elementwise_mul(first, fluid.layers.expand(dot, [1, size]))
    return fluid.layers.sums([fluid.layers.elementwise_add(crossed, bias, axis=1), x])


def dcn(ids, dense, rows, width):
    first = fluid.layers.concat(embed(ids, rows, width, scale=0.5) + [dense], axis=1)
    crossed = cross(first, cross(first, first))
    return fluid.layers.fc(fluid.layers.concat([crossed, tower(first)], axis=1), 1)


def cin(fields, width, maps):
    """Compressed interactions: every pair of fields of two layers, by maps of weights."""
    n = len(fields)
    first = fluid.layers.reshape(fluid.layers.concat(fields, axis=1), [-1, n, width])
    layer, size, sums = first, n, []
    for count in maps:
        left = fluid.layers.reshape(fluid.layers.transpose(first, [0, 2, 1]), [-1, width, n, 1])
        right = fluid.layers.reshape(fluid.layers.transpose(layer, [0, 2, 1]),
                                     [-1, width, 1, size])
        outer = fluid.layers.reshape(fluid.layers.matmul(left, right), [-1, width, n * size])
        mixed = fluid.layers.fc(outer, count, num_flatten_dims=2)
        layer, size = fluid.layers.transpose(mixed, [0, 2, 1]), count
        sums.append(fluid.layers.reduce_sum(layer, dim=2))
    return fluid.layers.concat(sums, axis=1)


def xdeepfm(ids, dense, rows, width):
    factors = embed(ids, rows, width, scale=0.5)
    parts = [cin(factors, width, (6, 4)), tower(fluid.layers.concat(factors + [dense], axis=1))]
    return fluid.layers.elementwise_add(lr(ids, dense, rows, width),
                                        fluid.layers.fc(fluid.layers.concat(parts, axis=1), 1))
