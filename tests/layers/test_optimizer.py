"""What optimizers, clips, regularizers and averages add to a program."""
from layercase import check, data


def _loss(attr=None, bias_attr=None):
    from paddle.fluid import layers
    out = layers.fc(data("x", [4]), 1, param_attr=attr, bias_attr=bias_attr)
    return layers.mean(layers.square_error_cost(out, data("y", [1])))


def _sparse_loss():
    """A table of which a batch names some rows."""
    import paddle.fluid as fluid
    from paddle.fluid import layers
    block = fluid.default_main_program().global_block()
    helper = fluid.layer_helper.LayerHelper("table")
    table = helper.create_parameter(attr=fluid.ParamAttr(name="table"), shape=[10, 3],
                                    dtype="float32")
    rows = block.create_var(name="rows", dtype="float32")
    block.append_op(type="lookup_table", inputs={"W": [table], "Ids": [data("id", [1], "int64")]},
                    outputs={"Out": [rows]},
                    attrs={"is_sparse": True, "padding_idx": -1})
    return layers.mean(layers.square_error_cost(layers.fc(rows, 1), data("y", [1])))


def _case(name, make, loss=_loss):
    def function():
        import paddle.fluid as fluid
        make(fluid).minimize(loss())
    function.__name__ = name
    return function


CASES = [
    _case("momentum", lambda f: f.optimizer.Momentum(0.1, 0.9)),
    _case("nesterov", lambda f: f.optimizer.MomentumOptimizer(0.1, 0.8, use_nesterov=True)),
    _case("lars", lambda f: f.optimizer.LarsMomentum(0.1, 0.9)),
    _case("lars_set", lambda f: f.optimizer.LarsMomentumOptimizer(
        0.1, 0.9, lars_coeff=0.2, lars_weight_decay=0.3)),
    _case("adagrad", lambda f: f.optimizer.Adagrad(0.1)),
    _case("adagrad_set", lambda f: f.optimizer.AdagradOptimizer(
        0.1, epsilon=0.1, initial_accumulator_value=0.5)),
    _case("adam", lambda f: f.optimizer.Adam()),
    _case("adam_set", lambda f: f.optimizer.AdamOptimizer(
        0.1, beta1=0.8, beta2=0.7, epsilon=0.1, lazy_mode=True)),
    _case("adam_named", lambda f: f.optimizer.Adam(0.1, name="mine")),
    _case("adam_sparse", lambda f: f.optimizer.Adam(0.1), _sparse_loss),
    _case("adamax", lambda f: f.optimizer.Adamax()),
    _case("adamax_set", lambda f: f.optimizer.AdamaxOptimizer(0.1, 0.8, 0.7, 0.1)),
    _case("dpsgd", lambda f: f.optimizer.Dpsgd()),
    _case("dpsgd_set", lambda f: f.optimizer.DpsgdOptimizer(0.1, 3.0, 8.0, 0.5)),
    _case("decayed_adagrad", lambda f: f.optimizer.DecayedAdagrad(0.1)),
    _case("decayed_adagrad_set", lambda f: f.optimizer.DecayedAdagradOptimizer(0.1, 0.7, 0.1)),
    _case("adadelta", lambda f: f.optimizer.Adadelta(0.1)),
    _case("adadelta_set", lambda f: f.optimizer.AdadeltaOptimizer(0.1, 0.1, 0.7)),
    _case("rmsprop", lambda f: f.optimizer.RMSPropOptimizer(0.1)),
    _case("rmsprop_set", lambda f: f.optimizer.RMSPropOptimizer(0.1, 0.7, 0.1, 0.5, True)),
    _case("ftrl", lambda f: f.optimizer.Ftrl(0.1)),
    _case("ftrl_set", lambda f: f.optimizer.FtrlOptimizer(0.1, 0.2, 0.2, -0.4)),
    _case("lamb", lambda f: f.optimizer.LambOptimizer()),
    _case("lamb_without_decay_of_biases", lambda f: f.optimizer.LambOptimizer(
        0.1, 0.2, 0.8, 0.7, 0.1,
        exclude_from_weight_decay_fn=lambda p: p.name.endswith(".b_0"))),
    _case("parameter_rates", lambda f: f.optimizer.SGD(0.1), lambda: _loss(
        _attr(learning_rate=0.5), _attr(learning_rate=2.0))),
    _case("frozen_parameter", lambda f: f.optimizer.Adam(0.1), lambda: _loss(
        _attr(trainable=False))),
    _case("regularized_apart", lambda f: f.optimizer.SGD(
        0.1, regularization=f.regularizer.L2Decay(0.1)), lambda: _loss(
            _attr(regularizer=_regularizer("L1Decay", 0.2)))),
    _case("l1", lambda f: f.optimizer.SGD(0.1, regularization=f.regularizer.L1Decay(0.1))),
    _case("l2_sparse", lambda f: f.optimizer.SGD(
        0.1, regularization=f.regularizer.L2DecayRegularizer(0.1)), _sparse_loss),
]


