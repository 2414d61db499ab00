from layercase import check, data


def x(name="x", shape=(9,), lod_level=1):
    return data(name, list(shape), "float32", lod_level, grad=True)


def dynamic_gru():
    from paddle.fluid import layers
    layers.dynamic_gru(x(), 3)
    layers.dynamic_gru(x(), 3, is_reverse=True, candidate_activation="relu", origin_mode=True)
    layers.dynamic_gru(x(), 3, bias_attr=False, h_0=x("before", [3], 0))


def gru_unit():
    from paddle.fluid import layers
    state = x("state", [3], 0)
    layers.gru_unit(x("step", lod_level=0), state, 9)
    layers.gru_unit(x("step", lod_level=0), state, 9, bias_attr=False, origin_mode=True)


def dynamic_lstm():
    from paddle.fluid import layers
    layers.dynamic_lstm(x(shape=[12]), 12)
    layers.dynamic_lstm(x(shape=[12]), 12, use_peepholes=False, h_0=x("state", [3], 0),
                        c_0=x("cell", [3], 0), is_reverse=True)


def static_rnn():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    steps = fluid.data("steps", [6, -1, 3], "float32")
    rnn = layers.StaticRNN()
    with rnn.step():
        step = rnn.step_input(steps)
        before = rnn.memory(shape=[-1, 4], batch_ref=step)
        hidden = layers.fc([step, before], 4, act="tanh")
        rnn.update_memory(before, hidden)
        rnn.step_output(hidden)
    rnn()


def static_rnn_of_two():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    steps, others = fluid.data("a", [6, -1, 3], "float32"), fluid.data("b", [6, -1, 2], "float32")
    rnn = layers.StaticRNN(name="both")
    with rnn.step():
        a, b = rnn.step_input(steps), rnn.step_input(others)
        state = rnn.memory(init=x("state", [4], 0))
        count = rnn.memory(shape=[-1, 1], batch_ref=a, init_value=2.0)
        hidden = layers.fc([a, b, state], 4, act="tanh")
        rnn.update_memory(state, hidden)
        rnn.update_memory(count, layers.scale(count, 2.0))
        rnn.output(hidden, layers.scale(hidden, 2.0), count)
    rnn()


def dynamic_rnn():
    from paddle.fluid import layers
    rnn = layers.DynamicRNN()
    with rnn.block():
        step = rnn.step_input(x(shape=[3]))
        always = rnn.static_input(x("always", [2], 0))
        before = rnn.memory(shape=[4], value=0.5)
        hidden = layers.fc([step, before, always], 4, act="tanh")
        rnn.update_memory(before, hidden)
        rnn.output(hidden)
    layers.sequence_last_step(rnn())


def dynamic_rnn_of_two():
    from paddle.fluid import layers
    rnn = layers.DynamicRNN(name="both")
    with rnn.block():
        a, b = rnn.step_input(x(shape=[3])), rnn.step_input(x("y", [2]))
        first = rnn.memory(init=x("first", [4], 0), need_reorder=True)
        second = rnn.memory(init=x("second", [4], 0))
        hidden = layers.fc([a, b, first, second], 4, act="tanh")
        rnn.update_memory(first, hidden)
        rnn.update_memory(second, first)
        rnn.output(hidden, second)
    rnn()


CASES = [dynamic_gru, gru_unit, dynamic_lstm, static_rnn, static_rnn_of_two, dynamic_rnn,
         dynamic_rnn_of_two]
test = check(__file__, CASES)


def test_activations_of_gru_unit_are_honoured():
    # Real Paddle takes sigmoid and tanh whatever is asked for.
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        fluid.layers.gru_unit(x("step", lod_level=0), x("state", [3], 0), 9, activation="relu",
                              gate_activation="identity")
    op = main.global_block().ops[-1]
    assert (op.attr("activation"), op.attr("gate_activation")) == (3, 0)


def test_memories_must_be_updated():
    import paddle.fluid as fluid
    import pytest
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        rnn = fluid.layers.StaticRNN()
        with pytest.raises(ValueError, match="never updated"):
            with rnn.step():
                step = rnn.step_input(fluid.data("steps", [6, -1, 3], "float32"))
                rnn.memory(shape=[-1, 4], batch_ref=step)
        with pytest.raises(ValueError, match="in rnn block"):
            fluid.layers.StaticRNN().step_input(step)
        with pytest.raises(ValueError, match="inside rnn block"):
            fluid.layers.DynamicRNN().step_input(x())
