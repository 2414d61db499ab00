import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.n = envs.get_global_env("hyper_parameters.sparse_feature_number")
        self.dim = envs.get_global_env("hyper_parameters.sparse_feature_dim")
        self.is_distributed = True if envs.get_trainer() == "CtrTrainer" else False

    def _FieldWiseBiInteraction(self, inputs):
        field_wise_embeds_list = inputs
        field_wise_vectors = [
            fluid.layers.reduce_sum(e, dim=1, keep_dim=True) for e in field_wise_embeds_list]
        num_fields = len(field_wise_vectors)
        left, right = [], []
        for i in range(num_fields):
            for j in range(i + 1, num_fields):
                left.append(field_wise_vectors[i])
                right.append(field_wise_vectors[j])
        product = fluid.layers.concat(left, 1) * fluid.layers.concat(right, 1)
        kernel = fluid.layers.create_parameter([len(left)], dtype="float32", name="kernel_mf",
                                               default_initializer=fluid.initializer.Constant(0.5))
        mf = fluid.layers.elementwise_mul(product, kernel, axis=1)
        mf = fluid.layers.reduce_sum(mf, dim=1)
        fm = [fluid.layers.square(fluid.layers.reduce_sum(e, dim=1)) -
              fluid.layers.reduce_sum(fluid.layers.square(e), dim=1)
              for e in field_wise_embeds_list]
        return mf, fluid.layers.sum(fm)

    def net(self, input, is_infer=False):
        self.sparse_inputs = self._sparse_data_var[1:]
        self.label_input = self._sparse_data_var[0]
        emb = []
        for i, data in enumerate(self.sparse_inputs):
            e = fluid.layers.embedding(
                input=data, size=[self.n, self.dim], is_sparse=True, padding_idx=0,
                is_distributed=self.is_distributed,
                param_attr=fluid.ParamAttr(name="emb_%d" % (i // 3),
                                           regularizer=fluid.regularizer.L2Decay(1e-3)))
            e = fluid.layers.sequence_pool(input=e, pool_type="sum")
            emb.append(fluid.layers.reshape(e, [-1, 1, self.dim]))
        groups = [fluid.layers.concat(emb[i:i + 2], axis=1) for i in range(0, 6, 2)]
        mf, fm = self._FieldWiseBiInteraction(groups)
        flat = fluid.layers.flatten(fluid.layers.concat(groups, 1))
        h = fluid.layers.fc(flat, 8, act="relu", name="dnn_1")
        h = fluid.layers.batch_norm(h, act="tanh", is_test=is_infer)
        h = fluid.layers.dropout(h, dropout_prob=0.0, is_test=is_infer)
        final = fluid.layers.fc([mf, fm, h, self._dense_data_var[0]], 1, act=None)
        predict = fluid.layers.clip(fluid.layers.sigmoid(final), min=1e-7, max=1.0 - 1e-7)
        label = fluid.layers.cast(self.label_input, "float32")
        loss = 0 - label * fluid.layers.log(predict) - \
            (1 - label) * fluid.layers.log(1 - predict)
        self._cost = fluid.layers.reduce_mean(loss)
        auc_var, batch_auc_var, auc_states = fluid.layers.auc(
            fluid.layers.concat([1 - predict, predict], 1), self.label_input, slide_steps=0)
        if is_infer:
            self._infer_results["AUC"] = auc_var
            self._infer_results["BATCH_AUC"] = batch_auc_var
        else:
            self._metrics["AUC"] = auc_var
            self._metrics["LOSS"] = self._cost

    def optimizer(self):
        rate = fluid.layers.exponential_decay(learning_rate=0.02, decay_steps=5, decay_rate=0.9,
                                              staircase=True)
        return fluid.optimizer.Momentum(rate, momentum=0.9, use_nesterov=True)
