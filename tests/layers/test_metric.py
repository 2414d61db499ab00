import numpy as np
from layercase import check, data


def accuracy():
    from paddle.fluid import layers
    layers.accuracy(data("x", [10], grad=True), data("label", [1], "int64"))


def accuracy_of_three():
    import paddle.fluid as fluid
    block = fluid.default_main_program().global_block()
    counters = [block.create_var(name=n, dtype="int32") for n in ("correct", "total")]
    fluid.layers.accuracy(input=data("x", [10], grad=True), label=data("label", [1], "int64"), k=3,
                          correct=counters[0], total=counters[1])


def auc():
    from paddle.fluid import layers
    layers.auc(data("x", [2]), data("label", [1], "int64"))


def auc_of_windows():
    from paddle.fluid import layers
    layers.auc(data("x", [1]), data("label", [1], "int64"), num_thresholds=200, slide_steps=5)


def auc_of_all():
    from paddle.fluid import layers
    layers.auc(input=data("x", [2]), label=data("label", [1], "int64"), slide_steps=0)


def ctr_metric_bundle():
    from paddle.fluid import contrib
    contrib.layers.ctr_metric_bundle(data("x", [1]), data("label", [1]))


CASES = [accuracy, accuracy_of_three, auc, auc_of_windows, auc_of_all, ctr_metric_bundle]
test = check(__file__, CASES)


def test_auc_counts_all_batches_and_the_last_ones():
    """Against the share of pairs that are in order, ties counted as half."""
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        p, label = data("p", [1]), data("label", [1], "int64")
        areas = [fluid.layers.auc(p, label, num_thresholds=100, slide_steps=s)[:2]
                 for s in (0, 1, 2)]
    exe = fluid.Executor(fluid.CPUPlace())
    rng = np.random.RandomState(1)
    batches = []
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        for _ in range(4):
            batches.append((rng.rand(30, 1).astype("float32"), rng.randint(0, 2, (30, 1))))
            got = exe.run(main, feed={"p": batches[-1][0], "label": batches[-1][1]},
                          fetch_list=[v for pair in areas for v in pair])
    for got_all, got_last, last in zip(got[::2], got[1::2], (4, 1, 2)):
        np.testing.assert_allclose(got_all, _area(batches), rtol=1e-9)
        np.testing.assert_allclose(got_last, _area(batches[-last:]), rtol=1e-9)


def _area(batches):
    p, label = (np.concatenate(x).ravel() for x in zip(*batches))
    bins = (p * np.float32(100)).astype(int)
    pos, neg = bins[label > 0][:, None], bins[label == 0][None]
    return np.mean((pos > neg) + 0.5 * (pos == neg))


def test_accuracy_counts_rows():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x, label = data("x", [3]), data("label", [1], "int64")
        out = [fluid.layers.accuracy(x, label, k=k) for k in (1, 2)]
    exe = fluid.Executor(fluid.CPUPlace())
    got = exe.run(main, feed={"x": np.array([[3, 2, 1], [1, 3, 2], [1, 2, 3]], "float32"),
                              "label": np.array([[0], [2], [0]])}, fetch_list=out)
    np.testing.assert_allclose(np.ravel(got), [1 / 3, 2 / 3])


def test_another_curve_is_refused():
    import paddle.fluid as fluid
    import pytest
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        for option in ({"curve": "PR"}, {"topk": 2}):
            with pytest.raises(ValueError, match="auc: %s is" % list(option)[0]):
                fluid.layers.auc(data("x", [1]), data("label", [1], "int64"), **option)


def test_ctr_metrics_add_up_over_batches():
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        sums = fluid.contrib.layers.ctr_metric_bundle(data("x", [1]), data("label", [1]))
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        feed = {"x": np.array([[0.2], [0.9]], "float32"), "label": np.array([[0], [1]], "float32")}
        for _ in range(2):
            found = exe.run(main, feed=feed, fetch_list=list(sums))
    # as real Paddle 1.8.5 gives them
    assert np.allclose(np.concatenate(found), [0.1, 0.6, 2.2, 2.5215669, 2, 4], atol=1e-6)


def test_ctr_metrics_refuse_what_they_cannot_count():
    import paddle.fluid as fluid
    import pytest
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = data("x", [1])
        with pytest.raises(TypeError, match="label is int, and must be a Variable"):
            fluid.contrib.layers.ctr_metric_bundle(x, 3)
        with pytest.raises(ValueError, match="label of"):
            fluid.contrib.layers.ctr_metric_bundle(x, data("label", [2]))
