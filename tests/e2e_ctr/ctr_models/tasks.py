"""Several tasks at once: ESMM and MMoE."""
import paddle.fluid as fluid

from ctr_models.deep import tower
from ctr_models.linear import embed


def esmm(ids, dense, rows, width):
    """(P(click), P(click and buy)): purchases are learnt from over all that was shown."""
    shared = fluid.layers.concat(embed(ids, rows, width) + [dense], axis=1)
    click = fluid.layers.fc(tower(shared), 1, act="sigmoid")
    buy = fluid.layers.fc(tower(shared), 1, act="sigmoid")
    return click, fluid.layers.elementwise_mul(click, buy)


def mmoe(ids, dense, rows, width, experts=3, tasks=2):
    """A probability for each task, from experts that its gate mixes."""
    shared = fluid.layers.concat(embed(ids, rows, width) + [dense], axis=1)
    each = [fluid.layers.fc(shared, 16, act="relu") for _ in range(experts)]
    stacked = fluid.layers.stack(each, axis=1)  # [batch, experts, 16]
    out = []
    for _ in range(tasks):
        gate = fluid.layers.fc(shared, experts, act="softmax")
        mixed = fluid.layers.reduce_sum(
            fluid.layers.elementwise_mul(stacked, gate, axis=0), dim=1)
        out.append(fluid.layers.fc(tower(mixed, (8,)), 1, act="sigmoid"))
    return out
