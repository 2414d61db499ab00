"""StaticRNN, DynamicRNN and IfElse against numpy, and their gradients by central differences."""
import numpy as np
import pytest

import paddle.fluid as fluid

from gradcheck import build, check, _fed

RNG = np.random.RandomState(5)
LENGTHS = [2, 4, 1, 3]
WORDS = (RNG.uniform(-1, 1, (10, 3)), LENGTHS)
W, U = RNG.uniform(-1, 1, (3, 2)), RNG.uniform(-1, 1, (2, 2))
STATE = RNG.uniform(-1, 1, (4, 2))
STEPS = RNG.uniform(-1, 1, (5, 4, 3))


@pytest.fixture(autouse=True)
def layers():
    """The layers, as a global of this file."""
    import paddle.fluid as fluid
    globals()["L"] = fluid.layers
    return fluid.layers


def product(a, b):
    import paddle.fluid as fluid
    helper = fluid.layer_helper.LayerHelper("mul")
    out = helper.create_variable_for_type_inference(a.dtype)
    helper.append_op("mul", {"X": [a], "Y": [b]}, {"Out": [out]})
    return out


def cell(x, h, w, u):
    return L.tanh(L.elementwise_add(product(x, w), product(h, u)))


def weighted(x):
    """A loss in which no two elements count alike."""
    return L.reduce_sum(L.elementwise_mul(x, L.tanh(L.scale(x, 2.0, bias=0.3))))


def run(out, feeds):
    """What a program computes."""
    import paddle.fluid as fluid
    found = []
    main, _, _ = build(lambda v: weighted(found.append(out(v)) or found[0]), feeds,
                       [n for n in feeds if not isinstance(feeds[n], tuple)][:1])
    return fluid.Executor(fluid.CPUPlace()).run(main, feed=_fed(fluid, feeds), fetch_list=found,
                                                return_numpy=False)[0]


def sequences(array, lengths):
    ends = np.cumsum(lengths)
    return [array[end - n:end] for n, end in zip(lengths, ends)]


# ---- StaticRNN ----

def static(v, output=lambda rnn, h, before: rnn.step_output(h)):
    rnn = L.StaticRNN()
    with rnn.step():
        x = rnn.step_input(v["steps"])
        before = (rnn.memory(init=v["state"]) if "state" in v
                  else rnn.memory(shape=[-1, 2], batch_ref=x, init_value=0.25))
        h = cell(x, before, v["w"], v["u"])
        rnn.update_memory(before, h)
        output(rnn, h, before)
    return rnn()


def static_reference(steps, state, w, u):
    out = []
    for x in steps:
        state = np.tanh(x @ w + state @ u)
        out.append(state)
    return np.array(out)


def test_static_rnn_computes_step_by_step():
    feeds = {"steps": STEPS, "w": W, "u": U, "state": STATE}
    np.testing.assert_allclose(run(static, feeds), static_reference(STEPS, STATE, W, U))
    del feeds["state"]
    np.testing.assert_allclose(run(static, feeds),
                               static_reference(STEPS, np.full((4, 2), 0.25), W, U))


def test_gradient_of_static_rnn():
    check(lambda v: weighted(static(v)), {"steps": STEPS, "w": W, "u": U, "state": STATE})
    check(lambda v: weighted(static(v)), {"steps": STEPS, "w": W, "u": U})


def test_gradient_of_static_rnn_with_two_outputs():
    def loss(v):
        out, old = static(v, lambda rnn, h, before: rnn.output(h, before))
        return L.elementwise_add(weighted(out), L.reduce_sum(L.elementwise_mul(old, old)))
    check(loss, {"steps": STEPS, "w": W, "u": U, "state": STATE})


def test_gradient_of_static_rnn_whose_input_counts_elsewhere_too():
    check(lambda v: L.elementwise_add(weighted(static(v)), weighted(v["steps"])),
          {"steps": STEPS, "w": W, "u": U})


def test_gradient_of_a_memory_that_is_left_alone():
    def loss(v):
        rnn = L.StaticRNN()
        with rnn.step():
            x = rnn.step_input(v["steps"])
            seen = rnn.memory(init=v["state"])
            rnn.update_memory(seen, seen)
            rnn.step_output(L.elementwise_mul(product(x, v["w"]), seen))
        return weighted(rnn())
    check(loss, {"steps": STEPS, "w": W, "state": STATE})


