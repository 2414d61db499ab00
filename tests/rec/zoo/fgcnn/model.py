import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.n = envs.get_global_env("hyper_parameters.sparse_feature_number", None)
        self.dim = envs.get_global_env("hyper_parameters.sparse_feature_dim", None)
        self.fields = envs.get_global_env("hyper_parameters.num_field", None)
        self.filters = envs.get_global_env("hyper_parameters.filters", [3, 4])
        self.news = envs.get_global_env("hyper_parameters.new_filters", [2, 2])
        self.pools = envs.get_global_env("hyper_parameters.pooling_size", [2, 2])

    def net(self, inputs, is_infer=False):
        label = self._sparse_data_var[0]
        idx = fluid.layers.reshape(self._sparse_data_var[1], [-1, self.fields, 1])
        value = fluid.layers.reshape(self._dense_data_var[0], [-1, self.fields, 1])
        emb = fluid.layers.embedding(idx, size=[self.n + 1, self.dim], is_sparse=True,
                                     padding_idx=0)
        emb = fluid.layers.elementwise_mul(emb, value, axis=0) if emb.shape[1] == 1 else emb * value
        x = fluid.layers.reshape(emb, [-1, 1, self.fields, self.dim])
        made, height = [], self.fields
        for c, new, pool in zip(self.filters, self.news, self.pools):
            x = fluid.layers.conv2d(x, num_filters=c, filter_size=(3, 1), padding=(1, 0),
                                    act="tanh", use_cudnn=False)
            x = fluid.layers.pool2d(x, pool_size=(pool, 1), pool_type='max',
                                    pool_stride=(pool, 1))
            height = x.shape[2]
            flat = fluid.layers.flatten(x, axis=1)
            r = fluid.layers.fc(flat, size=new * height * self.dim, act='tanh')
            made.append(fluid.layers.reshape(r, [-1, new * height, self.dim]))
        all_emb = fluid.layers.concat([emb] + made, axis=1)
        count = all_emb.shape[1]
        inner = []
        for i in range(count - 1):
            left = fluid.layers.slice(all_emb, [1], [i], [i + 1])
            right = fluid.layers.slice(all_emb, [1], [i + 1], [count])
            inner.append(fluid.layers.reduce_sum(
                fluid.layers.elementwise_mul(right, left), dim=2))
        x = fluid.layers.concat([fluid.layers.flatten(all_emb, 1)] + inner, axis=1)
        x = fluid.layers.fc(x, 8, act="relu")
        x = fluid.layers.batch_norm(x, is_test=is_infer, momentum=0.8)
        predict = fluid.layers.sigmoid(fluid.layers.fc(x, 1))
        self._cost = fluid.layers.mean(
            fluid.layers.log_loss(predict, fluid.layers.cast(label, "float32")))
        auc_var, _, _ = fluid.layers.auc(fluid.layers.concat([1 - predict, predict], 1), label,
                                         slide_steps=0)
        if is_infer:
            self._infer_results["AUC"] = auc_var
            self._infer_results["LOSS"] = self._cost
            return
        self._metrics["AUC"] = auc_var
        self._metrics["LOSS"] = self._cost
