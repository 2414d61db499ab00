"""Gradients of gradients: by central differences, and against what real Paddle 1.8.5 computes where
it has them (golden/second_gradients.json, recorded by record.py from CASES)."""
import json
import os

import numpy as np
import pytest

import second_gradient_cases as cases
from gradcheck import check

X = np.array([[0.9, -0.4, 0.3], [-1.2, 0.7, 0.55]])
Y = np.array([[0.5, 1.1, -0.8], [0.6, -0.9, 1.3]])
IMAGES = np.random.RandomState(3).uniform(-1, 1, [2, 2, 4, 4])
FILTER = np.random.RandomState(4).uniform(-1, 1, [3, 2, 2, 2])


@pytest.fixture(autouse=True)
def layers():
    import paddle.fluid as fluid
    globals().update(fluid=fluid, L=fluid.layers)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield


def positive(x):
    return np.abs(x) + 0.3


def penalty(outputs, inputs):
    """A loss that is made of gradients: every entry of them weighs differently."""
    outputs = outputs if isinstance(outputs, list) else [outputs]
    first = None
    for out in outputs:
        term = L.reduce_sum(L.square(out)) + L.reduce_sum(out)
        first = term if first is None else first + term
    total = None
    for grad in fluid.gradients([first], inputs):
        assert grad is not None
        term = L.reduce_sum(L.square(grad)) + L.reduce_sum(L.scale(grad, 0.7))
        total = term if total is None else total + term
    return total


def twice(make, feeds, tolerance=2e-5, step=1e-6):
    check(lambda v: penalty(make(v), [v[name] for name in sorted(feeds)]), feeds,
          tolerance=tolerance, step=step)


# ---- functions of one element ----

ELEMENTS = [
    ("sigmoid", {}), ("tanh", {}), ("exp", {}), ("log", {}), ("sqrt", {}), ("rsqrt", {}),
    ("square", {}), ("abs", {}), ("reciprocal", {}), ("sin", {}), ("cos", {}), ("asin", {}),
    ("acos", {}), ("atan", {}), ("erf", {}), ("softplus", {}), ("softsign", {}), ("logsigmoid", {}),
    ("tanh_shrink", {}), ("relu", {}), ("leaky_relu", {"alpha": 0.1}), ("relu6", {}),
    ("elu", {"alpha": 0.6}), ("selu", {}), ("brelu", {"t_min": -0.5, "t_max": 0.6}),
    ("soft_relu", {"threshold": 1.4}), ("swish", {"beta": 1.3}), ("hard_sigmoid", {}),
    ("hard_swish", {}), ("stanh", {}), ("hard_shrink", {}), ("softshrink", {}),
    ("thresholded_relu", {"threshold": 0.4}), ("gelu", {}), ("gelu", {"approximate": True}),
    ("mish", {}), ("log1p", {}), ("ceil", {}), ("pow", {"factor": 3.0}),
]
ABOVE_ZERO = ("log", "sqrt", "rsqrt", "log1p")
WITHIN_ONE = ("asin", "acos")


def one_op(kind, x, attrs):
    block = fluid.default_main_program().current_block()
    out = block.create_var(dtype=x.dtype, name=fluid.unique_name.generate("out"))
    block.append_op(type=kind, inputs={"X": [x]}, outputs={"Out": [out]}, attrs=attrs)
    return out


@pytest.mark.parametrize("kind,attrs", ELEMENTS, ids=["%s%d" % (e[0], len(e[1])) for e in ELEMENTS])
def test_of_elements(kind, attrs):
    x = positive(X) if kind in ABOVE_ZERO else X * 0.6 if kind in WITHIN_ONE else X
    twice(lambda v: one_op(kind, v["x"], attrs), {"x": x})


def test_three_times_over():
    def loss(v):
        first, = fluid.gradients([L.reduce_sum(L.tanh(v["x"]))], [v["x"]])
        second, = fluid.gradients([L.reduce_sum(L.square(first))], [v["x"]])
        return L.reduce_sum(L.square(second))
    check(loss, {"x": X}, tolerance=2e-5)


# ---- of several, and of shapes ----

def row(v):
    return L.reduce_sum(v["y"], dim=0)


