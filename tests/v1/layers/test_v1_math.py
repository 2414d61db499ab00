"""Arithmetic between layers."""
import numpy

from paddle.trainer_config_helpers import *  # noqa: F401,F403

from v1_harness import check


def cosine(x, y):
    return (x * y).sum(-1) / numpy.sqrt((x ** 2).sum(-1) * (y ** 2).sum(-1))


def test_cosine():
    check(lambda data: cos_sim(data.dense("x", 4), data.dense("y", 4), scale=5),
          lambda v: 5 * cosine(v["x"], v["y"])[:, None])


def test_cosine_with_several_vectors():
    check(lambda data: cos_sim(data.dense("x", 4), data.dense("y", 12), size=3),
          lambda v: cosine(v["x"][:, None], v["y"].reshape(-1, 3, 4)))
