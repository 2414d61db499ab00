import math

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.is_distributed = True if envs.get_fleet_mode().upper() == "PSLIB" else False
        self.sparse_feature_number = envs.get_global_env(
            "hyper_parameters.sparse_feature_number", None)
        self.sparse_feature_dim = envs.get_global_env(
            "hyper_parameters.sparse_feature_dim", None)
        self.reg = envs.get_global_env("hyper_parameters.reg", 1e-4)
        self.num_field = envs.get_global_env("hyper_parameters.num_field", None)
        self.layer_sizes = envs.get_global_env("hyper_parameters.fc_sizes", None)
        self.act = envs.get_global_env("hyper_parameters.act", None)

    def net(self, inputs, is_infer=False):
        raw_idx = self._sparse_data_var[1]
        raw_value = self._dense_data_var[0]
        self.label = self._sparse_data_var[0]
        init = fluid.initializer.TruncatedNormalInitializer(
            loc=0.0, scale=0.1 / math.sqrt(float(self.sparse_feature_dim)))
        idx = fluid.layers.reshape(raw_idx, [-1, self.num_field, 1])
        value = fluid.layers.reshape(raw_value, [-1, self.num_field, 1])

        first = fluid.embedding(
            input=raw_idx, is_sparse=True, is_distributed=self.is_distributed, dtype='float32',
            size=[self.sparse_feature_number + 1, 1], padding_idx=0,
            param_attr=fluid.ParamAttr(initializer=init,
                                       regularizer=fluid.regularizer.L1DecayRegularizer(self.reg)))
        first = fluid.layers.reshape(first, shape=[-1, self.num_field, 1])
        y_first_order = fluid.layers.reduce_sum(first * value, 1)

        emb = fluid.embedding(
            input=raw_idx, is_sparse=True, is_distributed=self.is_distributed, dtype='float32',
            size=[self.sparse_feature_number + 1, self.sparse_feature_dim], padding_idx=0,
            param_attr=fluid.ParamAttr(initializer=init))
        emb = fluid.layers.reshape(emb, shape=[-1, self.num_field, self.sparse_feature_dim])
        emb = emb * value
        summed_square = fluid.layers.square(fluid.layers.reduce_sum(emb, 1))
        squared_sum = fluid.layers.reduce_sum(fluid.layers.square(emb), 1)
        y_dnn = 0.5 * (summed_square - squared_sum)
        for s in self.layer_sizes:
            y_dnn = fluid.layers.fc(
                input=y_dnn, size=s, act=self.act,
                param_attr=fluid.ParamAttr(initializer=init),
                bias_attr=fluid.ParamAttr(initializer=init))
        y_dnn = fluid.layers.fc(input=y_dnn, size=1, act=None,
                                param_attr=fluid.ParamAttr(initializer=init),
                                bias_attr=fluid.ParamAttr(initializer=init))
        self.predict = fluid.layers.sigmoid(y_first_order + y_dnn)
        cost = fluid.layers.log_loss(input=self.predict,
                                     label=fluid.layers.cast(self.label, "float32"))
        avg_cost = fluid.layers.reduce_sum(cost)
        self._cost = avg_cost
        predict_2d = fluid.layers.concat([1 - self.predict, self.predict], 1)
        label_int = fluid.layers.cast(self.label, 'int64')
        auc_var, batch_auc_var, _ = fluid.layers.auc(input=predict_2d, label=label_int,
                                                     slide_steps=0)
        self._metrics["AUC"] = auc_var
        self._metrics["BATCH_AUC"] = batch_auc_var
        if is_infer:
            self._infer_results["AUC"] = auc_var
