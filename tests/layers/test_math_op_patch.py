from layercase import check, data


def scalars():
    x = data("x", [4], grad=True)
    x + 1, 1 + x, x - 1, 1 - x, x * 2, 2 * x, x / 4, -x, x + True
    x ** 2, x // 2, x % 2


def whole_scalars():
    x = data("x", [4], "int64")
    x + 1, x - 2.0, 3 - x, x * 2, x / 2, x // 2, x % 2, x ** 2, -x


def reversed_scalars():
    import paddle.fluid as fluid
    2 / data("x", [4]), 2 ** data("y", [4])
    2.5 / fluid.data("z", [3, None, 4])
    2.5 / fluid.layers.fill_constant([3, 4], "float32", 1)
    2 ** fluid.layers.fill_constant([3, 4], "int32", 1)


def comparisons():
    x, y = data("x", [4]), data("y", [4])
    x < 1, x <= 1, x > 1, x >= 1, x == 1, x != 1, 1 < x, 1 >= x
    x < y, x <= y, x > y, x >= y, x == y, x != y
    data("i", [1], "int64") == 3


def two_variables():
    x, y = data("x", [4], grad=True), data("y", [4])
    x + y, x - y, x * y, x / y, x ** y, x // y, x % y


def numpy_scalars():
    import numpy as np
    x = data("x", [4])
    x + np.float64(2), x + np.float32(2), x * np.int64(3)


def two_types():
    x, i = data("x", [4]), data("i", [4], "int64")
    x * i, i + x, data("d", [4], "float64") - x


def broadcast():
    import paddle.fluid as fluid
    known = fluid.layers.fill_constant([3, 4], "float32", 1)
    data("a", [3, 4]) * data("b", [3])
    data("c", [4]) + known
    known + data("c", [4])
    data("a", [3, 4]) - fluid.layers.fill_constant([1], "float32", 1)


def astype():
    data("x", [4], grad=True).astype("int64")
    data("y", [4], "int64").astype("float32")


def chain():
    x, y = data("x", [4], grad=True), data("y", [1])
    (1 - x) * x / 2 + y ** 2 - 3.0


def reversed_scalars_of_unknown_sizes():
    import paddle.fluid as fluid
    for i, shape in enumerate(([None, None], [2, None], [None, None, 4])):
        x = fluid.data("x%d" % i, shape)
        (2.0 / x, 2.0 ** x)


CASES = [scalars, whole_scalars, reversed_scalars, comparisons, two_variables, numpy_scalars,
         two_types, broadcast, astype, chain,
         reversed_scalars_of_unknown_sizes]
test = check(__file__, CASES)


def test_reversed_scalars_of_unknown_sizes_run():
    import numpy as np
    import paddle.fluid as fluid
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [None, None, 2])
        value = np.arange(1, 13, dtype="float32").reshape(2, 3, 2)
        over, power = fluid.Executor().run(feed={"x": value}, fetch_list=[2.0 / x, 2.0 ** x])
    assert np.array_equal(over, 2 / value) and np.array_equal(power, 2 ** value)
