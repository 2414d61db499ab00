from layercase import check, data


def softmax():
    from paddle.fluid import layers
    x = data("x", [10], grad=True)
    layers.softmax(x)
    layers.softmax(input=x, axis=0, name="s")
    layers.log_softmax(x)


def log_softmax_cast():
    from paddle.fluid import layers
    layers.log_softmax(data("x", [10], grad=True), 0, "float64", "n")


def labels():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    x, label = data("x", [10]), data("label", [1], "int64")
    depth = layers.data("depth", [1], dtype="int32", append_batch_size=False)
    layers.label_smooth(x)
    layers.label_smooth(x, layers.data("prior", [1, 10], append_batch_size=False), 0.2, "float32",
                        "smooth")
    layers.one_hot(label, 5)
    layers.one_hot(label, depth=6, allow_out_of_range=True)
    layers.one_hot(label, depth)
    fluid.one_hot(label, 5)
    fluid.one_hot(label, 6, True)
    fluid.one_hot(label, depth)


def cos_sim():
    from paddle.fluid import layers
    layers.cos_sim(data("x", [10], grad=True), data("y", [10], grad=True))


def largest():
    from paddle.fluid import layers
    x = data("x", [10], grad=True)
    layers.topk(x, 2)
    layers.topk(x, layers.data("k", [1], dtype="int32", append_batch_size=False), "by_tensor")
    layers.argmax(x)
    layers.argmax(x, 1)
    layers.argmin(x, -1)
    layers.argsort(x)
    layers.argsort(x, 0, True, "sorted")
    layers.sampling_id(x)
    layers.sampling_id(x, 0.1, 0.9, 5, "int64")
    layers.mean_iou(data("a", [5], "int32"), data("b", [5], "int32"), 4)


def embedding():
    import paddle.fluid as fluid
    ids, sequences = data("ids", [1], "int64"), data("words", [3, 1], "int64", lod_level=1)
    fluid.layers.embedding(ids, [10, 4])
    fluid.layers.embedding(input=sequences, size=[10, 4], is_sparse=True, padding_idx=3,
                           param_attr=fluid.ParamAttr(name="e"), dtype="float64")
    fluid.layers.embedding(sequences, (10, 4), True, True, -1, "ee")
    fluid.embedding(ids, [10, 4])
    fluid.embedding(ids, size=[10, 4], is_sparse=True, padding_idx=-2, param_attr="eee")


CASES = [softmax, log_softmax_cast, labels, cos_sim, largest, embedding]
# How many a tensor asks for is not known while building, and an index is int64.
test = check(__file__, CASES,
             ignore_vars=("by_tensor.tmp_0", "by_tensor.tmp_1", "sampling_id_0.tmp_0"))


def test_options_that_mean_nothing_are_refused():
    import paddle.fluid as fluid
    import pytest
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        with pytest.raises(ValueError, match="epsilon is 1.5"):
            fluid.layers.label_smooth(data("x", [3]), epsilon=1.5)
        with pytest.raises(ValueError, match="padding_idx is 10, and the table has 10 rows"):
            fluid.layers.embedding(data("ids", [1], "int64"), [10, 4], padding_idx=10)
