"""What a program computes in a second run and a third with feeds of the same shapes, when rules for
shapes need not run: the same as in a first one, whatever has had several shapes meanwhile."""
import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers


@pytest.fixture(params=[True, False], ids=["fused", "as written"])
def exe(request):
    before = fluid.get_flags("FLAGS_fuse")
    fluid.set_flags({"FLAGS_fuse": request.param})
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program(), fluid.Program()):
        yield fluid.Executor(fluid.CPUPlace())
    fluid.set_flags(before)


def runs(exe, fetches, feeds):
    return [[np.array(v) for v in exe.run(feed=feed, fetch_list=fetches, return_numpy=False)]
            for feed in feeds]


def rows(value, n=3):
    return np.full((n, 4), value, "float32")


def unrolled_concat(x):
    out = layers.scale(x, 1.0)
    for i in range(3):
        layers.assign(layers.concat([out, layers.scale(x, i + 2.0)], 0), out)
    return [layers.reduce_sum(out)], lambda v: [10 * v.sum()]


def wider(x):
    out = layers.scale(x, 1.0)
    before = layers.relu(out)
    layers.assign(layers.concat([out] * 4, 1), out)
    return [before, out], lambda v: [v, np.concatenate([v] * 4, 1)]


def a_constant_that_becomes_a_batch(x):
    t = layers.fill_constant([2], "float32", 1.0)
    before = layers.scale(t, 3.0)
    layers.assign(x, t)
    return [before, layers.scale(t, 2.0)], lambda v: [np.full(2, 3, "float32"), 2 * v]


def another_type(x):
    h = layers.scale(x, 1.0)
    before = layers.scale(h, 2.0)
    layers.assign(layers.cast(h, "float64"), h)
    return [before, layers.scale(h, 3.0)], lambda v: [2 * v, 3 * v.astype("float64")]


def reshaped_in_place(x):
    h = layers.scale(x, 1.0)
    before = layers.concat([h, h], 1)
    layers.reshape(h, [-1, 2], inplace=True)
    return [before, layers.concat([h, h], 1)], lambda v: [
        np.concatenate([v, v], 1), np.concatenate([v.reshape(-1, 2)] * 2, 1)]


def grown_in_a_loop(x):
    i, n = (layers.fill_constant([1], "int64", k) for k in (0, 2))
    out = layers.fill_constant([1, 4], "float32", 1.0)
    before = layers.scale(out, 5.0)
    more = layers.less_than(i, n)
    loop = layers.While(more)
    with loop.block():
        layers.assign(layers.concat([out, x], 0), out)
        layers.increment(i)
        layers.less_than(i, n, cond=more)
    return [before, layers.scale(out, 2.0)], lambda v: [
        rows(5, 1), 2 * np.concatenate([rows(1, 1), v, v])]


def by_a_branch(x):
    out = layers.fill_constant([1, 4], "float32", 1.0)
    before = layers.scale(out, 5.0)
    big = layers.reduce_sum(x) > layers.fill_constant([1], "float32", 30.0)

    def take():
        layers.assign(x, out)

    layers.cond(big, take)
    return [before, layers.scale(out, 2.0)], lambda v: [
        rows(5, 1), 2 * (v if v.sum() > 30 else rows(1, 1))]


@pytest.mark.parametrize("model", [unrolled_concat, wider, a_constant_that_becomes_a_batch,
                                   another_type, reshaped_in_place, grown_in_a_loop, by_a_branch])
def test_a_variable_that_is_written_in_several_shapes(exe, model):
    fetches, wanted = model(fluid.data("x", [-1, 4], "float32"))
    feeds = [rows(v, n) for v, n in ((1, 3), (2, 3), (3, 3), (4, 5), (5, 5), (6, 3))]
    for x, got in zip(feeds, runs(exe, fetches, [{"x": x} for x in feeds])):
        for value, should in zip(got, wanted(x)):
            np.testing.assert_array_equal(value.reshape(np.shape(should)), should)
            assert value.dtype == should.dtype


def test_a_variable_that_is_written_with_several_lods(exe):
    x = fluid.data("x", [-1, 4], "float32", lod_level=1)
    h = layers.scale(x, 1.0)
    before = layers.sequence_pool(h, "sum")
    layers.assign(layers.lod_reset(h, target_lod=[0, 3]), h)
    after = layers.sequence_pool(h, "sum")
    values = [rows(v) for v in (1, 2, 3)]
    feeds = [{"x": fluid.create_lod_tensor(v, [[1, 2]], fluid.CPUPlace())} for v in values]
    for v, got in zip(values, runs(exe, [before, after], feeds)):
        np.testing.assert_array_equal(got[0], [v[0], v[1] + v[2]])
        np.testing.assert_array_equal(got[1], [v.sum(0)])


