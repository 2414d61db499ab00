import numpy as np

from opcase import build, case, check, forward, gradients, rand

BOTH = ["Input", "Filter"]


def conv(name, image, filter, op="conv2d", grads=BOTH, **attrs):
    attrs = dict({"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}, **attrs)
    return case(name, op, {"Input": rand(*image), "Filter": rand(*filter)}, attrs,
                outputs=["Output"], grads=grads, atol=2e-4, rtol=1e-4)


CASES = [
    conv("plain", (2, 3, 7, 6), (4, 3, 3, 3)),
    conv("one channel", (3, 1, 8, 8), (6, 1, 5, 5)),
    conv("channels that fill blocks", (2, 16, 6, 6), (32, 16, 3, 3), paddings=[1, 1]),
    conv("channels that do not", (2, 20, 6, 6), (18, 20, 3, 3)),
    conv("few channels", (2, 3, 9, 9), (16, 3, 7, 7), strides=[2, 2], paddings=[3, 3]),
    conv("one tap", (2, 8, 5, 5), (12, 8, 1, 1)),
    conv("one tap, strided", (2, 8, 7, 7), (4, 8, 1, 1), strides=[2, 2]),
    conv("one pixel", (5, 8, 1, 1), (4, 8, 1, 1)),
    conv("one image", (1, 4, 5, 5), (4, 4, 3, 3)),
    conv("stride", (2, 3, 9, 8), (4, 3, 3, 2), strides=[2, 3]),
    conv("stride that leaves a rest", (2, 3, 8, 10), (4, 3, 3, 3), strides=[3, 4]),
    conv("padding", (2, 3, 5, 6), (4, 3, 3, 3), paddings=[1, 2]),
    conv("padding of four", (2, 3, 5, 6), (4, 3, 3, 3), paddings=[1, 0, 2, 1]),
    conv("padding past the kernel", (2, 3, 4, 4), (4, 3, 3, 3), paddings=[4, 4]),
    conv("dilation", (2, 3, 9, 10), (4, 3, 3, 3), dilations=[2, 3], paddings=[1, 1]),
    conv("groups", (2, 4, 6, 6), (6, 2, 3, 3), groups=2),
    conv("groups of 16", (2, 32, 6, 6), (32, 16, 3, 3), groups=2, paddings=[1, 1]),
    conv("groups, strided and dilated", (2, 6, 9, 9), (3, 2, 3, 3), groups=3, strides=[2, 2],
         dilations=[2, 2], paddings=[2, 2]),
    conv("same", (2, 3, 7, 8), (4, 3, 3, 4), padding_algorithm="SAME"),
    conv("same, strided", (2, 3, 7, 8), (4, 3, 3, 2), padding_algorithm="SAME", strides=[2, 3]),
    conv("same forgets dilation", (2, 3, 7, 8), (4, 3, 3, 3), padding_algorithm="SAME",
         dilations=[2, 2]),
    conv("valid", (2, 3, 7, 8), (4, 3, 3, 3), padding_algorithm="VALID", paddings=[1, 1]),
    conv("channels last", (2, 7, 6, 3), (4, 3, 3, 3), data_format="NHWC", paddings=[1, 0]),
    conv("channels last, 16", (2, 6, 6, 16), (16, 16, 3, 3), data_format="NHWC"),
    conv("channels last, groups", (2, 6, 6, 4), (6, 2, 3, 3), data_format="NHWC", groups=2,
         strides=[2, 1]),
    conv("channels last, one tap", (2, 5, 5, 8), (4, 8, 1, 1), data_format="NHWC"),
    conv("channels last, same", (2, 7, 8, 3), (4, 3, 3, 2), data_format="NHWC",
         padding_algorithm="SAME", strides=[2, 2]),
    conv("depthwise", (2, 6, 7, 7), (6, 1, 3, 3), "depthwise_conv2d", groups=6, paddings=[1, 1]),
    conv("depthwise, 16", (2, 16, 7, 7), (16, 1, 3, 3), "depthwise_conv2d", groups=16,
         strides=[2, 2]),
    conv("depthwise, two for each", (2, 4, 7, 7), (8, 1, 3, 3), "depthwise_conv2d", groups=4,
         dilations=[2, 2], paddings=[2, 2]),
    conv("gradient of the image alone", (2, 3, 7, 6), (4, 3, 3, 3), grads=["Input"]),
    conv("gradient of the filter alone", (2, 3, 7, 6), (4, 3, 3, 3), grads=["Filter"]),
    # Real Paddle ignores Bias on the CPU.
    case("bias", "conv2d", {"Input": rand(2, 3, 5, 5), "Filter": rand(4, 3, 3, 3),
                            "Bias": rand(4)}, {"paddings": [1, 1]}, outputs=["Output"],
         grads=["Input", "Filter", "Bias"], golden=False),
    case("bias, channels last", "conv2d",
         {"Input": rand(2, 5, 5, 3), "Filter": rand(4, 3, 3, 3), "Bias": rand(4)},
         {"data_format": "NHWC"}, outputs=["Output"], grads=["Input", "Filter", "Bias"],
         golden=False),
]
for c in [conv("volume", (2, 3, 5, 6, 4), (4, 3, 3, 2, 3), "conv3d"),
          conv("volume, strided and padded", (2, 3, 6, 6, 5), (4, 3, 3, 3, 3), "conv3d",
               strides=[2, 1, 2], paddings=[1, 2, 0]),
          conv("volume, padding of six", (1, 2, 5, 5, 5), (4, 2, 3, 3, 3), "conv3d",
               paddings=[1, 0, 0, 1, 2, 1]),
          conv("volume, groups and dilation", (2, 4, 7, 7, 7), (6, 2, 3, 3, 3), "conv3d", groups=2,
               dilations=[2, 2, 2]),
          conv("volume, channels last", (2, 5, 6, 4, 3), (4, 3, 3, 2, 3), "conv3d",
               data_format="NDHWC"),
          conv("volume, same", (2, 3, 5, 6, 4), (4, 3, 3, 2, 3), "conv3d",
               padding_algorithm="SAME", strides=[2, 2, 2])]:
    for attr in ("strides", "paddings", "dilations"):
        if len(c.attrs[attr]) == 2:
            c.attrs[attr] = [c.attrs[attr][0]] * 3
    CASES.append(c)
test = check(__file__, CASES)


def test_floats_agree_with_the_plain_loops():
    """oneDNN in float32 against the loops in float64."""
    import paddle.fluid as fluid
    for c in CASES:
        single, double = c.inputs, {k: v.astype("float64") for k, v in c.inputs.items()}
        a, b = forward(fluid, c, single), forward(fluid, c, double)
        shape = b.values["Output0"].shape
        np.testing.assert_allclose(a.values["Output0"], b.values["Output0"], rtol=1e-4, atol=1e-4,
                                   err_msg=c.name)
        weights = np.cos(np.arange(np.prod(shape))).reshape(shape)
        da = gradients(fluid, c, single, {"Output0": weights.astype("float32")})
        db = gradients(fluid, c, double, {"Output0": weights})
        for key in db.values:
            np.testing.assert_allclose(da.values[key], db.values[key], rtol=1e-4, atol=2e-4,
                                       err_msg=c.name + " " + key)


def test_batches_of_any_size_run_one_after_the_other():
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    w = rand(4, 3, 3, 3)
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [-1, 3, -1, -1])
        block = main.global_block()
        filter = block.create_var(name="w", shape=[4, 3, 3, 3], dtype="float32", persistable=True)
        out = block.create_var(name="out", dtype="float32")
        block.append_op("conv2d", {"Input": x, "Filter": filter}, {"Output": out}, {})
    assert out.shape == (-1, 4, -1, -1)
    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    with fluid.scope_guard(scope):
        scope.var("w").get_tensor().set(w, fluid.CPUPlace())
        for n in (2, 3, 1, 2) + tuple(range(1, 25)):
            image = np.ones((n, 3, 4 + n % 3, 5), "float32")
            got, = exe.run(main, feed={"x": image}, fetch_list=[out])
            wanted = np.broadcast_to(w.sum((1, 2, 3))[None, :, None, None], got.shape)
            np.testing.assert_allclose(got, wanted, rtol=1e-5)


def _fails(what, image, filter, **attrs):
    import paddle.fluid as fluid
    import pytest
    c = case("bad", "conv2d", {"Input": rand(*image), "Filter": rand(*filter)}, attrs,
             outputs=["Output"])
    with pytest.raises((fluid.core.EnforceNotMet, ValueError, NotImplementedError), match=what):
        build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    image, filter = (1, 3, 5, 5), (4, 3, 3, 3)
    _fails("3 channels in 1 groups", image, (4, 2, 3, 3))
    _fails("4 dimensions", (3, 5, 5), filter)
    _fails("reaches over 7", image, (4, 3, 7, 7))
    _fails("4 channels in 2 groups", (1, 4, 5, 5), (3, 2, 3, 3), groups=2)
    _fails("strides has a 0", image, filter, strides=[0, 1])
    _fails("strides has 3 numbers", image, filter, strides=[1, 1, 1])
    _fails("dilations has a 0", image, filter, dilations=[1, 0])
    _fails("paddings has a negative", image, filter, paddings=[-1, 0])
    _fails("paddings has 3", image, filter, paddings=[1, 0, 1])
    _fails("padding_algorithm SOME", image, filter, padding_algorithm="SOME")
    _fails("data format CHWN: NCHW or NHWC", image, filter, data_format="CHWN")
    _fails("fuse_relu is set", image, filter, fuse_relu=True)
