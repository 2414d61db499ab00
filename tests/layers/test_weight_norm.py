from layercase import check, data


def over_all():
    import paddle.fluid as fluid
    fluid.layers.fc(data("x", [6]), 3, param_attr=fluid.WeightNormParamAttr())


def first_dimension():
    import paddle.fluid as fluid
    fluid.layers.fc(data("x", [6]), 3, param_attr=fluid.WeightNormParamAttr(dim=0, name="w"))


def last_dimension():
    import paddle.fluid as fluid
    fluid.layers.fc(data("x", [6]), 3, bias_attr=False, param_attr=fluid.WeightNormParamAttr(
        dim=1, name="w", initializer=fluid.initializer.Constant(2.0), learning_rate=0.5))


def middle_dimension():
    import paddle.fluid as fluid
    fluid.layers.conv2d(data("x", [3, 4, 4]), 5, 3,
                        param_attr=fluid.WeightNormParamAttr(dim=1, name="w"))


def filters():
    import paddle.fluid as fluid
    fluid.layers.conv2d(data("x", [3, 4, 4]), 5, 3,
                        param_attr=fluid.WeightNormParamAttr(dim=0, trainable=False))


CASES = [over_all, first_dimension, last_dimension, middle_dimension, filters]
test = check(__file__, CASES)


def test_the_length_of_each_column_is_g():
    import numpy as np
    import paddle.fluid as fluid
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.core.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 4])
        y = fluid.layers.fc(x, 3, bias_attr=False,
                            param_attr=fluid.WeightNormParamAttr(dim=1, name="w"))
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(y))
    assert len(fluid.WeightNormParamAttr.params_with_weight_norm) > 0
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(scope):
        exe.run(startup)
        v = np.array(scope.find_var("w_v").get_tensor())
        g = np.array(scope.find_var("w_g").get_tensor())
        np.testing.assert_allclose(g, np.sqrt((v * v).sum(0, keepdims=True)), rtol=1e-5)
        got, = exe.run(main, feed={"x": np.eye(4, dtype="float32")}, fetch_list=[y])
        np.testing.assert_allclose(got, v, rtol=1e-4)  # w = g v / |v| is v at first
        moved = np.array(scope.find_var("w_g").get_tensor())
        assert np.abs(moved - g).max() > 0
