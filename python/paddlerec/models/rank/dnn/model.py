"""A click model: embeddings of the sparse slots beside the dense ones, and layers above."""
import math

import paddle.fluid as fluid

from paddlerec.core.metrics import AUC
from paddlerec.core.model import ModelBase
from paddlerec.core.utils import envs


class Model(ModelBase):
    def _init_hyper_parameters(self):
        get = envs.get_global_env
        self.rows = int(get("hyper_parameters.sparse_feature_number", 1000001))
        self.width = int(get("hyper_parameters.sparse_feature_dim", 9))
        self.sizes = list(get("hyper_parameters.fc_sizes", [512, 256, 128, 32]))
        self.rate = float(get("hyper_parameters.optimizer.learning_rate", 0.001))
        self.kind = get("hyper_parameters.optimizer.class", "Adam")
        self.distributed = bool(get("hyper_parameters.is_distributed", False))

    def optimizer(self):
        return self._build_optimizer(self.kind, self.rate)

    def net(self, inputs, is_infer=False):
        label, sparse, dense = self._sparse_data_var[0], self._sparse_data_var[1:], \
            self._dense_data_var[0]

        def embed(ids):
            emb = fluid.layers.embedding(
                ids, size=[self.rows, self.width], is_sparse=True,
                is_distributed=self.distributed,
                param_attr=fluid.ParamAttr(name="SparseFeatFactors",
                                           initializer=fluid.initializer.Uniform()))
            return fluid.layers.sequence_pool(emb, "sum")

        layer = fluid.layers.concat([embed(ids) for ids in sparse] + [dense], axis=1)
        for size in self.sizes:
            layer = fluid.layers.fc(
                layer, size=size, act="relu",
                param_attr=fluid.ParamAttr(initializer=fluid.initializer.Normal(
                    scale=1.0 / math.sqrt(layer.shape[1]))))
        predict = fluid.layers.fc(
            layer, size=2, act="softmax",
            param_attr=fluid.ParamAttr(initializer=fluid.initializer.Normal(
                scale=1.0 / math.sqrt(layer.shape[1]))))
        metric = AUC(predict, label, num_thresholds=2 ** 12, slide_steps=20)
        if is_infer:
            self._infer_results["AUC"] = metric
            return
        cost = fluid.layers.cross_entropy(input=predict, label=label)
        self._cost = fluid.layers.reduce_mean(cost)
        self._metrics["LOSS"] = self._cost
        self._metrics["AUC"] = metric
