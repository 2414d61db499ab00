import itertools

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.n = envs.get_global_env("hyper_parameters.sparse_feature_number", None)
        self.dim = envs.get_global_env("hyper_parameters.sparse_feature_dim", None)
        self.fields = envs.get_global_env("hyper_parameters.num_field", None)
        self.ratio = envs.get_global_env("hyper_parameters.reduction_ratio", 3)
        self.kind = envs.get_global_env("hyper_parameters.bilinear_type", "each")

    def _squeeze(self, emb):
        z = fluid.layers.reduce_mean(emb, dim=-1)
        a = fluid.layers.fc(z, size=max(1, self.fields // self.ratio), act='relu',
                            param_attr=fluid.initializer.Xavier())
        a = fluid.layers.fc(a, size=self.fields, act='relu')
        return fluid.layers.elementwise_mul(emb, fluid.layers.unsqueeze(a, axes=[2]))

    def _bilinear(self, emb, name):
        parts = fluid.layers.split(emb, num_or_sections=self.fields, dim=1)
        parts = [fluid.layers.squeeze(p, axes=[1]) for p in parts]
        out = []
        if self.kind == "all":
            left = [fluid.layers.fc(p, self.dim, bias_attr=False,
                                    param_attr=fluid.ParamAttr(name=name + "_all_w"))
                    for p in parts[:-1]]
        elif self.kind == "each":
            left = [fluid.layers.fc(p, self.dim, bias_attr=False,
                                    param_attr=fluid.ParamAttr(name=name + "_each_%d" % i))
                    for i, p in enumerate(parts[:-1])]
        for i, j in itertools.combinations(range(self.fields), 2):
            if self.kind == "interaction":
                w = fluid.layers.fc(parts[i], self.dim, bias_attr=False)
            else:
                w = left[i]
            out.append(fluid.layers.elementwise_mul(w, parts[j]))
        return fluid.layers.concat(out, axis=1)

    def net(self, inputs, is_infer=False):
        slots = self._sparse_data_var
        embs = []
        for data in slots[1:]:
            e = fluid.embedding(input=data, size=[self.n, self.dim], dtype='float32',
                                is_sparse=True, param_attr=fluid.ParamAttr(
                                    name="emb", initializer=fluid.initializer.Uniform()))
            embs.append(fluid.layers.sequence_pool(input=e, pool_type='sum'))
        emb = fluid.layers.stack(embs, axis=1)
        emb = fluid.layers.reshape(emb, [-1, self.fields, self.dim])
        p = self._bilinear(emb, "origin")
        q = self._bilinear(self._squeeze(emb), "senet")
        x = fluid.layers.concat([p, q] + self._dense_data_var, axis=1)
        for s in (16, 8):
            x = fluid.layers.fc(x, s, act="relu", param_attr=fluid.ParamAttr(
                initializer=fluid.initializer.Normal(scale=0.1)))
        predict = fluid.layers.fc(x, size=2, act='softmax')
        cost = fluid.layers.cross_entropy(predict, slots[0])
        self._cost = fluid.layers.reduce_mean(cost)
        auc_var, batch_auc, _ = fluid.layers.auc(input=predict, label=slots[0],
                                                 num_thresholds=2 ** 12, slide_steps=20)
        acc = fluid.layers.accuracy(input=predict, label=slots[0])
        if is_infer:
            self._infer_results["AUC"] = auc_var
            self._infer_results["ACC"] = acc
            return
        self._metrics["AUC"] = auc_var
        self._metrics["BATCH_AUC"] = batch_auc
        self._metrics["ACC"] = acc
        self._metrics["LOSS"] = self._cost

    def optimizer(self):
        return fluid.optimizer.Adam(0.01, lazy_mode=True)
