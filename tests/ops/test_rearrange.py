"""pixel_shuffle, space_to_depth, shuffle_channel, temporal_shift."""
from opcase import build, case, check, ints, rand


def move(name, op, shape, **attrs):
    return case(name, op, {"X": rand(*shape)}, attrs, grads=["X"])


CASES = [
    move("pixels", "pixel_shuffle", (2, 8, 2, 3), upscale_factor=2),
    move("pixels by three", "pixel_shuffle", (2, 9, 2, 3), upscale_factor=3),
    move("pixels by one", "pixel_shuffle", (2, 3, 2, 3)),
    move("depth", "space_to_depth", (2, 8, 4, 6), blocksize=2),
    move("depth by three", "space_to_depth", (1, 18, 6, 3), blocksize=3),
    move("channels", "shuffle_channel", (2, 6, 3, 2), group=2),
    move("channels by three", "shuffle_channel", (2, 6, 3, 2), group=3),
    move("channels by one", "shuffle_channel", (2, 6, 3, 2)),
    move("time", "temporal_shift", (6, 8, 2, 3), seg_num=3),
    move("time, a larger part", "temporal_shift", (4, 5, 2, 3), seg_num=2, shift_ratio=0.4),
    move("time, videos of one", "temporal_shift", (3, 4, 2, 2), seg_num=1),
]
for c in CASES:
    # Real Paddle's gradient goes the same way again, instead of back.
    c.golden_grads = c.type != "shuffle_channel"
CASES.append(case("whole numbers", "space_to_depth", {"X": ints(1, 4, 2, 4)}, {"blocksize": 2}))
test = check(__file__, CASES)


def _fails(what, op, shape, **attrs):
    import paddle.fluid as fluid
    import pytest
    c = move("bad", op, shape, **attrs)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        build(fluid, c, c.inputs)


def test_what_does_not_fit_is_refused():
    _fails("cannot be cut by the square of upscale_factor, 2", "pixel_shuffle", (1, 6, 2, 2),
           upscale_factor=2)
    _fails("upscale_factor, 0", "pixel_shuffle", (1, 4, 2, 2), upscale_factor=0)
    _fails("cannot be cut by the square of blocksize, 2", "space_to_depth", (1, 2, 4, 4),
           blocksize=2)
    _fails("images of 3 by 4", "space_to_depth", (1, 4, 3, 4), blocksize=2)
    _fails("cannot be cut by group, 4", "shuffle_channel", (1, 6, 2, 2), group=4)
    _fails("X must have 4 dimensions", "shuffle_channel", (6, 2, 2), group=2)
    _fails("5 images cannot be cut into videos of seg_num, 2", "temporal_shift", (5, 4, 1, 1),
           seg_num=2)
    _fails("shift_ratio is 0.7", "temporal_shift", (4, 4, 1, 1), seg_num=2, shift_ratio=0.7)
