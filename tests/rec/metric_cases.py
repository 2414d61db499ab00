"""Metrics on made-up batches, for record_metrics.py (real PaddleRec) and test_rec_metrics.py."""
import numpy as np

import paddle.fluid as fluid

BATCHES = 4


def batch(i):
    rng = np.random.RandomState(i)
    scores = rng.uniform(0.05, 1, (64, 5)).astype("float32")
    return {"x": scores / scores.sum(1, keepdims=True),
            "label": rng.randint(0, 5, (64, 1)).astype("int64"),
            "click": (rng.uniform(size=(64, 1)) < 0.3).astype("int64"),
            "p": rng.beta(2, 4, (64, 1)).astype("float32"),
            "neg": rng.beta(2, 5, (64, 1)).astype("float32")}


def run(name):
    """(the values of the last batch by name, the line of all batches)"""
    from paddlerec.core.metrics import AUC, PosNegRatio, PrecisionRecall, RecallK
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.scope_guard(scope), fluid.unique_name.guard():
        x = fluid.data("x", [None, 5])
        label = fluid.data("label", [None, 1], "int64")
        click = fluid.data("click", [None, 1], "int64")
        p, neg = fluid.data("p", [None, 1]), fluid.data("neg", [None, 1])
        metric = {
            "RecallK": lambda: RecallK(x, label, k=2),
            "PosNegRatio": lambda: PosNegRatio(p, neg),
            "PrecisionRecall": lambda: PrecisionRecall(x, label, 5),
            "AUC": lambda: AUC(fluid.layers.concat([1.0 - p, p], axis=1), click),
        }[name]()
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        names = sorted(metric.get_result())
        for i in range(BATCHES):
            values = exe.run(main, feed=batch(i), fetch_list=[metric.get_result()[n]
                                                              for n in names])
        shown = {n: np.asarray(v).reshape(-1).tolist() for n, v in zip(names, values)}
        try:
            line = metric.calc_global_metrics(None, scope)
        except AttributeError:  # real PaddleRec's PosNegRatio has no line
            line = None
        metric.clear(scope)
        left = [np.abs(np.array(scope.find_var(v).get_tensor())).sum()
                for v, _ in metric._global_metric_state_vars.values()]
    assert not any(left), left
    return shown, line


NAMES = ["RecallK", "PosNegRatio", "PrecisionRecall", "AUC"]
