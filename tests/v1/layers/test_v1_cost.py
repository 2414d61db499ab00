"""Costs."""
import numpy
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403

from v1_harness import ROWS, Machine, check

LABELS = numpy.arange(ROWS)


def of_label(p, v):
    return p[LABELS, v["y"][:, 0]][:, None]


def softmax(x):
    e = numpy.exp(x)
    return e / e.sum(axis=1, keepdims=True)


def test_classes():
    def case(data, function=classification_cost, **more):
        return function(fc_layer(data.dense("x", 3), 4, act=SoftmaxActivation()),
                        data.ids("y", 4), **more)

    def expected(v):
        return -numpy.log(of_label(softmax(v["x"] @ v["w"] + v["bias"]), v))
    check(case, expected)
    check(lambda data: case(data, cross_entropy, weight=data.dense("s", 1, label=True)),
          lambda v: expected(v) * v["s"])


def test_classes_of_numbers_without_a_sum():
    def case(data):
        return cross_entropy_with_selfnorm(data.dense("x", 4, low=0.1, high=1.0),
                                           data.ids("y", 4), softmax_selfnorm_alpha=0.2)

    def expected(v):
        z = numpy.log(v["x"].sum(axis=1, keepdims=True))
        return -numpy.log(of_label(v["x"], v)) + z + 0.2 * z ** 2
    check(case, expected)


@pytest.mark.parametrize("sparse", [True, False])
def test_several_labels(sparse):
    def case(data):
        label = data.sparse("y", 4) if sparse else data.dense(
            "y", 4, label=True, value=numpy.eye(4)[[0, 1, 2, 3, 0]])
        return multi_binary_label_cross_entropy(data.dense("x", 4, low=0.1, high=0.9), label)

    def expected(v):
        x, y = v["x"], v["y"]
        return -(y * numpy.log(x) + (1 - y) * numpy.log(1 - x)).sum(axis=1, keepdims=True)
    check(case, expected)


def test_two_classes_by_one_number():
    def expected(v):
        a = v["x"] * (2 * v["y"] - 1)
        return numpy.where(a < -1, -4 * a, numpy.where(a < 1, (1 - a) ** 2, 0))
    check(lambda data: huber_classification_cost(data.dense("x", 1, low=-3, high=3),
                                                 data.ids("y", 2)), expected)


def test_numbers():
    def two(data):
        return data.dense("x", 4, low=-2, high=2), data.dense("y", 4, low=-2, high=2, label=True)
    check(lambda data: square_error_cost(*two(data)),
          lambda v: ((v["x"] - v["y"]) ** 2).sum(axis=1, keepdims=True))
    check(lambda data: sum_cost(data.dense("x", 4)), lambda v: v["x"].sum(axis=1, keepdims=True))

    def huber(v, delta):
        d = numpy.abs(v["x"] - v["y"])
        return numpy.where(d < delta, d ** 2 / 2, delta * (d - delta / 2)).sum(
            axis=1, keepdims=True)
    check(lambda data: huber_regression_cost(*two(data), delta=0.7), lambda v: huber(v, 0.7))
    check(lambda data: smooth_l1_cost(*two(data)), lambda v: huber(v, 1.0))


def test_a_factor_for_the_whole_cost():
    cost = [Machine(lambda data: square_error_cost(data.dense("x", 3), data.dense("y", 3),
                                                   coeff=coeff), learned=False)
            for coeff in (1.0, 0.25)]
    one, quarter = [float(each.run([each.network.cost])[0].reshape(-1)[0]) for each in cost]
    assert quarter == pytest.approx(one / 4)


@pytest.mark.parametrize("ids", [True, False])
def test_which_of_two_is_better(ids):
    def case(data):
        label = data.ids("y", 2) if ids else data.dense("y", 1, low=0, label=True)
        return rank_cost(data.dense("a", 1), data.dense("b", 1), label,
                         weight=data.dense("s", 1, label=True))

    def expected(v):
        o = v["a"] - v["b"]
        return (numpy.log1p(numpy.exp(o)) - v["y"] * o) * v["s"]
    check(case, expected)


def test_lists_in_their_order():
    """What it shows does not change with small changes: it learns by LambdaRank's gradient, and
    the lists come into order. (tests/ops/test_lambda_rank.py has the numbers.)"""
    relevance = [[0], [2], [1], [0], [3]]

    def case(data):
        return lambda_cost(data.dense("x", 1, lengths=(3, 2), value=[[3], [1], [2], [0.3], [0.2]]),
                           data.dense("y", 1, lengths=(3, 2), label=True, value=relevance),
                           NDCG_num=2)
    machine = Machine(case, learned=True, learning_rate=1.0)
    before, after = [machine.run([machine.value])[0] for _ in range(12)][::11]
    assert before.max() < 1
    numpy.testing.assert_allclose(after, 1.0, rtol=1e-6)
