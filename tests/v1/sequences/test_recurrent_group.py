"""recurrent_group: against NumPy's loops and against the layers that are one op; they train."""
import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError

from sequence_models import Model, check_trains, dense, ids, sequences, sparse, words
from test_v1_recurrent import gru_loop, trains

RNG = np.random.RandomState(2)
LENGTHS = [3, 1, 5]
X = sequences(RNG, LENGTHS, 4)
SEQ = {"x": dense(4, 1)}


def same(group, whole, names, types=SEQ, samples={"x": X}):
    """Both give the same with the same parameters; names: of the group, by those of the other."""
    a, b = Model(group, types), Model(whole, types)
    assert set(names) == set(b.net.parameters) and set(names.values()) == set(a.net.parameters)
    for theirs, ours in names.items():
        b.set(theirs, RNG.randn(*b.get(theirs).shape))
        a.set(ours, b.get(theirs))
    np.testing.assert_allclose(a.values(samples)[0], b.values(samples)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_group_with_a_memory_is_a_loop(reverse):
    def step(x):
        before = memory("h", 3)
        return fc_layer([x, before], 3, name="h")
    m = Model(lambda: recurrent_group(step, data_layer("x", 4), reverse=reverse, name="g"), SEQ)
    assert list(m.net.parameters) == ["_h@g.w0", "_h@g.w1", "_h@g.wbias"]
    w, u, b = (m.get(name) for name in m.net.parameters)
    expected = []
    for x in X:
        h, out = np.zeros(3), []
        for row in x[::-1] if reverse else x:
            h = np.tanh(row @ w + h @ u + b)
            out.append(h)
        expected += out[::-1] if reverse else out
    np.testing.assert_allclose(m.values({"x": X})[0], expected, rtol=1e-4, atol=1e-5)
    assert m.lengths({"x": X}) == [[LENGTHS]]


@pytest.mark.parametrize("reverse", [False, True])
def test_recurrent_layer_is_the_same_as_its_group(reverse):
    def step(x):
        before = memory("h", 4)
        return mixed_layer(4, [identity_projection(x), full_matrix_projection(before)], name="h",
                           act=TanhActivation(), bias_attr=True)
    same(lambda: recurrent_group(step, data_layer("x", 4), reverse=reverse, name="g"),
         lambda: recurrent_layer(data_layer("x", 4), name="r", reverse=reverse),
         {"_r.w0": "_h@g.w1", "_r.wbias": "_h@g.wbias"})


def test_lstmemory_group_is_lstmemory():
    x = {"x": sequences(RNG, LENGTHS, 12)}
    for reverse in (False, True):
        bias = {"mixed_bias_attr" if reverse else "input_proj_bias_attr": True}  # v0.10, v0.11
        a = Model(lambda: lstmemory_group(data_layer("x", 12), name="l", reverse=reverse, **bias),
                  {"x": dense(12, 1)})
        b = Model(lambda: lstmemory(data_layer("x", 12), name="l", reverse=reverse),
                  {"x": dense(12, 1)})
        group = "l_recurrent_group"
        assert set(a.net.parameters) == {"_l_input_recurrent@%s.w1" % group,
                                         "_l_input_recurrent@%s.wbias" % group,
                                         "_l@%s.wbias" % group}
        weight, bias = RNG.randn(3, 12), RNG.randn(21)
        b.set("_l.w0", weight)
        b.set("_l.wbias", bias)
        a.set("_l_input_recurrent@%s.w1" % group, weight)
        a.set("_l_input_recurrent@%s.wbias" % group, bias[:12])
        a.set("_l@%s.wbias" % group, bias[12:])
        np.testing.assert_allclose(a.values(x)[0], b.values(x)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_gru_group_is_grumemory(reverse):
    same(lambda: gru_group(data_layer("x", 12), name="g", reverse=reverse),
         lambda: grumemory(data_layer("x", 12), name="g", reverse=reverse),
         {"_g.w0": "_g@g_recurrent_group.w0", "_g.wbias": "_g@g_recurrent_group.wbias"},
         {"x": dense(12, 1)}, {"x": sequences(RNG, LENGTHS, 12)})


def test_the_naive_step_is_the_same():
    x = sequences(RNG, LENGTHS, 12)
    m = Model(lambda: gru_group(data_layer("x", 12), name="g", naive=True), {"x": dense(12, 1)})
    at = "@g_recurrent_group."
    gates = ["update", "reset", "output_candidate"]
    assert set(m.net.parameters) == {"_g_%s%s%s" % (gate, at, end) for gate in gates
                                     for end in ("w1", "wbias")}
    weights = [m.get("_g_%s%sw1" % (gate, at)) for gate in gates]
    for gate in gates:
        m.set("_g_%s%swbias" % (gate, at), RNG.randn(4))
    bias = np.concatenate([m.get("_g_%s%swbias" % (gate, at)) for gate in gates])
    weight = np.concatenate([np.hstack(weights[:2]).reshape(-1), weights[2].reshape(-1)])
    expected = [row for each in x for row in gru_loop(each, weight, bias)]
    np.testing.assert_allclose(m.values({"x": x})[0], expected, rtol=1e-4, atol=1e-5)


def _add_up(boot, **types):
    """h = x + h before."""
    def model():
        def step(x):
            before = memory("h", 4, **boot())
            return addto_layer([x, before], name="h")
        return recurrent_group(step, data_layer("x", 4), name="g")
    return Model(model, dict(SEQ, **types))


def _totals(starts):
    return np.concatenate([start + np.cumsum(x, 0) for x, start in zip(X, starts)])


def test_a_memory_begins_with_zeros():
    m = _add_up(lambda: {})
    np.testing.assert_allclose(m.values({"x": X})[0], _totals(np.zeros((3, 4))), rtol=1e-4)


def test_a_memory_begins_with_a_layer():
    starts = RNG.randn(3, 4).astype("float32")

    def model():
        start = data_layer("s", 4)

        def step(x):
            return addto_layer([x, memory("h", 4, boot_layer=start)], name="h")
        return recurrent_group(step, data_layer("x", 4))
    m = Model(model, dict(SEQ, s=dense(4)))
    np.testing.assert_allclose(m.values({"x": X, "s": starts})[0], _totals(starts), rtol=1e-4,
                               atol=1e-5)


def test_a_memory_begins_with_a_row_that_is_learnt():
    m = _add_up(lambda: {"boot_bias": ParamAttr(initial_std=1.0),
                         "boot_bias_active_type": TanhActivation()})
    assert list(m.net.parameters) == ["_h+delay1@g.wbias"]
    start = np.tanh(m.get("_h+delay1@g.wbias"))
    np.testing.assert_allclose(m.values({"x": X})[0], _totals([start] * 3), rtol=1e-4, atol=1e-5)


def test_a_memory_of_ids_begins_with_an_id():
    def step(word):
        before = memory("w", 10, boot_with_const_id=7)
        mixed_layer(10, identity_projection(word), name="w")
        return embedding_layer(before, 4, name="e")
    m = Model(lambda: recurrent_group(step, data_layer("words", 10), name="g"),
              {"words": ids(10, 1)})
    table = m.get("_e@g.w0")
    found = m.values({"words": [[1, 2, 3], [4], [5, 6]]})[0]
    np.testing.assert_array_equal(found, table[[7, 1, 2, 7, 7, 5]])


def test_a_memory_without_a_name_is_set():
    def step(x):
        before = memory(None, 4)
        total = addto_layer([x, before])
        before.set_input(total)
        return total
    m = Model(lambda: recurrent_group(step, data_layer("x", 4)), SEQ)
    np.testing.assert_allclose(m.values({"x": X})[0], _totals(np.zeros((3, 4))), rtol=1e-4)


def test_several_inputs_and_outputs():
    def step(x, y):
        return [addto_layer([x, y], name="sum"), addto_layer([x, memory("sum", 4)], name="other")]
    def model():
        return recurrent_group(step, [data_layer("x", 4), data_layer("y", 4)])
    y = sequences(RNG, LENGTHS, 4)
    total, other = Model(model, dict(SEQ, y=dense(4, 1))).values({"x": X, "y": y})
    np.testing.assert_allclose(total, np.concatenate(X) + np.concatenate(y), rtol=1e-5)
    late = [np.vstack([np.zeros((1, 4)), (a + b)[:-1]]) for a, b in zip(X, y)]
    np.testing.assert_allclose(other, np.concatenate(X) + np.concatenate(late), rtol=1e-4,
                               atol=1e-5)


def test_inputs_of_other_lengths_are_refused():
    def model():
        return recurrent_group(lambda x, y: addto_layer([x, y]),
                               [data_layer("x", 4), data_layer("y", 4)])
    m = Model(model, dict(SEQ, y=dense(4, 1)))
    for lengths in ([3, 1, 4], [3, 2, 5], [2, 1, 5]):
        with pytest.raises(fluid.core.EnforceNotMet, match="sequence . of X .* has . steps"):
            m.values({"x": X, "y": sequences(RNG, lengths, 4)})


def test_static_inputs_are_the_examples_own():
    """A row and a sequence that each step sees, of examples of unequal lengths."""
    def model():
        def step(x, row, seq):
            return addto_layer([x, row, pooling_layer(seq, SumPooling())])
        return recurrent_group(step, [data_layer("x", 4), StaticInput(data_layer("r", 4)),
                                      StaticInput(data_layer("s", 4), is_seq=True)])
    rows, seqs = RNG.randn(3, 4).astype("float32"), sequences(RNG, [1, 4, 2], 4)
    m = Model(model, dict(SEQ, r=dense(4), s=dense(4, 1)))
    expected = [x + r + s.sum(0) for x, r, s in zip(X, rows, seqs)]
    np.testing.assert_allclose(m.values({"x": X, "r": rows, "s": seqs})[0],
                               np.concatenate(expected), rtol=1e-4, atol=1e-5)


def test_sparse_steps():
    """A step of a sequence of sparse rows is a sparse row."""
    def step(x):
        return fc_layer([x, memory("h", 3)], 3, name="h")
    m = Model(lambda: recurrent_group(step, data_layer("x", 6), name="g"), {"x": sparse(6, 1)})
    rows = [[[0, 2], [5]], [[1]], [[3, 4, 5], [0], [2]]]
    w, u, b = (m.get("_h@g." + end) for end in ("w0", "w1", "wbias"))
    expected = []
    for steps in rows:
        h = np.zeros(3)
        for columns in steps:
            h = np.tanh(w[columns].sum(0) + h @ u + b)
            expected.append(h)
    np.testing.assert_allclose(m.values({"x": rows})[0], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("step", [
    lambda x, before: gru_step_layer(x, before, name="u"),
    lambda x, before: gru_step_naive_layer(x, before, name="u", size=4)])
def test_steps_of_units_train_in_a_group(step):
    trains(lambda x: recurrent_group(lambda part: step(part, memory("u", 4)), x))


def test_a_step_of_lstm_and_its_cell_train_in_a_group():
    def step(x):
        before = memory("cell", 3)
        out = lstm_step_layer(x, before, size=3, name="out", bias_attr=False,
                              gate_act=SigmoidActivation(), act=ReluActivation())
        cell = get_output_layer(out, "state", name="cell")
        return concat_layer([out, cell])
    trains(lambda x: recurrent_group(step, x))


# ---- nested sequences ----

NESTED = [sequences(RNG, n, 4) for n in ([2, 3], [1], [4, 1, 2])]


@pytest.mark.parametrize("reverse", [False, True])
def test_a_step_of_a_nested_sequence_is_a_sequence(reverse):
    def step(sentence):
        total = pooling_layer(sentence, SumPooling())
        return addto_layer([total, memory("h", 4)], name="h")
    m = Model(lambda: recurrent_group(step, SubsequenceInput(data_layer("x", 4)), reverse=reverse),
              {"x": dense(4, 2)})
    expected = []
    for sentences in NESTED:
        sums = np.array([s.sum(0) for s in sentences])
        expected.append(np.cumsum(sums[::-1], 0)[::-1] if reverse else np.cumsum(sums, 0))
    np.testing.assert_allclose(m.values({"x": NESTED})[0], np.concatenate(expected), rtol=1e-4,
                               atol=1e-5)
    assert m.lengths({"x": NESTED}) == [[[2, 1, 3]]]


def test_a_group_inside_a_group():
    """The memory of the inner one begins with what the outer one remembers: one long loop."""
    def model():
        def sentence_step(sentence):
            before = memory("last", 4)

            def word_step(word):
                return addto_layer([word, memory("h", 4, boot_layer=before)], name="h")
            inner = recurrent_group(word_step, sentence, name="inner")
            last_seq(inner, name="last")
            return inner
        return recurrent_group(sentence_step, SubsequenceInput(data_layer("x", 4)), name="outer")
    m = Model(model, {"x": dense(4, 2)})
    expected = [np.cumsum(np.concatenate(x), 0) for x in NESTED]
    np.testing.assert_allclose(m.values({"x": NESTED})[0], np.concatenate(expected), rtol=1e-4,
                               atol=1e-5)
    assert m.lengths({"x": NESTED}) == [[[2, 1, 3], [2, 3, 1, 4, 1, 2]]]


def test_a_group_inside_a_group_trains():
    def model():
        words_in = embedding_layer(data_layer("w", 10), 4)

        def sentence_step(sentence):
            before = memory("last", 4)

            def word_step(word):
                return fc_layer([word, memory("h", 4, boot_layer=before)], 4, name="h")
            last = last_seq(recurrent_group(word_step, sentence, name="inner"), name="last")
            return last
        hidden = recurrent_group(sentence_step, SubsequenceInput(words_in), name="outer")
        return classification_cost(fc_layer(last_seq(hidden), 3, act=SoftmaxActivation()),
                                   data_layer("y", 3))
    nested = [words(RNG, n, 10) for n in ([2, 3], [1], [4, 1, 2])]
    m = check_trains(model, {"w": ids(10, 2), "y": ids(3)}, {"w": nested, "y": [0, 2, 1]})
    assert "_h@inner@outer.w0" in m.net.parameters


@pytest.mark.parametrize("told", [{}, {"is_seq": True}])
def test_a_memory_that_is_a_sequence(told):
    """Sub-sequences of equal lengths, each added to the one before it."""
    def model():
        start = data_layer("s", 4)

        def step(sentence):
            before = memory("h", 4, boot_layer=start, **told)
            return addto_layer([sentence, before], name="h")
        return recurrent_group(step, SubsequenceInput(data_layer("x", 4)))
    equal = [sequences(RNG, [2, 2, 2], 4), sequences(RNG, [3], 4)]
    starts = sequences(RNG, [2, 3], 4)
    m = Model(model, {"x": dense(4, 2), "s": dense(4, 1)})
    expected = [start + np.cumsum(np.array(x), 0) for x, start in zip(equal, starts)]
    np.testing.assert_allclose(m.values({"x": equal, "s": starts})[0],
                               np.concatenate([e.reshape(-1, 4) for e in expected]), rtol=1e-4,
                               atol=1e-5)


def test_what_is_no_layer_is_handed_to_the_step():
    def model():
        def step(size, row, x, words):
            assert words == ["any", "value"]
            return fc_layer([x, row], size, act=LinearActivation(), name="out")
        return recurrent_group(step, [2, StaticInput(data_layer("r", 2)), data_layer("x", 4),
                                      ["any", "value"]])
    m = Model(model, dict(SEQ, r=dense(2)))
    assert m.values({"x": X, "r": [[1, 2]] * 3})[0].shape == (sum(LENGTHS), 2)


# ---- training ----

@pytest.mark.parametrize("recurrent", [
    lambda x: lstmemory_group(x), lambda x: gru_group(x, reverse=True),
    lambda x: gru_group(x, naive=True), lambda x: recurrent_layer(x, reverse=True),
    lambda x: simple_gru(x, 3), lambda x: simple_gru2(x, 3),
    lambda x: bidirectional_lstm(x, 3, return_seq=True),
    lambda x: bidirectional_gru(x, 3, return_seq=True)])
def test_models_with_groups_train(recurrent):
    trains(recurrent)


@pytest.mark.parametrize("both", [bidirectional_lstm, bidirectional_gru])
def test_both_ways_end_in_one_row(both):
    m = Model(lambda: both(data_layer("x", 4), 3, name="b"), SEQ)
    whole = Model(lambda: both(data_layer("x", 4), 3, name="b", return_seq=True), SEQ)
    for name in m.net.parameters:
        whole.set(name, m.get(name))
    rows, at = whole.values({"x": X})[0], np.cumsum([0] + LENGTHS)
    expected = [np.concatenate([rows[at[i + 1] - 1][:3], rows[at[i]][3:]]) for i in range(3)]
    np.testing.assert_allclose(m.values({"x": X})[0], expected, rtol=1e-5)


def _attention(attend):
    """Each word of an output sees the sequence of inputs through `attend`."""
    def model():
        encoded = embedding_layer(data_layer("w", 10), 6)
        start = fc_layer(last_seq(encoded), 5)

        def step(word, encoded):
            before = memory("h", 5, boot_layer=start)
            return fc_layer([word, attend(encoded, before)], 5, name="h")
        hidden = recurrent_group(step, [embedding_layer(data_layer("t", 7), 4),
                                        StaticInput(encoded, is_seq=True)], name="decoder")
        return classification_cost(fc_layer(hidden, 7, act=SoftmaxActivation()),
                                   data_layer("next", 7))
    return model


@pytest.mark.parametrize("attend", [
    lambda e, h: simple_attention(e, fc_layer(e, 5), h),
    lambda e, h: dot_product_attention(fc_layer(e, 5), e, h),
    lambda e, h: multi_head_attention(h, e, e, 3, 4, 2, "dot-product attention"),
    lambda e, h: multi_head_attention(h, e, e, 3, 4, 2, "additive attention")])
def test_models_with_attention_train(attend):
    samples = {"w": words(RNG, LENGTHS, 10), "t": words(RNG, [2, 3, 1], 7),
               "next": words(RNG, [2, 3, 1], 7)}
    check_trains(_attention(attend), {"w": ids(10, 1), "t": ids(7, 1), "next": ids(7, 1)}, samples)


def test_a_memory_that_begins_with_a_learnt_row_trains():
    def model():
        def step(x):
            before = memory("h", 4, boot_bias=ParamAttr(initial_std=0.1),
                            boot_bias_active_type=TanhActivation())
            return fc_layer([x, before], 4, name="h")
        return square_error_cost(last_seq(recurrent_group(step, data_layer("x", 4))),
                                 data_layer("y", 4))
    check_trains(model, {"x": dense(4, 1), "y": dense(4)}, {"x": X, "y": RNG.rand(3, 4)})


# ---- what is refused ----

def _fails(what, step, inputs=lambda: data_layer("x", 4)):
    with pytest.raises(ConfigError, match=what):
        Model(lambda: recurrent_group(step, inputs(), name="g"), SEQ)


def test_mistakes_are_named():
    outer = []

    def outside():
        outer.append(fc_layer(data_layer("x", 4), 4, name="far"))
        return outer[0]
    _fails("'g'.*'far', which is outside.*StaticInput",
           lambda x: addto_layer([x, outer[0]]), outside)
    _fails("memory\\(name='z'\\) is of a layer that the step does not make",
           lambda x: addto_layer([x, memory("z", 4)]))
    _fails("call set_input", lambda x: addto_layer([x, memory(None, 4)]))
    _fails("memory of 'h' has size 3", lambda x: fc_layer([x, memory("h", 3)], 4, name="h"))
    _fails("give one of boot_layer, boot_bias",
           lambda x: addto_layer([x, memory("h", 4, boot_layer=x, boot_bias=ParamAttr())]))
    _fails("none of its inputs is a sequence", lambda x: x,
           lambda: [StaticInput(data_layer("x", 4))])
    with pytest.raises(ConfigError, match="'s', which is no sequence: leave is_seq=True out"):
        Model(lambda: recurrent_group(lambda x: addto_layer(
            [x, memory("h", 4, boot_layer=data_layer("s", 4), is_seq=True)], name="h"),
            data_layer("x", 4)), dict(SEQ, s=dense(4)))
    with pytest.raises(ConfigError, match="inside the step"):
        memory("h", 4)
    with pytest.raises(ConfigError, match="beam_search\\(\\) generates"):
        recurrent_group(lambda x: x, StaticInput(data_layer("x", 4)), is_generating=True)
    with pytest.raises(ConfigError, match="mixed_bias_attr are one thing"):
        Model(lambda: lstmemory_group(data_layer("x", 4), input_proj_bias_attr=False,
                                      mixed_bias_attr=True), SEQ)
    with pytest.raises(ConfigError, match="'x' is no sequence"):
        Model(lambda: recurrent_group(lambda x: fc_layer(x, 2), data_layer("x", 4)),
              {"x": dense(4)})
    with pytest.raises(ConfigError, match="targetInlink"):
        Model(lambda: recurrent_group(lambda x: fc_layer(x, 2), data_layer("x", 4),
                                      targetInlink=data_layer("y", 4)), SEQ)
    with pytest.raises(ConfigError, match="no output 'state'.*default"):
        Model(lambda: get_output_layer(lstmemory(data_layer("x", 4)), "state"), SEQ)


def test_a_group_inside_a_group_sees_static_inputs():
    """Each word with the sum of its sentence, and with a row of the sample."""
    def model():
        words_in, row = embedding_layer(data_layer("w", 10), 4), fc_layer(data_layer("r", 2), 4)

        def sentence_step(sentence, row):
            def word_step(word, sentence, row):
                seen = pooling_layer(sentence, AvgPooling())
                return fc_layer([word, seen, row, memory("h", 4)], 4, name="h")
            inner = recurrent_group(word_step, [sentence, StaticInput(sentence, is_seq=True),
                                                StaticInput(row)], name="inner", reverse=True)
            return first_seq(inner)
        hidden = recurrent_group(sentence_step, [SubsequenceInput(words_in), StaticInput(row)],
                                 name="outer")
        return classification_cost(fc_layer(last_seq(hidden), 3, act=SoftmaxActivation()),
                                   data_layer("y", 3))
    nested = [words(RNG, n, 10) for n in ([2, 3], [1], [4, 1, 2])]
    check_trains(model, {"w": ids(10, 2), "r": dense(2), "y": ids(3)},
                 {"w": nested, "r": RNG.randn(3, 2), "y": [0, 2, 1]})
