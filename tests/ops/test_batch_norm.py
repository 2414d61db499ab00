import numpy as np

from opcase import build, case, check, forward, gradients, rand

OUTPUTS = ["Y", "MeanOut", "VarianceOut", "SavedMean", "SavedVariance"]
RUNNING = ["Y", "MeanOut", "VarianceOut"]
STATE = {"MeanOut": "Mean", "VarianceOut": "Variance"}


def norm(name, shape, grads=("X", "Scale", "Bias"), compare=OUTPUTS, golden_grads=True, **attrs):
    c = shape[-1] if attrs.get("data_layout") == "NHWC" else shape[1]
    inputs = {"X": rand(*shape), "Scale": rand(c, low=0.5, high=1.5), "Bias": rand(c),
              "Mean": rand(c), "Variance": rand(c, low=0.5, high=1.5)}
    return case(name, "batch_norm", inputs, attrs, outputs=OUTPUTS, inplace=STATE,
                grads=grads, compare=compare, atol=2e-5, golden_grads=golden_grads,
                ignore_grad_of=OUTPUTS[1:])


CASES = [
    norm("images", (3, 4, 5, 6)),
    norm("rows", (7, 5)),
    norm("sequences", (3, 4, 5)),
    norm("volumes", (2, 3, 2, 3, 4)),
    norm("many channels", (2, 40, 3, 3)),
    norm("many rows", (50, 35)),
    norm("one pixel", (6, 3, 1, 1)),
    norm("one image", (1, 3, 4, 4)),
    norm("channels last", (3, 5, 6, 4), data_layout="NHWC"),
    norm("volumes, channels last", (2, 2, 3, 4, 3), data_layout="NHWC"),
    norm("rows, channels last", (7, 5), data_layout="NHWC"),
    norm("other numbers", (3, 4, 5, 6), epsilon=1e-3, momentum=0.3),
    norm("gradient of X alone", (3, 4, 5, 6), grads=["X"]),
    # Real Paddle has no gradient without that of X.
    norm("gradient of Scale alone", (3, 4, 5, 6), grads=["Scale"], golden_grads=False),
    norm("one element", (1, 3)),
    # What is saved where nothing of the batch is used is not set by real Paddle, ...
    norm("test", (3, 4, 5, 6), compare=RUNNING, is_test=True, golden_grads=False),
    norm("test, rows", (7, 5), compare=RUNNING, is_test=True, golden_grads=False),
    norm("test, one element", (1, 3), compare=RUNNING, is_test=True, golden_grads=False),
    norm("running", (3, 4, 5, 6), compare=RUNNING, use_global_stats=True),
    norm("running, channels last", (3, 5, 6, 4), compare=RUNNING, use_global_stats=True,
         data_layout="NHWC"),
    # ... which also refuses gradients with is_test.
    norm("of the batch despite test", (3, 4, 5, 6), is_test=True, trainable_statistics=True,
         golden_grads=False),
]
for c in CASES:
    if c.name == "one element":
        c.numeric = False  # Y is X, whatever Scale and Bias are
test = check(__file__, CASES)


def test_momentum_may_come_as_a_tensor():
    import paddle.fluid as fluid
    c = norm("", (3, 4, 5, 6), momentum=0.25)
    tensor = norm("", (3, 4, 5, 6))
    tensor.inputs = dict(c.inputs, MomentumTensor=np.array([0.25], "float32"))
    a, b = forward(fluid, c), forward(fluid, tensor)
    for key in a.values:
        np.testing.assert_array_equal(a.values[key], b.values[key], err_msg=key)


def test_a_large_mean_does_not_hide_the_variance():
    import paddle.fluid as fluid
    for shape, layout in (((64, 3, 16, 16), "NCHW"), ((64, 16, 16, 3), "NHWC"), ((4096, 3), "NCHW")):
        c = norm("", shape, data_layout=layout)
        c.inputs["X"] = c.inputs["X"] + np.float32(1000)
        y = forward(fluid, c).values["Y0"]
        axis = (0, 2, 3) if layout == "NCHW" and len(shape) == 4 else tuple(range(len(shape) - 1))
        x = c.inputs["X"].astype("float64")
        wide = [1, -1, 1, 1] if axis == (0, 2, 3) else [1] * (len(shape) - 1) + [-1]
        wanted = ((x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-5)
                  * c.inputs["Scale"].reshape(wide) + c.inputs["Bias"].reshape(wide))
        np.testing.assert_allclose(y, wanted, atol=2e-4)


def _fails(what, change=None, run=False, **attrs):
    import paddle.fluid as fluid
    import pytest
    c = norm("bad", (3, 4, 5, 6), **attrs)
    c.inputs.update(change or {})
    with pytest.raises((fluid.core.EnforceNotMet, ValueError, NotImplementedError), match=what):
        build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    _fails("X has 4 channels, and Scale 3 elements", {"Scale": rand(3)})
    _fails("X has 4 channels, and Variance 5 elements", {"Variance": rand(5)})
    _fails("2 to 5 dimensions", {"X": rand(4)})
    _fails("2 to 5 dimensions", {"X": rand(1, 4, 1, 1, 1, 1)})
    _fails("data_layout HWCN", data_layout="HWCN")
    _fails("fuse_with_relu", fuse_with_relu=True)
    _fails("must not be negative", epsilon=-1.0)


def test_the_gradient_of_an_op_over_its_own_input_is_refused():
    import paddle.fluid as fluid
    import pytest
    c = norm("over X", (3, 4, 5, 6), grads=["X"])
    c.inplace = dict(STATE, Y="X")
    assert forward(fluid, c).values["Y0"].shape == (3, 4, 5, 6)
    with pytest.raises(ValueError, match="Y is written over X"):
        gradients(fluid, c, c.inputs, {"Y0": np.ones((3, 4, 5, 6), "float32")})
