import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.n = envs.get_global_env("hyper_parameters.sparse_feature_number", None)
        self.dim = envs.get_global_env("hyper_parameters.sparse_feature_dim", None)
        self.fields = envs.get_global_env("hyper_parameters.num_field", None)
        self.residual = envs.get_global_env("hyper_parameters.residual_unit_num", 2)
        self.width = envs.get_global_env("hyper_parameters.residual_w_dim", 8)

    def _block(self, x, width):
        size = x.shape[-1]
        y = fluid.layers.fc(x, width, act='relu', param_attr=fluid.ParamAttr(
            initializer=fluid.initializer.Normal(scale=0.1)))
        y = fluid.layers.fc(y, size, act=None)
        return fluid.layers.relu6(x + y, threshold=6.0)

    def net(self, inputs, is_infer=False):
        label = self._sparse_data_var[0]
        value = fluid.layers.reshape(self._dense_data_var[0], [-1, self.fields, 1])
        emb = fluid.embedding(self._sparse_data_var[1], size=[self.n + 1, self.dim],
                              is_sparse=True, padding_idx=0, param_attr=fluid.ParamAttr(
                                  regularizer=fluid.regularizer.L1DecayRegularizer(1e-3)))
        emb = fluid.layers.reshape(emb, [-1, self.fields, self.dim]) * value
        x = fluid.layers.concat([fluid.layers.flatten(emb, axis=1), self._dense_data_var[0]], 1)
        for i in range(self.residual):
            x = self._block(x, self.width)
        predict = fluid.layers.fc(x, 1, act=fluid.layers.sigmoid.__name__)
        cost = fluid.layers.log_loss(predict, fluid.layers.cast(label, "float32"))
        self._cost = fluid.layers.reduce_sum(cost)
        auc_var, batch_auc, _ = fluid.layers.auc(fluid.layers.concat([1 - predict, predict], 1),
                                                 label=label, curve='ROC', slide_steps=0)
        self._metrics["AUC"] = auc_var
        self._metrics["BATCH_AUC"] = batch_auc
        if is_infer:
            self._infer_results["AUC"] = auc_var
