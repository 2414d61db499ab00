"""DIN: the history of a user, weighted by what is on offer."""
import paddle.fluid as fluid

from ctr_models.linear import embed


def attention(history, item, width):
    """The history's rows of each user, summed by their relevance: [batch, width]."""
    offered = fluid.layers.sequence_expand_as(item, history)
    together = fluid.layers.concat(
        [history, offered, fluid.layers.elementwise_sub(history, offered),
         fluid.layers.elementwise_mul(history, offered)], axis=1)
    hidden = fluid.layers.fc(together, 16, act="sigmoid")
    weight = fluid.layers.fc(hidden, 1)
    weighted = fluid.layers.elementwise_mul(history, fluid.layers.reshape(weight, [-1]), axis=0)
    return fluid.layers.sequence_pool(weighted, "sum")


def din(history, item, rows, width):
    """A logit of [batch, 1]; history: sequences of items, item: one of them."""
    seen, offered = embed([history, item], rows, width, scale=0.5)
    user = attention(seen, offered, width)
    inputs = fluid.layers.concat([user, offered, fluid.layers.elementwise_mul(user, offered)],
                                 axis=1)
    return fluid.layers.fc(fluid.layers.fc(inputs, 16, act="relu"), 1)
