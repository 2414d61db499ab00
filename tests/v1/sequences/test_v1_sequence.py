"""Pooling, first and last steps, contexts: against NumPy, and they train."""
import numpy as np
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError

from sequence_models import Model, check_trains, dense, ids, sequences, words

RNG = np.random.RandomState(0)
LENGTHS = [3, 1, 5]
X = sequences(RNG, LENGTHS, 4)
NESTED = [sequences(RNG, n, 4) for n in ([2, 3], [1], [4, 1, 2])]
POOLINGS = {
    "max": (MaxPooling(), lambda x: x.max(0)),
    "average": (AvgPooling(), lambda x: x.mean(0)),
    "sum": (SumPooling(), lambda x: x.sum(0)),
    "sqrt": (SquareRootNPooling(), lambda x: x.sum(0) / np.sqrt(len(x))),
}


def _pool(**options):
    return lambda: pooling_layer(data_layer("x", 4), **options)


@pytest.mark.parametrize("which", sorted(POOLINGS))
def test_pooling_gives_one_row_of_each_sequence(which):
    pooling, expected = POOLINGS[which]
    m = Model(_pool(pooling_type=pooling), {"x": dense(4, 1)})
    np.testing.assert_allclose(m.values({"x": X})[0], [expected(x) for x in X], rtol=1e-5)


@pytest.mark.parametrize("which", sorted(POOLINGS))
def test_pooling_of_nested_sequences(which):
    pooling, expected = POOLINGS[which]
    whole = Model(_pool(pooling_type=pooling), {"x": dense(4, 2)})
    np.testing.assert_allclose(whole.values({"x": NESTED})[0],
                               [expected(np.concatenate(x)) for x in NESTED], rtol=1e-5)
    each = Model(_pool(pooling_type=pooling, agg_level=AggregateLevel.TO_SEQUENCE),
                 {"x": dense(4, 2)})
    np.testing.assert_allclose(each.values({"x": NESTED})[0],
                               [expected(y) for x in NESTED for y in x], rtol=1e-5)
    assert each.lengths({"x": NESTED}) == [[[2, 1, 3]]]


def test_pooling_with_a_stride_gives_a_sequence():
    m = Model(_pool(pooling_type=SumPooling(), stride=2), {"x": dense(4, 1)})
    expected = [x[i:i + 2].sum(0) for x in X for i in range(0, len(x), 2)]
    np.testing.assert_allclose(m.values({"x": X})[0], expected, rtol=1e-5)
    assert m.lengths({"x": X}) == [[[2, 1, 3]]]


def test_the_index_of_the_largest():
    m = Model(_pool(pooling_type=MaxPooling(output_max_index=True)), {"x": dense(4, 1)})
    starts = np.cumsum([0] + LENGTHS[:-1])[:, None]
    np.testing.assert_array_equal(m.values({"x": X})[0], [x.argmax(0) for x in X] + starts)


def test_first_and_last_steps():
    m = Model(lambda: [last_seq(data_layer("x", 4)), first_seq(data_layer("y", 4))],
              {"x": dense(4, 1), "y": dense(4, 1)})
    last, first = m.values({"x": X, "y": X})
    np.testing.assert_array_equal(last, [x[-1] for x in X])
    np.testing.assert_array_equal(first, [x[0] for x in X])


def test_first_and_last_steps_of_windows():
    """The windows of first_seq are counted from the end, as v1 has it."""
    m = Model(lambda: [last_seq(data_layer("x", 4), stride=2),
                       first_seq(data_layer("y", 4), stride=2)],
              {"x": dense(4, 1), "y": dense(4, 1)})
    last, first = m.values({"x": X, "y": X})
    np.testing.assert_array_equal(last, [X[0][1], X[0][2], X[1][0], X[2][1], X[2][3], X[2][4]])
    np.testing.assert_array_equal(first, [X[0][0], X[0][1], X[1][0], X[2][0], X[2][1], X[2][3]])


def test_last_steps_of_nested_sequences():
    m = Model(lambda: [last_seq(data_layer("x", 4), agg_level=AggregateLevel.TO_SEQUENCE),
                       last_seq(data_layer("y", 4))],
              {"x": dense(4, 2), "y": dense(4, 2)})
    each, whole = m.values({"x": NESTED, "y": NESTED})
    np.testing.assert_array_equal(each, [y[-1] for x in NESTED for y in x])
    np.testing.assert_array_equal(whole, [x[-1][-1] for x in NESTED])


