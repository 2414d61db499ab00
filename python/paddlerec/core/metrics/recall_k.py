"""RecallK: how often the label is among the k best."""
import paddle.fluid as fluid
from paddle.fluid.layer_helper import LayerHelper

from paddlerec.core.metric import Metric, count, counter, require_variables

__all__ = ["RecallK"]


class RecallK(Metric):
    def __init__(self, input, label, k=20):
        require_variables(input=input, label=label)
        self.k = k
        helper = LayerHelper("PaddleRec_RecallK")
        accuracy = fluid.layers.accuracy(input, label, k)
        ins_cnt, pos_cnt = counter(helper, "ins_cnt"), counter(helper, "pos_cnt")
        ones = fluid.layers.fill_constant(shape=fluid.layers.shape(label), dtype="float32",
                                          value=1.0)
        batch = fluid.layers.reduce_sum(ones)
        right = batch * accuracy
        count(helper, ins_cnt, batch)
        count(helper, pos_cnt, right)
        self.acc = pos_cnt / ins_cnt
        self._global_metric_state_vars = {"ins_cnt": (ins_cnt.name, "float32"),
                                          "pos_cnt": (pos_cnt.name, "float32")}
        self.metrics = {"InsCnt": ins_cnt, "RecallCnt": pos_cnt, "Acc(Recall@%d)" % k: self.acc}

    def _calculate(self, global_metrics):
        states = self._states(global_metrics)
        n, right = float(states["ins_cnt"][0]), float(states["pos_cnt"][0])
        return "InsCnt=%s RecallCnt=%s Acc(Recall@%d)=%s" % (n, right, self.k,
                                                            right / n if n else 0)

    def get_result(self):
        return self.metrics
