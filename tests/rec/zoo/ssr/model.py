import paddle.fluid as fluid
import paddle.fluid.layers.nn as nn
import paddle.fluid.layers.tensor as tensor
import paddle.fluid.layers.control_flow as cf

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class BowEncoder(object):
    def forward(self, emb):
        return fluid.layers.sequence_pool(input=emb, pool_type='sum')


class GrnnEncoder(object):
    def __init__(self, param_name="grnn", hidden_size=128):
        self.param_name = param_name
        self.hidden_size = hidden_size

    def forward(self, emb):
        gru = fluid.layers.dynamic_gru(
            input=fluid.layers.fc(input=emb, size=self.hidden_size * 3,
                                  param_attr=self.param_name + "_fc.w", bias_attr=False),
            size=self.hidden_size, is_reverse=False, param_attr=self.param_name + ".param",
            bias_attr=self.param_name + ".bias")
        return fluid.layers.sequence_pool(input=gru, pool_type='max')


class PairwiseHingeLoss(object):
    def __init__(self, margin=0.8):
        self.margin = margin

    def forward(self, pos, neg):
        loss_part1 = fluid.layers.elementwise_sub(
            tensor.fill_constant_batch_size_like(input=pos, shape=[-1, 1], value=self.margin,
                                                 dtype='float32'), pos)
        loss_part2 = fluid.layers.elementwise_add(loss_part1, neg)
        return fluid.layers.elementwise_max(
            tensor.fill_constant_batch_size_like(input=loss_part2, shape=[-1, 1], value=0.0,
                                                 dtype='float32'), loss_part2)


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.vocab_size = envs.get_global_env("hyper_parameters.vocab_size")
        self.emb_dim = envs.get_global_env("hyper_parameters.emb_dim")
        self.hidden_size = envs.get_global_env("hyper_parameters.hidden_size")
        self.emb_shape = [self.vocab_size, self.emb_dim]
        self.loss = PairwiseHingeLoss()

    def input_data(self, is_infer=False, **kwargs):
        if is_infer:
            user_data = fluid.data(name="user", shape=[None, 1], dtype="int64", lod_level=1)
            all_item_data = fluid.data(name="all_item", shape=[None, self.vocab_size],
                                       dtype="int64")
            pos_label = fluid.data(name="pos_label", shape=[None, 1], dtype="int64")
            return [user_data, all_item_data, pos_label]
        return [fluid.data(name=name, shape=[None, 1], dtype="int64", lod_level=1)
                for name in ("user", "p_item", "n_item")]

    def get_acc(self, x, y):
        less = tensor.cast(cf.less_than(x, y), dtype='float32')
        return fluid.layers.reduce_sum(less)

    def net(self, inputs, is_infer=False):
        if is_infer:
            return self._infer_net(inputs)
        user_data, pos_item_data, neg_item_data = inputs
        user_emb = fluid.embedding(input=user_data, size=self.emb_shape, param_attr="emb.item")
        user_emb = nn.squeeze(user_emb, axes=[1]) if len(user_emb.shape) == 3 else user_emb
        user_hid = fluid.layers.fc(input=GrnnEncoder(hidden_size=self.hidden_size).forward(user_emb),
                                   size=self.hidden_size, param_attr='user.w', bias_attr="user.b")
        hids = []
        for data in (pos_item_data, neg_item_data):
            emb = fluid.embedding(input=data, size=self.emb_shape, param_attr="emb.item")
            emb = nn.squeeze(emb, axes=[1]) if len(emb.shape) == 3 else emb
            hids.append(fluid.layers.fc(input=BowEncoder().forward(emb), size=self.hidden_size,
                                        param_attr='item.w', bias_attr="item.b"))
        cos_pos, cos_neg = (nn.cos_sim(user_hid, hid) for hid in hids)
        hinge_loss = self.loss.forward(cos_pos, cos_neg)
        self._cost = fluid.layers.mean(hinge_loss)
        self._metrics["correct"] = self.get_acc(cos_neg, cos_pos)
        self._metrics["hinge_loss"] = self._cost

    def _infer_net(self, inputs):
        user_data, all_item_data, pos_label = inputs
        user_emb = fluid.embedding(input=user_data, size=self.emb_shape, param_attr="emb.item")
        user_emb = nn.squeeze(user_emb, axes=[1]) if len(user_emb.shape) == 3 else user_emb
        user_hid = fluid.layers.fc(input=GrnnEncoder(hidden_size=self.hidden_size).forward(user_emb),
                                   size=self.hidden_size, param_attr='user.w', bias_attr="user.b")
        user_hid = fluid.layers.expand(user_hid, expand_times=[1, self.vocab_size])
        user_hid = fluid.layers.reshape(x=user_hid, shape=[-1, self.hidden_size])
        all_item_emb = fluid.embedding(input=all_item_data, size=self.emb_shape,
                                       param_attr="emb.item")
        all_item_emb = fluid.layers.reshape(all_item_emb, [-1, self.emb_dim])
        all_item_hid = fluid.layers.fc(all_item_emb, size=self.hidden_size, param_attr='item.w',
                                       bias_attr="item.b")
        cos_item = fluid.layers.cos_sim(X=all_item_hid, Y=user_hid)
        all_pre_ = fluid.layers.reshape(x=cos_item, shape=[-1, self.vocab_size])
        acc = fluid.layers.accuracy(input=all_pre_, label=pos_label, k=20)
        self._infer_results['recall20'] = acc
