import numpy as np

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.is_distributed = False
        self.sparse_feature_number = envs.get_global_env("hyper_parameters.sparse_feature_number")
        self.sparse_feature_dim = envs.get_global_env("hyper_parameters.sparse_feature_dim")
        self.neg_num = envs.get_global_env("hyper_parameters.neg_num")
        self.with_shuffle_batch = envs.get_global_env("hyper_parameters.with_shuffle_batch", False)
        self.learning_rate = envs.get_global_env("hyper_parameters.optimizer.learning_rate")
        self.decay_steps = envs.get_global_env("hyper_parameters.optimizer.decay_steps")
        self.decay_rate = envs.get_global_env("hyper_parameters.optimizer.decay_rate")

    def input_data(self, is_infer=False, **kwargs):
        if is_infer:
            return [fluid.data(name=name, shape=[None, 1], dtype='int64')
                    for name in ("analogy_a", "analogy_b", "analogy_c", "analogy_d")]
        input_word = fluid.data(name="input_word", shape=[None, 1], dtype='int64')
        true_word = fluid.data(name='true_label', shape=[None, 1], dtype='int64')
        neg_word = fluid.data(name="neg_label", shape=[None, self.neg_num], dtype='int64')
        return [input_word, true_word, neg_word]

    def net(self, inputs, is_infer=False):
        if is_infer:
            self.infer_net(inputs)
            return

        def embedding_layer(input, table_name, emb_dim, initializer_instance=None, squeeze=False):
            emb = fluid.embedding(
                input=input, is_sparse=True, is_distributed=self.is_distributed,
                size=[self.sparse_feature_number, emb_dim],
                param_attr=fluid.ParamAttr(name=table_name, initializer=initializer_instance))
            return fluid.layers.squeeze(input=emb, axes=[1]) if squeeze else emb
        init_width = 0.5 / self.sparse_feature_dim
        uniform = fluid.initializer.Uniform(-init_width, init_width)
        zero = fluid.initializer.Constant(value=0.0)
        input_emb = embedding_layer(inputs[0], "emb", self.sparse_feature_dim, uniform, True)
        true_emb_w = embedding_layer(inputs[1], "emb_w", self.sparse_feature_dim, zero, True)
        true_emb_b = embedding_layer(inputs[1], "emb_b", 1, zero, True)
        neg_emb_w = embedding_layer(inputs[2], "emb_w", self.sparse_feature_dim, zero)
        neg_emb_b = embedding_layer(inputs[2], "emb_b", 1, zero)
        neg_emb_b_vec = fluid.layers.reshape(neg_emb_b, shape=[-1, self.neg_num])
        true_logits = fluid.layers.elementwise_add(
            fluid.layers.reduce_sum(fluid.layers.elementwise_mul(input_emb, true_emb_w), dim=1,
                                    keep_dim=True), true_emb_b)
        input_emb_re = fluid.layers.reshape(input_emb, shape=[-1, 1, self.sparse_feature_dim])
        neg_matmul = fluid.layers.matmul(input_emb_re, neg_emb_w, transpose_y=True)
        neg_matmul_re = fluid.layers.reshape(neg_matmul, shape=[-1, self.neg_num])
        neg_logits = fluid.layers.elementwise_add(neg_matmul_re, neg_emb_b_vec)
        label_ones = fluid.layers.fill_constant(
            shape=[fluid.layers.shape(true_logits)[0], 1], value=1.0, dtype='float32')
        label_zeros = fluid.layers.fill_constant(
            shape=[fluid.layers.shape(true_logits)[0], self.neg_num], value=0.0, dtype='float32')
        true_xent = fluid.layers.sigmoid_cross_entropy_with_logits(true_logits, label_ones)
        neg_xent = fluid.layers.sigmoid_cross_entropy_with_logits(neg_logits, label_zeros)
        cost = fluid.layers.elementwise_add(fluid.layers.reduce_sum(true_xent, dim=1),
                                            fluid.layers.reduce_sum(neg_xent, dim=1))
        self._cost = fluid.layers.reduce_mean(cost)
        global_right_cnt = fluid.layers.create_global_var(
            name="global_right_cnt", persistable=True, dtype='float32', shape=[1], value=0)
        global_right_cnt.stop_gradient = True
        self._metrics["LOSS"] = self._cost

    def optimizer(self):
        optimizer = fluid.optimizer.SGD(
            learning_rate=fluid.layers.exponential_decay(
                learning_rate=self.learning_rate, decay_steps=self.decay_steps,
                decay_rate=self.decay_rate, staircase=True))
        return optimizer

    def infer_net(self, inputs):
        a, b, c, d = inputs
        size = [self.sparse_feature_number, self.sparse_feature_dim]
        emb_a, emb_b, emb_c = (fluid.embedding(x, size=size, param_attr="emb") for x in (a, b, c))
        target = fluid.layers.elementwise_add(fluid.layers.elementwise_sub(emb_b, emb_a), emb_c)
        target = fluid.layers.l2_normalize(fluid.layers.squeeze(target, [1]), axis=1)
        every = fluid.layers.assign(np.arange(self.sparse_feature_number).reshape(-1).astype("int32"))
        emb_all = fluid.embedding(fluid.layers.cast(every, "int64"), size=size, param_attr="emb")
        emb_all = fluid.layers.l2_normalize(emb_all, axis=1)
        dist = fluid.layers.matmul(x=target, y=emb_all, transpose_y=True)
        values, pred_idx = fluid.layers.topk(input=dist, k=4)
        label = fluid.layers.expand(d, expand_times=[1, 4])
        label_ones = fluid.layers.fill_constant_batch_size_like(label, shape=[-1, 1], value=1.0,
                                                                dtype='float32')
        right_cnt = fluid.layers.reduce_sum(
            input=fluid.layers.cast(fluid.layers.equal(pred_idx, label), dtype='float32'))
        total_cnt = fluid.layers.reduce_sum(label_ones)
        global_right_cnt = fluid.layers.create_global_var(
            name="global_right_cnt", persistable=True, dtype='float32', shape=[1], value=0)
        tmp1 = fluid.layers.elementwise_add(right_cnt, global_right_cnt)
        fluid.layers.assign(tmp1, global_right_cnt)
        acc = fluid.layers.elementwise_div(global_right_cnt, total_cnt, name="total_acc")
        self._infer_results['acc'] = acc
        self._infer_results['best'] = fluid.layers.reduce_max(values)