def where(x, y):
    block = fluid.default_main_program().current_block()
    out = block.create_var(dtype=x.dtype, name=fluid.unique_name.generate("out"))
    block.append_op(type="where", inputs={"Condition": [L.less_than(x, y)], "X": [L.square(x)],
                                          "Y": [x * y]}, outputs={"Out": [out]}, attrs={})
    return out


def numbers(values):
    return L.cast(L.assign(np.array(values, "float32")), "float64")


PAIRS = {
    "add": lambda v: v["x"] + v["y"],
    "add_row": lambda v: L.elementwise_add(v["x"], row(v), axis=1) * v["x"],
    "sub_row": lambda v: L.elementwise_sub(v["x"], row(v), axis=1) * v["x"],
    "mul": lambda v: v["x"] * v["y"],
    "mul_row": lambda v: L.elementwise_mul(v["x"], row(v), axis=1),
    "div": lambda v: v["x"] / v["y"],
    "div_row": lambda v: L.elementwise_div(v["x"], row(v), axis=1),
    "max": lambda v: L.elementwise_max(v["x"] * v["x"], v["y"]),
    "min_row": lambda v: L.elementwise_min(v["x"] * v["x"], row(v), axis=1),
    "pow": lambda v: L.elementwise_pow(L.square(v["x"]), v["y"]),
    "pow_row": lambda v: L.elementwise_pow(L.square(v["x"]), row(v), axis=1),
    "mul_matrices": lambda v: L.mul(v["x"], L.transpose(v["y"], [1, 0])),
    "matmul": lambda v: L.matmul(v["x"], v["y"], transpose_y=True, alpha=1.5),
    "matmul_turned": lambda v: L.matmul(v["x"], v["y"], transpose_x=True),
    "concat": lambda v: L.square(L.concat([v["x"], v["y"], v["x"]], axis=1)),
    "stack": lambda v: L.square(L.stack([v["x"], v["y"], v["x"]], axis=1)),
    "sum": lambda v: L.square(L.sums([v["x"], v["y"], v["x"]])),
    "split": lambda v: L.split(L.square(v["x"]), 3, dim=1)[1] * L.reduce_mean(v["y"]),
    "unstack": lambda v: L.unstack(v["x"] * v["y"], axis=0)[0],
    "where": lambda v: where(v["x"], v["y"]),
    "multiplex": lambda v: L.multiplex([L.square(v["x"]), v["y"]], L.assign(
        np.array([[1], [0]], "int32"))),
    "expand": lambda v: L.expand(v["x"], [2, 1]) * L.expand(v["y"], [2, 1]),
    "dot_of_rows": lambda v: L.reduce_sum(v["x"] * v["y"], dim=1, keep_dim=True) / L.sqrt(
        L.reduce_sum(L.square(v["x"]), dim=[1], keep_dim=True)),
}


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_of_pairs(name):
    feeds = {"x": X, "y": positive(Y) if name.startswith(("div", "pow")) else Y}
    twice(PAIRS[name], feeds)


def pool(x, kind):
    return L.pool2d(x, 2, kind, 2)


