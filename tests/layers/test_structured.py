import numpy as np
from layercase import check, data


def _tags(**kw):
    return data("label", [1], "int64", lod_level=1, **kw)


def crf():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    x, label = data("x", [4], lod_level=1, grad=True), _tags()
    layers.linear_chain_crf(x, label, param_attr=fluid.ParamAttr(name="w"))
    layers.crf_decoding(x, fluid.ParamAttr(name="w"))
    layers.crf_decoding(input=x, param_attr=fluid.ParamAttr(name="w"), label=label)


def crf_of_rows():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    x, label, n = data("x", [5, 4]), data("label", [5], "int64"), data("n", [1], "int64")
    layers.linear_chain_crf(x, label, fluid.ParamAttr(name="w"), n)
    layers.crf_decoding(x, fluid.ParamAttr(name="w"), length=n)


def chunks():
    from paddle.fluid import layers
    x = data("x", [1], "int64", lod_level=1)
    layers.chunk_eval(x, _tags(), "IOB", 2)
    layers.chunk_eval(input=x, label=_tags(), chunk_scheme="plain", num_chunk_types=3,
                      excluded_chunk_types=[1, 2])


def chunks_of_rows():
    from paddle.fluid import layers
    layers.chunk_eval(data("x", [5], "int64"), data("label", [5], "int64"), "IOBES", 2,
                      seq_length=data("n", [1], "int64"))


def ctc_greedy_decoder():
    from paddle.fluid import layers
    layers.ctc_greedy_decoder(data("x", [4], lod_level=1), 0)


def ctc_greedy_decoder_of_rows():
    from paddle.fluid import layers
    layers.ctc_greedy_decoder(input=data("x", [5, 4]), blank=3, padding_value=-1,
                              input_length=data("n", [1], "int64"))


def beams():
    from paddle.fluid import layers
    ids, scores = data("ids", [1], "int64", lod_level=2), data("scores", [1], lod_level=2)
    more = data("more", [3], lod_level=2)
    layers.beam_search(ids, scores, data("words", [3], "int64", lod_level=2), more, 2, 0)
    layers.beam_search(pre_ids=ids, pre_scores=scores, ids=None, scores=more, beam_size=2, end_id=0,
                       level=1, is_accumulated=False, name="n", return_parent_idx=True)
    at = layers.fill_constant([1], "int64", 0)
    layers.beam_search_decode(layers.array_write(ids, at), layers.array_write(scores, at), 2, 0)


CASES = [crf, crf_of_rows, chunks, chunks_of_rows, ctc_greedy_decoder, ctc_greedy_decoder_of_rows,
         beams]
test = check(__file__, CASES)


def test_a_field_is_trained_and_decodes_what_it_has_learnt():
    """Scores say nothing: that 1 follows 0 and 2 follows 1 is in the transitions alone."""
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x, label = data("x", [3], lod_level=1), _tags()
        cost = fluid.layers.mean(fluid.layers.linear_chain_crf(x, label, fluid.ParamAttr("w")))
        found = fluid.layers.crf_decoding(x, fluid.ParamAttr("w"))
        fluid.optimizer.SGD(0.5).minimize(cost)
    lengths = [[3, 1, 6]]
    tags = np.concatenate([np.arange(n) % 3 for n in lengths[0]]).reshape(-1, 1)
    feed = {"x": fluid.create_lod_tensor(np.zeros((10, 3), "float32"), lengths, fluid.CPUPlace()),
            "label": fluid.create_lod_tensor(tags, lengths, fluid.CPUPlace())}
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        costs = [float(exe.run(main, feed, [cost])[0][0]) for _ in range(60)]
        path = np.array(exe.run(main, feed, [found], return_numpy=False)[0])
    assert costs[-1] < 0.3 * costs[0]
    np.testing.assert_array_equal(path, tags)
