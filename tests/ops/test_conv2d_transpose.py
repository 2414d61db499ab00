import numpy as np

from opcase import build, case, check, forward, rand

BOTH = ["Input", "Filter"]


def conv(name, image, filter, op="conv2d_transpose", grads=BOTH, axes=2, **attrs):
    attrs = dict({"strides": [1] * axes, "paddings": [0] * axes, "dilations": [1] * axes,
                  "groups": 1}, **attrs)
    return case(name, op, {"Input": rand(*image), "Filter": rand(*filter)}, attrs,
                outputs=["Output"], grads=grads, atol=2e-4, rtol=1e-4)


CASES = [
    conv("plain", (2, 3, 4, 5), (3, 4, 3, 3)),
    conv("stride", (2, 3, 4, 5), (3, 4, 3, 2), strides=[2, 3]),
    conv("stride past the kernel", (2, 3, 4, 4), (3, 4, 2, 2), strides=[3, 3]),
    conv("padding", (2, 3, 4, 5), (3, 4, 3, 3), strides=[2, 2], paddings=[1, 0]),
    conv("padding of four", (2, 3, 4, 5), (3, 4, 3, 3), strides=[2, 2], paddings=[1, 0, 0, 1]),
    conv("dilation", (2, 3, 4, 5), (3, 4, 3, 3), dilations=[2, 2]),
    conv("groups", (2, 4, 4, 5), (4, 3, 3, 3), groups=2, strides=[2, 2]),
    conv("channels of 16", (2, 16, 4, 4), (16, 32, 3, 3), strides=[2, 2], paddings=[1, 1]),
    conv("output size", (2, 3, 4, 5), (3, 4, 3, 3), strides=[2, 3], output_size=[10, 17]),
    conv("output size, padding", (2, 3, 4, 5), (3, 4, 3, 3), strides=[2, 2], paddings=[1, 1],
         output_size=[8, 10]),
    conv("same", (2, 3, 4, 5), (3, 4, 3, 3), padding_algorithm="SAME", strides=[2, 2]),
    conv("valid", (2, 3, 4, 5), (3, 4, 3, 3), padding_algorithm="VALID", paddings=[1, 1]),
    conv("channels last", (2, 4, 5, 3), (3, 4, 3, 3), data_format="NHWC", strides=[2, 1]),
    conv("channels last, groups", (2, 4, 5, 4), (4, 2, 3, 3), data_format="NHWC", groups=2),
    conv("depthwise", (2, 6, 4, 5), (6, 1, 3, 3), "depthwise_conv2d_transpose", groups=6,
         strides=[2, 2], paddings=[1, 1]),
    conv("gradient of the image alone", (2, 3, 4, 5), (3, 4, 3, 3), grads=["Input"]),
    conv("gradient of the filter alone", (2, 3, 4, 5), (3, 4, 3, 3), grads=["Filter"]),
    conv("volume", (2, 3, 3, 4, 3), (3, 4, 3, 2, 3), "conv3d_transpose", axes=3),
    conv("volume, strided", (2, 3, 3, 4, 3), (3, 4, 3, 3, 3), "conv3d_transpose", axes=3,
         strides=[2, 1, 2], paddings=[1, 0, 1]),
    conv("volume, groups and dilation", (1, 4, 3, 3, 3), (4, 2, 2, 2, 2), "conv3d_transpose",
         axes=3, groups=2, dilations=[2, 1, 2]),
    # Real Paddle ignores Bias on the CPU.
    case("bias", "conv2d_transpose", {"Input": rand(2, 3, 4, 4), "Filter": rand(3, 4, 3, 3),
                                      "Bias": rand(4)}, {"strides": [2, 2]}, outputs=["Output"],
         grads=["Input", "Filter", "Bias"], golden=False),
]
test = check(__file__, CASES)


def test_floats_agree_with_the_plain_loops():
    import paddle.fluid as fluid
    for c in CASES:
        a = forward(fluid, c)
        b = forward(fluid, c, {k: v.astype("float64") for k, v in c.inputs.items()})
        np.testing.assert_allclose(a.values["Output0"], b.values["Output0"], rtol=1e-4, atol=1e-4,
                                   err_msg=c.name)


def _fails(what, image, filter, **attrs):
    import paddle.fluid as fluid
    import pytest
    c = case("bad", "conv2d_transpose", {"Input": rand(*image), "Filter": rand(*filter)}, attrs,
             outputs=["Output"])
    with pytest.raises((fluid.core.EnforceNotMet, ValueError, NotImplementedError), match=what):
        build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    image, filter = (1, 3, 4, 4), (3, 4, 3, 3)
    _fails("has 3 channels, and Filter", image, (4, 3, 3, 3))
    _fails("4 dimensions", (3, 4, 4), filter)
    _fails("in 2 groups", image, filter, groups=2)
    _fails("output_size 9 of axis 1 is not from 6 to 6", image, filter, output_size=[6, 9])
    _fails("output_size has 1 numbers", image, filter, output_size=[6])
    _fails("leave nothing of axis 0", image, filter, paddings=[3, 0])
    _fails("fuse_activation is set", image, filter, fuse_activation="relu")
