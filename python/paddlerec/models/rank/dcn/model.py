"""Deep & Cross: layers that multiply the input by what was made of it, beside a tower."""
import math

import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.rows = int(nets.hyper("sparse_feature_number"))
        self.width = int(nets.hyper("sparse_feature_dim", 8))
        self.sizes = list(nets.hyper("fc_sizes", [512, 256, 128]))
        self.crosses = int(nets.hyper("cross_num", 2))
        self.decay = float(nets.hyper("l2_reg_cross", 0.0))

    def _cross(self, first, layer):
        """first * (layer . w) + b + layer"""
        weight = fluid.layers.create_parameter(
            [first.shape[1], 1], "float32", default_initializer=fluid.initializer.Normal(
                scale=1.0 / math.sqrt(first.shape[1])))
        bias = fluid.layers.create_parameter([first.shape[1]], "float32", is_bias=True)
        self.squares.append(fluid.layers.reduce_sum(fluid.layers.square(weight)))
        scaled = fluid.layers.elementwise_mul(first, fluid.layers.matmul(layer, weight))
        return fluid.layers.elementwise_add(scaled, bias, axis=1) + layer

    def net(self, inputs, is_infer=False):
        label, sparse = self._sparse_data_var[0], self._sparse_data_var[1:]
        vectors = [nets.embed(ids, self.rows, self.width, "vector") for ids in sparse]
        first = cross = fluid.layers.concat(vectors + self._dense_data_var, axis=1)
        self.squares = []
        for _ in range(self.crosses):
            cross = self._cross(first, cross)
        deep = nets.tower(first, self.sizes)
        logit = nets.one_column(fluid.layers.concat([cross, deep], axis=1))
        nets.clicked(self, logit, label, is_infer)
        if not is_infer and self.decay and self.squares:
            self._cost = self._cost + fluid.layers.scale(fluid.layers.sums(self.squares),
                                                         self.decay)
            self._metrics["LOSS"] = self._cost
