"""What append_backward and optimizers add to a program."""
from layercase import check, data


def _model():
    from paddle.fluid import layers
    hidden = layers.fc(data("x", [13]), 4, act="relu")
    out = layers.elementwise_add(layers.fc(hidden, 1),
                                 layers.reduce_sum(hidden, dim=1, keep_dim=True), axis=0)
    return layers.mean(layers.square_error_cost(out, data("y", [1])))


def backward():
    import paddle.fluid as fluid
    fluid.backward.append_backward(_model())


def sgd():
    import paddle.fluid as fluid
    fluid.optimizer.SGD(0.1).minimize(_model())


def sgd_with_l2():
    import paddle.fluid as fluid
    fluid.optimizer.SGD(0.1, regularization=fluid.regularizer.L2Decay(0.1)).minimize(_model())


def parameter_list_and_no_grad_set():
    import paddle.fluid as fluid
    fluid.optimizer.SGD(0.1).minimize(_model(), parameter_list=["fc_0.w_0", "fc_1.b_0"])


CASES = [backward, sgd, sgd_with_l2, parameter_list_and_no_grad_set]
test = check(__file__, CASES)
