import numpy as np

from opcase import apart, build, case, check, forward, gradients, rand


def pool(name, shape, kind, ksize, op="pool2d", x=None, **attrs):
    golden = attrs.pop("golden", True)
    attrs = dict({"pooling_type": kind, "ksize": ksize}, **attrs)
    return case(name, op, {"X": apart(*shape) if x is None else x}, attrs, grads=["X"],
                golden=golden)


CASES = []
for kind in ("max", "avg"):
    def add(name, *args, **kw):
        CASES.append(pool("%s %s" % (kind, name), args[0], kind, *args[1:], **kw))

    add("two by two", (2, 3, 6, 8), [2, 2], strides=[2, 2])
    add("overlapping", (2, 3, 7, 6), [3, 2], strides=[1, 1])
    add("stride 2", (2, 3, 7, 9), [3, 3], strides=[2, 2])
    add("stride 3", (2, 3, 10, 10), [3, 2], strides=[3, 3])
    add("stride past the window", (2, 2, 9, 9), [2, 2], strides=[4, 3])
    add("padding", (2, 3, 6, 7), [3, 3], strides=[2, 2], paddings=[1, 1])
    add("padding of four", (2, 3, 6, 7), [3, 3], strides=[2, 1], paddings=[1, 0, 0, 2])
    add("up", (2, 3, 6, 7), [3, 3], strides=[2, 2], ceil_mode=True)
    add("up and padding", (2, 3, 6, 7), [2, 3], strides=[2, 3], paddings=[1, 1], ceil_mode=True)
    add("whole image", (2, 3, 5, 4), [1, 1], global_pooling=True)
    add("whole image forgets padding", (2, 3, 5, 4), [2, 2], global_pooling=True, paddings=[1, 1],
        strides=[2, 2])
    add("same", (2, 3, 6, 7), [3, 2], strides=[2, 2], padding_algorithm="SAME")
    add("valid", (2, 3, 6, 7), [3, 2], strides=[2, 2], padding_algorithm="VALID", paddings=[1, 1])
    add("channels last", (2, 6, 7, 3), [3, 2], strides=[2, 2], paddings=[1, 1],
        data_format="NHWC")
    add("channels last, up", (2, 5, 5, 17), [2, 2], strides=[2, 2], ceil_mode=True,
        data_format="NHWC")
    add("one pixel", (3, 2, 1, 1), [1, 1])
    # Real Paddle ignores adaptive for max: fluid.layers takes max_pool2d_with_index for it.
    add("adaptive", (2, 3, 7, 6), [3, 4], adaptive=True, golden=kind == "avg")
    add("adaptive to more", (2, 3, 4, 5), [6, 5], adaptive=True, golden=kind == "avg")
    add("adaptive, channels last", (2, 7, 6, 3), [3, 4], adaptive=True, data_format="NHWC",
        golden=kind == "avg")
    add("volume", (2, 2, 4, 6, 4), [2, 3, 2], "pool3d", strides=[2, 1, 2])
    add("volume, padding and up", (2, 2, 6, 6, 4), [2, 3, 2], "pool3d", strides=[2, 2, 2],
        paddings=[1, 1, 0], ceil_mode=True)
    add("volume, channels last", (2, 4, 6, 4, 3), [2, 3, 2], "pool3d", strides=[2, 1, 2],
        data_format="NDHWC")
    add("volume, whole", (2, 2, 4, 3, 4), [2, 2, 2], "pool3d", global_pooling=True)
    add("volume, adaptive", (2, 2, 5, 4, 6), [2, 3, 4], "pool3d", adaptive=True,
        golden=kind == "avg")
for more in ({}, {"padding_algorithm": "SAME"}, {"ceil_mode": True}, {"data_format": "NHWC"}):
    CASES.append(pool("avg of the edge too %s" % sorted(more), (2, 6, 7, 6), "avg", [3, 3],
                      strides=[2, 2], paddings=[1, 1], exclusive=False, **more))
