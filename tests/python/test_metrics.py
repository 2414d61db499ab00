"""fluid.metrics and fluid.average: against values worked out by hand, and against what the
classes of real Paddle give (golden/metrics.json; tests/python/record.py writes it)."""
import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PREDS = np.array([[.1], [.7], [.8], [.9], [.5]], "float32")
LABELS = np.array([[0], [1], [0], [1], [1]], "int64")


def _flat(value):
    """Nested lists of floats, whatever numpy made of it."""
    if isinstance(value, (list, tuple)):
        return [_flat(v) for v in value]
    return [float(v) for v in np.ravel(value)]


def _chances(n, seed):
    rng = np.random.RandomState(seed)
    p = rng.rand(n, 1).astype("float32")
    return np.concatenate([1 - p, p], 1), rng.randint(0, 2, (n, 1))


def precision(fluid):
    metric = fluid.metrics.Precision()
    out = [metric.eval()]
    for preds, labels in ((PREDS, LABELS), (PREDS[:2], LABELS[3:]), (PREDS + 1, LABELS)):
        metric.update(preds=preds, labels=labels)
        out.append(metric.eval())
    return _flat(out)


def recall(fluid):
    metric = fluid.metrics.Recall("recall")
    out = [metric.eval()]
    for preds, labels in ((PREDS, LABELS), (PREDS[:2], LABELS[3:]), (PREDS, LABELS + 1)):
        metric.update(preds, labels)
        out.append(metric.eval())
    return _flat(out)


def accuracy(fluid):
    metric = fluid.metrics.Accuracy()
    metric.update(0.5, 2)
    out = [metric.eval()]
    metric.update(value=np.array([0.8], "float32"), weight=np.array([3]))
    out.append(metric.eval())
    metric.update(1, 1)
    return _flat(out + [metric.eval()])


def chunks(fluid):
    metric = fluid.metrics.ChunkEvaluator("chunks")
    out = [metric.eval()]
    metric.update(10, 8, 5)
    out.append(metric.eval())
    metric.update(np.array([3]), np.array([2]), np.array([2]))
    out.append(metric.eval())
    metric.reset()
    metric.update(np.array([3]), np.array([2]), np.array([0]))
    return _flat(out + [metric.eval()])


def edit_distance(fluid):
    metric = fluid.metrics.EditDistance("edit")
    metric.update(np.array([[1.], [0.], [2.]], "float32"), 3)
    out = [metric.eval()]
    metric.update(distances=np.array([[0.], [0.5]], "float32"), seq_num=np.array([2]))
    return _flat(out + [metric.eval()])


def auc(fluid):
    out = []
    for bins in (4095, 20):
        metric = fluid.metrics.Auc("auc", num_thresholds=bins)
        out.append(metric.eval())
        for seed in range(3):
            preds, labels = _chances(40, seed)
            metric.update(preds=preds, labels=labels)
            out.append(metric.eval())
    metric = fluid.metrics.Auc("auc", "ROC", 10)
    metric.update(np.array([[0., 1.], [1., 0.]], "float32"), np.array([[1], [0]]))
    return _flat(out + [metric.eval()])


def composite(fluid):
    metric = fluid.metrics.CompositeMetric("both")
    metric.add_metric(fluid.metrics.Precision())
    metric.add_metric(fluid.metrics.Recall())
    metric.update(PREDS, LABELS)
    return _flat(metric.eval())


def own_metric(fluid):
    class Own(fluid.metrics.MetricBase):
        def __init__(self):
            super(Own, self).__init__(None)
            self.whole, self.part, self.many = 3, 2.5, np.ones(3)
            self.words, self._kept = ["a"], 7
    metric = Own()
    config = metric.get_config()
    before = [config["name"], sorted(config["states"])]
    metric.reset()
    return before + [metric.whole, metric.part, metric.many.tolist(), metric.words, metric._kept,
                     str(metric)]


def weighted_average(fluid):
    average = fluid.average.WeightedAverage()
    average.add(0.5, 2)
    out = [average.eval()]
    average.add(value=np.array([1.0, 2.0]), weight=3)
    out.append(average.eval())
    average.reset()
    average.add(4, 2)
    return _flat(out + [average.eval()])


CASES = [precision, recall, accuracy, chunks, edit_distance, auc, composite, own_metric,
         weighted_average]


