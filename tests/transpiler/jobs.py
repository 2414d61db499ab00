"""Models and jobs whose programs real Paddle 1.8.5 and Regatta make, and how they are told.

A job is a model, how it is distributed, and which process asks. describe(job, role) gives
the main and startup programs of that process: of trainer 1 of 2, or of a server."""
import json

ENDPOINTS = ["127.0.0.1:17174", "127.0.0.1:17175"]
ROLES = ["trainer"] + ENDPOINTS

# Attributes that say nothing of what the op does, or that real Paddle alone writes.
IGNORED = {"op_callstack", "op_namescope", "op_device", "use_mkldnn", "use_cudnn",
           "mkldnn_data_type", "use_quantizer", "scale_x", "scale_y", "scale_out",
           "force_fp32_output", "x_data_format", "y_data_format", "str_value"}


# ---- models ----

def fit_a_line(wrap):
    import paddle.fluid as fluid
    from paddle.fluid import layers
    x, y = layers.data("x", [13]), layers.data("y", [1])
    cost = layers.mean(layers.square_error_cost(layers.fc(x, 1), y))
    wrap(fluid.optimizer.SGD(0.001)).minimize(cost)


def _look_up(names, embedding):
    from paddle.fluid import layers
    pooled = [layers.sequence_pool(embedding(layers.data(n, [1], dtype="int64", lod_level=1)),
                                   "sum") for n in names]
    total = pooled[0]
    for one in pooled[1:]:
        total = layers.elementwise_add(total, one)
    return total


def _loss(x):
    from paddle.fluid import layers
    label = layers.data("label", [1], dtype="int64")
    return layers.mean(layers.softmax_with_cross_entropy(layers.fc(x, 2), label))


def ctr(wrap):
    """One table for three slots, parameters of more than 8192 elements, Adam with a schedule
    and weight decay."""
    import paddle.fluid as fluid
    from paddle.fluid import layers
    attr = fluid.ParamAttr(name="table", initializer=fluid.initializer.Uniform())
    total = _look_up(["C0", "C1", "C2"], lambda ids: layers.embedding(
        ids, [10001, 8], is_sparse=True, param_attr=attr))
    hidden = layers.fc([total, layers.data("dense", [13])], 1000, act="relu")
    loss = _loss(layers.fc(hidden, 21, act="relu"))
    rate = layers.exponential_decay(0.01, 100, 0.9)
    wrap(fluid.optimizer.Adam(rate, regularization=fluid.regularizer.L2Decay(0.001))).minimize(
        loss)


def ctr_sgd(wrap):
    """A table with a learning rate of its own, and nothing added to its gradient."""
    import paddle.fluid as fluid
    from paddle.fluid import layers
    attr = fluid.ParamAttr(name="table", learning_rate=0.5,
                           initializer=fluid.initializer.Uniform())
    total = _look_up(["C0", "C1"], lambda ids: layers.embedding(
        ids, [10001, 8], is_sparse=True, param_attr=attr, padding_idx=3))
    wrap(fluid.optimizer.SGD(0.01)).minimize(_loss(layers.fc(total, 3000, act="relu")))


def two_tables(wrap):
    """Two tables, one small, and Adagrad, which keeps a sum for each row."""
    import paddle.fluid as fluid
    from paddle.fluid import layers
    a = _look_up(["A0", "A1"], lambda ids: layers.embedding(
        ids, [4000, 16], is_sparse=True, param_attr=fluid.ParamAttr(name="large")))
    b = _look_up(["B0"], lambda ids: layers.embedding(
        ids, [50, 16], is_sparse=True, param_attr=fluid.ParamAttr(name="small")))
    wrap(fluid.optimizer.Adagrad(0.1)).minimize(_loss(layers.elementwise_add(a, b)))


def ftrl(wrap):
    import paddle.fluid as fluid
    from paddle.fluid import layers
    wrap(fluid.optimizer.Ftrl(0.1)).minimize(_loss(layers.fc(layers.data("x", [100]), 200)))


