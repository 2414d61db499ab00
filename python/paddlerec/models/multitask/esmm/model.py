"""ESMM: of all that was shown, what is clicked (CTR) and what is clicked and bought (CTCVR).

The rate of purchases among clicks (CVR) has no loss of its own: it is what, multiplied by the CTR,
gives the CTCVR. So it is learnt from all examples, not from the clicked ones alone."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.rows = int(nets.hyper("sparse_feature_number"))
        self.width = int(nets.hyper("sparse_feature_dim", 12))
        self.sizes = list(nets.hyper("fc_sizes", [360, 200, 80]))

    def net(self, inputs, is_infer=False):
        slots = dict(self._sparse_data_var_map)
        click, buy = slots.pop("click"), slots.pop("buy")
        vectors = fluid.layers.concat([nets.embed(ids, self.rows, self.width, "vector")
                                       for ids in slots.values()], axis=1)
        ctr, cvr = (fluid.layers.sigmoid(nets.one_column(nets.tower(vectors, self.sizes)))
                    for _ in range(2))
        nets.judge_tasks(self, [("CTR", ctr, click), ("CTCVR", ctr * cvr, buy)], is_infer)
