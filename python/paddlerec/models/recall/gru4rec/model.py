"""GRU4Rec: after each item of a visit, a recurrent layer says which comes next."""
import paddle.fluid as fluid

from paddlerec.core.metrics import RecallK
from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.items = int(nets.hyper("item_number"))
        self.width = int(nets.hyper("hidden_dim", 100))
        self.k = int(nets.hyper("recall_k", 20))

    def net(self, inputs, is_infer=False):
        slots = self._sparse_data_var_map
        visit = nets.embed(slots["item"], self.items, self.width, "item_vector", pool=None)
        state = fluid.layers.dynamic_gru(nets.tower(visit, [3 * self.width], act=None),
                                         size=self.width)
        scores = nets.tower(state, [self.items], act=None)
        metric = RecallK(scores, slots["next_item"], self.k)
        if is_infer:
            self._infer_results["recall"] = metric
            return
        self._cost = fluid.layers.reduce_mean(
            fluid.layers.softmax_with_cross_entropy(scores, slots["next_item"]))
        self._metrics["LOSS"] = self._cost
        self._metrics["recall"] = metric