# ---- memory that an output takes over from an input ----

def by_numpy(op, a, b, weight):
    """sum(weight * op(a + 1, b)) and its gradients."""
    x = a + 1
    out = {"add": x + b, "sub": x - b, "mul": x * b, "div": x / b, "max": np.maximum(x, b)}[op]
    left = x >= b
    by_x = {"add": 1, "sub": 1, "mul": b, "div": 1 / b, "max": left}[op] * np.ones_like(out)
    by_b = {"add": 1, "sub": -1, "mul": x, "div": -x / b ** 2, "max": ~left}[op] * np.ones_like(out)

    def back(grad, like):
        return grad.sum(0, keepdims=True) if len(like) < len(grad) else grad
    return [(weight * out).sum(), back(weight * by_x, a), back(weight * by_b, b)]


@pytest.mark.parametrize("op", ["add", "sub", "mul", "div", "max"])
def test_one_row_against_many_and_the_other_way_round(exe, op):
    a, b, w = (fluid.data(name, [-1, 4], "float32") for name in "abw")
    a.stop_gradient = b.stop_gradient = False
    out = getattr(layers, "elementwise_" + op)(layers.scale(a, bias=1.0), layers.scale(b))
    loss = layers.reduce_sum(layers.elementwise_mul(layers.scale(out), w))
    fetches = [loss] + fluid.gradients([loss], [a, b])
    draw = np.random.RandomState(1)
    sizes = [(1, 5), (1, 5), (5, 1), (5, 5), (1, 7), (7, 1), (1, 1), (3, 1), (1, 2), (1, 40)]
    feeds = [{"a": draw.uniform(0, 1, (n, 4)).astype("float32"),
              "b": draw.uniform(1, 2, (m, 4)).astype("float32"),
              "w": draw.uniform(1, 2, (max(n, m), 4)).astype("float32")} for n, m in sizes]
    for feed, got in zip(feeds, runs(exe, fetches, feeds)):
        for value, should in zip(got, by_numpy(op, feed["a"], feed["b"], feed["w"])):
            np.testing.assert_allclose(value.reshape(np.shape(should)), should, rtol=1e-5)


def test_a_model_of_one_user_and_many_items_trains_as_with_memory_of_its_own(exe):
    a, b = (fluid.data(name, [-1, 4], "float32") for name in "ab")
    fluid.default_startup_program().random_seed = 3
    h = layers.fc(a, 4, bias_attr=False)
    t = layers.tanh(layers.fc(b, 4, bias_attr=False))
    o = layers.elementwise_mul(h, t)
    loss = layers.mean(layers.square(o))
    fluid.optimizer.SGD(1.0).minimize(loss)
    pinned = [h, t, o] + [v.name + "@GRAD" for v in (h, t, o)]  # what is fetched shares no memory
    losses = []
    for more in ([], pinned):
        with fluid.scope_guard(fluid.Scope()):
            exe.run(fluid.default_startup_program())
            draw = np.random.RandomState(0)
            feeds = [{"a": draw.randn(1, 4).astype("float32"),
                      "b": draw.randn(5, 4).astype("float32")} for _ in range(4)]
            losses.append([got[0] for got in runs(exe, [loss] + more, feeds)])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)


def test_a_row_is_not_repeated_in_its_own_place(exe):
    h = layers.scale(fluid.data("x", [-1, 4], "float32"))
    b = fluid.data("b", [-1, 4], "float32")
    h.block.append_op(type="elementwise_add", inputs={"X": h, "Y": b}, outputs={"Out": h})
    same, = exe.run(feed={"x": rows(1), "b": rows(2)}, fetch_list=[h])
    np.testing.assert_array_equal(same, rows(3))
    with pytest.raises(fluid.core.EnforceNotMet, match="over a variable that it reads"):
        exe.run(feed={"x": rows(1, 1), "b": rows(2)}, fetch_list=[h])


# ---- variables that outlive a run ----

def keep(name, shape=(-1, 4), dtype="float32", **more):
    return fluid.default_main_program().global_block().create_var(
        name=name, shape=shape, dtype=dtype, persistable=True, **more)


def test_a_variable_that_another_program_gives_other_rows(exe):
    layers.assign(fluid.data("x", [-1, 4], "float32"), keep("P"))
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        kept = keep("P")
        fetches = [layers.scale(kept, 2.0), layers.reduce_sum(kept)]
        reader = fluid.default_main_program()
    for n in (3, 3, 5, 5, 2, 3):
        exe.run(feed={"x": rows(n, n)})
        for _ in range(2):
            twice, total = exe.run(reader, fetch_list=fetches)
            np.testing.assert_array_equal(twice, 2 * rows(n, n))
            assert total == 4 * n * n


