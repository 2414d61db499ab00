"""Programs that are decorated for mixed precision, and the scale of a loss over steps: made alike
by Paddle 1.8.5, which records, and by Regatta, which is compared."""
import numpy as np

import paddle.fluid as fluid
import paddle.fluid.contrib.mixed_precision as mixed_precision
from paddle.fluid.contrib.mixed_precision.fp16_utils import update_loss_scaling

GRAD = "@GRAD"


def line():
    x, y = fluid.layers.data("x", [13]), fluid.layers.data("y", [1])
    return fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))


def ctr():
    x, ids = fluid.layers.data("x", [13]), fluid.layers.data("ids", [1], dtype="int64")
    y = fluid.layers.data("y", [1], dtype="int64")
    hidden = fluid.layers.concat([x, fluid.layers.embedding(ids, [100, 8], is_sparse=True)], axis=1)
    hidden = fluid.layers.fc(hidden, 16, act="relu")
    return fluid.layers.mean(fluid.layers.cross_entropy(
        fluid.layers.fc(hidden, 2, act="softmax"), y))


def images():
    x, y = fluid.layers.data("x", [3, 8, 8]), fluid.layers.data("y", [1], dtype="int64")
    h = fluid.layers.batch_norm(fluid.layers.conv2d(x, 4, 3, act="relu"))
    h = fluid.layers.dropout(fluid.layers.pool2d(h, 2, "max", 2), 0.5)
    h = fluid.layers.reshape(h, [-1, 36])
    both = fluid.layers.fc(h, 5) + fluid.layers.fc(h, 5, act="tanh")
    z = fluid.layers.concat([fluid.layers.scale(both, 2.0), fluid.layers.fc(h, 5, act="sigmoid")],
                            axis=1)
    p = fluid.layers.fc(fluid.layers.sqrt(z), 3)
    return fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(p, y))


def attention():
    x, w = fluid.layers.data("x", [4, 6]), fluid.layers.data("w", [1])
    weights = fluid.layers.softmax(fluid.layers.matmul(x, x, transpose_y=True))
    out = fluid.layers.transpose(fluid.layers.matmul(weights, x), [0, 2, 1])
    out = fluid.layers.fc(out, 1, num_flatten_dims=1)
    return fluid.layers.reduce_mean(fluid.layers.elementwise_mul(out, w))


CASES = {
    "line": (line, {}, {}),
    "ctr": (ctr, {}, {}),
    "images": (images, {}, {"init_loss_scaling": 8.0}),
    "attention": (attention, {}, {}),
    "relu in float32": (ctr, {"custom_black_list": ["relu"]}, {}),
    "mul in float32": (images, {"custom_black_list": ["mul"]}, {}),
    "concat, too": (ctr, {"custom_white_list": ["concat"]}, {}),
    "a variable in float32": (ctr, {"custom_black_varnames": ["fc_0.w_0"]}, {}),
}


def decorated(name):
    """(main, startup, loss, optimizer)"""
    build, lists, options = CASES[name]
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = build()
        options = dict({"init_loss_scaling": 1.0}, **options)
        optimizer = mixed_precision.decorate(
            fluid.optimizer.SGD(0.1), mixed_precision.AutoMixedPrecisionLists(**lists),
            use_dynamic_loss_scaling=False, **options)
        optimizer.minimize(loss)
    return main, startup, loss, optimizer


def forward(main):
    """Its ops until the gradients begin, without order among the casts before an op: type, names
    read, names written; and the variables of float16."""
    ops = []
    for op in main.global_block().ops:
        if op.attr("op_role") & 1:
            break
        ops.append([op.type, sorted(op.input_arg_names), sorted(op.output_arg_names)])
    casts, sorted_ops = [], []
    for op in ops:
        if op[0] == "cast":
            casts.append(op)
        else:
            sorted_ops += sorted(casts) + [op]
            casts = []
    halves = sorted(v.name for v in main.list_vars()
                    if GRAD not in v.name and v.type == fluid.core.VarDesc.VarType.LOD_TENSOR
                    and v.dtype == fluid.core.VarDesc.VarType.FP16)
    return {"ops": sorted_ops, "halves": halves}


FINITE = ([1] * 5 + [0] + [1] * 2 + [0] * 9 + [1] * 4 + [0] + [1] * 9) * 2


def scales(start, every, bad, up, down):
    """[scale, good steps, bad steps] after each step whose gradients were finite, or not."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        number = fluid.layers.data("number", [1], append_batch_size=False)
        scale, n_good, n_bad = [
            fluid.layers.create_global_var([1], value, dtype, persistable=True)
            for value, dtype in ((start, "float32"), (0, "int32"), (0, "int32"))]
        update_loss_scaling(fluid.layers.isfinite(number), scale, n_good, n_bad,
                            fluid.layers.fill_constant([1], "int32", every),
                            fluid.layers.fill_constant([1], "int32", bad), up, down)
    exe, seen = fluid.Executor(fluid.CPUPlace()), []
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        for finite in FINITE:
            number_now = np.array([1 if finite else np.inf], "float32")
            values = exe.run(main, feed={"number": number_now}, fetch_list=[scale, n_good, n_bad])
            seen.append([float(value[0]) for value in values])
    return seen


SCALES = {"usual": (32768.0, 3, 2, 2.0, 0.8), "down to one": (2.0, 100, 0, 2.0, 0.25),
          "up to the last": (2.0 ** 127, 1, 2, 2.0, 0.5)}


def record():
    return {"forward": {name: forward(decorated(name)[0]) for name in CASES},
            "scales": {name: scales(*SCALES[name]) for name in SCALES}}
