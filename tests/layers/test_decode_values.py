"""What cells and decoders compute, on parameters that are set here, under real Paddle and here:

    v/bin/python tests/layers/test_decode_values.py     records golden/decode_values.json
"""
import json
import os

import numpy as np

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden", "decode_values.json")
LENGTHS = np.array([5, 2, 0, 3], "int64")


def embedded(ids):
    import paddle.fluid as fluid
    return fluid.embedding(ids, [7, 4], param_attr=fluid.ParamAttr(name="emb"))


def scored(x):
    import paddle.fluid as fluid
    return fluid.layers.fc(x, 7, num_flatten_dims=len(x.shape) - 1, bias_attr=False,
                           param_attr=fluid.ParamAttr(name="scores"))


def steps():
    import paddle.fluid as fluid
    return fluid.data("x", [-1, 5, 4], "float32"), fluid.data("n", [-1], "int64")


def rnn_gru():
    from paddle.fluid import layers
    x, n = steps()
    out, last = layers.rnn(layers.GRUCell(3), x, sequence_length=n)
    return [out, last], layers.reduce_sum(out) + layers.reduce_sum(last)


def rnn_lstm():
    from paddle.fluid import layers
    x, n = steps()
    out, (h, c) = layers.rnn(layers.LSTMCell(3), x, sequence_length=n, is_reverse=True)
    return [out, h, c], layers.reduce_sum(out) + layers.reduce_sum(h)


def training():
    from paddle.fluid import layers
    x, n = steps()
    cell = layers.LSTMCell(3)
    decoder = layers.BasicDecoder(cell, layers.TrainingHelper(x, n), output_fn=scored)
    out, _, lengths = layers.dynamic_decode(decoder, inits=cell.get_initial_states(x),
                                            return_length=True, impute_finished=True)
    return [out.cell_outputs, out.sample_ids, lengths], layers.reduce_sum(out.cell_outputs)


def greedy():
    from paddle.fluid import layers
    x, _ = steps()
    cell = layers.GRUCell(3)
    start = layers.fill_constant_batch_size_like(x, [-1], "int64", 0)
    decoder = layers.BasicDecoder(cell, layers.GreedyEmbeddingHelper(embedded, start, 1),
                                  output_fn=scored)
    out, _, lengths = layers.dynamic_decode(decoder, inits=layers.fc(x[:, 0], 3), max_step_num=6,
                                            is_test=True, return_length=True)
    return [out.cell_outputs, out.sample_ids, lengths], None


def beams(is_test=False, **kwargs):
    from paddle.fluid import layers
    x, _ = steps()
    cell = layers.LSTMCell(3)
    states = [layers.fc(x[:, 0], 3), layers.fc(x[:, 1], 3)]
    decoder = layers.BeamSearchDecoder(cell, 0, 1, 3, embedding_fn=embedded, output_fn=scored)
    ids, last, lengths = layers.dynamic_decode(decoder, inits=states, max_step_num=6,
                                               is_test=is_test, return_length=True, **kwargs)
    return [ids, last.log_probs, last.lengths, lengths], None


def beams_in_a_test():
    return beams(is_test=True, output_time_major=True)


CASES = [rnn_gru, rnn_lstm, training, greedy, beams, beams_in_a_test]


def values(build):
    """What the case gives, and the gradients of its parameters."""
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        fetched, loss = build()
        if loss is not None:
            fetched = fetched + [g for _, g in sorted(fluid.backward.append_backward(loss),
                                                      key=lambda pair: pair[0].name)]
    rng = np.random.RandomState(3)
    feed = {"x": rng.uniform(-1, 1, [4, 5, 4]).astype("float32"), "n": LENGTHS}
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for p in sorted(main.all_parameters(), key=lambda p: p.name):
            fluid.global_scope().find_var(p.name).get_tensor().set(
                rng.uniform(-2, 2, p.shape).astype("float32"), fluid.CPUPlace())
        got = exe.run(main, feed={k: v for k, v in feed.items() if main.global_block().has_var(k)},
                      fetch_list=fetched)
    return [np.array(v) for v in got]


def test_values():
    with open(GOLDEN) as f:
        golden = json.load(f)
    for build in CASES:
        got = values(build)
        assert len(got) == len(golden[build.__name__])
        for mine, (shape, wanted) in zip(got, golden[build.__name__]):
            assert list(mine.shape) == shape, build.__name__
            np.testing.assert_allclose(mine.ravel(), wanted, rtol=2e-4, atol=2e-5,
                                       err_msg=build.__name__)


if __name__ == "__main__":
    with open(GOLDEN, "w") as f:
        json.dump({b.__name__: [[list(v.shape), [float("%.7g" % x) for x in v.ravel()]]
                                for v in values(b)] for b in CASES}, f)
        f.write("\n")