def test_static_rnn_in_both_directions():
    """reverse, which the op has and the layer has not."""
    feeds = {"steps": STEPS, "w": W, "u": U, "state": STATE}

    def back(v):
        out = static(v)
        op = out.block.ops[-1]
        assert op.type == "recurrent"
        op._set_attr("reverse", True)
        return out
    np.testing.assert_allclose(run(back, feeds),
                               static_reference(STEPS[::-1], STATE, W, U)[::-1])
    check(lambda v: weighted(back(v)), feeds)


def test_static_rnn_takes_other_batches():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        v = {"steps": fluid.data("steps", [-1, -1, 3], "float64"),
             "w": fluid.data("w", [3, 2], "float64"), "u": fluid.data("u", [2, 2], "float64")}
        v["w"].stop_gradient = False
        out = static(v)
        grad, = fluid.gradients([weighted(out)], [v["w"]])
    exe = fluid.Executor(fluid.CPUPlace())
    for steps, rows in ((2, 3), (5, 1), (1, 4)):
        feed = {"steps": STEPS[:steps, :rows], "w": W, "u": U}
        got, _ = exe.run(main, feed=feed, fetch_list=[out, grad])
        np.testing.assert_allclose(got, static_reference(feed["steps"], np.full((rows, 2), 0.25),
                                                         W, U))
    with pytest.raises(fluid.core.EnforceNotMet, match="no step to run"):
        exe.run(main, feed={"steps": STEPS[:0], "w": W, "u": U}, fetch_list=[out])


# ---- DynamicRNN ----

def dynamic(v):
    rnn = L.DynamicRNN()
    with rnn.block():
        x = rnn.step_input(v["words"])
        before = (rnn.memory(init=v["state"], need_reorder=True) if "state" in v
                  else rnn.memory(shape=[2], value=0.25, dtype="float64"))
        if "always" in v:
            x = L.elementwise_add(x, rnn.static_input(v["always"]))
        h = cell(x, before, v["w"], v["u"])
        rnn.update_memory(before, h)
        rnn.output(h)
    return rnn()


def dynamic_reference(words, state, w, u):
    return np.concatenate([static_reference(words_of_one[:, None], state[i:i + 1], w, u)[:, 0]
                           for i, words_of_one in enumerate(sequences(*words))])


def test_dynamic_rnn_computes_sequence_by_sequence():
    feeds = {"words": WORDS, "w": W, "u": U, "state": STATE}
    out = run(dynamic, feeds)
    np.testing.assert_allclose(np.array(out), dynamic_reference(WORDS, STATE, W, U))
    assert out.recursive_sequence_lengths() == [LENGTHS]
    del feeds["state"]
    np.testing.assert_allclose(np.array(run(dynamic, feeds)),
                               dynamic_reference(WORDS, np.full((4, 2), 0.25), W, U))


def test_gradient_of_dynamic_rnn():
    check(lambda v: weighted(dynamic(v)), {"words": WORDS, "w": W, "u": U, "state": STATE})
    check(lambda v: weighted(dynamic(v)), {"words": WORDS, "w": W, "u": U})


def test_gradient_of_a_static_input():
    check(lambda v: weighted(dynamic(v)),
          {"words": WORDS, "w": W, "u": U, "always": RNG.uniform(-1, 1, (4, 3))})


def test_gradient_of_the_last_steps():
    check(lambda v: weighted(L.sequence_last_step(dynamic(v))), {"words": WORDS, "w": W, "u": U})


def test_dynamic_rnn_over_two_inputs_and_outputs():
    def loss(v):
        rnn = L.DynamicRNN()
        with rnn.block():
            x, y = rnn.step_input(v["words"]), rnn.step_input(v["others"])
            h = rnn.memory(shape=[2], value=0.0, dtype="float64")
            new = cell(L.elementwise_mul(x, y), h, v["w"], v["u"])
            rnn.update_memory(h, new)
            rnn.output(new, h)
        out, old = rnn()
        return L.elementwise_add(weighted(out), L.reduce_sum(L.elementwise_mul(old, old)))
    check(loss, {"words": WORDS, "others": (RNG.uniform(-1, 1, (10, 3)), LENGTHS), "w": W, "u": U})


