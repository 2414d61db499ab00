import math

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def _init_hyper_parameters(self):
        def get(name, default=None):
            return envs.get_global_env("hyper_parameters." + name, default)
        self.n, self.dim, self.fields = get("sparse_feature_number"), get("sparse_feature_dim"), \
            get("num_field")
        self.kernel, self.inner, self.sizes = get("kernel_type", "mat"), get("use_inner_product"), \
            get("fc_sizes")
        self.keep = get("dropout_rate", 0.0)

    def net(self, inputs, is_infer=False):
        label = self._sparse_data_var[0]
        value = fluid.layers.reshape(self._dense_data_var[0], [-1, self.fields, 1])
        v = fluid.embedding(self._sparse_data_var[1], size=[self.n + 1, self.dim],
                            is_sparse=True, padding_idx=0)
        v = fluid.layers.reshape(v, [-1, self.fields, self.dim]) * value
        linear = fluid.layers.reshape(v, [-1, self.fields * self.dim])
        rows, cols = [], []
        for i in range(self.fields - 1):
            for j in range(i + 1, self.fields):
                rows.append(i)
                cols.append(j)
        p = fluid.layers.concat([fluid.layers.slice(v, axes=[1], starts=[i], ends=[i + 1])
                                 for i in rows], axis=1)
        q = fluid.layers.concat([fluid.layers.slice(v, axes=[1], starts=[i], ends=[i + 1])
                                 for i in cols], axis=1)
        inner = fluid.layers.reduce_sum(p * q, dim=2)
        k = fluid.layers.create_parameter([self.dim, len(rows), self.dim], "float32",
                                          default_initializer=fluid.initializer.Xavier())
        p4 = fluid.layers.unsqueeze(p, axes=[1])
        kp = fluid.layers.reduce_sum(
            fluid.layers.transpose(fluid.layers.reduce_sum(p4 * k, -1), [0, 2, 1]) * q, -1)
        norm = fluid.layers.sqrt(fluid.layers.reduce_sum(fluid.layers.square(inner), dim=1,
                                                         keep_dim=True) + 1e-6)
        feed = fluid.layers.concat([linear, fluid.layers.elementwise_div(inner, norm, axis=0), kp],
                                   axis=1)
        for s in self.sizes:
            feed = fluid.layers.fc(feed, s, act="relu")
            if self.keep > 0:
                feed = fluid.layers.dropout(feed, dropout_prob=self.keep, is_test=is_infer)
        predict = fluid.layers.fc(feed, 1, act="sigmoid")
        self._cost = fluid.layers.reduce_mean(
            fluid.layers.log_loss(predict, fluid.layers.cast(label, "float32")))
        auc_var, _, _ = fluid.layers.auc(fluid.layers.concat([1 - predict, predict], 1), label)
        if is_infer:
            self._infer_results["AUC"] = auc_var
            return
        self._metrics["AUC"] = auc_var
        self._metrics["LOSS"] = self._cost
