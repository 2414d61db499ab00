"""xDeepFM: products of whole vectors of each two fields (CIN), beside weights and a tower."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.rows = int(nets.hyper("sparse_feature_number"))
        self.width = int(nets.hyper("sparse_feature_dim", 8))
        self.sizes = list(nets.hyper("fc_sizes", [400, 400]))
        self.cin_sizes = list(nets.hyper("cin_sizes", [100, 100]))

    def _interact(self, vectors):
        """Each layer weighs the products of its maps with the fields, element by element of the
        vectors; every map, summed over its elements, is a feature."""
        layers = fluid.layers
        fields = layers.transpose(layers.stack(vectors, axis=1), [0, 2, 1])  # batch, width, field
        first, count = layers.unsqueeze(fields, [3]), len(vectors)
        maps, features = fields, []
        for size in self.cin_sizes:
            products = layers.matmul(first, layers.unsqueeze(maps, [2]))  # ..., field, map
            products = layers.reshape(products, [-1, self.width, count * maps.shape[2]])
            maps = layers.fc(products, size, num_flatten_dims=2, bias_attr=False)
            features.append(layers.reduce_sum(maps, dim=1))
        return layers.concat(features, axis=1)

    def net(self, inputs, is_infer=False):
        label, sparse = self._sparse_data_var[0], self._sparse_data_var[1:]
        dense = self._dense_data_var[0]
        weights = [nets.embed(ids, self.rows, 1, "weight") for ids in sparse]
        vectors = [nets.embed(ids, self.rows, self.width, "vector") for ids in sparse]
        deep = nets.tower(fluid.layers.concat(vectors + [dense], axis=1), self.sizes)
        logit = fluid.layers.sums(weights) + nets.one_column(dense) + \
            nets.one_column(self._interact(vectors)) + nets.one_column(deep)
        nets.clicked(self, logit, label, is_infer)
