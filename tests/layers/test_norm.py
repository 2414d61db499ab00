from layercase import check, data


def images(*shape):
    shape = list(shape) or [3, 4, 4]
    return data("x" + "_".join(str(n) for n in shape), shape, grad=True)


def batch_norm():
    from paddle.fluid import layers
    layers.batch_norm(images())
    layers.batch_norm(images(7), act="relu")


def float64():
    import paddle.fluid as fluid
    x = data("x", [3, 4, 4], dtype="float64", grad=True)
    fluid.layers.batch_norm(x)
    fluid.layers.instance_norm(x)
    fluid.layers.layer_norm(x)


def batch_norm_options():
    import paddle.fluid as fluid
    x = images()
    fluid.layers.batch_norm(x, is_test=True, momentum=0.5, epsilon=1e-4, name="bn",
                            param_attr=fluid.ParamAttr(name="scale"), bias_attr="shift",
                            moving_mean_name="mean", moving_variance_name="variance",
                            do_model_average_for_mean_and_var=False)
    fluid.layers.batch_norm(images(4, 4, 3), data_layout="NHWC", use_global_stats=True)
    fluid.layers.batch_norm(fluid.layers.relu(x), in_place=True, act="tanh")


def layer_norm():
    import paddle.fluid as fluid
    layers = fluid.layers
    layers.layer_norm(images())
    layers.layer_norm(images(), scale=False, begin_norm_axis=2, act="relu")
    layers.layer_norm(images(), shift=False, epsilon=1e-4, name="ln")
    layers.layer_norm(images(), scale=False, shift=False)
    layers.layer_norm(images(), begin_norm_axis=3, param_attr=fluid.ParamAttr(name="s"),
                      bias_attr=fluid.ParamAttr(name="b"))


def group_norm():
    from paddle.fluid import layers
    layers.group_norm(images(6, 4, 4), 2)
    layers.group_norm(images(6, 4, 4), 3, epsilon=1e-4, act="relu", param_attr=False, name="gn")
    layers.group_norm(images(6, 4, 4), 3, bias_attr=False)
    layers.group_norm(images(4, 4, 6), 2, data_layout="NHWC")


def group_norm_parameters():
    import paddle.fluid as fluid
    fluid.layers.group_norm(images(6, 4, 4), 2, param_attr=fluid.ParamAttr(name="s"),
                            bias_attr=True)
    fluid.layers.group_norm(images(6, 4, 4), 2, param_attr="t", bias_attr="u")


def instance_norm():
    import paddle.fluid as fluid
    fluid.layers.instance_norm(images())
    fluid.layers.instance_norm(images(), epsilon=1e-4, param_attr="s", bias_attr="b", name="in")


def lrn():
    from paddle.fluid import layers
    layers.lrn(images())
    layers.lrn(images(4, 4, 3), n=3, k=2.0, alpha=0.1, beta=0.5, data_format="NHWC", name="r")


def data_norm():
    import paddle.fluid as fluid
    fluid.layers.data_norm(images(5))
    fluid.layers.data_norm(images(6), name="mine", act="relu", slot_dim=3, epsilon=1e-4,
                           summary_decay_rate=0.9)


def data_norm_options():
    import paddle.fluid as fluid
    fluid.layers.data_norm(images(6), enable_scale_and_shift=True, param_attr={
        "batch_size": 10.0, "batch_sum": 1.0, "batch_square": 20.0, "scale_w": 2.0, "bias": 0.5})
    fluid.layers.data_norm(fluid.layers.relu(images(6)), in_place=True, name="over")


def spectral_norm():
    from paddle.fluid import layers
    w = layers.create_parameter([4, 3, 2], "float32", name="w")
    layers.spectral_norm(w)
    layers.spectral_norm(w, dim=1, power_iters=2, eps=1e-6, name="sn")


def dropout():
    from paddle.fluid import layers
    x = images()
    layers.dropout(x, 0.3)
    layers.dropout(x, dropout_prob=0.5, is_test=True, seed=7, name="d",
                   dropout_implementation="upscale_in_train")
    layers.dropout(x, 0.5, seed=0)


def dropout_program_seed():
    import paddle.fluid as fluid
    fluid.default_main_program().random_seed = 5
    fluid.layers.dropout(images(), 0.3)
    fluid.layers.dropout(images(), 0.3, seed=0)
    fluid.layers.dropout(images(), 0.3, seed=9)


