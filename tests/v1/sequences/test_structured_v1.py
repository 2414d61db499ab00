"""Conditional random fields: against all paths written out, and they train."""
import itertools

import numpy as np
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError

from sequence_models import Model, check_trains, dense, ids, sequences, words

RNG = np.random.RandomState(4)
LENGTHS = [3, 1, 4]
X, TAGS = sequences(RNG, LENGTHS, 3), words(RNG, LENGTHS, 3)
TYPES = {"x": dense(3, 1), "y": ids(3, 1)}


def _score(x, path, w):
    """v1's parameter: start, end, and from each tag to each."""
    total = w[0, path[0]] + w[1, path[-1]] + sum(x[t, tag] for t, tag in enumerate(path))
    return total + sum(w[2 + a, b] for a, b in zip(path, path[1:]))


def _paths(x):
    return list(itertools.product(range(3), repeat=len(x)))


def test_the_cost_is_that_of_all_paths():
    m = Model(lambda: crf_layer(data_layer("x", 3), data_layer("y", 3), name="c"), TYPES)
    assert m.net.parameters["_c.w0"].dims == (5, 3)
    w = RNG.randn(5, 3)
    m.set("_c.w0", w)
    expected = [np.log(sum(np.exp(_score(x, p, w)) for p in _paths(x))) - _score(x, list(tags), w)
                for x, tags in zip(X, TAGS)]
    np.testing.assert_allclose(m.values({"x": X, "y": TAGS})[0][:, 0], expected, rtol=1e-4)
    assert m.cost({"x": X, "y": TAGS}) == pytest.approx(sum(expected), rel=1e-4)


def test_decoding_takes_the_best_path():
    def model():
        return [crf_decoding_layer(data_layer("x", 3), 3, param_attr=ParamAttr(name="w")),
                crf_decoding_layer(data_layer("x2", 3), 3, label=data_layer("y", 3),
                                   param_attr=ParamAttr(name="w"))]
    m = Model(model, dict(TYPES, x2=dense(3, 1)))
    w = RNG.randn(5, 3)
    m.set("w", w)
    path, wrong = m.values({"x": X, "x2": X, "y": TAGS})
    best = np.concatenate([max(_paths(x), key=lambda p: _score(x, p, w)) for x in X])
    np.testing.assert_array_equal(path[:, 0], best)
    np.testing.assert_array_equal(wrong[:, 0], best != np.concatenate(TAGS))


def test_decoding_with_a_label_has_the_path_too():
    """Its value is where the path is wrong; chunks are counted in the path itself."""
    def model(label):
        y = data_layer("y", 3)
        made = crf_decoding_layer(data_layer("x", 3), 3, param_attr=ParamAttr(name="w"),
                                  label=y if label else None)
        sum_evaluator(made, name="error")
        chunk_evaluator(made, y, "IOB", 1, name="chunk")
        return [made, get_output_layer(made, "ids")] if label else [made, y]
    w, samples = RNG.randn(5, 3), {"x": X, "y": TAGS}
    alone, beside = Model(lambda: model(False), TYPES), Model(lambda: model(True), TYPES)
    alone.set("w", w)
    beside.set("w", w)
    wrong, path = beside.values(samples)
    np.testing.assert_array_equal(path, alone.values(samples)[0])
    chunks = beside.evaluate(samples)
    assert chunks.pop("error") == pytest.approx(wrong.mean())
    assert chunks == {name: value for name, value in alone.evaluate(samples).items()
                      if name != "error"}


def test_a_tagger_trains():
    def model():
        scores = fc_layer(embedding_layer(data_layer("w", 10), 4), 3, act=LinearActivation())
        return crf_layer(scores, data_layer("y", 3), size=3, weight=data_layer("k", 1), coeff=0.5,
                         param_attr=ParamAttr(name="crfw"))
    check_trains(model, {"w": ids(10, 1), "y": ids(3, 1), "k": dense(1)},
                 {"w": words(RNG, LENGTHS, 10), "y": TAGS, "k": [[1.0], [2.0], [0.5]]})


def test_what_does_not_fit_is_refused_by_name():
    with pytest.raises(ConfigError, match="'c'.*size is 4.*size 3"):
        Model(lambda: crf_layer(data_layer("x", 3), data_layer("y", 3), size=4, name="c"), TYPES)
    with pytest.raises(ConfigError, match="'c'.*no sequence"):
        Model(lambda: crf_layer(data_layer("x", 3), data_layer("y", 3), name="c"),
              {"x": dense(3), "y": ids(3)})
