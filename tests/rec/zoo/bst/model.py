import numpy as np

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


def positionwise_feed_forward(x, d_inner_hid, d_hid, dropout_rate):
    hidden = fluid.layers.fc(input=x, size=d_inner_hid, num_flatten_dims=2, act="relu")
    if dropout_rate:
        hidden = fluid.layers.dropout(hidden, dropout_prob=dropout_rate, is_test=False,
                                      dropout_implementation="upscale_in_train")
    return fluid.layers.fc(input=hidden, size=d_hid, num_flatten_dims=2)


def pre_post_process_layer(prev_out, out, process_cmd, dropout_rate=0.):
    for cmd in process_cmd:
        if cmd == "a":
            out = out + prev_out if prev_out else out
        elif cmd == "n":
            out = fluid.layers.layer_norm(
                out, begin_norm_axis=len(out.shape) - 1,
                param_attr=fluid.initializer.Constant(1.),
                bias_attr=fluid.initializer.Constant(0.))
        elif cmd == "d" and dropout_rate:
            out = fluid.layers.dropout(out, dropout_prob=dropout_rate, is_test=False)
    return out


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.item_emb_size = envs.get_global_env("hyper_parameters.item_emb_size", 64)
        self.cat_emb_size = envs.get_global_env("hyper_parameters.cat_emb_size", 64)
        self.position_emb_size = envs.get_global_env("hyper_parameters.position_emb_size", 64)
        self.act = envs.get_global_env("hyper_parameters.act", "sigmoid")
        self.is_sparse = envs.get_global_env("hyper_parameters.is_sparse", False)
        self.use_DataLoader = envs.get_global_env("hyper_parameters.use_DataLoader", False)
        self.item_count = envs.get_global_env("hyper_parameters.item_count", 63001)
        self.cat_count = envs.get_global_env("hyper_parameters.cat_count", 801)
        self.position_count = envs.get_global_env("hyper_parameters.position_count", 5001)
        self.n_head = envs.get_global_env("hyper_parameters.n_head", 2)
        self.d_model = self.item_emb_size + self.cat_emb_size + self.position_emb_size

    def _attention(self, x):
        d = self.d_model // self.n_head
        q, k, v = (fluid.layers.fc(x, self.d_model, bias_attr=False, num_flatten_dims=2)
                   for _ in range(3))

        def heads(t):
            return fluid.layers.transpose(
                fluid.layers.reshape(t, shape=[0, 0, self.n_head, d]), perm=[0, 2, 1, 3])
        weights = fluid.layers.softmax(
            fluid.layers.matmul(x=heads(q), y=heads(k), transpose_y=True, alpha=d ** -0.5))
        out = fluid.layers.transpose(fluid.layers.matmul(weights, heads(v)), perm=[0, 2, 1, 3])
        out = fluid.layers.reshape(out, shape=[0, 0, self.d_model])
        return fluid.layers.fc(input=out, size=self.d_model, bias_attr=False, num_flatten_dims=2)

    def net(self, inputs, is_infer=False):
        label, history_item, history_cat, position, target_item, target_cat, target_position = \
            self._sparse_data_var[:7]
        table = {}

        def emb(x, name, size):
            return fluid.embedding(
                input=x, size=size, param_attr=fluid.ParamAttr(name=name),
                is_sparse=self.is_sparse)
        items = [self.item_count, self.item_emb_size]
        cats = [self.cat_count, self.cat_emb_size]
        positions = [self.position_count, self.position_emb_size]
        item_seq = fluid.layers.sequence_concat(
            [emb(history_item, "item_emb", items), emb(target_item, "item_emb", items)])
        cat_seq = fluid.layers.sequence_concat(
            [emb(history_cat, "cat_emb", cats), emb(target_cat, "cat_emb", cats)])
        pos_seq = fluid.layers.sequence_concat(
            [emb(position, "position_emb", positions),
             emb(target_position, "position_emb", positions)])
        seq = fluid.layers.reduce_sum(
            fluid.layers.concat([item_seq, cat_seq, pos_seq], axis=-1), dim=1)
        pad_value = fluid.layers.assign(input=np.array([0.0]).astype(np.float32))
        x, length = fluid.layers.sequence_pad(seq, pad_value)
        for _ in range(2):
            y = self._attention(pre_post_process_layer(None, x, "n"))
            x = pre_post_process_layer(x, y, "da")
            y = positionwise_feed_forward(pre_post_process_layer(None, x, "n"), 12, self.d_model, 0.)
            x = pre_post_process_layer(x, y, "da")
        x = pre_post_process_layer(None, x, "n")
        out = fluid.layers.reduce_sum(x, dim=1)
        out = fluid.layers.leaky_relu(fluid.layers.fc(out, 8), alpha=0.02)
        predict = fluid.layers.fc(out, 1, act="sigmoid")
        cost = fluid.layers.log_loss(predict, fluid.layers.cast(label, "float32"))
        self._cost = fluid.layers.reduce_sum(cost)
        auc_var, batch_auc_var, _ = fluid.layers.auc(
            fluid.layers.concat([1 - predict, predict], 1), fluid.layers.cast(label, "int64"),
            slide_steps=0)
        if is_infer:
            self._infer_results["AUC"] = auc_var
            self._infer_results["LENGTH"] = fluid.layers.reduce_max(length)
            return
        self._metrics["AUC"] = auc_var
        self._metrics["LOSS"] = self._cost
