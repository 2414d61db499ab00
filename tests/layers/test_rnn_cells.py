"""fluid.layers.rnn, cells and decoders: the programs that they build."""
from layercase import check


def data(name, shape, dtype="float32"):
    import paddle.fluid as fluid
    return fluid.data(name, shape, dtype)


def embedded(ids):
    import paddle.fluid as fluid
    return fluid.embedding(ids, [7, 4], param_attr=fluid.ParamAttr(name="emb"))


def scored(x):
    import paddle.fluid as fluid
    return fluid.layers.fc(x, 7, num_flatten_dims=len(x.shape) - 1, bias_attr=False,
                           param_attr=fluid.ParamAttr(name="scores"))


def rnn_of_gru():
    from paddle.fluid import layers
    layers.rnn(layers.GRUCell(3), data("x", [-1, 5, 4]))


def rnn_of_lstm_from_the_end():
    from paddle.fluid import layers
    layers.rnn(layers.LSTMCell(3), data("x", [-1, 5, 4]), is_reverse=True,
               sequence_length=data("n", [-1], "int32"))


def rnn_time_first():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    cell = layers.GRUCell(3, param_attr=fluid.ParamAttr(name="P"),
                          bias_attr=fluid.ParamAttr(name="B"), activation=layers.relu)
    layers.rnn(cell, data("x", [5, -1, 4]), initial_states=data("h", [-1, 3]), time_major=True,
               sequence_length=data("n", [-1], "int64"))


def rnn_of_two_cells():
    from paddle.fluid import layers

    class Both(layers.RNNCell):
        def __init__(self):
            self.cells = [layers.LSTMCell(3, forget_bias=0.5), layers.GRUCell(2)]

        def call(self, inputs, states):
            x, first = self.cells[0](inputs, states[0])
            x, second = self.cells[1](x, states[1])
            return x, [first, second]

        @property
        def state_shape(self):
            return [cell.state_shape for cell in self.cells]
    layers.rnn(Both(), data("x", [-1, 5, 4]))


def decode_training():
    from paddle.fluid import layers
    x, cell = data("x", [-1, 5, 4]), layers.GRUCell(3)
    helper = layers.TrainingHelper(x, data("n", [-1], "int64"))
    layers.dynamic_decode(layers.BasicDecoder(cell, helper, output_fn=scored),
                          inits=cell.get_initial_states(x))


def decode_greedy():
    from paddle.fluid import layers
    x, cell = data("x", [-1, 3]), layers.GRUCell(3)
    start = layers.fill_constant_batch_size_like(x, [-1], "int64", 0)
    helper = layers.GreedyEmbeddingHelper(embedded, start, 1)
    layers.dynamic_decode(layers.BasicDecoder(cell, helper, output_fn=scored),
                          inits=cell.get_initial_states(x), max_step_num=10, is_test=True,
                          return_length=True, output_time_major=True)


def decode_sampling():
    from paddle.fluid import layers
    x, cell = data("x", [-1, 3]), layers.LSTMCell(3)
    start = layers.fill_constant_batch_size_like(x, [-1], "int64", 0)
    helper = layers.SampleEmbeddingHelper(embedded, start, 1, softmax_temperature=0.5, seed=3)
    layers.dynamic_decode(layers.BasicDecoder(cell, helper, output_fn=scored),
                          inits=cell.get_initial_states(x), max_step_num=10, impute_finished=True)


def decode_beams():
    from paddle.fluid import layers
    x, cell = data("x", [-1, 3]), layers.LSTMCell(3)
    decoder = layers.BeamSearchDecoder(cell, 0, 1, 4, embedding_fn=embedded, output_fn=scored)
    layers.dynamic_decode(decoder, inits=cell.get_initial_states(x), max_step_num=10)


def tile_beams():
    from paddle.fluid import layers
    layers.BeamSearchDecoder.tile_beam_merge_with_batch(data("x", [-1, 3, 2]), 4)


def lstmp():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    x = fluid.data("x", [-1, 12], "float32", lod_level=1)
    layers.dynamic_lstmp(x, 12, 2)
    layers.dynamic_lstmp(x, 12, 2, use_peepholes=False, is_reverse=True, cell_clip=2.0,
                         proj_clip=1.0, proj_activation="identity")


def lstm_of_two_layers():
    from paddle.fluid import layers
    x, h, c = data("x", [5, 4, 6]), data("h", [2, 4, 3]), data("c", [2, 4, 3])
    layers.lstm(x, h, c, 5, 3, 2, dropout_prob=0.2, seed=3)


def tree():
    from paddle.fluid import layers
    layers.gather_tree(data("ids", [5, 2, 2], "int64"), data("parents", [5, 2, 2], "int64"))


CASES = [rnn_of_gru, rnn_of_lstm_from_the_end, rnn_time_first, rnn_of_two_cells, decode_training,
         decode_greedy, decode_sampling, decode_beams, tile_beams, lstmp,
         lstm_of_two_layers, tree]
# Real Paddle knows no shape of the second output of tensor_array_to_tensor.
test = check(__file__, CASES,
             ignore_vars=["tensor_array_to_tensor_%d.tmp_1" % i for i in range(3)])
