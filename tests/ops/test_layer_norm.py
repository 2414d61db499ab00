import numpy as np

from opcase import Lod, build, case, check, forward, rand

OUTPUTS = ["Y", "Mean", "Variance"]


def norm(name, shape, axis=1, grads=("X", "Scale", "Bias"), scale=True, bias=True, **attrs):
    n = int(np.prod(shape[axis:]))
    inputs = {"X": rand(*shape)}
    if scale:
        inputs["Scale"] = rand(n, low=0.5, high=1.5)
    if bias:
        inputs["Bias"] = rand(n)
    return case(name, "layer_norm", inputs, dict(attrs, begin_norm_axis=axis), outputs=OUTPUTS,
                grads=[g for g in grads if g in inputs], ignore_grad_of=OUTPUTS[1:], atol=2e-5)


CASES = [
    norm("rows", (4, 7)),
    norm("wide rows", (3, 70)),
    norm("many rows", (40, 5)),
    norm("flattened", (2, 3, 4)),
    norm("last of three", (2, 3, 4), axis=2),
    norm("last of four", (2, 3, 2, 5), axis=3),
    norm("without scale", (4, 7), scale=False),
    norm("without shift", (4, 7), bias=False),
    norm("without either", (4, 7), scale=False, bias=False),
    norm("epsilon", (4, 7), epsilon=1e-3),
    norm("one element", (4, 1)),
    norm("gradient of X alone", (4, 7), grads=["X"]),
]
CASES.append(norm("sequences", (5, 4)))
CASES[-1].inputs["X"] = Lod(CASES[-1].inputs["X"], [[2, 3]])
for c in CASES:
    # Real Paddle forgets Scale in the gradient of X where Scale's own is not asked for.
    c.golden_grads = "alone" not in c.name
    c.compare = ["Y"] if "without" in c.name else None
test = check(__file__, CASES)


def test_a_large_mean_does_not_hide_the_variance():
    import paddle.fluid as fluid
    c = norm("", (3, 500))
    c.inputs["X"] = c.inputs["X"] + np.float32(1000)
    x = c.inputs["X"].astype("float64")
    wanted = ((x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
              * c.inputs["Scale"] + c.inputs["Bias"])
    np.testing.assert_allclose(forward(fluid, c).values["Y0"], wanted, atol=2e-4)


def _fails(what, change=None, **attrs):
    import paddle.fluid as fluid
    import pytest
    c = norm("bad", (4, 3, 2))
    c.inputs.update(change or {})
    c.attrs.update(attrs)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    _fails("rows of X have 6 elements, and Scale 5", {"Scale": rand(5)})
    _fails("rows of X have 6 elements, and Bias 2", {"Bias": rand(2)})
    _fails("begin_norm_axis is 3, and must be from 1 to 2", begin_norm_axis=3)
    _fails("begin_norm_axis is 0", begin_norm_axis=0)
    _fails("must not be negative", epsilon=-1.0)