# Of equal elements the first gets the gradient: what relu leaves is full of zeros.
equal = np.maximum(np.round(rand(2, 3, 6, 6) * 2), 0)
CASES += [
    pool("max of equals", None, "max", [3, 3], x=equal, strides=[2, 2]),
    pool("max of equals, channels last", None, "max", [3, 3], x=equal, strides=[2, 2],
         data_format="NHWC"),
]
for c in CASES[-2:]:
    c.numeric = False  # there is no gradient where elements are equal


def index(name, shape, ksize, op="max_pool2d_with_index", **attrs):
    return case(name, op, {"X": apart(*shape)}, dict({"ksize": ksize}, **attrs),
                outputs=["Out", "Mask"], grads=["X"])


CASES += [
    index("index", (2, 3, 6, 8), [2, 2], strides=[2, 2]),
    index("index, padding", (2, 3, 6, 7), [3, 3], strides=[2, 2], paddings=[1, 1]),
    index("index, whole image", (2, 3, 6, 7), [3, 3], global_pooling=True),
    index("index, adaptive", (2, 3, 6, 7), [4, 3], adaptive=True),
    index("index, empty windows", (1, 1, 4, 4), [2, 2], strides=[2, 2], paddings=[2, 2]),
    index("index, volume", (2, 2, 4, 6, 4), [2, 3, 2], "max_pool3d_with_index",
          strides=[2, 1, 2]),
    index("index, volume, adaptive", (2, 2, 4, 6, 4), [3, 3, 2], "max_pool3d_with_index",
          adaptive=True),
]
CASES[-3].numeric = False  # an empty window gives the lowest number of all
test = check(__file__, CASES)


def test_an_average_of_nothing_is_zero():
    """Real Paddle divides 0 by 0, or by a negative number."""
    import paddle.fluid as fluid
    c = pool("", (1, 1, 4, 4), "avg", [2, 2], strides=[2, 2], paddings=[2, 2])
    out = forward(fluid, c).values["Out0"]
    assert out[0, 0, 0].tolist() == [0, 0, 0, 0] and out[0, 0, 1, 1] != 0
    grads = gradients(fluid, c, c.inputs, {"Out0": np.ones((1, 1, 4, 4), "float32")})
    np.testing.assert_allclose(grads.values["X0"], np.full((1, 1, 4, 4), 0.25))


def test_the_maximum_of_nothing_is_the_lowest_number():
    import paddle.fluid as fluid
    c = pool("", (1, 1, 4, 4), "max", [2, 2], strides=[2, 2], paddings=[2, 2])
    out = forward(fluid, c).values["Out0"]
    assert out[0, 0, 0, 0] == np.finfo("float32").min


def _fails(what, shape, op="pool2d", **attrs):
    import paddle.fluid as fluid
    import pytest
    c = case("bad", op, {"X": rand(*shape)}, attrs,
             outputs=["Out"] if op == "pool2d" else ["Out", "Mask"])
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    shape, good = (1, 2, 4, 4), {"pooling_type": "max", "ksize": [2, 2]}
    _fails("pooling_type min: max or avg", shape, **dict(good, pooling_type="min"))
    _fails("4 dimensions", (2, 4, 4), **good)
    _fails("ksize has 3 numbers", shape, **dict(good, ksize=[2, 2, 2]))
    _fails("ksize has a 0", shape, **dict(good, ksize=[2, 0]))
    _fails("and the window 5", shape, **dict(good, ksize=[5, 5]))
    _fails("adaptive and global_pooling", shape, **dict(good, adaptive=True, global_pooling=True))
    _fails("strides has a 0", shape, **dict(good, strides=[0, 1]))
    _fails("data format", shape, **dict(good, data_format="NCWH"))
    _fails("ksize has a -1", shape, "max_pool2d_with_index", ksize=[-1, 2])
