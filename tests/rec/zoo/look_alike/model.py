import numpy as np

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.user_count = envs.get_global_env("hyper_parameters.user_count")
        self.emb_size = envs.get_global_env("hyper_parameters.user_emb_size")

    def attention_unit(self, user, seeds, mask_len):
        w = fluid.layers.create_parameter(shape=[self.emb_size, self.emb_size], dtype='float32',
                                          name="local_w")
        score = fluid.layers.matmul(fluid.layers.matmul(seeds, w),
                                    fluid.layers.unsqueeze(user, axes=[1]), transpose_y=True)
        mask = fluid.layers.unsqueeze(
            fluid.layers.sequence_mask(mask_len, maxlen=6, dtype="float32"), axes=[2])
        score = fluid.layers.softmax(score + (mask - 1.0) * 1e9, axis=1)
        return fluid.layers.reduce_sum(seeds * score, dim=1)

    def net(self, inputs, is_infer=False):
        label, user, seeds = self._sparse_data_var[0], self._sparse_data_var[1], \
            self._sparse_data_var[2]
        seeds_emb = fluid.layers.embedding(seeds, size=[self.user_count, self.emb_size],
                                           param_attr="user_emb", is_sparse=True)
        pad_value = fluid.layers.assign(input=np.array([0.0]).astype(np.float32))
        seeds_pad, seeds_len = fluid.layers.sequence_pad(seeds_emb, pad_value, maxlen=6)
        user_emb = fluid.layers.embedding(user, size=[self.user_count, self.emb_size],
                                          param_attr="user_emb", is_sparse=True)
        user_emb = fluid.layers.lod_reset(user_emb, target_lod=[0, 16])
        local = self.attention_unit(user_emb, seeds_pad, seeds_len)
        h = fluid.layers.create_parameter([self.emb_size, 1], "float32")
        weight = fluid.layers.softmax(fluid.layers.matmul(fluid.layers.tanh(seeds_pad), h), axis=1)
        whole = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(seeds_pad, weight), dim=1)
        local_score = fluid.layers.cos_sim(local, user_emb)
        global_score = fluid.layers.cos_sim(whole, user_emb)
        score = 0.7 * local_score + 0.3 * global_score
        predict = fluid.layers.sigmoid(fluid.layers.scale(score, scale=2.0, bias=0.1))
        float_label = fluid.layers.cast(label, "float32")
        cost = fluid.layers.huber_loss(predict, float_label, delta=0.4)
        smooth = fluid.layers.smooth_l1(predict, float_label)
        self._cost = fluid.layers.reduce_mean(cost + smooth)
        auc_var, _, _ = fluid.layers.auc(fluid.layers.concat([1 - predict, predict], 1), label,
                                         slide_steps=0)
        if is_infer:
            self._infer_results["AUC"] = auc_var
            return
        self._metrics["AUC"] = auc_var
        self._metrics["LOSS"] = self._cost

    def optimizer(self):
        fluid.clip.set_gradient_clip(clip=fluid.clip.GradientClipByNorm(clip_norm=0.5))
        return fluid.optimizer.RMSProp(
            learning_rate=fluid.layers.linear_lr_warmup(
                fluid.layers.cosine_decay(0.02, 12, 2), warmup_steps=5, start_lr=0.0, end_lr=0.02),
            rho=0.9, momentum=0.1, centered=True)
