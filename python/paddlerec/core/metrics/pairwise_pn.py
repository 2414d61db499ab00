"""PosNegRatio: pairs in the right order, to pairs in the wrong one."""
import paddle.fluid as fluid
from paddle.fluid.layer_helper import LayerHelper

from paddlerec.core.metric import Metric, count, counter, require_variables

__all__ = ["PosNegRatio"]


class PosNegRatio(Metric):
    def __init__(self, pos_score, neg_score):
        require_variables(pos_score=pos_score, neg_score=neg_score)
        layers = fluid.layers
        helper = LayerHelper("PaddleRec_PosNegRatio")
        wrong = layers.reduce_sum(layers.cast(layers.less_equal(pos_score, neg_score), "float32"))
        right = layers.reduce_sum(layers.cast(layers.less_than(neg_score, pos_score), "float32"))
        right_cnt, wrong_cnt = counter(helper, "right_cnt"), counter(helper, "wrong_cnt")
        count(helper, right_cnt, right)
        count(helper, wrong_cnt, wrong)
        self.pn = (right_cnt + 1.0) / (wrong_cnt + 1.0)
        self._global_metric_state_vars = {"right_cnt": (right_cnt.name, "float32"),
                                          "wrong_cnt": (wrong_cnt.name, "float32")}
        self.metrics = {"WrongCnt": wrong_cnt, "RightCnt": right_cnt, "PN": self.pn}

    def _calculate(self, global_metrics):
        states = self._states(global_metrics)
        right, wrong = float(states["right_cnt"][0]), float(states["wrong_cnt"][0])
        return "RightCnt=%s WrongCnt=%s PN=%s" % (right, wrong, (right + 1.0) / (wrong + 1.0))

    def get_result(self):
        return self.metrics