def _close(got, wanted):
    if isinstance(wanted, list):
        assert isinstance(got, list) and len(got) == len(wanted)
        for g, w in zip(got, wanted):
            _close(g, w)
    elif isinstance(wanted, float):
        assert abs(got - wanted) <= 1e-9 + 1e-9 * abs(wanted)
    else:
        assert got == wanted


def test_all_classes_give_what_those_of_real_paddle_do():
    import paddle.fluid as fluid
    with open(os.path.join(HERE, "golden", "metrics.json")) as f:
        golden = json.load(f)
    assert set(golden) == {case.__name__ for case in CASES}
    for case in CASES:
        _close(case(fluid), golden[case.__name__])


def test_values_worked_out_by_hand():
    from paddle.fluid import average, metrics
    both = metrics.CompositeMetric()
    both.add_metric(metrics.Precision())
    both.add_metric(metrics.Recall())
    both.update(PREDS, LABELS)  # 0.7, 0.8 and 0.9 are 1; 0.5 is 0
    assert both.eval() == [2 / 3, 2 / 3]
    area = metrics.Auc("auc", num_thresholds=10)
    area.update(np.array([[.1, .9], [.6, .4], [.4, .6], [.8, .2]]), np.array([[1], [1], [0], [0]]))
    assert area.eval() == 3 / 4
    mean = average.WeightedAverage()
    mean.add(2.0, 1)
    mean.add(4.0, 2)
    assert abs(mean.eval() - 10 / 3) < 1e-12


def test_the_area_is_that_of_the_op():
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        p = fluid.layers.data("p", [2])
        label = fluid.layers.data("label", [1], dtype="int64")
        area = fluid.layers.auc(p, label)[0]
    metric = fluid.metrics.Auc("auc")
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        for seed in range(3):
            preds, labels = _chances(50, seed)
            got, = exe.run(main, feed={"p": preds, "label": labels}, fetch_list=[area])
            metric.update(preds, labels)
            assert abs(float(got[0]) - metric.eval()) < 1e-9


def test_reset_forgets_all_batches():
    """Also those of Auc, which in real Paddle keeps them."""
    from paddle.fluid import metrics
    for metric in (metrics.Precision(), metrics.Recall(), metrics.Auc("auc")):
        preds, labels = _chances(20, 1)
        preds = preds if isinstance(metric, metrics.Auc) else preds[:, 1:]
        metric.update(preds, labels)
        once = metric.eval()
        assert once > 0
        metric.reset()
        assert metric.eval() == 0.0
        metric.update(preds, labels)
        assert metric.eval() == once


def test_what_cannot_be_counted_is_refused():
    import paddle.fluid as fluid
    import pytest
    m = fluid.metrics
    cases = [
        ("preds is a list, and must be a numpy array", lambda: m.Precision().update([.1], [1])),
        ("labels is a list", lambda: m.Auc("auc").update(PREDS, [1])),
        (r"shape \(3, 2\)", lambda: m.Recall().update(np.zeros((3, 2)), np.zeros((3, 1)))),
        (r"\[batch, 2\] is wanted", lambda: m.Auc("auc").update(PREDS, LABELS)),
        (r"1.5 is not in \[0, 1\]", lambda: m.Auc("a").update(np.array([[0, 1.5]]), LABELS[:1])),
        ("curve is 'PR'", lambda: m.Auc("auc", "PR")),
        ("nothing to average", lambda: m.Accuracy().eval()),
        ("must not be below 0", lambda: m.Accuracy().update(0.5, -1)),
        ("value is a str", lambda: m.Accuracy().update("much", 1)),
        ("num_label_chunks is a str", lambda: m.ChunkEvaluator().update(1, "two", 1)),
        ("distances is a list", lambda: m.EditDistance("edit").update([1.0], 1)),
        ("nothing to average", lambda: m.EditDistance("edit").eval()),
        ("must be a MetricBase, not a int", lambda: m.CompositeMetric().add_metric(3)),
        ("nothing to average", lambda: fluid.average.WeightedAverage().eval()),
        ("weight is a str", lambda: fluid.average.WeightedAverage().add(1, "two")),
    ]
    for message, call in cases:
        with pytest.raises(ValueError, match=message):
            call()
    for call in (lambda: m.MetricBase("base").update(PREDS, LABELS), m.MetricBase("base").eval,
                 lambda: m.DetectionMAP(None, None, None),
                 lambda: fluid.evaluator.DetectionMAP(None, None, None)):
        with pytest.raises(NotImplementedError):
            call()