def test_dynamic_rnn_over_sequences_of_sequences():
    """A step is a sequence of the second level."""
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = L.data("x", [3], dtype="float64", lod_level=2)
        x.stop_gradient = False
        rnn = L.DynamicRNN()
        with rnn.block():
            sentence = rnn.step_input(x)
            total = rnn.memory(shape=[3], value=0.0, dtype="float64")
            new = L.elementwise_add(total, L.sequence_pool(sentence, "sum"))
            rnn.update_memory(total, new)
            rnn.output(new)
        out = rnn()
        grad, = fluid.gradients([weighted(out)], [x])
    lengths = [[2, 1, 3], [1, 2, 3, 1, 1, 2]]
    value = RNG.uniform(-1, 1, (10, 3))
    fed = fluid.create_lod_tensor(value, lengths, fluid.CPUPlace())
    got, back = fluid.Executor(fluid.CPUPlace()).run(main, feed={"x": fed},
                                                     fetch_list=[out, grad], return_numpy=False)
    sums = [s.sum(0) for s in sequences(value, lengths[1])]
    expected = np.concatenate([np.cumsum(np.array(s), 0) for s in
                               sequences(np.array(sums), lengths[0])])
    np.testing.assert_allclose(np.array(got), expected)
    assert got.recursive_sequence_lengths() == [lengths[0]]
    assert back.recursive_sequence_lengths() == lengths
    # d weighted / d out, summed over the steps that a word is part of
    d = np.tanh(2 * expected + 0.3)
    d = d + expected * 2 * (1 - d**2)
    later = np.concatenate([np.cumsum(s[::-1], 0)[::-1] for s in sequences(d, lengths[0])])
    np.testing.assert_allclose(np.array(back), np.repeat(later, lengths[1], axis=0), rtol=1e-5)


def test_dynamic_rnn_takes_other_batches():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        v = {"words": L.data("words", [3], dtype="float64", lod_level=1),
             "w": fluid.data("w", [3, 2], "float64"), "u": fluid.data("u", [2, 2], "float64")}
        v["w"].stop_gradient = False
        out = dynamic(v)
        grad, = fluid.gradients([weighted(out)], [v["w"]])
    exe = fluid.Executor(fluid.CPUPlace())
    for lengths in ([3, 1], [1], [2, 5, 2, 1], [4]):
        words = RNG.uniform(-1, 1, (sum(lengths), 3))
        got, _ = exe.run(main, feed={"words": fluid.create_lod_tensor(words, [lengths],
                                                                      fluid.CPUPlace()),
                                     "w": W, "u": U}, fetch_list=[out, grad], return_numpy=False)
        np.testing.assert_allclose(
            np.array(got), dynamic_reference((words, lengths), np.full((len(lengths), 2), 0.25),
                                             W, U))


# ---- rank tables ----

def test_steps_and_back():
    from paddle.fluid.layers import control_flow

    def there_and_back(v):
        table = control_flow.lod_rank_table(v["words"])
        array = control_flow.lod_tensor_to_array(v["words"], table)
        first = control_flow.array_read(array, L.fill_constant([1], "int64", 1))
        return control_flow.array_to_lod_tensor(array, table), first
    out = run(lambda v: there_and_back(v)[0], {"words": WORDS, "w": W})
    assert np.array_equal(np.array(out), WORDS[0])
    assert out.recursive_sequence_lengths() == [LENGTHS]
    second = np.array(run(lambda v: there_and_back(v)[1], {"words": WORDS, "w": W}))
    parts = sequences(*WORDS)
    assert np.array_equal(second, [parts[1][1], parts[3][1], parts[0][1]])
    check(lambda v: L.elementwise_add(*[weighted(x) for x in there_and_back(v)]),
          {"words": WORDS})


