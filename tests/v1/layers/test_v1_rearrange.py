"""Layers that move, cut, repeat or enlarge."""
import numpy
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph

from v1_harness import check, check_value


def flat(x):
    return x.reshape(len(x), -1)


def test_largest_of_channels():
    check(lambda data: maxout_layer(data.dense("x", 4 * 6, height=2, width=3), groups=2),
          lambda v: flat(v["x"].reshape(-1, 2, 2, 6).max(axis=2)))


def test_zeros_around():
    check(lambda data: pad_layer(data.dense("x", 2 * 6, height=2, width=3), pad_c=[1, 0],
                                 pad_w=[0, 2]),
          lambda v: flat(numpy.pad(v["x"].reshape(-1, 2, 2, 3),
                                   [(0, 0), (1, 0), (0, 0), (0, 2)])))


def test_a_part_of_an_image():
    check(lambda data: crop_layer(data.dense("x", 2 * 12, height=4, width=3), offset=[1, 0],
                                  shape=[1, 2, 2, 2]),
          lambda v: flat(v["x"].reshape(-1, 2, 4, 3)[:, :, 1:3, 0:2]))
    check_value(lambda data: crop_layer([data.dense("x", 2 * 12, height=4, width=3),
                                         data.dense("y", 4, height=2, width=2)],
                                        offset=[1, 2, 0], axis=1),
                lambda v: flat(v["x"].reshape(-1, 2, 4, 3)[:, 1:2, 2:4, 0:2]))
    with use_graph(Graph()):
        image = data_layer("x", 16, height=4, width=4)
        for options, word in ((dict(offset=[0], axis=0), "not cropped"),
                              (dict(offset=[1]), "offset"), (dict(offset=[0, 0]), "give shape"),
                              (dict(offset=[3, 0], shape=[1, 1, 2, 2]), "more than")):
            with pytest.raises(ConfigError, match=word):
                crop_layer(image, **options)


def test_windows_as_a_sequence():
    def case(data):
        return block_expand_layer(data.dense("x", 2 * 20, height=4, width=5), block_x=2, block_y=3,
                                  stride_x=2, stride_y=1, num_channels=2)

    def expected(v):
        x = numpy.pad(v["x"].reshape(-1, 2, 4, 5), [(0, 0), (0, 0), (0, 0), (0, 1)])
        return numpy.stack([image[:, i:i + 3, j:j + 2].reshape(-1) for image in x
                            for i in range(2) for j in (0, 2, 4)])
    check(case, expected)


def test_another_size():
    def case(data):
        return bilinear_interp_layer(data.dense("x", 2 * 4, height=2, width=2), out_size_x=3,
                                     out_size_y=2)

    def expected(v):
        x = v["x"].reshape(-1, 2, 2, 2)
        return flat(numpy.stack([x[..., 0], x.mean(axis=3), x[..., 1]], axis=3))
    check(case, expected)


def test_values_back_to_where_they_were_the_largest():
    def case(data):
        image = data.dense("x", 2 * 16, height=4, width=4, label=True)
        pooled = img_pool_layer(image, pool_size=2, stride=2, pool_type=MaxWithMaskPooling())
        return upsample_layer([data.dense("y", 2 * 4, height=2, width=2), pooled], scale=2)

    def expected(v):
        x = v["x"].reshape(-1, 2, 2, 2, 2, 2)
        largest = x == x.max(axis=(3, 5), keepdims=True)
        return flat(numpy.where(largest, v["y"].reshape(-1, 2, 2, 1, 2, 1), 0))
    check(case, expected)


def test_turned():
    check(lambda data: rotate_layer(data.dense("x", 2 * 6), height=2, width=3),
          lambda v: flat(numpy.rot90(v["x"].reshape(-1, 2, 2, 3), -1, axes=(2, 3))))


@pytest.mark.parametrize("axis,size", [(1, 12), (2, 6), (3, 2)])
def test_channels_last(axis, size):
    check(lambda data: switch_order_layer(data.dense("x", 12, height=2, width=3),
                                          reshape_axis=axis),
          lambda v: v["x"].reshape(-1, 2, 2, 3).transpose(0, 2, 3, 1).reshape(-1, size))


def test_rows_of_another_length_and_the_transpose():
    check(lambda data: resize_layer(data.dense("x", 6), 3), lambda v: v["x"].reshape(-1, 3))
    check(lambda data: trans_layer(data.dense("x", 5)), lambda v: v["x"].T)


def test_again_and_again():
    check(lambda data: repeat_layer(data.dense("x", 3), 2, act=TanhActivation()),
          lambda v: numpy.tanh(numpy.tile(v["x"], (1, 2))))
    check(lambda data: repeat_layer(data.dense("x", 3), 2, as_row_vector=False),
          lambda v: numpy.repeat(v["x"], 2, axis=1))


def test_a_part_by_a_factor():
    bounds = [[1, 1, 1, 2, 2, 2], [1, 2, 2, 2, 1, 3], [2, 2, 1, 1, 3, 3], [1, 2, 1, 2, 1, 3],
              [2, 1, 1, 2, 1, 3]]

    def case(data):
        return scale_sub_region_layer(data.dense("x", 12, height=2, width=3),
                                      data.dense("b", 6, label=True, value=bounds), value=3.0)

    def expected(v):
        x = v["x"].reshape(-1, 2, 2, 3).copy()
        for image, (c, d, h, i, w, j) in zip(x, bounds):
            image[c - 1:d, h - 1:i, w - 1:j] *= 3
        return flat(x)
    check(case, expected)
