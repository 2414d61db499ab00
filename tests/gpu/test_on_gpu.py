"""What only a GPU shows: run where there is one, skipped with the reason elsewhere. Also a script:
python tests/gpu/test_on_gpu.py runs all of it without pytest. FEWER_ROWS=64: a part of the rows
where there are many, for a GPU that is emulated."""
import os
import sys
import traceback

import numpy as np

import paddle.fluid as fluid

try:
    import pytest
    try:
        fluid.CUDAPlace(0)
    except RuntimeError as e:
        pytest.skip(str(e), allow_module_level=True)
except ImportError:
    pytest = None

SLOTS, ROWS = 5, 1000


def model(optimizer, lod=False, dropout=0.0, metrics=False):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        ids = [fluid.data("C%d" % i, [None, 1], "int64", lod_level=int(lod)) for i in range(SLOTS)]
        dense = fluid.data("dense", [None, 3], "float32")
        label = fluid.data("label", [None, 1], "int64")
        rows = [fluid.layers.embedding(i, size=[ROWS, 4], is_sparse=True,
                                       param_attr=fluid.ParamAttr(name="table")) for i in ids]
        if lod:
            rows = [fluid.layers.sequence_pool(r, "sum") for r in rows]
        x = fluid.layers.concat(rows + [dense], axis=1)
        x = fluid.layers.fc(x, 32, act="relu")
        if dropout:
            x = fluid.layers.dropout(x, dropout)
        p = fluid.layers.fc(x, 2, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(p, label))
        fetch = [loss]
        if metrics:
            fetch += [fluid.layers.auc(p, label)[0], fluid.layers.accuracy(p, label),
                      fluid.layers.argsort(p)[1]]
        optimizer().minimize(loss)
    return main, startup, fetch


def batches(n, size=64, lod=False):
    rng = np.random.RandomState(0)
    for _ in range(n):
        feed = {}
        for i in range(SLOTS):
            if lod:
                lengths = rng.randint(0, 4, size)
                lengths[0] += 1
                feed["C%d" % i] = fluid.create_lod_tensor(
                    rng.randint(0, ROWS, (int(lengths.sum()), 1)).astype("int64"),
                    [list(map(int, lengths))], fluid.CPUPlace())
            else:
                feed["C%d" % i] = rng.randint(0, ROWS, (size, 1)).astype("int64")
        feed["dense"] = rng.rand(size, 3).astype("float32")
        feed["label"] = (feed["dense"][:, :1] > 0.5).astype("int64")
        yield feed


def train(place, steps=20, size=64, lod=False, **kwargs):
    main, startup, fetch = model(lod=lod, **kwargs)
    out = []
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        exe = fluid.Executor(place)
        exe.run(startup)
        for feed in batches(steps, size, lod):
            out.append([np.array(v) for v in exe.run(main, feed, fetch, return_numpy=False)])
        table = np.array(scope.find_var("table").get_tensor())
        exe.close()
    return out, table


def same_on_both(tolerance=1e-4, **kwargs):
    here, there = train(fluid.CPUPlace(), **kwargs), train(fluid.CUDAPlace(0), **kwargs)
    worst = max(np.abs(a[0] - b[0]).max() for a, b in zip(here[0], there[0]))
    assert worst < tolerance, worst
    assert np.abs(here[1] - there[1]).max() < tolerance, np.abs(here[1] - there[1]).max()
    return here, there


def test_tensors_go_there_and_back():
    array = np.arange(12, dtype="float32").reshape(3, 4)
    tensor = fluid.LoDTensor()
    tensor.set(array, fluid.CUDAPlace(0))
    assert tensor._place().is_gpu_place()
    assert (np.array(tensor) == array).all()


def test_sgd():
    same_on_both(optimizer=lambda: fluid.optimizer.SGD(0.1))


def test_adam():
    same_on_both(optimizer=lambda: fluid.optimizer.Adam(0.01))


def test_adagrad():
    same_on_both(optimizer=lambda: fluid.optimizer.Adagrad(0.05))


def test_sequences():
    same_on_both(lod=True, optimizer=lambda: fluid.optimizer.SGD(0.1))


def test_metrics_and_ops_without_kernels():
    here, there = same_on_both(metrics=True, optimizer=lambda: fluid.optimizer.SGD(0.1))
    for a, b in zip(here[0], there[0]):
        assert np.abs(a[1] - b[1]).max() < 1e-3 and np.abs(a[2] - b[2]).max() < 1e-6


def test_dropout_differs_from_step_to_step():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 1000], "float32")
        y = fluid.layers.scale(fluid.layers.dropout(fluid.layers.scale(x, 2.0), 0.5), 3.0)
    runs = []
    for place in (fluid.CPUPlace(), fluid.CUDAPlace(0)):
        with fluid.scope_guard(fluid.Scope()):
            exe = fluid.Executor(place)
            runs.append([exe.run(main, {"x": np.ones((4, 1000), "f")}, [y])[0] for _ in range(6)])
    for k in range(6):
        assert 0.4 < (runs[1][k] == 0).mean() < 0.6
        assert all((runs[1][k] != runs[1][j]).any() for j in range(k))
        assert (runs[0][k] == runs[1][k]).all(), "other numbers than on the CPU"


def test_an_id_outside_the_table_is_said():
    main, startup, fetch = model(lambda: fluid.optimizer.SGD(0.1))
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CUDAPlace(0))
        exe.run(startup)
        feeds = list(batches(6))
        for feed in feeds[:4]:
            exe.run(main, feed, fetch)
        feeds[4]["C1"][3] = ROWS + 7
        try:
            for feed in feeds[4:]:
                exe.run(main, feed, fetch)
        except Exception as e:
            assert str(ROWS + 7) in str(e), e
        else:
            raise AssertionError("nothing was said")


