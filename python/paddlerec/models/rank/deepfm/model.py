"""DeepFM: a factorisation machine and a tower of layers over the same vectors."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.rows = int(nets.hyper("sparse_feature_number"))
        self.width = int(nets.hyper("sparse_feature_dim", 8))
        self.sizes = list(nets.hyper("fc_sizes", [400, 400, 400]))

    def net(self, inputs, is_infer=False):
        label, sparse = self._sparse_data_var[0], self._sparse_data_var[1:]
        dense = self._dense_data_var[0]
        weights = [nets.embed(ids, self.rows, 1, "weight") for ids in sparse]
        vectors = [nets.embed(ids, self.rows, self.width, "vector") for ids in sparse]
        deep = nets.tower(fluid.layers.concat(vectors + [dense], axis=1), self.sizes)
        logit = fluid.layers.sums(weights) + nets.one_column(dense) + \
            nets.pair_products(vectors) + nets.one_column(deep)
        nets.clicked(self, logit, label, is_infer)
