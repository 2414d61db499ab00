from layercase import check, data


def glu():
    import paddle.fluid as fluid
    fluid.nets.glu(data("x", [6], grad=True))
    fluid.nets.glu(data("y", [4, 6], grad=True), dim=1)


def attention():
    import paddle.fluid as fluid
    q, k, v = data("q", [5, 8]), data("k", [6, 8]), data("v", [6, 8])
    fluid.nets.scaled_dot_product_attention(q, k, v)


def attention_in_heads():
    import paddle.fluid as fluid
    q, k, v = data("q", [5, 8]), data("k", [6, 8]), data("v", [6, 8])
    fluid.nets.scaled_dot_product_attention(q, k, v, num_heads=2, dropout_rate=0.1)


def conv_pool():
    import paddle.fluid as fluid
    fluid.nets.simple_img_conv_pool(data("x", [1, 28, 28]), 20, 5, 2, 2, act="relu")


def conv_group():
    import paddle.fluid as fluid
    fluid.nets.img_conv_group(data("x", [3, 28, 28]), [4, 4], 2, conv_act="relu",
                              conv_with_batchnorm=True, conv_batchnorm_drop_rate=[0.3, 0],
                              pool_stride=2)


def conv_group_of_equals():
    import paddle.fluid as fluid
    fluid.nets.img_conv_group(data("x", [3, 28, 28]), [4, 5], 2, conv_act="relu",
                              conv_padding=[1, 2], conv_filter_size=[3, 5], pool_type="avg")


def lstm_unit():
    from paddle.fluid import layers
    layers.lstm_unit(data("x", [5]), data("h", [3]), data("c", [3]), forget_bias=1.0)
    layers.lstm_unit(data("x", [5]), data("h", [3]), data("c", [3]), bias_attr=False)


CASES = [glu, attention, attention_in_heads, conv_pool, conv_group, conv_group_of_equals,
         lstm_unit]
test = check(__file__, CASES)


def test_shapes_that_do_not_fit_are_refused():
    import paddle.fluid as fluid
    import pytest
    attend = fluid.nets.scaled_dot_product_attention
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        q, k, v = data("q", [5, 8]), data("k", [6, 8]), data("v", [7, 8])
        with pytest.raises(ValueError, match="6 keys, and 7 values"):
            attend(q, k, v)
        with pytest.raises(ValueError, match="does not part into 3 heads"):
            attend(q, k, data("w", [6, 8]), num_heads=3)
        with pytest.raises(ValueError, match="have the width 8, and keys 4"):
            attend(q, data("l", [6, 4]), v)
        with pytest.raises(ValueError, match="2 values for 3 convolutions"):
            fluid.nets.img_conv_group(data("x", [3, 28, 28]), [4, 4, 4], 2, conv_padding=[1, 2])