def affine_channel():
    import paddle.fluid as fluid
    scale = fluid.layers.create_parameter([3], "float32", name="scale")
    bias = fluid.layers.create_parameter([3], "float32", name="bias")
    fluid.layers.affine_channel(images(), scale, bias)
    fluid.layers.affine_channel(images(4, 4, 3), scale=scale, bias=bias, data_layout="NHWC",
                                act="relu", name="a")


def inplace_abn():
    import paddle.fluid as fluid
    fluid.layers.inplace_abn(images())
    fluid.layers.inplace_abn(fluid.layers.relu(images()), act="leaky_relu", act_alpha=0.5)
    fluid.layers.inplace_abn(images(4, 4, 3), act="elu", is_test=True, momentum=0.5, epsilon=1e-4,
                             data_layout="NHWC", name="abn", moving_mean_name="mean",
                             moving_variance_name="variance", use_global_stats=True)


CASES = [batch_norm, float64, batch_norm_options, layer_norm, group_norm, group_norm_parameters,
         instance_norm, lrn, data_norm, data_norm_options, spectral_norm, dropout,
         dropout_program_seed, affine_channel, inplace_abn]
# Real Paddle leaves the mask of a test without a shape.
test = check(__file__, CASES, ignore_vars=("d.tmp_1",))


def built(function):
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        function(fluid.layers)
    return main.global_block().ops


def test_a_momentum_tensor_is_read():
    # Real Paddle misspells the slot, and so takes 0.9 whatever the tensor holds.
    ops = built(lambda layers: layers.batch_norm(images(), momentum=data("m", [1])))
    assert ops[-1].input("MomentumTensor") == ["m"]


def test_inplace_abn_gives_the_gradients_of_batch_norm_and_an_activation():
    import numpy as np
    import paddle.fluid as fluid

    def run(layer):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            x = data("x", [3, 2, 2], grad=True)
            y = layer(fluid.layers.scale(x, 2.0))
            fluid.backward.append_backward(fluid.layers.reduce_sum(fluid.layers.square(y)))
        exe = fluid.Executor(fluid.CPUPlace())
        with fluid.scope_guard(fluid.Scope()):
            exe.run(startup)
            params = main.global_block().all_parameters()
            return exe.run(main, feed={"x": np.random.RandomState(3).rand(4, 3, 2, 2).astype("f4")},
                           fetch_list=[y, "x@GRAD", params[0].name + "@GRAD",
                                       params[1].name + "@GRAD", params[2], params[3]])

    for act in ("leaky_relu", "elu", None):
        def plain(x):
            y = fluid.layers.batch_norm(x)
            return y if act is None else getattr(fluid.layers, act)(y, alpha=0.3)
        fused = run(lambda x: fluid.layers.inplace_abn(x, act=act, act_alpha=0.3))
        for got, wanted in zip(fused, run(plain)):
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


def test_refusals():
    import pytest
    for error, function in (
            (AssertionError, lambda layers: layers.batch_norm(images(), bias_attr=False)),
            (ValueError, lambda layers: layers.batch_norm(images(), data_layout="CHWN")),
            (AssertionError, lambda layers: layers.inplace_abn(images(), act="relu")),
            (AssertionError, lambda layers: layers.instance_norm(images(), bias_attr=False)),
            (AssertionError, lambda layers: layers.layer_norm(images(), param_attr=False)),
            (ValueError, lambda layers: layers.lrn(images(5))),
            (NotImplementedError, lambda layers: layers.data_norm(images(5), sync_stats=True)),
            (TypeError, lambda layers: layers.data_norm(images(5), param_attr="w")),
            (TypeError, lambda layers: layers.affine_channel(images()))):
        with pytest.raises(error):
            built(function)


def test_an_array_for_a_variable_is_named():
    import numpy as np
    import paddle.fluid as fluid
    import pytest
    array = np.zeros((2, 3, 4, 4), "float32")
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        for call in (lambda x: fluid.layers.inplace_abn(x),
                     lambda x: fluid.layers.similarity_focus(x, 1, [0])):
            with pytest.raises(TypeError, match="input"):
                call(array)
            with pytest.raises(TypeError, match="input"):
                call(data("ids", [3, 4, 4], dtype="int64"))