SHAPES = {
    "mean": lambda x: L.mean(L.square(x)),
    "reduce_sum": lambda x: L.square(L.reduce_sum(x, dim=1)),
    "reduce_mean": lambda x: L.square(L.reduce_mean(x, dim=[1], keep_dim=True)),
    "reduce_max": lambda x: L.square(L.reduce_max(L.square(x), dim=1)),
    "reduce_min": lambda x: L.square(L.reduce_min(L.square(x), dim=1, keep_dim=True)),
    "reduce_prod": lambda x: L.reduce_prod(x, dim=1),
    "reshape": lambda x: L.square(L.reshape(x, [3, -1])),
    "transpose": lambda x: L.square(L.transpose(x, [1, 0])),
    "slice": lambda x: L.square(L.slice(x, [1], [0], [2])),
    "strided_slice": lambda x: L.square(L.strided_slice(x, [1], [0], [3], [2])),
    "squeeze": lambda x: L.squeeze(L.square(L.unsqueeze(x, [1])), [1]),
    "flatten": lambda x: L.square(L.flatten(x, axis=0)),
    "gather": lambda x: L.square(L.gather(x, L.assign(np.array([1, 0, 1], "int32")), overwrite=False)),
    "gather_nd": lambda x: L.square(L.gather_nd(x, L.assign(np.array([[1, 0], [0, 2]], "int64")))),
    "pad": lambda x: L.square(L.pad(x, [1, 0, 0, 2], pad_value=0.5)),
    "cast": lambda x: L.cast(L.square(x), "float64"),
    "clip": lambda x: L.clip(L.square(x), 0.1, 0.8),
    "scale": lambda x: L.scale(L.square(x), 3.0, bias=1.0),
    "cumsum": lambda x: L.square(L.cumsum(x, axis=1)),
    "reverse": lambda x: L.square(L.reverse(x, [1])),
    "softmax": lambda x: L.softmax(x),
    "softmax_axis": lambda x: L.softmax(x, axis=0),
    "l2_normalize": lambda x: L.l2_normalize(x, axis=1),
    "cross_entropy": lambda x: L.cross_entropy(L.softmax(x), L.assign(np.array([[1], [2]], "int64"))),
    "softmax_with_cross_entropy": lambda x: L.softmax_with_cross_entropy(
        L.square(x), L.assign(np.array([[1], [-100]], "int64"))),
    "softmax_with_cross_entropy_soft": lambda x: L.softmax_with_cross_entropy(
        L.square(x), numbers([[.1, .2, .7], [.3, .3, .4]]), soft_label=True),
    "sigmoid_cross_entropy_with_logits": lambda x: L.sigmoid_cross_entropy_with_logits(
        L.square(x), numbers([[0.0, 1.0, 0.3], [1.0, -100, 0.0]]), normalize=True),
    "log_loss": lambda x: L.log_loss(L.sigmoid(L.reduce_sum(x, dim=1, keep_dim=True)), numbers([[0], [1]])),
    "square_error_cost": lambda x: L.square_error_cost(L.tanh(x), numbers(Y)),
    "layer_norm": lambda x: L.layer_norm(x, scale=False, shift=False) * x,
}


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_of_shapes(name):
    twice(lambda v: SHAPES[name](v["x"]), {"x": X})


def conv(x, w, kind="conv2d", **attrs):
    block = fluid.default_main_program().current_block()
    out = block.create_var(dtype=x.dtype, name=fluid.unique_name.generate("out"))
    block.append_op(type=kind, inputs={"Input": [x], "Filter": [w]}, outputs={"Output": [out]},
                    attrs=dict({"strides": [1, 1], "paddings": [1, 0], "dilations": [1, 1]}, **attrs))
    return out


IMAGE_OPS = {
    "conv2d": lambda v: conv(v["x"], v["w"]),
    "conv2d_strided": lambda v: conv(v["x"], v["w"], strides=[2, 1]),
    "conv2d_transpose": lambda v: conv(v["x"], L.transpose(v["w"], [1, 0, 2, 3]),
                                       "conv2d_transpose"),
    "pool_average": lambda v: L.square(pool(v["x"], "avg")) * L.reduce_mean(L.square(v["w"])),
    "pad2d": lambda v: L.square(L.pad2d(v["x"], [1, 0, 0, 1], pad_value=0.5)) * L.reduce_mean(v["w"]),
    "resize": lambda v: L.square(L.resize_nearest(v["x"], [8, 8])) * L.reduce_mean(v["w"]),
}


@pytest.mark.parametrize("name", sorted(IMAGE_OPS))
def test_of_images(name):
    twice(IMAGE_OPS[name], {"x": IMAGES, "w": FILTER}, tolerance=1e-4)


def norm_op(kind, v, outs, **attrs):
    block = fluid.default_main_program().current_block()
    names = {slot: [block.create_var(dtype="float64", name=fluid.unique_name.generate(slot))]
             for slot in outs}
    inputs = {"X": [v["x"]], "Scale": [v["s"]], "Bias": [v["b"]]}
    if kind == "batch_norm":
        for slot, value in (("Mean", 0.1), ("Variance", 0.7)):
            inputs[slot] = [L.fill_constant([2], "float64", value)]
        names["MeanOut"], names["VarianceOut"] = inputs["Mean"], inputs["Variance"]
    block.append_op(type=kind, inputs=inputs, outputs=names, attrs=attrs)
    return L.square(names["Y"][0])