def test_order_of_a_rank_table():
    from paddle.fluid.layers import control_flow

    def reordered(v):
        table = control_flow.lod_rank_table(v["words"])
        return L.reorder_lod_tensor_by_rank(v["rows"], table)
    assert np.array_equal(np.array(run(reordered, {"words": WORDS, "rows": STATE})),
                          STATE[[1, 3, 0, 2]])
    check(lambda v: weighted(reordered(v)), {"words": WORDS, "rows": STATE}, ["rows"])
    others = (RNG.uniform(-1, 1, (6, 2)), [1, 0, 3, 2])
    out = run(reordered, {"words": WORDS, "rows": others, "w": W})
    assert out.recursive_sequence_lengths() == [[0, 2, 1, 3]]
    parts = sequences(*others)
    assert np.array_equal(np.array(out), np.concatenate([parts[i] for i in (1, 3, 0, 2)]))


def test_shrinking_to_those_that_go_on():
    from paddle.fluid.layers import control_flow

    def shrunk(v, step=2):
        table = control_flow.lod_rank_table(v["words"])
        return control_flow.shrink_memory(v["rows"], L.fill_constant([1], "int64", step), table)
    feeds = {"words": WORDS, "rows": STATE}
    for step, n in ((0, 4), (1, 3), (2, 2), (3, 1), (4, 0)):
        assert np.array_equal(np.array(run(lambda v: shrunk(v, step), feeds)), STATE[:n])
    check(lambda v: weighted(shrunk(v)), feeds, ["rows"])


def test_a_table_of_other_sequences_is_refused():
    import paddle.fluid as fluid
    from paddle.fluid.layers import control_flow
    with pytest.raises(fluid.core.EnforceNotMet, match="has 3 rows, and the rank table 4"):
        run(lambda v: L.reorder_lod_tensor_by_rank(
            v["rows"], control_flow.lod_rank_table(v["words"])),
            {"words": WORDS, "rows": STATE[:3]})
    with pytest.raises(fluid.core.EnforceNotMet, match="does not have the 4 sequences"):
        run(lambda v: control_flow.array_read(control_flow.lod_tensor_to_array(
            v["others"], control_flow.lod_rank_table(v["words"])),
            L.fill_constant([1], "int64", 0)),
            {"words": WORDS, "others": (STATE, [1, 3]), "w": W})


# ---- IfElse ----

def branches(v):
    choice = L.IfElse(L.less_than(v["a"], v["b"]))
    with choice.true_block():
        choice.output(L.tanh(choice.input(v["x"])))
    with choice.false_block():
        x = choice.input(v["x"])
        choice.output(L.elementwise_mul(x, x))
    return choice()[0]


@pytest.mark.parametrize("picks", [[1, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]])
def test_if_else_parts_the_rows(picks):
    feeds = {"x": STATE, "a": np.zeros((4, 1)), "b": np.array(picks, "float64")[:, None]}
    expected = np.where(feeds["b"] > 0, np.tanh(STATE), STATE**2)
    np.testing.assert_allclose(np.array(run(branches, feeds)), expected)
    check(lambda v: weighted(branches(v)), feeds, ["x"])


def test_if_else_parts_sequences():
    feeds = {"a": np.zeros((4, 1)), "b": np.array([[1.0], [0.0], [0.0], [1.0]]), "x": WORDS}
    out = run(branches, feeds)
    expected = np.concatenate([np.tanh(s) if pick else s**2 for s, pick in
                               zip(sequences(*WORDS), (1, 0, 0, 1))])
    np.testing.assert_allclose(np.array(out), expected)
    assert out.recursive_sequence_lengths() == [LENGTHS]
    check(lambda v: weighted(branches(v)), feeds, ["x"])


def test_a_mask_of_another_size_is_refused():
    import paddle.fluid as fluid
    with pytest.raises(fluid.core.EnforceNotMet, match="has 4 rows, and Mask 3 elements"):
        run(branches, {"x": STATE, "a": np.zeros((3, 1)), "b": np.ones((3, 1))})


def test_a_parameter_may_have_levels():
    block = fluid.Program().global_block()
    assert block.create_parameter([2], "float32", name="p", lod_level=1).lod_level == 1
    assert block.create_parameter([2], "float32", name="q").lod_level == 0
