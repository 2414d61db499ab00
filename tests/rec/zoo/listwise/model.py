import numpy as np

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.item_len = envs.get_global_env("hyper_parameters.item_len")
        self.hidden_size = envs.get_global_env("hyper_parameters.hidden_size")
        self.user_vocab = envs.get_global_env("hyper_parameters.user_vocab")
        self.item_vocab = envs.get_global_env("hyper_parameters.item_vocab")
        self.embed_size = envs.get_global_env("hyper_parameters.embed_size")
        self.batch_size = envs.get_global_env("dataset.dataset_train.batch_size")

    def input_data(self, is_infer=False, **kwargs):
        user_slot_names = fluid.data(name='user_slot_names', shape=[None, 1], dtype='int64',
                                     lod_level=1)
        item_slot_names = fluid.data(name='item_slot_names', shape=[None, self.item_len],
                                     dtype='int64', lod_level=1)
        lens = fluid.data(name='lens', shape=[None], dtype='int64')
        labels = fluid.data(name='labels', shape=[None, self.item_len], dtype='int64', lod_level=1)
        return [user_slot_names] + [item_slot_names] + [lens] + [labels]

    def _fc_layer(self, x, size, name):
        return fluid.layers.fc(
            x, size=size, name=name, act="relu",
            param_attr=fluid.ParamAttr(initializer=fluid.initializer.TruncatedNormal(scale=0.1)),
            bias_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.0)))

    def net(self, inputs, is_infer=False):
        user, item, lens, label = inputs
        user_emb = fluid.embedding(user, size=[self.user_vocab, self.embed_size], is_sparse=True)
        item_emb = fluid.embedding(fluid.layers.cast(item, "int64"), is_sparse=True,
                                   size=[self.item_vocab, self.embed_size])
        position = fluid.layers.cumsum(
            fluid.layers.fill_constant_batch_size_like(item, [-1, self.item_len], "float32", 1.0),
            axis=1, exclusive=True)
        position = fluid.embedding(fluid.layers.cast(position, "int64"),
                                   size=[self.item_len, self.embed_size], is_sparse=True)
        x = fluid.layers.concat([item_emb, position], axis=-1)
        seq = fluid.layers.sequence_unpad(x, length=lens)
        pre = fluid.layers.dynamic_gru(fluid.layers.fc(seq, self.hidden_size * 3),
                                       size=self.hidden_size, candidate_activation="tanh")
        post = fluid.layers.dynamic_gru(fluid.layers.fc(seq, self.hidden_size * 3),
                                        size=self.hidden_size, is_reverse=True)
        user_emb = fluid.layers.sequence_pool(user_emb, "sum")
        user_emb = fluid.layers.sequence_expand(user_emb, pre)
        hid = self._fc_layer([pre, post, user_emb, seq], 8, "hid")
        prob = fluid.layers.fc(hid, 2, act="softmax")
        label = fluid.layers.sequence_unpad(label, length=lens)
        label = fluid.layers.reshape(label, [-1, 1])
        loss = fluid.layers.cross_entropy(input=prob, label=label)
        self._cost = fluid.layers.reduce_mean(loss)
        auc_val, batch_auc, auc_states = fluid.layers.auc(input=prob, label=label, slide_steps=0)
        pad = fluid.layers.assign(np.array([0.0]).astype(np.float32))
        back, _ = fluid.layers.sequence_pad(fluid.layers.slice(prob, [1], [1], [2]), pad,
                                            maxlen=self.item_len)
        best = fluid.layers.argmax(fluid.layers.squeeze(back, axes=[2]), axis=1)
        if is_infer:
            self._infer_results['AUC'] = auc_val
            self._infer_results['BEST'] = best
            return
        self._metrics["AUC"] = auc_val
        self._metrics["LOSS"] = self._cost
