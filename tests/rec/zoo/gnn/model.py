import math

import numpy as np

import paddle.fluid as fluid
import paddle.fluid.layers as layers

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.learning_rate = envs.get_global_env("hyper_parameters.optimizer.learning_rate")
        self.decay_steps = envs.get_global_env("hyper_parameters.optimizer.decay_steps")
        self.decay_rate = envs.get_global_env("hyper_parameters.optimizer.decay_rate")
        self.l2 = envs.get_global_env("hyper_parameters.optimizer.l2")
        self.dict_size = envs.get_global_env("hyper_parameters.sparse_feature_number")
        self.hidden_size = envs.get_global_env("hyper_parameters.sparse_feature_dim")
        self.step = envs.get_global_env("hyper_parameters.gnn_propogation_steps")
        self.batch_size = envs.get_global_env("dataset.dataset_train.batch_size")

    def input_data(self, is_infer=False, **kwargs):
        bs = self.batch_size
        self.items = fluid.data(name="items", shape=[bs, -1], dtype="int64")
        self.seq_index = fluid.data(name="seq_index", shape=[bs, -1, 2], dtype="int32")
        self.last_index = fluid.data(name="last_index", shape=[bs, 2], dtype="int32")
        self.adj_in = fluid.data(name="adj_in", shape=[bs, -1, -1], dtype="float32")
        self.adj_out = fluid.data(name="adj_out", shape=[bs, -1, -1], dtype="float32")
        self.mask = fluid.data(name="mask", shape=[bs, -1, 1], dtype="float32")
        self.label = fluid.data(name="label", shape=[bs, 1], dtype="int64")
        return [self.items, self.seq_index, self.last_index, self.adj_in, self.adj_out, self.mask,
                self.label]

    def net(self, inputs, is_infer=False):
        items, seq_index, last_index, adj_in, adj_out, mask, label = inputs
        stdv = 1.0 / math.sqrt(self.hidden_size)
        uniform = fluid.initializer.Uniform(low=-stdv, high=stdv)
        items_emb = fluid.embedding(
            input=items, param_attr=fluid.ParamAttr(name="emb", initializer=uniform),
            size=[self.dict_size, self.hidden_size])
        pre_state = items_emb
        for i in range(self.step):
            pre_state = layers.reshape(x=pre_state, shape=[self.batch_size, -1, self.hidden_size])
            state_in = layers.fc(
                input=pre_state, name="state_in", size=self.hidden_size, act=None,
                num_flatten_dims=2, param_attr=fluid.ParamAttr(initializer=uniform),
                bias_attr=fluid.ParamAttr(initializer=uniform))
            state_out = layers.fc(
                input=pre_state, name="state_out", size=self.hidden_size, act=None,
                num_flatten_dims=2, param_attr=fluid.ParamAttr(initializer=uniform),
                bias_attr=fluid.ParamAttr(initializer=uniform))
            state_adj_in = layers.matmul(adj_in, state_in)
            state_adj_out = layers.matmul(adj_out, state_out)
            gru_input = layers.concat([state_adj_in, state_adj_out], axis=2)
            gru_input = layers.reshape(x=gru_input, shape=[-1, self.hidden_size * 2])
            gru_fc = layers.fc(input=gru_input, name="gru_fc", size=3 * self.hidden_size,
                               bias_attr=False)
            pre_state, _, _ = fluid.layers.gru_unit(
                input=gru_fc, hidden=layers.reshape(x=pre_state, shape=[-1, self.hidden_size]),
                size=3 * self.hidden_size)
        final_state = layers.reshape(pre_state, shape=[self.batch_size, -1, self.hidden_size])
        seq = layers.gather_nd(final_state, seq_index)
        last = layers.gather_nd(final_state, last_index)
        seq_fc = layers.fc(input=seq, name="seq_fc", size=self.hidden_size, bias_attr=False,
                           act=None, num_flatten_dims=2)
        last_fc = layers.fc(input=last, name="last_fc", size=self.hidden_size, bias_attr=False,
                            act=None, num_flatten_dims=1)
        seq_fc_t = layers.transpose(seq_fc, perm=[1, 0, 2])
        add = layers.elementwise_add(seq_fc_t, last_fc)
        b = layers.create_parameter(shape=[self.hidden_size], dtype='float32',
                                    default_initializer=fluid.initializer.Constant(value=0.0))
        add_sigmoid = layers.sigmoid(layers.elementwise_add(add, b))
        add_sigmoid = layers.transpose(add_sigmoid, perm=[1, 0, 2])
        weight = layers.fc(input=add_sigmoid, name="weight_fc", size=1, act=None,
                           num_flatten_dims=2, bias_attr=False)
        weight *= mask
        weight_mask = layers.elementwise_mul(seq, weight, axis=0)
        global_attention = layers.reduce_sum(weight_mask, dim=1)
        final_attention = layers.concat([global_attention, last], axis=1)
        final_attention_fc = layers.fc(input=final_attention, name="final_attention_fc",
                                       size=self.hidden_size, bias_attr=False, act=None)
        all_vocab = layers.create_global_var(
            shape=[self.dict_size - 1], value=0, dtype="int64", persistable=True, name="all_vocab")
        all_vocab = layers.assign(np.arange(1, self.dict_size).reshape(-1).astype('int32'))
        all_emb = fluid.embedding(
            input=layers.cast(all_vocab, "int64"), param_attr=fluid.ParamAttr(name="emb"),
            size=[self.dict_size, self.hidden_size])
        logits = layers.matmul(x=final_attention_fc, y=all_emb, transpose_y=True)
        softmax = layers.softmax_with_cross_entropy(logits=logits, label=label)
        self.loss = layers.reduce_mean(softmax)
        self.acc = layers.accuracy(input=logits, label=label, k=20)
        self._cost = self.loss
        if is_infer:
            self._infer_results['P@20'] = self.acc
            self._infer_results['LOSS'] = self.loss
            return
        self._metrics["LOSS"] = self.loss
        self._metrics["Train_P@20"] = self.acc

    def optimizer(self):
        step_per_epoch = 12
        optimizer = fluid.optimizer.Adam(
            learning_rate=fluid.layers.exponential_decay(
                learning_rate=self.learning_rate, decay_steps=self.decay_steps * step_per_epoch,
                decay_rate=self.decay_rate),
            regularization=fluid.regularizer.L2DecayRegularizer(regularization_coeff=self.l2))
        return optimizer
