"""Parts of Variables: the ops that are made. Their values: tests/python/test_parts.py."""
import numpy as np

from layercase import check, data


def _fixed():
    import paddle.fluid as fluid
    x = fluid.data("x", [4, 5, 6], "float32")
    x.stop_gradient = False
    return x


def one_index():
    x = _fixed()
    x[0], x[-1], x[-2], x[1, 2], x[1, 2, 3], x[:, -1, :], x[np.int64(1)], x[True]


def slices():
    x = _fixed()
    x[:, 1:3], x[1:3], x[-3:-1], x[1:100], x[:-1], x[-2:], x[slice(1, 3), slice(None)]


def steps():
    x = _fixed()
    x[1::2], x[3:0:-1], x[0:4:2], x[0:4:2, 1], x[0:10000:3], x[-1:0:-1]


def turned_round():
    x = _fixed()
    x[::-1], x[:, ::-1], x[1:3, 0:5:2, ::-1], x[::-1, ::-1], x[0, ::-1]


def the_whole():
    x = _fixed()
    x[:], x[()], x[:, :]


def of_a_batch():
    b = data("b", [5], grad=True)
    b[0], b[-1], b[1:], b[:, 1:3], b[:, 0], b[0:4:2]


def of_a_shape():
    import paddle.fluid as fluid
    fluid.layers.shape(_fixed())[0], fluid.layers.shape(data("b", [5]))[1:]


def nested():
    x = _fixed()
    x[0][1][2], x[0:2][0]


def by_variables():
    import paddle.fluid as fluid
    x = _fixed()
    i = fluid.layers.fill_constant([1], "int32", 2)
    x[i], x[i, 1], x[i, i], x[1:i], x[i:], x[:i], x[-i], x[i - 1], x[2:i + 1], x[:, :, i:i + 2]
    x[i:3, 1:4:2], x[i::2]


CASES = [one_index, slices, steps, turned_round, the_whole, of_a_batch, of_a_shape, nested,
         by_variables]
test = check(__file__, CASES)
