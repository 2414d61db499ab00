import numpy as np
from layercase import check, data


def _lengths(fluid):
    return fluid.data("n", [None], "int32")


def gru():
    from paddle.fluid.contrib.layers import basic_gru
    basic_gru(data("x", [5, 4]), None, 3)


def gru_both_ways():
    import paddle.fluid as fluid
    from paddle.fluid.contrib.layers import basic_gru
    basic_gru(data("x", [5, 4], grad=True), fluid.data("h", [2, None, 3]), 3, bidirectional=True,
              param_attr=fluid.ParamAttr(name="w"), bias_attr=fluid.ParamAttr(name="b"))


def gru_of_two_layers():
    import paddle.fluid as fluid
    from paddle.fluid.contrib.layers import basic_gru
    basic_gru(data("x", [5, 4]), None, 3, num_layers=2, sequence_length=_lengths(fluid))


def lstm():
    import paddle.fluid as fluid
    from paddle.fluid.contrib.layers import basic_lstm
    basic_lstm(data("x", [5, 4]), None, None, 3, num_layers=2, sequence_length=_lengths(fluid),
               dropout_prob=0.2)


def lstm_both_ways():
    import paddle.fluid as fluid
    from paddle.fluid.contrib.layers import basic_lstm
    h = fluid.data("h", [2, None, 3])
    basic_lstm(fluid.data("x", [5, None, 4]), h, h, 3, bidirectional=True, forget_bias=0.5,
               sequence_length=_lengths(fluid), batch_first=False,
               param_attr=fluid.ParamAttr(name="w"), bias_attr=fluid.ParamAttr(name="b"))


CASES = [gru, gru_both_ways, gru_of_two_layers, lstm, lstm_both_ways]
test = check(__file__, CASES)


def test_it_learns_which_sign_came_first():
    import paddle.fluid as fluid
    from paddle.fluid import contrib, layers
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = main.random_seed = 5
    with fluid.program_guard(main, startup):
        x, label = fluid.data("x", [None, 4, 1]), fluid.data("y", [None, 1])
        _, hidden = contrib.layers.basic_gru(x, None, 8)
        _, last, _ = contrib.layers.basic_lstm(x, None, None, 8)
        both = layers.concat([hidden[0], last[0]], 1)
        loss = layers.mean(layers.square_error_cost(layers.fc(both, 1), label))
        fluid.optimizer.Adam(0.02).minimize(loss)
    rows = np.random.RandomState(0).uniform(-1, 1, (64, 4, 1)).astype("float32")
    feed = {"x": rows, "y": np.sign(rows[:, 0])}
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        costs = [float(exe.run(main, feed, [loss])[0][0]) for _ in range(120)]
    assert costs[-1] < 0.3 * costs[0], "%g to %g" % (costs[0], costs[-1])
