import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.item_count = envs.get_global_env("hyper_parameters.item_count", 63001)
        self.cat_count = envs.get_global_env("hyper_parameters.cat_count", 801)
        self.size = envs.get_global_env("hyper_parameters.item_emb_size", 64)

    def input_data(self, is_infer=False, **kwargs):
        hist_item_seq = fluid.data(name="hist_item_seq", shape=[None, 1], dtype="int64", lod_level=1)
        hist_cat_seq = fluid.data(name="hist_cat_seq", shape=[None, 1], dtype="int64", lod_level=1)
        target_item = fluid.data(name="target_item", shape=[None], dtype="int64")
        target_cat = fluid.data(name="target_cat", shape=[None], dtype="int64")
        label = fluid.data(name="label", shape=[None, 1], dtype="float32")
        mask = fluid.data(name="mask", shape=[None, 6, 1], dtype="float32")
        neg_item_seq = fluid.data(name="neg_item_seq", shape=[None, 1], dtype="int64", lod_level=1)
        return [hist_item_seq, hist_cat_seq, target_item, target_cat, label, mask, neg_item_seq]

    def _augru(self, gru_in, weights, size):
        """A GRU whose update gate is scaled by the attention."""
        rnn = fluid.layers.StaticRNN()
        with rnn.step():
            word = rnn.step_input(gru_in)
            weight = rnn.step_input(weights)
            prev = rnn.memory(shape=[-1, size], batch_ref=word, init_value=0.0)
            hidden, reset, gate = fluid.layers.gru_unit(input=word, hidden=prev, size=size * 3)
            new = hidden * weight + prev * (1.0 - weight)
            rnn.update_memory(prev, new)
            rnn.output(new)
        return rnn()

    def net(self, inputs, is_infer=False):
        hist_item, hist_cat, item, cat, label, mask, neg_item = inputs
        item_attr = fluid.ParamAttr(name="item_emb", initializer=fluid.initializer.Uniform(-0.1, 0.1))

        def items(x):
            return fluid.embedding(input=x, size=[self.item_count, self.size], param_attr=item_attr)

        def cats(x):
            return fluid.embedding(input=x, size=[self.cat_count, self.size],
                                   param_attr=fluid.ParamAttr(name="cat_emb"))
        hist = fluid.layers.concat([items(hist_item), cats(hist_cat)], axis=-1)
        hist = fluid.layers.squeeze(hist, axes=[1])
        neg = fluid.layers.squeeze(
            fluid.layers.concat([items(neg_item), cats(hist_cat)], axis=-1), axes=[1])
        target = fluid.layers.concat([items(item), cats(cat)], axis=-1)
        width = 2 * self.size
        gru = fluid.layers.dynamic_gru(fluid.layers.fc(hist, size=width * 3, bias_attr=False),
                                       size=width, origin_mode=True)
        zero = fluid.layers.fill_constant([1], "float32", 0.0)
        gru_pad, lengths = fluid.layers.sequence_pad(gru, zero, maxlen=6)
        hist_pad, _ = fluid.layers.sequence_pad(hist, zero, maxlen=6)
        neg_pad, _ = fluid.layers.sequence_pad(neg, zero, maxlen=6)

        def score(x, y):
            return fluid.layers.sigmoid(fluid.layers.reduce_sum(x * y, dim=-1, keep_dim=True))
        now = gru_pad[:, :-1, :]
        click = score(now, hist_pad[:, 1:, :])
        noclick = score(now, neg_pad[:, 1:, :])
        step_mask = mask[:, 1:, :]
        aux = fluid.layers.reduce_mean(
            (0 - fluid.layers.log(click) - fluid.layers.log(1.0 - noclick)) * step_mask)

        expanded = fluid.layers.expand(fluid.layers.unsqueeze(target, [1]), [1, 6, 1])
        fit = fluid.layers.concat([gru_pad, expanded, gru_pad - expanded, gru_pad * expanded], -1)
        fit = fluid.layers.fc(fit, 8, num_flatten_dims=2, act="sigmoid")
        fit = fluid.layers.fc(fit, 1, num_flatten_dims=2)
        fit = fit * mask + (mask - 1.0) * 1e6
        att = fluid.layers.softmax(fit, axis=1)
        gru_in = fluid.layers.transpose(fluid.layers.fc(gru_pad, width * 3, num_flatten_dims=2),
                                        [1, 0, 2])
        out = self._augru(gru_in, fluid.layers.transpose(att, [1, 0, 2]), width)
        final = fluid.layers.reduce_sum(fluid.layers.transpose(out, [1, 0, 2]) * mask, dim=1)
        y = fluid.layers.concat([final, target, fluid.layers.sequence_pool(hist, "average")], 1)
        y = fluid.layers.prelu(fluid.layers.fc(y, 8), mode="all")
        logit = fluid.layers.fc(y, 1)
        loss = fluid.layers.mean(fluid.layers.sigmoid_cross_entropy_with_logits(logit, label))
        self._cost = loss + 0.5 * aux
        predict = fluid.layers.sigmoid(logit)
        auc_var, _, _ = fluid.layers.auc(fluid.layers.concat([1 - predict, predict], 1),
                                         fluid.layers.cast(label, "int64"), slide_steps=0)
        if is_infer:
            self._infer_results["AUC"] = auc_var
            return
        self._metrics["AUC"] = auc_var
        self._metrics["LOSS"] = self._cost
        self._metrics["AUX"] = aux

    def optimizer(self):
        boundaries, values = [8, 16], [0.5, 0.2, 0.1]
        return fluid.optimizer.SGD(
            learning_rate=fluid.layers.piecewise_decay(boundaries=boundaries, values=values),
            regularization=fluid.regularizer.L2Decay(regularization_coeff=1e-4),
            grad_clip=fluid.clip.GradientClipByGlobalNorm(clip_norm=1.0))