NORMS = {
    "instance_norm": ("instance_norm", ["Y", "SavedMean", "SavedVariance"], 2, {}),
    "batch_norm": ("batch_norm", ["Y", "SavedMean", "SavedVariance"], 2, {}),
    "batch_norm_test": ("batch_norm", ["Y", "SavedMean", "SavedVariance"], 2, {"is_test": True}),
    "layer_norm": ("layer_norm", ["Y", "Mean", "Variance"], 32, {"begin_norm_axis": 1}),
}


@pytest.mark.parametrize("name", sorted(NORMS))
def test_of_norms(name):
    kind, outs, n, attrs = NORMS[name]
    random = np.random.RandomState(5)
    feeds = {"x": IMAGES, "s": random.uniform(0.5, 1.5, n), "b": random.uniform(-1, 1, n)}
    if kind == "layer_norm":
        feeds["x"] = IMAGES[:, :, :2, :2]
        feeds["s"], feeds["b"] = feeds["s"][:8], feeds["b"][:8]
    twice(lambda v: norm_op(kind, v, outs, **attrs), feeds, tolerance=2e-4, step=1e-5)


def prelu(v, mode):
    block = fluid.default_main_program().current_block()
    out = block.create_var(dtype="float64", name=fluid.unique_name.generate("out"))
    block.append_op(type="prelu", inputs={"X": [v["x"]], "Alpha": [v["a"]]},
                    outputs={"Out": [out]}, attrs={"mode": mode})
    return out


@pytest.mark.parametrize("mode,shape", [("all", [1]), ("channel", [1, 2, 1, 1]),
                                        ("element", [1, 2, 2, 2])])
def test_of_prelu(mode, shape):
    slopes = np.random.RandomState(9).uniform(0.1, 0.5, shape)
    twice(lambda v: prelu(v, mode), {"x": IMAGES[:, :, :2, :2], "a": slopes})


def test_of_total_norms():
    for kind in ("squared_l2_norm", "l1_norm"):
        twice(lambda v: one_op(kind, L.square(v["x"]), {}), {"x": X}, tolerance=1e-4)


ROWS = (np.random.RandomState(6).uniform(-1, 1, [5, 2]), [2, 3])
SEQUENCES = {
    "pool_sum": lambda x: L.sequence_pool(L.square(x), "sum"),
    "pool_average": lambda x: L.sequence_pool(L.square(x), "average"),
    "pool_last": lambda x: L.sequence_pool(L.square(x), "last"),
    "expand": lambda x: L.sequence_expand(L.sequence_pool(L.square(x), "sqrt"), x) * x,
    "softmax": lambda x: L.sequence_softmax(L.slice(x, [1], [0], [1])),
    "concat": lambda x: L.square(L.sequence_concat([x, x])),
}


@pytest.mark.parametrize("name", sorted(SEQUENCES))
def test_of_sequences(name):
    twice(lambda v: SEQUENCES[name](v["x"]), {"x": ROWS})


def test_of_a_table():
    ids = np.array([1, 0, 1], "int64")

    def make(v):
        block = fluid.default_main_program().current_block()
        out = block.create_var(dtype="float64", name="rows")
        block.append_op(type="lookup_table_v2", inputs={"W": [v["x"]], "Ids": [L.assign(ids)]},
                        outputs={"Out": [out]}, attrs={})
        return L.square(out)
    twice(make, {"x": X})


# ---- variables that are changed in place ----

def test_a_variable_that_is_overwritten_after_its_gradient_was_taken():
    def loss(v):
        y = L.scale(v["x"], 1.0)
        first, = fluid.gradients([L.reduce_sum(L.tanh(y))], [y])
        out = L.reduce_sum(L.square(first))
        L.assign(L.square(y), y)
        return out + L.reduce_sum(y)
    check(loss, {"x": X}, tolerance=2e-5)


# ---- what has none ----

def test_a_gradient_op_without_a_gradient_is_named():
    x = L.data("x", [2, 2, 4, 4], append_batch_size=False)
    x.stop_gradient = False
    grad, = fluid.gradients(L.pool2d(x, 2, "max", 2), x)
    with pytest.raises(NotImplementedError) as error:
        fluid.gradients(L.reduce_sum(L.square(grad * x)), x)
    assert "pool2d_grad" in str(error.value) and "stop_gradient" in str(error.value)


