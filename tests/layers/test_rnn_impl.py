"""fluid.contrib.layers.basic_gru and basic_lstm: the programs that they build."""
from layercase import check


def data(name, shape, dtype="float32"):
    import paddle.fluid as fluid
    return fluid.data(name, shape, dtype)


def gru():
    from paddle.fluid.contrib.layers import basic_gru
    basic_gru(data("x", [-1, 5, 4]), None, 3)


def gru_of_two_layers_both_ways():
    from paddle.fluid.contrib.layers import basic_gru
    basic_gru(data("x", [5, -1, 4]), data("h", [4, -1, 3]), 3, num_layers=2, dropout_prob=0.3,
              sequence_length=data("n", [-1], "int32"), bidirectional=True, batch_first=False)


def lstm_of_two_layers():
    import paddle.fluid as fluid
    from paddle.fluid.contrib.layers import basic_lstm
    basic_lstm(data("x", [-1, 5, 4]), None, None, 3, num_layers=2,
               sequence_length=data("n", [-1], "int32"), param_attr=fluid.ParamAttr(name="W"),
               bias_attr=fluid.ParamAttr(name="B"))


def lstm_both_ways():
    from paddle.fluid.contrib.layers import basic_lstm
    basic_lstm(data("x", [-1, 5, 4]), data("h", [2, -1, 3]), data("c", [2, -1, 3]), 3,
               bidirectional=True, forget_bias=0.5)


def gru_named():
    import paddle.fluid as fluid
    from paddle.fluid.contrib.layers import basic_gru
    basic_gru(data("x", [-1, 5, 4]), None, 3, num_layers=2, bidirectional=True,
              param_attr=fluid.ParamAttr(name="W"), bias_attr=fluid.ParamAttr(name="B"))


CASES = [gru, gru_of_two_layers_both_ways, lstm_of_two_layers, lstm_both_ways, gru_named]
test = check(__file__, CASES)
