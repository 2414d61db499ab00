import math

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.n = envs.get_global_env("hyper_parameters.sparse_feature_number", None)
        self.dim = envs.get_global_env("hyper_parameters.sparse_feature_dim", None)
        self.fields = envs.get_global_env("hyper_parameters.num_field", None)
        self.hidden = envs.get_global_env("hyper_parameters.hidden1_attention_size", None)
        self.reg = envs.get_global_env("hyper_parameters.reg", 1e-4)

    def net(self, inputs, is_infer=False):
        init = fluid.initializer.TruncatedNormalInitializer(loc=0.0, scale=0.1)
        raw_idx = self._sparse_data_var[1]
        label = self._sparse_data_var[0]
        value = fluid.layers.reshape(self._dense_data_var[0], [-1, self.fields, 1])
        idx = fluid.layers.reshape(raw_idx, [-1, self.fields])
        w = fluid.embedding(input=idx, size=[self.n + 1, 1], padding_idx=0, dtype='float32',
                            param_attr=fluid.ParamAttr(
                                initializer=init,
                                regularizer=fluid.regularizer.L1DecayRegularizer(self.reg)))
        first = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(w, value), 1)
        v = fluid.embedding(input=idx, size=[self.n + 1, self.dim], padding_idx=0,
                            param_attr=fluid.ParamAttr(initializer=init))
        v = v * value
        pairs = []
        for i in range(self.fields):
            for j in range(i + 1, self.fields):
                pairs.append(v[:, i, :] * v[:, j, :])
        pairs = fluid.layers.stack(pairs)
        pairs = fluid.layers.transpose(pairs, [1, 0, 2])
        num = self.fields * (self.fields - 1) // 2

        attention = fluid.layers.fc(fluid.layers.reshape(pairs, [-1, self.dim]),
                                    size=self.hidden, act="relu", bias_attr=True,
                                    param_attr=fluid.ParamAttr(initializer=init))
        h = fluid.layers.create_parameter(shape=[self.hidden, 1], dtype="float32")
        score = fluid.layers.reshape(fluid.layers.matmul(attention, h), [-1, num])
        score = fluid.layers.softmax(score)
        score = fluid.layers.reshape(score, [-1, num, 1])
        pooled = fluid.layers.matmul(score, pairs, transpose_x=True)
        pooled = fluid.layers.reshape(pooled, [-1, self.dim])
        p = fluid.layers.create_parameter([self.dim, 1], "float32",
                                          default_initializer=fluid.initializer.Constant(0.1))
        b = fluid.layers.create_parameter([1], "float32", is_bias=True)
        second = fluid.layers.matmul(pooled, p)
        predict = fluid.layers.sigmoid(first + second + b)
        cost = fluid.layers.log_loss(predict, fluid.layers.cast(label, "float32"), epsilon=1e-5)
        self._cost = fluid.layers.reduce_mean(cost)
        two = fluid.layers.concat([1 - predict, predict], 1)
        auc_var, batch_auc_var, auc_states = fluid.layers.auc(
            input=two, label=label, num_thresholds=2 ** 10, slide_steps=5)
        self._metrics["AUC"] = auc_var
        self._metrics["LOSS"] = self._cost
        if is_infer:
            self._infer_results["AUC"] = auc_var
            self._infer_results["LOSS"] = self._cost
