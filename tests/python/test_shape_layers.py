"""What the layers over shapes, slices and indices compute, and what they refuse."""
import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers

X = np.arange(24, dtype="float32").reshape(2, 3, 4)


def _run(build, times=1, **feed):
    """What the variables that build(x, ...) returns hold after the last of some runs."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        wanted = build(**{name: layers.data(name, list(array.shape), append_batch_size=False,
                                            dtype=str(array.dtype), stop_gradient=False)
                          for name, array in feed.items()})
    wanted = list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        out = [exe.run(main, feed=feed, fetch_list=wanted) for _ in range(times)]
    return out[-1] if times == 1 else out


def _number(value):
    return layers.fill_constant([1], "int32", value)


def _vector(*values):
    return layers.assign(np.array(values, "int32"))


@pytest.mark.parametrize("build, wanted", [
    (lambda x: layers.reshape(x, [0, -1]), X.reshape(2, 12)),
    (lambda x: layers.reshape(x, [4, 6], act="relu"), X.reshape(4, 6)),
    (lambda x: layers.reshape(x, [_number(6), -1]), X.reshape(6, 4)),
    (lambda x: layers.reshape(x, _vector(4, 6)), X.reshape(4, 6)),
    (lambda x: layers.reshape(x, [-1, 24], actual_shape=_vector(8, 3)), X.reshape(8, 3)),
    (lambda x: layers.reshape(layers.assign(x), [3, 8], inplace=True), X.reshape(3, 8)),
    (lambda x: layers.unsqueeze(x, [0, _number(2)]), X[None, :, None]),
    (lambda x: layers.unsqueeze(x, _vector(1)), X[:, None]),
    (lambda x: layers.squeeze(layers.unsqueeze(x, 1), [1]), X),
    (lambda x: layers.flatten(x, 2), X.reshape(6, 4)),
    (lambda x: layers.transpose(x, [2, 0, 1]), X.transpose(2, 0, 1)),
    (lambda x: layers.t(layers.reshape(x, [6, 4])), X.reshape(6, 4).T),
    (lambda x: layers.split(x, 2, -1)[1], X[..., 2:]),
    (lambda x: layers.split(x, [1, -1], _number(1))[1], X[:, 1:]),
    (lambda x: layers.split(x, [_number(1), 3], 2)[1], X[..., 1:]),
    (lambda x: layers.stack([x, x], -1), np.stack([X, X], -1)),
    (lambda x: layers.unstack(x, 1)[2], X[:, 2]),
    (lambda x: layers.slice(x, [1, 2], [-2, 0], [10, -1]), X[:, 1:, :3]),
    (lambda x: layers.slice(x, [1, 2], [_number(1), 0], [3, _number(2)]), X[:, 1:, :2]),
    (lambda x: layers.slice(x, [1], _vector(0), _vector(2)), X[:, :2]),
    (lambda x: layers.strided_slice(x, [2], [3], [0], [-2]), X[:, :, 3:0:-2]),
    (lambda x: layers.strided_slice(x, [1, 2], [0, _number(1)], [3, 4], [2, 2]),
     X[:, ::2, 1::2]),
    (lambda x: layers.strided_slice(x, [1], _vector(0), _vector(3), _vector(2)), X[:, ::2]),
    (lambda x: layers.crop(x, [1, 2, 3], [1, 1, 0]), X[1:, 1:, :3]),
    (lambda x: layers.crop(x, [1, 2, 3], _vector(1, 1, 0)), X[1:, 1:, :3]),
    (lambda x: layers.crop_tensor(x, [-1, 2, 3], [1, 1, 0]), X[1:, 1:, :3]),
    (lambda x: layers.crop_tensor(x, _vector(1, 2, 3), _vector(1, 1, 0)), X[1:, 1:, :3]),
    (lambda x: layers.crop_tensor(x, [1, _number(2), 3], [_number(1), 1, 0]), X[1:, 1:, :3]),
    (lambda x: layers.expand(x, [1, 2, _number(2)]), np.tile(X, [1, 2, 2])),
    (lambda x: layers.expand(x, _vector(2, 1, 1)), np.tile(X, [2, 1, 1])),
    (lambda x: layers.expand_as(layers.slice(x, [1], [0], [1]), x), np.tile(X[:, :1], [1, 3, 1])),
    (lambda x: layers.pad(x, [0, 0, 1, 0, 0, 2], 5), np.pad(
        X, [(0, 0), (1, 0), (0, 2)], constant_values=5)),
    (lambda x: layers.pad_constant_like(x, layers.slice(x, [1], [0], [2]), 9), np.concatenate(
        [X[:, :2], np.full([2, 1, 4], 9)], 1)),
    (lambda x: layers.pad2d(layers.unsqueeze(x, 0), _vector(1, 0, 0, 2), "edge"), np.pad(
        X[None], [(0, 0), (0, 0), (1, 0), (0, 2)], "edge")),
    (lambda x: layers.shape(x), [2, 3, 4]),
    (lambda x: layers.rank(x), 3),
    (lambda x: layers.size(x), [24]),
    (lambda x: layers.gather(x, _vector(1, 0, 1)), X[[1, 0, 1]]),
    (lambda x: layers.gather_nd(x, layers.assign(np.array([[1, 2], [0, 0]], "int64"))),
     X[[1, 0], [2, 0]]),
    (lambda x: layers.scatter(x, _vector(0), layers.slice(x, [0], [1], [2])), X[[1, 1]]),
    (lambda x: layers.scatter_nd(layers.assign(np.array([[1], [1]], "int32")), x, [3, 3, 4]),
     [0 * X[0], X[0] + X[1], 0 * X[0]]),
    (lambda x: layers.index_select(x, _vector(2, 0), 1), X[:, [2, 0]]),
    (lambda x: layers.index_sample(layers.reshape(x, [2, 12]),
                                   layers.assign(np.array([[3], [0]], "int64"))), [[3], [12]]),
    (lambda x: layers.multiplex([x, layers.scale(x, -1.0)],
                                layers.assign(np.array([[1], [0]], "int32"))), [-X[0], X[1]]),
    (lambda x: layers.where(layers.greater_than(x, layers.full_like(x, 21.0))),
     [[1, 2, 2], [1, 2, 3]]),
    (lambda x: layers.nonzero(layers.greater_than(x, layers.full_like(x, 21.0)), True)[2],
     [[2], [3]]),
    (lambda x: layers.shard_index(layers.assign(np.array([[1], [15]], "int64")), 20, 2, 1),
     [[-1], [5]]),
    (lambda x: layers.flip(x, [0, 2]), X[::-1, :, ::-1]),
    (lambda x: layers.reverse(x, 1), X[:, ::-1]),
    (lambda x: layers.roll(x, 5), np.roll(X, 5)),
    (lambda x: layers.roll(x, [1, -1], [0, 2]), np.roll(X, [1, -1], [0, 2])),
    (lambda x: layers.tril(x, -1), np.tril(X, -1)),
    (lambda x: layers.triu(x), np.triu(X)),
    (lambda x: layers.trace(x, 1, 1, 2), np.trace(X, 1, 1, 2)),
    (lambda x: layers.kron(x, layers.ones([1, 2, 1], "float32")), np.kron(X, np.ones([1, 2, 1]))),
    (lambda x: layers.cross(x, layers.scale(x, 1.0, 1.0), 1), np.cross(X, X + 1, axis=1)),
    (lambda x: layers.meshgrid([_vector(1, 2), _vector(3, 4, 5)])[0], [[1] * 3, [2] * 3]),
    (lambda x: layers.diag_embed(layers.slice(x, [0, 1], [0, 0], [1, 1])),
     [[np.diag(X[0, 0])]]),
    (lambda x: layers.has_nan(x), [False]),
    (lambda x: layers.has_inf(x), [False]),
    (lambda x: layers.isfinite(x), [True]),
])
def test_values(build, wanted):
    out, = _run(build, x=X)
    assert out.shape == np.shape(wanted) and np.array_equal(out, wanted)


def test_each_value_once():
    x = np.array([5, 3, 5, 9, 3], "int64")
    values, index = _run(layers.unique, x=x)
    assert values.tolist() == [5, 3, 9] and index.tolist() == [0, 1, 0, 2, 1]
    values, index, counts = _run(lambda x: layers.unique_with_counts(x, "int64"), x=x)
    assert counts.tolist() == [2, 2, 1] and counts.dtype == np.int64


def test_a_vector_transposed_is_itself():
    x = layers.data("line", [4], append_batch_size=False)
    assert layers.t(x) is x


def test_random_windows_move_and_repeat():
    z = np.arange(200, dtype="float32").reshape(2, 10, 10)

    def build(z):
        return layers.random_crop(z, [3, 4], seed=7)
    runs = [out[0] for out in _run(build, times=4, z=z)]
    for out in runs:
        assert out.shape == (2, 3, 4)
        for i in range(2):
            row, col = divmod(int(out[i, 0, 0]) - 100 * i, 10)
            assert np.array_equal(out[i], z[i, row:row + 3, col:col + 4])
    assert any(not np.array_equal(runs[0], out) for out in runs[1:])
    again = [out[0] for out in _run(build, times=4, z=z)]
    assert all(np.array_equal(a, b) for a, b in zip(runs, again))


def test_a_window_larger_than_the_example_is_refused():
    with pytest.raises(fluid.core.EnforceNotMet, match="a window of 5 does not fit"):
        _run(lambda x: layers.random_crop(x, [5], seed=1), x=X)


@pytest.mark.parametrize("error, what, build", [
    (AssertionError, "one -1", lambda x: layers.reshape(x, [-1, -1])),
    (AssertionError, "has 3 dimensions", lambda x: layers.reshape(x, [2, 3, 4, 0])),
    (TypeError, "shape is 5", lambda x: layers.reshape(x, 5)),
    (ValueError, "each of the 3 axes", lambda x: layers.transpose(x, [1, 0])),
    (ValueError, "may have two", lambda x: layers.t(x)),
    (ValueError, "from 0 to 3", lambda x: layers.flatten(x, 4)),
    (TypeError, "num_or_sections", lambda x: layers.split(x, 1.5)),
    (ValueError, "starts is 1", lambda x: layers.slice(x, [0], 1, [2])),
    (TypeError, "strides is 1", lambda x: layers.strided_slice(x, [0], [0], [1], 1)),
    (TypeError, "shape is None", lambda x: layers.crop(x)),
    (TypeError, "shape is None", lambda x: layers.crop_tensor(x)),
    (TypeError, "dims is 1", lambda x: layers.flip(x, 1)),
    (ValueError, "two tensors or more", lambda x: layers.multiplex([x], layers.cast(x, "int32"))),
    (ValueError, "there are 2 parts",
     lambda x: layers.shard_index(layers.cast(x, "int64"), 20, 2, 2)),
    (TypeError, "int32 or int64", lambda x: layers.unique_with_counts(x, "float32")),
    (ValueError, "kernel_sizes is", lambda x: layers.unfold(x, [1, 2, 3])),
    (TypeError, "must be a list", lambda x: layers.eye(2, batch_shape=3)),
])
def test_refused(error, what, build):
    with pytest.raises(error, match=what):
        _run(build, x=X)


def test_missing_layers_are_named():
    with pytest.raises(NotImplementedError, match="detection.yolov3_loss is not implemented"):
        layers.yolov3_loss(None)
    with pytest.raises(AttributeError, match="has no attribute 'reshap'"):
        layers.reshap
    with pytest.raises(NotImplementedError, match="ComplexVariable is not implemented: .*complex"):
        fluid.ComplexVariable(None)


def test_an_old_spelling_finds_layers_and_hides_nothing_of_python():
    assert layers.nn.reshape is layers.reshape and layers.nn.range is layers.range
    assert not {"range", "sum", "slice"} & set(vars(layers.nn))
    with pytest.raises(AttributeError, match="layers.nn' has no attribute 'yolov3_loss'"):
        layers.nn.yolov3_loss