def _attr(**kwargs):
    import paddle.fluid as fluid
    return fluid.ParamAttr(**kwargs)


def _regularizer(name, *args):
    import paddle.fluid as fluid
    return getattr(fluid.regularizer, name)(*args)


def adam_with_betas_as_variables():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    betas = [layers.create_global_var([1], value, "float32", persistable=True, name=name)
             for name, value in (("b1", 0.8), ("b2", 0.7))]
    fluid.optimizer.Adam(0.1, beta1=betas[0], beta2=betas[1]).minimize(_loss())


def rate_as_a_variable():
    import paddle.fluid as fluid
    rate = fluid.layers.create_global_var([1], 0.1, "float32", persistable=True, name="rate")
    fluid.optimizer.Momentum(rate, 0.9).minimize(_loss())


def two_optimizers():
    import paddle.fluid as fluid
    pairs = fluid.backward.append_backward(_loss())
    fluid.optimizer.Momentum(0.1, 0.9).apply_gradients(pairs[:1])
    fluid.optimizer.Adam(0.2).apply_gradients(pairs[1:])


def backward_and_apply_gradients():
    import paddle.fluid as fluid
    adam = fluid.optimizer.Adam(0.1)
    pairs = adam.backward(_loss())
    adam.apply_gradients(pairs)


def model_average():
    import paddle.fluid as fluid
    fluid.optimizer.Momentum(0.1, 0.9).minimize(_loss())
    fluid.optimizer.ModelAverage(0.15, min_average_window=10, max_average_window=20)


def moving_average():
    import paddle.fluid as fluid
    fluid.optimizer.SGD(0.1).minimize(_loss())
    fluid.optimizer.ExponentialMovingAverage(0.9).update()


def moving_average_named():
    import paddle.fluid as fluid
    fluid.optimizer.SGD(0.1).minimize(_loss())
    fluid.optimizer.ExponentialMovingAverage(0.9, name="ema").update()


def moving_average_by_steps():
    import paddle.fluid as fluid
    fluid.optimizer.SGD(0.1).minimize(_loss())
    steps = fluid.layers.learning_rate_scheduler._decay_step_counter()
    fluid.optimizer.ExponentialMovingAverage(0.9, thres_steps=steps).update()


def decoupled_decay():
    import paddle.fluid as fluid
    AdamW = fluid.contrib.extend_optimizer.extend_with_decoupled_weight_decay(
        fluid.optimizer.Adam)
    AdamW(weight_decay=0.01, learning_rate=0.1).minimize(_loss())


def decoupled_decay_of_weights():
    import paddle.fluid as fluid
    MomentumW = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Momentum)
    decay = fluid.layers.create_global_var([1], 0.1, "float32", persistable=True, name="decay")
    MomentumW(decay, lambda name: name.endswith(".w_0"), learning_rate=0.1,
              momentum=0.9).minimize(_loss())


CASES += [moving_average_by_steps, decoupled_decay, decoupled_decay_of_weights,
          adam_with_betas_as_variables, rate_as_a_variable, two_optimizers,
          backward_and_apply_gradients, model_average, moving_average, moving_average_named]
test = check(__file__, CASES)