def test_what_cannot_be_pooled_is_refused_by_name():
    with pytest.raises(ConfigError, match="'p'.*is no sequence"):
        Model(_pool(name="p"), {"x": dense(4)})
    with pytest.raises(ConfigError, match="'p'.*TO_SEQUENCE.*must be a nested sequence"):
        Model(_pool(name="p", agg_level=AggregateLevel.TO_SEQUENCE), {"x": dense(4, 1)})
    with pytest.raises(ConfigError, match="pooling_type"):
        Model(_pool(pooling_type="max"), {"x": dense(4, 1)})
    with pytest.raises(ConfigError, match="stride"):
        Model(_pool(stride=0), {"x": dense(4, 1)})


def _contexts(x, start, length, before=None, after=None):
    def row(p):
        if 0 <= p < len(x):
            return x[p]
        if before is None:
            return np.zeros(x.shape[1])
        return before[p] if p < 0 else after[p - len(x)]
    return [np.concatenate([row(t + start + k) for k in range(length)]) for t in range(len(x))]


@pytest.mark.parametrize("length, start, meant", [(3, None, -1), (5, None, -2), (4, None, -2),
                                                  (2, 0, 0), (3, -2, -2), (1, 0, 0)])
def test_contexts_have_zeros_around_a_sequence(length, start, meant):
    m = Model(lambda: mixed_layer(4 * length, context_projection(data_layer("x", 4), length, start)),
              {"x": dense(4, 1)})
    np.testing.assert_allclose(m.values({"x": X})[0],
                               [row for x in X for row in _contexts(x, meant, length)])


def test_contexts_with_rows_that_are_learnt():
    m = Model(lambda: mixed_layer(12, context_projection(data_layer("x", 4), 3, padding_attr=True),
                                  name="c"), {"x": dense(4, 1)})
    config = m.net.parameters["_c.w0"]
    assert config.dims == (2, 4) and config.initial_std == 0
    around = RNG.randn(2, 4).astype("float32")
    m.set("_c.w0", around)
    expected = [row for x in X for row in _contexts(x, -1, 3, around[:1], around[1:])]
    np.testing.assert_allclose(m.values({"x": X})[0], expected)


def _classified(hidden):
    return classification_cost(fc_layer(hidden, 3, act=SoftmaxActivation()), data_layer("y", 3))


LABELS = [0, 2, 1]
TEXT = {"w": words(RNG, LENGTHS, 10), "y": LABELS}
TYPES = {"w": ids(10, 1), "y": ids(3)}


def test_text_convolution_trains_and_has_the_names_of_v1():
    def model():
        words_in = embedding_layer(data_layer("w", 10), 4)
        return _classified(text_conv_pool(words_in, context_len=3, hidden_size=6, name="t",
                                          pool_type=SumPooling(), context_proj_param_attr=True))
    m = check_trains(model, TYPES, TEXT)
    assert {"_t_conv_proj.w0", "_t_conv_fc.w0", "_t_conv_fc.wbias"} <= set(m.net.parameters)


@pytest.mark.parametrize("which", sorted(POOLINGS))
def test_models_with_pooling_train(which):
    def model():
        hidden = fc_layer(embedding_layer(data_layer("w", 10), 4), 5)
        return _classified(pooling_layer(hidden, POOLINGS[which][0], bias_attr=True))
    check_trains(model, TYPES, TEXT)


def test_models_with_nested_sequences_train():
    def model():
        hidden = fc_layer(embedding_layer(data_layer("w", 10), 4), 5)
        sentences = pooling_layer(hidden, AvgPooling(), agg_level=AggregateLevel.TO_SEQUENCE)
        return _classified(concat_layer([
            last_seq(sentences), pooling_layer(hidden, AvgPooling()),
            pooling_layer(first_seq(fc_layer(sentences, 4), stride=2), SumPooling())]))
    nested = [words(RNG, n, 10) for n in ([2, 3], [1], [4, 1, 2])]
    check_trains(model, {"w": ids(10, 2), "y": ids(3)}, {"w": nested, "y": LABELS})