def test_a_variable_that_another_program_gives_another_lod(exe):
    x = fluid.data("x", [-1, 4], "float32", lod_level=1)
    layers.assign(x, keep("P", lod_level=1))
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        pooled = layers.sequence_pool(keep("P", lod_level=1), "sum")
        reader = fluid.default_main_program()
    for lengths in ([1, 2], [1, 2], [2, 1], [3]):
        exe.run(feed={"x": fluid.create_lod_tensor(rows(1), [lengths], fluid.CPUPlace())})
        got, = exe.run(reader, fetch_list=[pooled])
        np.testing.assert_array_equal(got[:, 0], lengths)


def test_a_writer_whose_variable_another_program_has_made_smaller(exe):
    layers.assign(fluid.data("x", [-1, 4], "float32"), keep("P"))
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        layers.assign(layers.fill_constant([1, 4], "float32", 7.0), keep("P"))
        other = fluid.default_main_program()
    for value in range(4):
        exe.run(feed={"x": rows(value)})
        np.testing.assert_array_equal(fluid.global_scope().find_var("P").get_tensor(), rows(value))
        exe.run(other)


def test_a_variable_whose_rows_are_data(exe):
    x = fluid.data("x", [1, 4], "float32")
    kept = layers.create_global_var([1, 2], 0, "int64", persistable=True)
    exe.run(fluid.default_startup_program())
    layers.assign(layers.where(layers.greater_than(x, layers.fill_constant([1], "float32", 0.5))),
                  kept)
    twice = layers.scale(kept, 2.0)
    for value in ([1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1]):
        array = np.array([value], "float32")
        got, = exe.run(feed={"x": array}, fetch_list=[twice])
        np.testing.assert_array_equal(got, 2 * np.argwhere(array))


def test_a_variable_that_grows_with_each_run(exe):
    x = fluid.data("x", [-1, 4], "float32")
    kept = keep("P")
    fluid.global_scope().var("P").get_tensor().set(rows(1, 1), fluid.CPUPlace())
    before = layers.scale(kept, 2.0)
    layers.assign(layers.concat([kept, x], 0), kept)
    for n in range(1, 5):
        got, after = exe.run(feed={"x": rows(1, 1)}, fetch_list=[before, kept])
        np.testing.assert_array_equal(got, rows(2, n))
        np.testing.assert_array_equal(after, rows(1, n + 1))


def test_a_kept_variable_that_is_written_in_several_shapes(exe):
    x = fluid.data("x", [-1, 4], "float32")
    kept = keep("P")
    layers.assign(layers.concat([x, x], 0), kept)
    before = layers.scale(kept, 2.0)
    layers.assign(x, kept)
    for value in range(1, 5):
        got, after = exe.run(feed={"x": rows(value)}, fetch_list=[before, kept])
        np.testing.assert_array_equal(got, rows(2 * value, 6))
        np.testing.assert_array_equal(after, rows(value))


def test_a_feed_that_an_op_gives_another_shape(exe):
    x = fluid.data("x", [-1, 4], "float32")
    before = layers.scale(x, 2.0)
    layers.assign(layers.concat([x, x], 0), x)
    after = layers.scale(x, 3.0)
    for n in (2, 4, 4, 8, 2, 2):
        got, then = exe.run(feed={"x": rows(n, n)}, fetch_list=[before, after])
        np.testing.assert_array_equal(got, rows(2 * n, n))
        np.testing.assert_array_equal(then, rows(3 * n, 2 * n))


# ---- names that come to stand for something else ----

def test_a_variable_that_is_erased_is_made_anew_and_used(exe):
    h = layers.fc(fluid.data("x", [-1, 4], "float32"), 2, param_attr="w", bias_attr=False)
    main, startup, scope = (fluid.default_main_program(), fluid.default_startup_program(),
                            fluid.global_scope())
    for value in range(1, 4):
        exe.run(startup)
        scope.find_var("w").get_tensor().set(np.full((4, 2), value, "float32"), fluid.CPUPlace())
        for _ in range(2):
            got, w = exe.run(main, feed={"x": rows(1)}, fetch_list=[h, "w"])
            np.testing.assert_array_equal(got, np.full((3, 2), 4 * value, "float32"))
            np.testing.assert_array_equal(w, np.full((4, 2), value, "float32"))
        scope.erase(["w"])
        assert scope.find_var("w") is None
    with pytest.raises(ValueError, match="w .* has no value yet"):
        exe.run(main, feed={"x": rows(1)}, fetch_list=[h])
