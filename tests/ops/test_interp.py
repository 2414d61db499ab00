import numpy as np

from opcase import build, case, check, forward, rand


def resize(name, op, shape=(2, 3, 4, 5), grads=("X",), given=None, x=None, golden=True, **attrs):
    inputs = dict({"X": rand(*shape) if x is None else x}, **(given or {}))
    return case(name, op, inputs, attrs, grads=grads, golden=golden, atol=2e-5)


CASES = []
for op, method in (("bilinear_interp", "bilinear"), ("nearest_interp", "nearest")):
    for corners in (True, False):
        for mode in (0, 1):
            for size in ((7, 9), (2, 3), (4, 5), (1, 8), (1, 1)):
                CASES.append(resize(
                    "%s corners=%s mode=%d to %dx%d" % ((method, corners, mode) + size), op,
                    interp_method=method, align_corners=corners, align_mode=mode, out_h=size[0],
                    out_w=size[1]))
    CASES += [
        resize(method + " channels last", op, (2, 4, 5, 3), interp_method=method, out_h=6, out_w=3,
               data_layout="NHWC"),
        resize(method + " channels last, by pixels", op, (2, 4, 5, 3), interp_method=method,
               out_h=7, out_w=11, data_layout="NHWC", align_corners=False, align_mode=0),
        resize(method + " scale", op, interp_method=method, scale=1.7, out_h=99, out_w=99),
        resize(method + " from one pixel", op, (2, 3, 1, 1), interp_method=method, out_h=3,
               out_w=2),
        resize(method + " size by a tensor", op, interp_method=method, scale=1.7,
               given={"OutSize": np.array([6, 7], "int32")}),
        resize(method + " size by two tensors", op, interp_method=method, out_h=2, out_w=2,
               given={"SizeTensor": [np.array([6], "int32"), np.array([7], "int32")]}),
        resize(method + " scale by a tensor", op, interp_method=method, scale=1.7,
               given={"Scale": np.array([2.0], "float32")}),
    ]
# interp_method decides, not the name of the op.
CASES += [
    resize("nearest_interp that is linear", "nearest_interp", out_h=6, out_w=7),
    resize("bilinear_interp that is nearest", "bilinear_interp", out_h=6, out_w=7,
           interp_method="nearest"),
    resize("bytes", "nearest_interp", x=np.arange(48, dtype="uint8").reshape(2, 2, 3, 4), grads=(),
           out_h=5, out_w=6, interp_method="nearest"),
]
for corners in (True, False):
    for mode in (0, 1):
        CASES.append(resize("volume corners=%s mode=%d" % (corners, mode), "trilinear_interp",
                            (2, 2, 3, 4, 5), interp_method="trilinear", align_corners=corners,
                            align_mode=mode, out_d=5, out_h=3, out_w=7))
CASES.append(resize("volume, channels last", "trilinear_interp", (2, 3, 4, 5, 2), out_d=5, out_h=3,
                    out_w=7, interp_method="trilinear", data_layout="NHWC"))
test = check(__file__, CASES)


def test_sizes_may_change_from_run_to_run():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        block = main.global_block()
        x, size = fluid.data("x", [-1, 2, -1, -1]), fluid.data("size", [2], "int32")
        out = block.create_var(name="out", dtype="float32")
        block.append_op("bilinear_interp", {"X": x, "OutSize": size}, {"Out": out},
                        {"out_h": 4, "out_w": 4})
    exe = fluid.Executor(fluid.CPUPlace())
    for h, w in ((3, 5), (6, 2), (3, 5)):
        got, = exe.run(main, feed={"x": rand(1, 2, 4, 4), "size": np.array([h, w], "int32")},
                       fetch_list=[out])
        assert got.shape == (1, 2, h, w)


def _fails(what, op="bilinear_interp", run=False, **kw):
    import paddle.fluid as fluid
    import pytest
    c = resize("bad", op, **kw)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, c) if run else build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    _fails("give out_shape or scale")
    _fails("interp_method cubic", interp_method="cubic", out_h=2, out_w=2)
    _fails("interp_method bilinear of 5 dimensions", shape=(1, 1, 2, 2, 2), out_h=2, out_w=2)
    _fails("data_layout CHWN", data_layout="CHWN", out_h=2, out_w=2)
    _fails("SizeTensor has 1 tensors", given={"SizeTensor": [np.array([6], "int32")]})
    _fails("size of -3", run=True, out_h=2, out_w=2,
           given={"OutSize": np.array([-3, 2], "int32")})
    _fails("OutSize must be int32 or int64, with a number for each axis", run=True, out_h=2,
           out_w=2, given={"OutSize": np.array([3], "int32")})
