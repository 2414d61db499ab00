"""PrecisionRecall: precision, recall and F1 over classes."""
import numpy as np

import paddle.fluid as fluid
from paddle.fluid.layer_helper import LayerHelper

from paddlerec.core.metric import Metric, counter, require_variables

__all__ = ["PrecisionRecall"]


def _ratio(part, whole, empty):
    return np.divide(part, whole, out=np.full_like(whole, empty), where=whole > 0)


def _scores(precision, recall):
    both = precision + recall
    return [precision, recall, 2 * precision * recall / both if both > 0 else 0.0]


class PrecisionRecall(Metric):
    def __init__(self, input, label, class_num):
        require_variables(input=input, label=label)
        self.num_cls = class_num
        helper = LayerHelper("PaddleRec_PrecisionRecall")
        label = fluid.layers.cast(label, dtype="int32")
        best, indices = fluid.layers.topk(input, k=1)
        indices = fluid.layers.cast(indices, dtype="int32")
        states = counter(helper, "states_info", (class_num, 4))
        batch, _ = helper.create_or_get_global_variable(
            name="batch_metrics", persistable=False, dtype="float32", shape=[6])
        total, _ = helper.create_or_get_global_variable(
            name="global_metrics", persistable=False, dtype="float32", shape=[6])
        for var in (label, indices, states):
            var.stop_gradient = True
        helper.append_op(
            type="precision_recall", attrs={"class_number": class_num},
            inputs={"MaxProbs": [best], "Indices": [indices], "Labels": [label],
                    "StatesInfo": [states]},
            outputs={"BatchMetrics": [batch], "AccumMetrics": [total],
                     "AccumStatesInfo": [states]})
        self._global_metric_state_vars = {"states_info": (states.name, "float32")}
        self.metrics = {"precision_recall_f1": total, "[TP FP TN FN]": states}

    def _calculate(self, global_metrics):
        states = self._states(global_metrics)["states_info"].reshape(self.num_cls, 4)
        tp, fp, fn = states[:, 0], states[:, 1], states[:, 3]
        macro = _scores(_ratio(tp, tp + fp, 1.0).mean(), _ratio(tp, tp + fn, 1.0).mean())
        tp, fp, fn = (np.array([x.sum()]) for x in (tp, fp, fn))
        micro = _scores(_ratio(tp, tp + fp, 1.0)[0], _ratio(tp, tp + fn, 1.0)[0])
        return "total metrics: [TP, FP, TN, FN]=%s; precision_recall_f1=%s" % (
            states.astype("float32"), np.array(macro + micro, "float32"))

    def get_result(self):
        return self.metrics