def test_a_loop_has_none():
    x = L.data("x", [2, 3], append_batch_size=False)
    x.stop_gradient = False
    state, i, end = L.tanh(x), L.fill_constant([1], "int64", 0), L.fill_constant([1], "int64", 2)
    go_on = L.less_than(i, end)
    with L.While(go_on).block():
        L.assign(state * x, state)
        L.increment(i, in_place=True)
        L.less_than(i, end, cond=go_on)
    grad, = fluid.gradients(state, x)
    with pytest.raises(NotImplementedError, match="while_grad"):
        fluid.gradients(L.reduce_sum(L.square(grad)), x)


def test_a_gradient_that_is_a_constant_is_not_asked_for_one():
    x = L.data("x", [2, 2, 4, 4], append_batch_size=False)
    x.stop_gradient = False
    grad, = fluid.gradients(L.pool2d(x, 2, "max", 2), x)
    grad.stop_gradient = True
    out, = fluid.gradients(L.reduce_sum(L.square(grad * x)), x)
    assert out is not None


# ---- names ----

def test_gradients_taken_again_have_the_names_of_real_paddle():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = L.data("x", [3])
        x.stop_gradient = False
        weight = fluid.ParamAttr(name="w")
        first, = fluid.gradients(L.fc(x, 2, act="relu", param_attr=weight, bias_attr=False), x)
        loss = L.reduce_mean(L.square(first)) + L.reduce_mean(
            L.fc(x, 2, param_attr=weight, bias_attr=False))
        _, pairs = fluid.optimizer.SGD(0.1).minimize(loss)
        third, = fluid.gradients(loss, x)
    assert first.name == "x@GRAD" and third.name == "grad/grad/grad/x@GRAD"
    assert [(p.name, g.name) for p, g in pairs] == [("w", "grad/grad/w@GRAD")]
    for op in main.global_block().ops:  # what is not the loss's gradient is not a parameter's
        if "w@GRAD" in op.output_arg_names:
            assert not op.has_attr("op_role_var") or not op.attr("op_role_var")


# ---- several threads ----

def test_a_gradient_penalty_over_threads(monkeypatch):
    """Two threads, each with half of the batch: the same parameters as one with all of it."""
    monkeypatch.setenv("CPU_NUM", "2")
    rows = np.random.RandomState(8).normal(0, 1, [8, 3]).astype("float32")
    got = []
    for parallel in (False, True):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            x = L.data("x", [3])
            x.stop_gradient = False
            out = cases.critic(fluid, x)
            grad, = fluid.gradients(out, x)
            loss = L.reduce_mean(out) + L.reduce_mean(L.square(grad)) * 4.0
            fluid.optimizer.SGD(0.1).minimize(loss)
        scope, exe = fluid.Scope(), fluid.Executor(fluid.CPUPlace())
        with fluid.scope_guard(scope):
            exe.run(startup)
            program = fluid.CompiledProgram(main).with_data_parallel(loss.name) if parallel else main
            for _ in range(3):
                exe.run(program, feed={"x": rows}, fetch_list=[loss])
            got.append([np.array(scope.find_var(n).get_tensor()) for n in ("w0", "b0", "w1")])
    for one, two in zip(*got):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


# ---- against real Paddle ----

with open(os.path.join(os.path.dirname(__file__), "golden", "second_gradient_cases.json")) as f:
    GOLDEN = json.load(f)


@pytest.mark.parametrize("fuse", ["1", "0"])
@pytest.mark.parametrize("case", cases.CASES, ids=[c.__name__ for c in cases.CASES])
def test_as_real_paddle(case, fuse):
    fluid.set_flags({"FLAGS_fuse": fuse})
    try:
        got = case(fluid)
    finally:
        fluid.set_flags({"FLAGS_fuse": "1"})
    for ours, theirs in zip(got, GOLDEN[case.__name__]):
        near = 2e-4 if case is cases.instances else 3e-5
        np.testing.assert_allclose(ours, theirs, rtol=near, atol=near)
