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
