"""AUC of a click model, with calibration and error measures beside it."""
import numpy as np

import paddle.fluid as fluid

from paddlerec.core.metric import Metric, require_variables

__all__ = ["AUC"]

_SPAN, _BOUND = 0.01, 0.05  # of the bucket error: width of a bucket, relative error to trust it


class AUC(Metric):
    def __init__(self, input, label, curve="ROC", num_thresholds=2**12 - 1, topk=1,
                 slide_steps=1):
        require_variables(input=input, label=label)
        auc, batch_auc, (batch_pos, batch_neg, stat_pos, stat_neg) = fluid.layers.auc(
            input, label, curve=curve, num_thresholds=num_thresholds, topk=topk,
            slide_steps=slide_steps)
        clicked = fluid.layers.slice(input, axes=[1], starts=[1], ends=[2])
        label = fluid.layers.cast(label, dtype="float32")
        label.stop_gradient = True
        sqrerr, abserr, prob, q, pos, total = fluid.contrib.layers.ctr_metric_bundle(clicked,
                                                                                    label)
        states = {"stat_pos": stat_pos, "stat_neg": stat_neg, "total_ins_num": total,
                  "pos_ins_num": pos, "q": q, "prob": prob, "abserr": abserr, "sqrerr": sqrerr}
        self._global_metric_state_vars = {k: (v.name, "float32") for k, v in states.items()}
        self._window_state_vars = [batch_pos.name, batch_neg.name]
        self.metrics = {"AUC": auc, "BATCH_AUC": batch_auc}

    def _calculate_auc(self, global_pos, global_neg):
        """The area under the curve whose buckets hold so many clicks and non-clicks."""
        pos = np.cumsum(np.asarray(global_pos, "float64").reshape(-1)[::-1])
        neg = np.asarray(global_neg, "float64").reshape(-1)[::-1]
        below = np.concatenate([[0.0], pos[:-1]])
        clicks, others = pos[-1], neg.sum()
        return float((neg * (below + pos)).sum() / 2 / (clicks * others)) \
            if clicks and others else 0.5

    def _calculate_bucket_error(self, global_pos, global_neg):
        """How far the click rate is from what was predicted, over ranges of predictions that
        have seen enough to say."""
        pos = np.asarray(global_pos, "float64").reshape(-1)
        shows = pos + np.asarray(global_neg, "float64").reshape(-1)
        wrong = trusted = 0.0
        begin = -1.0
        shown = predicted = clicked = 0.0
        for i in range(len(pos)):
            rate = i / len(pos)
            if abs(rate - begin) > _SPAN:
                begin, shown, predicted, clicked = rate, 0.0, 0.0, 0.0
            shown += shows[i]
            predicted += rate * shows[i]
            clicked += pos[i]
            if not shown or not predicted:
                continue
            mean = predicted / shown
            if np.sqrt((1 - mean) / (mean * shown)) < _BOUND:
                wrong += abs(clicked / shown / mean - 1) * shown
                trusted += shown
                begin = -1.0
        return wrong / trusted if trusted else 0.0

    def _calculate(self, global_metrics):
        states = self._states(global_metrics)
        one = {key: float(value.reshape(-1)[0]) for key, value in states.items()}
        n = one["total_ins_num"]
        actual = one["pos_ins_num"] / n if n else 0.0
        predicted = one["prob"] / n if n else 0.0
        values = (
            self._calculate_auc(states["stat_pos"], states["stat_neg"]) if n else 0.0,
            self._calculate_bucket_error(states["stat_pos"], states["stat_neg"]) if n else 0.0,
            one["abserr"] / n if n else 0.0,
            np.sqrt(one["sqrerr"] / n) if n else 0.0,
            actual, predicted,
            actual / predicted if abs(predicted) > 1e-6 else 0.0,
            one["q"] / n if n else 0.0, n)
        return ("AUC=%.6f BUCKET_ERROR=%.6f MAE=%.6f RMSE=%.6f Actural_CTR=%.6f "
                "Predicted_CTR=%.6f COPC=%.6f MEAN Q_VALUE=%.6f Ins number=%s" % values)

    def get_result(self):
        return self.metrics
