"""group_norm, instance_norm, lrn, affine_channel."""
import numpy as np

from opcase import build, case, check, rand


def group(name, shape, groups, grads=("X", "Scale", "Bias"), given=("Scale", "Bias"), golden=True,
          golden_grads=True, **attrs):
    c = shape[-1] if attrs.get("data_layout") == "NHWC" else shape[1]
    inputs = {"X": rand(*shape), "Scale": rand(c, low=0.5, high=1.5), "Bias": rand(c)}
    inputs = {k: v for k, v in inputs.items() if k == "X" or k in given}
    return case(name, "group_norm", inputs, dict(attrs, groups=groups),
                outputs=["Y", "Mean", "Variance"], grads=[g for g in grads if g in inputs],
                ignore_grad_of=["Mean", "Variance"], atol=2e-5, golden=golden,
                golden_grads=golden_grads)


def instance(name, shape, grads=("X", "Scale", "Bias"), **attrs):
    inputs = {"X": rand(*shape), "Scale": rand(shape[1], low=0.5, high=1.5),
              "Bias": rand(shape[1])}
    return case(name, "instance_norm", inputs, attrs, outputs=["Y", "SavedMean", "SavedVariance"],
                grads=grads, ignore_grad_of=["SavedMean", "SavedVariance"], atol=2e-5)


def lrn(name, shape, **attrs):
    return case(name, "lrn", {"X": rand(*shape)}, attrs, outputs=["Out", "MidOut"], grads=["X"],
                ignore_grad_of=["MidOut"], compare=["Out"] if attrs.get("is_test") else None,
                golden_grads=not attrs.get("is_test"))


def affine(name, shape, grads=("X", "Scale", "Bias"), **attrs):
    c = shape[1] if attrs.get("data_layout") == "NCHW" else shape[-1]
    return case(name, "affine_channel", {"X": rand(*shape), "Scale": rand(c), "Bias": rand(c)},
                attrs, grads=grads)


CASES = [
    group("groups", (2, 6, 3, 4), 2),
    group("one group", (2, 6, 3, 4), 1),
    group("a group a channel", (2, 6, 3, 4), 6),
    group("groups that are not even", (2, 5, 3, 3), 2),
    group("a group with no channel", (2, 5, 3, 3), 4, golden=False),
    group("groups, channels last", (2, 3, 4, 6), 2, data_layout="NHWC"),
    group("uneven groups, channels last", (2, 3, 3, 5), 2, data_layout="NHWC"),
    group("groups without shift", (2, 6, 3, 4), 2, given=["Scale"]),
    # Real Paddle forgets a part of the gradient where there is no Scale.
    group("groups without scale", (2, 6, 3, 4), 2, given=["Bias"], golden_grads=False),
    group("groups without either", (2, 6, 3, 4), 2, given=[], golden_grads=False),
    group("groups, epsilon", (2, 6, 3, 4), 3, epsilon=1e-3),
    # Real Paddle reads past the shape where there are not four dimensions.
    group("groups of rows", (3, 6), 2, golden=False),
    group("groups of volumes", (2, 4, 2, 3, 2), 2, golden=False),
    instance("instances", (2, 3, 4, 5)),
    instance("instances of rows", (2, 3, 7)),
    instance("instances of volumes", (2, 3, 2, 3, 4)),
    instance("instances of one element", (2, 3)),
    instance("instances, epsilon", (2, 3, 4, 5), epsilon=1e-3),
    instance("instances, gradient of X alone", (2, 3, 4, 5), grads=["X"]),
    lrn("response", (2, 7, 3, 4)),
    lrn("response that matters", (2, 7, 3, 4), alpha=0.5, beta=0.6, k=1.0, n=3),
    lrn("response, wider than the channels", (2, 3, 3, 4), alpha=0.5, n=9),
    lrn("response, channels last", (2, 3, 4, 7), alpha=0.5, data_format="NHWC"),
    lrn("response, tested", (2, 7, 3, 4), alpha=0.5, is_test=True),
    affine("affine", (2, 3, 4, 5), data_layout="NCHW"),
    affine("affine, channels last", (2, 4, 5, 3), data_layout="NHWC"),
    affine("affine, by default last", (2, 4, 5, 3)),
    affine("affine, rows", (4, 3), data_layout="NCHW"),
    affine("affine, gradient of X alone", (2, 3, 4, 5), grads=["X"], data_layout="NCHW"),
]
zero = group("a scale of zero", (2, 4, 3, 3), 2)
zero.inputs["Scale"][1] = 0
zero.numeric = False  # the gradient cannot know the deviation: see group_norm.c
CASES.append(zero)
test = check(__file__, CASES)


def _fails(what, c, **inputs):
    import paddle.fluid as fluid
    import pytest
    c.inputs.update(inputs)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    shape = (2, 4, 3, 3)
    _fails("X has 4 channels, and Scale 3", group("", shape, 2), Scale=rand(3))
    _fails("groups is 5, and X has 4 channels", group("", shape, 5))
    _fails("groups is 0", group("", shape, 0))
    _fails("2 dimensions or more", group("", shape, 2), X=rand(4))
    _fails("data_layout CHWN", group("", shape, 2, data_layout="CHWN"))
    _fails("X has 4 channels, and Bias 5", instance("", shape), Bias=rand(5))
    _fails("2 to 5 dimensions", instance("", shape), X=rand(4))
    _fails("n is 4, and must be odd", lrn("", shape, n=4))
    _fails("X must have 4 dimensions", lrn("", shape), X=rand(4, 4))
    _fails("X has 3 channels, and Scale 4", affine("", shape), Scale=rand(4))
    _fails("X must have 4 dimensions", affine("", shape), X=rand(2, 4, 3))


def test_equal_elements_stay_finite():
    import paddle.fluid as fluid
    from opcase import forward
    for c in (group("", (2, 4, 3, 3), 2), instance("", (2, 4, 3, 3))):
        c.inputs["X"] = np.full((2, 4, 3, 3), 3.0, "float32")
        y = forward(fluid, c).values["Y0"]
        np.testing.assert_allclose(y, np.broadcast_to(
            c.inputs["Bias"][None, :, None, None], y.shape), atol=1e-6)
