"""DataFeeder: lists of samples as tensors. The shapes are real Paddle 1.8.5's."""
import numpy as np
import pytest

import paddle.fluid as fluid

layers = fluid.layers


def feed(shape, samples, dtype="float32", lod_level=0):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = layers.data("x", shape, dtype=dtype, lod_level=lod_level)
        feeder = fluid.DataFeeder([x], fluid.CPUPlace())
    return feeder.feed([(sample,) for sample in samples])["x"]


@pytest.mark.parametrize("declared, sample, got", [
    ([5], [1, 2, 3], [2, 3]),          # padded to the longest of the batch, not to what is declared
    ([6], [1, 2, 3], [2, 3]),          # also where two would make one
    ([5, 1], [[1], [2], [3]], [2, 3, 1]),
    ([2, 3], range(6), [2, 2, 3]),     # flat samples take the declared shape
    ([1], 4, [2, 1]),
])
def test_samples_keep_their_sizes_where_their_axes_are_as_declared(declared, sample, got):
    tensor = feed(declared, [sample, sample])
    assert tensor.shape() == got
    assert np.array(tensor).reshape(2, -1)[1].tolist() == np.array(sample).reshape(-1).tolist()


@pytest.mark.parametrize("declared, sample", [([5, 1], [1, 2, 3]), ([2, 3], [1, 2])])
def test_flat_samples_that_do_not_fill_the_shape_are_refused(declared, sample):
    with pytest.raises(ValueError, match="feed 'x'.*shape"):
        feed(declared, [sample, sample])


def test_sequences():
    tensor = feed([2, 2], [[range(4), range(4)], [range(4)]], lod_level=1)
    assert tensor.shape() == [3, 2, 2] and tensor.recursive_sequence_lengths() == [[2, 1]]


def test_a_batch_shorter_than_declared_runs():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        ids = layers.data("ids", [128, 1], dtype="int64")
        rows = layers.embedding(ids, [10, 2], param_attr=fluid.initializer.Constant(0.5))
        total = layers.reduce_sum(rows, 1)
        feeder = fluid.DataFeeder([ids], fluid.CPUPlace())
    exe, scope = fluid.Executor(), fluid.Scope()
    exe.run(startup, scope=scope)
    out, = exe.run(main, feed=feeder.feed([([[1], [2], [3]],)] * 2), fetch_list=[total],
                   scope=scope)
    assert out.tolist() == [[1.5, 1.5]] * 2
