from layercase import check, data


def x(name="x", shape=(4,), lod_level=1, dtype="float32"):
    return data(name, list(shape), dtype, lod_level, grad=True)


def sequence_conv():
    from paddle.fluid import layers
    layers.sequence_conv(x(), 3, filter_size=3, act="tanh")


def sequence_conv_from_its_row():
    from paddle.fluid import layers
    layers.sequence_conv(x(), 3, filter_size=4, padding_start=0, bias_attr=False, padding=False,
                         name="windows")


def sequence_softmax():
    from paddle.fluid import layers
    layers.sequence_softmax(x(shape=[1]))


def sequence_pool():
    from paddle.fluid import layers
    layers.sequence_pool(x("two", lod_level=2), "max")
    layers.sequence_pool(x(), "sum", pad_value=1.0, is_test=True)
    layers.sequence_pool(x(), "sqrt")
    layers.sequence_first_step(x())
    layers.sequence_last_step(x())


def sequence_concat():
    from paddle.fluid import layers
    layers.sequence_concat([x(), x("y")], name="both")


def sequence_slice():
    from paddle.fluid import layers
    layers.sequence_slice(x(), x("offset", [1], 0, "int64"), x("length", [1], 0, "int64"))


def sequence_expand():
    from paddle.fluid import layers
    layers.sequence_expand(x(), x("y"), ref_level=0)
    layers.sequence_expand(x("rows", lod_level=0), x("two", lod_level=2))
    layers.sequence_expand(x(), x("two", lod_level=2), ref_level=0)


def sequence_expand_as():
    from paddle.fluid import layers
    layers.sequence_expand_as(x("rows", lod_level=0), x("y"))


def sequence_pad():
    from paddle.fluid import layers
    zero = layers.fill_constant([1], "float32", 0.0)
    layers.sequence_pad(x(shape=[4, 5]), zero)
    layers.sequence_pad(x(shape=[4, 5]), zero, maxlen=7)


def sequence_unpad():
    from paddle.fluid import layers
    length = x("length", [], 0, "int64")
    layers.sequence_unpad(x("rows", [4, 5], 0), length)
    layers.sequence_unpad(x("numbers", [4], 0), length)


def sequence_reshape():
    from paddle.fluid import layers
    layers.sequence_reshape(x(), 8)


def sequence_scatter():
    from paddle.fluid import layers
    layers.sequence_scatter(x("rows", lod_level=0), x("ids", [1], 1, "int64"), x("updates", [1]))


def sequence_enumerate():
    from paddle.fluid import layers
    layers.sequence_enumerate(x("ids", [1], 1, "int64"), 2, 7)


def sequence_mask():
    from paddle.fluid import layers
    layers.sequence_mask(x("lengths", [], 0, "int64"))
    layers.sequence_mask(x("more", [3], 0, "int64"), maxlen=5, dtype="float32")
    layers.sequence_mask(x("more", [3], 0, "int64"), maxlen=layers.fill_constant([1], "int32", 3))


def sequence_reverse():
    from paddle.fluid import layers
    layers.sequence_reverse(x())


def lod_reset():
    from paddle.fluid import layers
    rows = x("rows", lod_level=0)
    layers.lod_reset(x(), x("y"))
    layers.lod_reset(x(), target_lod=[0, 2])
    layers.lod_reset(rows, x("offsets", [], 0, "int32"))
    layers.lod_reset(rows, x("two", [], 2))


def lod_append():
    from paddle.fluid import layers
    layers.lod_append(x(), [0, 2])
    layers.lod_append(x(), x("two", [], 2))
    layers.lod_append(x("rows", lod_level=0), (0, 2))


def im2sequence():
    from paddle.fluid import layers
    images = x("images", [3, 8, 8], 0)
    layers.im2sequence(images, filter_size=2, stride=[1, 2], padding=1)
    layers.im2sequence(images, filter_size=[2, 3], padding=[1, 2])
    layers.im2sequence(images, filter_size=2, padding=[0, 1, 2, 3],
                       input_image_size=x("sizes", [2], 0), out_stride=2)


def row_conv():
    from paddle.fluid import layers
    layers.row_conv(x(), 2, act="relu")


def add_position_encoding():
    from paddle.fluid import layers
    layers.add_position_encoding(x(), 1.0, 0.5)
    layers.add_position_encoding(x("dense", [3, 4], 0), 1.0, 0.5)


def continuous_value_model():
    from paddle.fluid import layers
    counters = x("counters", [2], 0)
    layers.continuous_value_model(x(shape=[11]), counters)
    layers.continuous_value_model(x(shape=[11]), counters, False)


def sequence_conv_pool():
    import paddle.fluid as fluid
    fluid.nets.sequence_conv_pool(x(), 6, 3, act="tanh", pool_type="sum")


def backward():
    """The gradient ops, with their slots."""
    import paddle.fluid as fluid
    from paddle.fluid import layers
    hidden = layers.sequence_conv(x(), 4, act="tanh")
    both = layers.sequence_concat([hidden, layers.sequence_reverse(hidden)])
    padded, length = layers.sequence_pad(both, layers.fill_constant([1], "float32", 0.0))
    again = layers.sequence_unpad(padded, length)
    rows = layers.sequence_pool(again, "sum")
    fluid.backward.append_backward(layers.mean(layers.sequence_expand_as(rows, hidden)))


CASES = [sequence_conv, sequence_conv_from_its_row, sequence_softmax, sequence_pool,
         sequence_concat, sequence_slice, sequence_expand, sequence_expand_as, sequence_pad,
         sequence_unpad, sequence_reshape, sequence_scatter, sequence_enumerate, sequence_mask,
         sequence_reverse, lod_reset, lod_append, im2sequence, row_conv, add_position_encoding,
         continuous_value_model, sequence_conv_pool, backward]
test = check(__file__, CASES)


def test_hash():
    # Real Paddle 1.8.5 checks its own arguments wrongly, and always fails.
    import paddle.fluid as fluid
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        out = fluid.layers.hash(x("ids", [2], 1, "int64"), 1000, num_hash=4)
    assert out.shape == (-1, 4, 1)
    assert out.lod_level == 1


def test_a_lod_must_come_from_somewhere():
    import paddle.fluid as fluid
    import pytest
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        with pytest.raises(ValueError, match="y and target_lod"):
            fluid.layers.lod_reset(x())
