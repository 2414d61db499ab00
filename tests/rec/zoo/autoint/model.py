import math

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.n = envs.get_global_env("hyper_parameters.sparse_feature_number", None)
        self.dim = envs.get_global_env("hyper_parameters.sparse_feature_dim", None)
        self.fields = envs.get_global_env("hyper_parameters.num_field", None)
        self.d_key = envs.get_global_env("hyper_parameters.d_key", None)
        self.d_value = envs.get_global_env("hyper_parameters.d_value", None)
        self.n_head = envs.get_global_env("hyper_parameters.n_head", None)
        self.dropout_rate = envs.get_global_env("hyper_parameters.dropout_rate", 0.)
        self.n_layers = envs.get_global_env("hyper_parameters.n_interacting_layers", 1)

    def multi_head_attention(self, queries, keys, values, d_key, d_value, d_model, n_head,
                             dropout_rate):
        keys = queries if keys is None else keys
        values = keys if values is None else values
        q = fluid.layers.fc(queries, d_key * n_head, bias_attr=False, num_flatten_dims=2)
        k = fluid.layers.fc(keys, d_key * n_head, bias_attr=False, num_flatten_dims=2)
        v = fluid.layers.fc(values, d_value * n_head, bias_attr=False, num_flatten_dims=2)

        def split(x, d):
            x = fluid.layers.reshape(x=x, shape=[0, 0, n_head, d], inplace=True)
            return fluid.layers.transpose(x=x, perm=[0, 2, 1, 3])
        q, k, v = split(q, d_key), split(k, d_key), split(v, d_value)
        product = fluid.layers.matmul(x=q, y=k, transpose_y=True, alpha=d_model ** -0.5)
        weights = fluid.layers.softmax(product)
        if dropout_rate:
            weights = fluid.layers.dropout(weights, dropout_prob=dropout_rate, is_test=False)
        out = fluid.layers.transpose(fluid.layers.matmul(weights, v), perm=[0, 2, 1, 3])
        return fluid.layers.reshape(x=out, shape=[0, 0, out.shape[2] * out.shape[3]],
                                    inplace=True)

    def interacting_layer(self, x):
        attention_out = self.multi_head_attention(x, None, None, self.d_key, self.d_value,
                                                  self.dim, self.n_head, self.dropout_rate)
        w_0_x = fluid.layers.fc(x, size=self.d_value * self.n_head, bias_attr=False,
                                num_flatten_dims=2)
        return fluid.layers.relu(attention_out + w_0_x)

    def net(self, inputs, is_infer=False):
        init = fluid.initializer.TruncatedNormalInitializer(loc=0.0, scale=0.1)
        trainer = envs.get_trainer()
        is_distributed = True if trainer == "CtrTrainer" else False
        raw_idx, raw_value = self._sparse_data_var[1], self._dense_data_var[0]
        label = self._sparse_data_var[0]
        value = fluid.layers.reshape(raw_value, [-1, self.fields, 1])
        emb = fluid.embedding(input=raw_idx, is_sparse=True, is_distributed=is_distributed,
                              dtype='float32', size=[self.n + 1, self.dim], padding_idx=0,
                              param_attr=fluid.ParamAttr(initializer=init))
        emb = fluid.layers.reshape(emb, [-1, self.fields, self.dim]) * value
        for i in range(self.n_layers):
            emb = self.interacting_layer(emb)
        flat = fluid.layers.flatten(emb, axis=1)
        y = fluid.layers.fc(input=flat, size=1, act=None,
                            param_attr=fluid.ParamAttr(initializer=init),
                            bias_attr=fluid.ParamAttr(initializer=init))
        predict = fluid.layers.sigmoid(y)
        cost = fluid.layers.log_loss(input=predict, label=fluid.layers.cast(label, "float32"))
        self._cost = fluid.layers.reduce_sum(cost)
        auc_var, batch_auc_var, _ = fluid.layers.auc(
            input=fluid.layers.concat([1 - predict, predict], 1),
            label=fluid.layers.cast(label, "int64"), slide_steps=0)
        self._metrics["AUC"] = auc_var
        self._metrics["BATCH_AUC"] = batch_auc_var
        if is_infer:
            self._infer_results["AUC"] = auc_var
