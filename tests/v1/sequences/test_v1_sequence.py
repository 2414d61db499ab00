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


# ---- expansion, concatenation, choice ----

Y = sequences(RNG, [2, 2, 1], 4)


def test_expansion_to_sequences():
    rows = RNG.randn(3, 4).astype("float32")
    m = Model(lambda: expand_layer(data_layer("r", 4), data_layer("x", 4)),
              {"r": dense(4), "x": dense(4, 1)})
    np.testing.assert_array_equal(m.values({"r": rows, "x": X})[0], np.repeat(rows, LENGTHS, 0))
    assert m.lengths({"r": rows, "x": X}) == [[LENGTHS]]


def test_expansion_to_nested_sequences():
    rows, seqs = RNG.randn(3, 4).astype("float32"), sequences(RNG, [2, 1, 3], 4)
    m = Model(lambda: [expand_layer(data_layer("r", 4), data_layer("x", 4)),
                       expand_layer(data_layer("s", 4), data_layer("z", 4),
                                    expand_level=ExpandLevel.FROM_SEQUENCE)],
              {"r": dense(4), "x": dense(4, 2), "s": dense(4, 1), "z": dense(4, 2)})
    feed = {"r": rows, "x": NESTED, "s": seqs, "z": NESTED}
    whole, each = m.values(feed)
    np.testing.assert_array_equal(whole, np.repeat(rows, [5, 1, 7], 0))
    np.testing.assert_array_equal(each, np.repeat(np.concatenate(seqs), [2, 3, 1, 4, 1, 2], 0))
    assert m.lengths(feed) == [[[2, 1, 3], [2, 3, 1, 4, 1, 2]]] * 2


def test_concatenation_and_other_steps():
    m = Model(lambda: [seq_concat_layer(data_layer("x", 4), data_layer("y", 4)),
                       seq_reshape_layer(data_layer("z", 4), 2)],
              {"x": dense(4, 1), "y": dense(4, 1), "z": dense(4, 1)})
    feed = {"x": X, "y": Y, "z": X}
    joined, steps = m.values(feed)
    np.testing.assert_array_equal(joined, np.concatenate([r for p in zip(X, Y) for r in p]))
    np.testing.assert_array_equal(steps, np.concatenate(X).reshape(-1, 2))
    assert m.lengths(feed) == [[[5, 3, 6]], [[6, 2, 10]]]


def test_slices():
    m = Model(lambda: [seq_slice_layer(data_layer("x", 4), data_layer("s", 2), data_layer("e", 2)),
                       sub_seq_layer(data_layer("y", 4), data_layer("o", 9), data_layer("n", 9))],
              {"x": dense(4, 1), "s": dense(2), "e": dense(2), "y": dense(4, 1), "o": ids(9),
               "n": ids(9)})
    feed = {"x": X, "s": [[0, 2], [0, -1], [3, -1]], "e": [[1, 2], [0, -1], [4, -1]],
            "y": X, "o": [1, 0, 2], "n": [2, 1, 2]}
    spans, part = m.values(feed)
    np.testing.assert_array_equal(spans, np.concatenate([X[0][:2], X[0][2:], X[1], X[2][3:]]))
    np.testing.assert_array_equal(part, np.concatenate([X[0][1:], X[1], X[2][2:4]]))
    assert m.lengths(feed) == [[[2, 1, 1, 2]], [[2, 1, 2]]]


def test_choice_of_sub_sequences_by_score():
    """As v1 has it: scores of sub-sequences, the best of them, and those taken out."""
    def model():
        x, scores = data_layer("x", 4), data_layer("s", 1)
        return sub_nested_seq_layer(x, kmax_seq_score_layer(scores, beam_size=2))
    m = Model(model, {"x": dense(4, 2), "s": dense(1, 1)})
    feed = {"x": NESTED, "s": [[[.1], [.7]], [[.5]], [[.2], [.9], [.4]]]}
    expected = [NESTED[0][1], NESTED[0][0], NESTED[1][0], NESTED[2][1], NESTED[2][2]]
    np.testing.assert_array_equal(m.values(feed)[0], np.concatenate(expected))
    assert m.lengths(feed) == [[[2, 1, 2], [3, 2, 1, 1, 2]]]


def test_models_with_chosen_steps_train():
    def model():
        hidden = fc_layer(embedding_layer(data_layer("w", 10), 4), 4)
        two = seq_concat_layer(hidden, seq_reshape_layer(fc_layer(hidden, 8), 4), bias_attr=True)
        part = sub_seq_layer(two, data_layer("o", 3), data_layer("n", 3), act=TanhActivation())
        first = seq_slice_layer(two, None, data_layer("e", 1))
        expanded = expand_layer(last_seq(first), two, bias_attr=True)
        return _classified([last_seq(part), pooling_layer(expanded, SumPooling())])
    check_trains(model, dict(TYPES, o=ids(3), n=ids(3), e=dense(1)),
                 dict(TEXT, o=[1, 0, 2], n=[2, 1, 1], e=[[1], [0], [3]]), rate=0.02)


def test_models_with_chosen_sub_sequences_train():
    def model():
        hidden = fc_layer(embedding_layer(data_layer("w", 10), 4), 4)
        best = sub_nested_seq_layer(hidden, kmax_seq_score_layer(data_layer("s", 1), beam_size=2))
        return _classified(pooling_layer(best, AvgPooling()))
    nested = [words(RNG, n, 10) for n in ([2, 3], [1], [4, 1, 2])]
    scores = [[[.1], [.7]], [[.5]], [[.2], [.9], [.4]]]
    check_trains(model, {"w": ids(10, 2), "y": ids(3), "s": dense(1, 1)},
                 {"w": nested, "y": LABELS, "s": scores})


def test_sequences_that_do_not_fit_are_refused_by_name():
    types = {"x": dense(4, 1), "r": dense(4)}
    with pytest.raises(ConfigError, match="'e': its input is a sequence, and must be no sequence"):
        Model(lambda: expand_layer(data_layer("x", 4), data_layer("x2", 4), name="e"),
              dict(types, x2=dense(4, 1)))
    with pytest.raises(ConfigError, match="'e': expand_as: its input is no sequence"):
        Model(lambda: expand_layer(data_layer("r", 4), data_layer("r2", 4), name="e"),
              dict(types, r2=dense(4)))
    with pytest.raises(ConfigError, match="sizes 4 and 3"):
        Model(lambda: seq_concat_layer(data_layer("x", 4), data_layer("y", 3)), types)
    with pytest.raises(ConfigError, match="starts, or ends"):
        Model(lambda: seq_slice_layer(data_layer("x", 4), None, None), types)
    with pytest.raises(ConfigError, match="a score is one number"):
        Model(lambda: kmax_seq_score_layer(data_layer("x", 4)), types)


def test_the_end_is_found_in_each_step():
    m = Model(lambda: eos_layer(data_layer("w", 10), eos_id=3), {"w": ids(10, 1)})
    found = m.values({"w": [[1, 3], [3], [3, 2, 1]]})[0]
    np.testing.assert_array_equal(found[:, 0], [0, 1, 1, 1, 0, 0])
