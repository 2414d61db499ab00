"""Factorisation machine: weights, and the products of each two features' vectors."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.rows = int(nets.hyper("sparse_feature_number"))
        self.width = int(nets.hyper("sparse_feature_dim", 8))

    def net(self, inputs, is_infer=False):
        label, sparse = self._sparse_data_var[0], self._sparse_data_var[1:]
        weights = [nets.embed(ids, self.rows, 1, "weight") for ids in sparse]
        vectors = [nets.embed(ids, self.rows, self.width, "vector") for ids in sparse]
        logit = fluid.layers.sums(weights) + nets.one_column(self._dense_data_var[0]) + \
            nets.pair_products(vectors)
        nets.clicked(self, logit, label, is_infer)
