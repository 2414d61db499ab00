"""Costs of labels that stand somewhere in a longer sequence."""
import itertools

import numpy
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph

from v1_harness import Machine, check, check_training

LABELS = [[1], [1], [0]]  # of two sequences: 2 labels and 1


def softmax(x):
    e = numpy.exp(x)
    return e / e.sum(axis=1, keepdims=True)


def cost(chances, labels, blank):
    """By all ways to say the labels."""
    total = 0
    for way in itertools.product(range(chances.shape[1]), repeat=len(chances)):
        said = [symbol for symbol, _ in itertools.groupby(way) if symbol != blank]
        total += numpy.prod(chances[range(len(way)), way]) if said == labels else 0
    return -numpy.log(total)


def expected(chances, labels, blank):
    return [[cost(chances[:4], labels[:2], blank)], [cost(chances[4:], labels[2:], blank)]]


def scores(data):
    return data.dense("x", 3, lengths=(4, 2))


def test_of_a_softmax_with_the_blank_last():
    check(lambda data: ctc_layer(mixed_layer(input=identity_projection(scores(data)),
                                             act=SoftmaxActivation()),
                                 data.ids("y", 2, lengths=(2, 1), value=LABELS)),
          lambda v: expected(softmax(v["x"]), [1, 1, 0], 2))


def test_of_scores_with_any_blank():
    def case(data, **more):
        labels = [[1], [1], [2]]
        return warp_ctc_layer(scores(data), data.ids("y", 3, lengths=(2, 1), value=labels), size=3,
                              **more)
    check(case, lambda v: expected(softmax(v["x"]), [1, 1, 2], 0))
    check_training(lambda data: case(data, norm_by_times=True))
    plain, normed = [Machine(lambda data: case(data, norm_by_times=norm), learned=True,
                             learning_rate=1.0) for norm in (False, True)]
    moved = []
    for machine in (plain, normed):
        name, = machine.network.parameters
        machine.run([machine.value])
        moved.append(1 - numpy.array(machine.weight(name)))
    assert 2 * abs(moved[1]).sum() < abs(moved[0]).sum()


def test_sizes_that_do_not_fit():
    with use_graph(Graph()):
        x, y = data_layer("x", 3), data_layer("y", 3)
        with pytest.raises(ConfigError, match="must have 4: the labels and the blank"):
            ctc_layer(x, y)
        with pytest.raises(ConfigError, match="blank is 3"):
            warp_ctc_layer(x, y, size=3, blank=3)
    with pytest.raises(ConfigError, match="no sequence"):
        Machine(lambda data: ctc_layer(data.dense("x", 3), data.ids("y", 2)), learned=False)
