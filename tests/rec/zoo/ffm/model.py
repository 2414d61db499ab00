import math

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.n = envs.get_global_env("hyper_parameters.sparse_feature_number", None)
        self.dim = envs.get_global_env("hyper_parameters.sparse_feature_dim", None)
        self.fields = envs.get_global_env("hyper_parameters.num_field", None)
        self.reg = envs.get_global_env("hyper_parameters.reg", 1e-4)

    def net(self, inputs, is_infer=False):
        init = fluid.initializer.TruncatedNormalInitializer(
            loc=0.0, scale=0.1 / math.sqrt(float(self.dim)))
        raw_idx, label = self._sparse_data_var[1], self._sparse_data_var[0]
        value = fluid.layers.reshape(self._dense_data_var[0], [-1, self.fields, 1])
        w = fluid.embedding(input=raw_idx, is_sparse=True, size=[self.n + 1, 1], padding_idx=0,
                            param_attr=fluid.ParamAttr(initializer=init))
        w = fluid.layers.reshape(w, shape=[-1, self.fields, 1])
        first = fluid.layers.reduce_sum(w * value, 1)
        v = fluid.embedding(input=raw_idx, is_sparse=True,
                            size=[self.n + 1, self.dim * self.fields], padding_idx=0,
                            param_attr=fluid.ParamAttr(initializer=init))
        v = fluid.layers.reshape(v, shape=[-1, self.fields, self.fields, self.dim])
        value = fluid.layers.reshape(value, [-1, self.fields, 1, 1])
        v = v * value
        terms = []
        for i in range(self.fields):
            for j in range(i + 1, self.fields):
                terms.append(fluid.layers.reduce_sum(v[:, i, j, :] * v[:, j, i, :], 1,
                                                     keep_dim=True))
        b = fluid.layers.create_parameter([1], "float32", is_bias=True)
        second = fluid.layers.reduce_sum(fluid.layers.concat(terms, 1), 1, keep_dim=True)
        predict = fluid.layers.sigmoid(b + first + second)
        cost = fluid.layers.log_loss(predict, fluid.layers.cast(label, "float32"))
        self._cost = fluid.layers.mean(cost)
        auc_var, batch_auc_var, _ = fluid.layers.auc(
            fluid.layers.concat([1 - predict, predict], 1), label, slide_steps=0)
        if is_infer:
            self._infer_results["AUC"] = auc_var
            self._infer_results["P"] = fluid.layers.reduce_mean(predict)
            return
        self._metrics["AUC"] = auc_var
        self._metrics["BATCH_AUC"] = batch_auc_var
        self._metrics["LOSS"] = self._cost