def wide_losses(place, tied, tf32):
    """Layers as wide as those that warpgroups multiply; tied: two of them are of one weight. Feeds are
    on the place, and others each time, so that a recorded step brings them itself."""
    emulated = "placed" in sys.modules  # all of it would take minutes there
    width, size, steps = (36, 24, 3) if emulated else (300, 1312, 12)
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, width], "float32")
        label = fluid.data("label", [None, 1], "int64")
        h = fluid.layers.fc(x, width, act="relu", param_attr=fluid.ParamAttr(name="w0"))
        for i in range(2):
            h = fluid.layers.fc(h, width, act="relu",
                                param_attr=fluid.ParamAttr(name="w0" if tied else "w%d" % (i + 1)))
        p = fluid.layers.fc(h, 2, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(p, label))
        fluid.optimizer.SGD(0.05).minimize(loss)
    rng, out = np.random.RandomState(1), []
    fluid.set_flags({"FLAGS_enable_tf32": tf32})
    try:
        with fluid.scope_guard(fluid.Scope()):
            exe = fluid.Executor(place)
            exe.run(startup)
            for _ in range(steps):
                data = rng.rand(size, width).astype("float32")
                feed = {"x": fluid.LoDTensor(), "label": fluid.LoDTensor()}
                feed["x"].set(data, place)
                feed["label"].set((data[:, :1] > 0.5).astype("int64"), place)
                out.append(float(exe.run(main, feed, [loss])[0][0]))
            exe.close()
    finally:
        fluid.set_flags({"FLAGS_enable_tf32": False})
    return out


def test_wide_layers_and_a_weight_of_two():
    for tied in (False, True):
        wanted = wide_losses(fluid.CPUPlace(), tied, False)
        for tf32 in (False, True):
            found = wide_losses(fluid.CUDAPlace(0), tied, tf32)
            np.testing.assert_allclose(found, wanted, rtol=2e-3 if tf32 else 1e-4)


def test_a_nan_is_not_hidden():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 8], "float32")
        y = fluid.layers.fc(x, 16, act="relu")
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CUDAPlace(0))
        exe.run(startup)
        array = np.ones((4, 8), "f")
        array[2, 3] = np.nan
        for _ in range(3):
            out = exe.run(main, {"x": array}, [y])[0]
            assert np.isnan(out[2]).all() and not np.isnan(out[[0, 1, 3]]).any()


def test_batches_of_other_sizes():
    main, startup, fetch = model(lambda: fluid.optimizer.SGD(0.1))
    losses = []
    for place in (fluid.CPUPlace(), fluid.CUDAPlace(0)):
        with fluid.scope_guard(fluid.Scope()):
            exe = fluid.Executor(place)
            exe.run(startup)
            losses.append([float(exe.run(main, feed, fetch)[0][0])
                           for size in (64, 64, 64, 8, 8, 100, 64, 64, 64)
                           for feed in batches(1, size)])
    assert np.abs(np.subtract(*losses)).max() < 1e-4


def many_rows(place, rows, width, array, labels):
    """The parameters after a step of three layers, the second of which has a gradient of X, too."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, array.shape[1]], "float32")
        label = fluid.data("label", [None, 1], "int64")
        h = fluid.layers.fc(fluid.layers.fc(x, width, act="relu"), width, act="relu")
        loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(
            fluid.layers.fc(h, 12), label))
        fluid.optimizer.SGD(20.0).minimize(loss)
    with fluid.scope_guard(fluid.Scope()):
        exe, scope = fluid.Executor(place), fluid.global_scope()
        exe.run(startup)
        names = sorted(p.name for p in main.all_parameters())
        before = {n: np.array(scope.find_var(n).get_tensor()) for n in names}
        exe.run(main, {"x": array, "label": labels}, [])
        return {n: np.array(scope.find_var(n).get_tensor()) - before[n] for n in names}


def test_layers_of_many_rows():
    """Products that warpgroups make where the GPU has them, in TF32: sizes that no tile divides."""
    rng, fewer = np.random.RandomState(2), int(os.environ.get("FEWER_ROWS", 1))
    tolerance = 2e-2 if fewer == 1 else 0.2  # a row whose relu turns weighs more among few
    fluid.set_flags({"FLAGS_enable_tf32": True})
    try:
        for rows, depth, width in ((20011, 288, 400), (9000, 400, 400), (16387, 212, 260),
                                   (12345, 512, 404)):
            rows //= fewer
            x = (rng.rand(rows, depth) - 0.4).astype("float32")
            labels = rng.randint(0, 12, (rows, 1)).astype("int64")
            here, there = (many_rows(place, rows, width, x, labels)
                           for place in (fluid.CPUPlace(), fluid.CUDAPlace(0)))
            for name in here:
                worst, most = np.abs(here[name] - there[name]).max(), np.abs(here[name]).max()
                assert most > 0 and worst < tolerance * most, (rows, depth, width, name, worst, most)
    finally:
        fluid.set_flags({"FLAGS_enable_tf32": False})


def test_profiler_shows_where_ops_run(tmp_path=None):
    from paddle import _core
    main, startup, fetch = model(lambda: fluid.optimizer.SGD(0.1), metrics=True)
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CUDAPlace(0))
        exe.run(startup)
        _core.profile_reset()
        _core.profile_start()
        for feed in batches(3):
            exe.run(main, feed, fetch)
        _core.profile_stop()
        table = _core.profile_table("total")
    print(table)
    assert "fused_fc" in table


def main():
    failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            print("ok     ", name, flush=True)
        except BaseException as e:  # a failure is a line, and the others run
            failed += 1
            print("FAILED ", name, type(e).__name__, str(e)[:600].replace("\n", " | "), flush=True)
            traceback.print_exc(limit=-3)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