def momentum_piecewise(wrap):
    import paddle.fluid as fluid
    from paddle.fluid import layers
    rate = layers.piecewise_decay([10, 20], [0.1, 0.01, 0.001])
    wrap(fluid.optimizer.Momentum(rate, 0.9, regularization=fluid.regularizer.L1Decay(
        0.1))).minimize(_loss(layers.fc(layers.data("x", [100]), 200)))


# ---- jobs ----

def sync(config):
    pass


def asynchronous(config):
    config.sync_mode = False
    config.runtime_split_send_recv = True


def half_async(config):
    asynchronous(config)
    config.half_async = True


def no_barrier(config):
    config.sync_mode = False


def fleet_sync(config):
    half_async(config)
    config.completely_not_async = True


def geo(config):
    config.sync_mode = False
    config.geo_sgd_mode = True
    config.geo_sgd_need_push_nums = 5


JOBS = {model.__name__ + "-" + how.__name__: (model, how, 2) for model, how in (
    (fit_a_line, sync), (fit_a_line, asynchronous), (fit_a_line, half_async),
    (fit_a_line, no_barrier), (fit_a_line, geo), (ctr, sync), (ctr, asynchronous),
    (ctr, no_barrier), (ctr_sgd, sync), (ctr_sgd, half_async), (ctr_sgd, fleet_sync),
    (ctr_sgd, geo), (two_tables, sync), (two_tables, asynchronous), (ftrl, sync),
    (momentum_piecewise, sync))}
JOBS["fit_a_line-one_trainer"] = (fit_a_line, sync, 1)


# ---- telling programs ----

def _attr(op, name):
    if name == "optimize_blocks" and hasattr(op, "_blocks_attr_ids"):
        return op._blocks_attr_ids(name)
    if name == "sub_block":
        return "block"
    value = op.attr(name)
    if isinstance(value, float):
        return float("%.6g" % value)
    if isinstance(value, (bool, int, str, list)) or value is None:
        return value
    return int(value)


def _op(op, controls):
    def names(list_):
        return ["control %d" % controls.setdefault(n, len(controls))
                if n.startswith("__control_var@") else n for n in list_]
    return {"type": op.type,
            "inputs": {k: names(op.input(k)) for k in op.input_names if op.input(k)},
            "outputs": {k: names(op.output(k)) for k in op.output_names if op.output(k)},
            "attrs": {a: _attr(op, a) for a in op.attr_names if a not in IGNORED}}


def _vars(block, ops):
    """The variables of the block that the ops use."""
    used = {n for op in ops for args in list(op["inputs"].values()) + list(op["outputs"].values())
            for n in args}
    out = {}
    for name in sorted(used):
        if not block.has_var(name):
            continue
        var = block.var(name)
        out[name] = {"type": int(var.type), "persistable": bool(var.persistable)}
        if int(var.type) in (7, 8):  # tensors, dense and sparse
            out[name].update(dtype=int(var.dtype), shape=list(var.shape))
    return out


def tell(program):
    controls = {}
    blocks = [{"parent": block.parent_idx, "ops": [_op(op, controls) for op in block.ops]}
              for block in program.blocks]
    everything = [op for block in blocks for op in block["ops"]]
    for block, told in zip(program.blocks, blocks):
        told["vars"] = _vars(block, everything)
    return json.loads(json.dumps({"seed": program.random_seed, "blocks": blocks}))


def describe(name, role):
    """As DistributeTranspiler makes them."""
    import paddle.fluid as fluid
    model, how, trainers = JOBS[name]
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        model(lambda optimizer: optimizer)
    config = fluid.DistributeTranspilerConfig()
    how(config)
    transpiler = fluid.DistributeTranspiler(config)
    transpiler.transpile(trainers - 1, program=main, pservers=",".join(ENDPOINTS),
                         trainers=trainers, sync_mode=config.sync_mode, startup_program=startup)
    if role == "trainer":
        return {"main": tell(transpiler.get_trainer_program(wait_port=False)),
                "startup": tell(startup)}
    main, startup = transpiler.get_pserver_programs(role)
    return {"main": tell(main), "startup": tell(startup)}
