"""Parts of Variables: values and gradients as numpy's, and what is refused. The ops that are made:
tests/layers/test_subscript.py."""
import numpy as np
import pytest

import paddle.fluid as fluid

PARTS = [
    lambda x, i, l: x[0],
    lambda x, i, l: x[-1],
    lambda x, i, l: x[-2],
    lambda x, i, l: x[1, 2],
    lambda x, i, l: x[:],
    lambda x, i, l: x[:, 1:3],
    lambda x, i, l: x[1:100],
    lambda x, i, l: x[:-1],
    lambda x, i, l: x[1::2],
    lambda x, i, l: x[::2],
    lambda x, i, l: x[3:0:-1],
    lambda x, i, l: x[0:4:2, 1],
    lambda x, i, l: x[1:3, 0:5:2, ::-1],
    lambda x, i, l: x[0][1:3],
    lambda x, i, l: x[:, -1, :],
    lambda x, i, l: x[i],
    lambda x, i, l: x[i, 1],
    lambda x, i, l: x[1:i],
    lambda x, i, l: x[i:],
    lambda x, i, l: x[-i],
    lambda x, i, l: x[0:4:i],
    lambda x, i, l: x[::i],
    lambda x, i, l: x[:, :, i:i + 2],
    lambda x, i, l: x[l],
    lambda x, i, l: x[l:],
    lambda x, i, l: x[0:4:l, l],
]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("batch", [False, True], ids=["known", "unknown"])
def test_values_and_gradients_are_numpys(part, batch):
    array = np.arange(120, dtype="float32").reshape(4, 5, 6)
    wanted = part(array, 2, 2)
    touched = np.zeros_like(array)
    part(touched, 2, 2)[...] = wanted
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [-1 if batch else 4, 5, 6], "float32")
        x.stop_gradient = False
        y = part(x, fluid.layers.fill_constant([1], "int32", 2),
                 fluid.layers.fill_constant([1], "int64", 2))
        assert [d for d, n in zip(y.shape, wanted.shape) if d not in (n, -1)] == []
        grad, = fluid.gradients([fluid.layers.reduce_sum(y * y)], [x])
        got = fluid.Executor().run(main, feed={"x": array}, fetch_list=[y, grad])
    np.testing.assert_array_equal(got[0], wanted)
    np.testing.assert_array_equal(got[1], 2 * touched)


@pytest.mark.parametrize("index,says", [(None, "unsqueeze"), (Ellipsis, "':' for each"),
                                        ([0, 1], "gather"), (1.0, "float"), ("a", "str")])
def test_what_fluid_refuses_is_refused_with_a_reason(index, says):
    with pytest.raises(TypeError, match=says):
        _fixed_program(lambda x: x[index])


def test_a_part_without_elements_is_refused():
    with pytest.raises(Exception, match="has no elements"):
        _fixed_program(lambda x: x[2:1])
    with pytest.raises(Exception, match="has no elements"):
        _fixed_program(lambda x: x[5])


def test_a_variable_is_not_iterated():
    with pytest.raises(TypeError, match="not iterable"):
        _fixed_program(lambda x: [row for row in x])
    with pytest.raises(TypeError, match="len"):
        _fixed_program(len)


def test_a_variable_is_true():
    def build(x):
        assert x and not (not x)
        prev = None
        for step in (x, x):
            prev = step + prev if prev else step
        return prev
    assert _fixed_program(build).shape == (4, 5, 6)


def test_a_part_in_a_loop_is_taken_in_each_turn():
    # Real Paddle takes it once, before the loop, since it appends to the block of x.
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [4], "float32")
        i, n = (fluid.layers.fill_constant([1], "int32", v) for v in (0, 4))
        total = fluid.layers.fill_constant([1], "float32", 0)
        more = fluid.layers.less_than(i, n)
        loop = fluid.layers.While(more)
        with loop.block():
            fluid.layers.assign(total + x[i], total)
            fluid.layers.increment(i)
            fluid.layers.less_than(i, n, cond=more)
        got, = fluid.Executor().run(main, feed={"x": np.array([1, 2, 3, 4], "float32")},
                                    fetch_list=[total])
    assert got.tolist() == [10]


def test_a_part_goes_to_the_program_of_its_variable():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [4], "float32")
    assert x[1:3].block.program is main


def _fixed_program(build):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        return build(fluid.data("x", [4, 5, 6], "float32"))
