from layercase import check, data


def fc():
    from paddle.fluid import layers
    layers.fc(data("x", [4]), 3, act="relu")


def fc_two_inputs():
    import paddle.fluid as fluid
    fluid.layers.fc([data("x", [4]), data("y", [2, 3])], 3, bias_attr=False,
                    param_attr=[fluid.ParamAttr(name="w"), None])


def fc_flattened():
    from paddle.fluid import layers
    layers.fc(data("x", [4, 5]), 3, num_flatten_dims=2, name="top")


def mean():
    from paddle.fluid import layers
    layers.mean(x=data("x", [4]))


def square_error_cost():
    from paddle.fluid import layers
    layers.square_error_cost(input=data("x", [1]), label=data("y", [1]))


def scale():
    from paddle.fluid import layers
    layers.scale(data("x", [4]), scale=2.0, bias=1.0, bias_after_scale=False, act="tanh")


def elementwise():
    from paddle.fluid import layers
    x, y = data("x", [4]), data("y", [4])
    layers.elementwise_add(x, y, act="relu")
    layers.elementwise_sub(x, y)
    layers.elementwise_mul(x, y, axis=0)
    layers.elementwise_div(x, y)
    layers.elementwise_max(x, y)
    layers.elementwise_min(x, y)
    layers.elementwise_pow(x, y, name="power")


def reduce_sum():
    from paddle.fluid import layers
    x = data("x", [4, 5])
    layers.reduce_sum(x)
    layers.reduce_sum(x, dim=1, keep_dim=True)
    layers.reduce_sum(x, dim=[0, -1])


CASES = [fc, fc_two_inputs, fc_flattened, mean, square_error_cost, scale, elementwise, reduce_sum]
test = check(__file__, CASES)


def test_a_layer_of_a_script_gets_the_names_of_real_paddle():
    """What it makes persistable is saved and loaded by these names."""
    import paddle.fluid as fluid
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        helper = fluid.layer_helper.LayerHelper("foo")
        made = [helper.create_global_variable(dtype="float32", shape=[1], persistable=True),
                helper.create_variable(dtype="float32", shape=[1]),
                helper.create_variable_for_type_inference("float32"),
                helper.create_global_variable(name="mine", dtype="float32", shape=[1])]
        assert [var.name for var in made] == ["_generated_var_0", "_generated_var_1",
                                              "foo_0.tmp_0", "mine"]
        assert helper.kwargs == {"name": "foo_0"}
