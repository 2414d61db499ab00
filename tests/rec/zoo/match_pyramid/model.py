import numpy as np

import paddle.fluid as fluid
from paddle.fluid.param_attr import ParamAttr

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        get = envs.get_global_env
        self.vocab_size = get("hyper_parameters.vocab_size")
        self.emb_size = get("hyper_parameters.emb_size")
        self.left, self.right = get("hyper_parameters.sentence_left_size"), \
            get("hyper_parameters.sentence_right_size")
        self.kernel_num = get("hyper_parameters.kernel_num")
        self.margin = get("hyper_parameters.margin")

    def input_data(self, is_infer=False, **kwargs):
        sentence_left = fluid.data(name="sentence_left", shape=[-1, self.left, 1], dtype='int64',
                                   lod_level=0)
        sentence_right = fluid.data(name="sentence_right", shape=[-1, self.right, 1],
                                    dtype='int64', lod_level=0)
        return [sentence_left, sentence_right]

    def embedding_layer(self, input):
        emb = fluid.layers.embedding(
            input=input, size=[self.vocab_size, self.emb_size], padding_idx=0,
            param_attr=ParamAttr(name="word_embedding", initializer=fluid.initializer
                                 .NumpyArrayInitializer(np.full([self.vocab_size, self.emb_size],
                                                                0.1, dtype="float32"))))
        return emb

    def net(self, inputs, is_infer=False):
        left = self.embedding_layer(inputs[0])
        right = self.embedding_layer(inputs[1])
        cross = fluid.layers.matmul(left, right, transpose_y=True)
        cross = fluid.layers.reshape(cross, [-1, 1, self.left, self.right])
        conv = fluid.layers.conv2d(input=cross, num_filters=self.kernel_num, stride=1,
                                   padding="SAME", filter_size=[2, 4], act="relu")
        pool = fluid.layers.pool2d(input=conv, pool_size=[2, 2], pool_stride=[2, 2],
                                   pool_type="avg", exclusive=False, ceil_mode=True)
        hid = fluid.layers.fc(input=pool, size=8, act="relu")
        prediction = fluid.layers.fc(input=hid, size=1, bias_attr=ParamAttr(
            initializer=fluid.initializer.Constant(0.1), learning_rate=2.0))
        if is_infer:
            self._infer_results["prediction"] = prediction
            return
        pos = fluid.layers.slice(prediction, axes=[0], starts=[0], ends=[8])
        neg = fluid.layers.slice(prediction, axes=[0], starts=[8], ends=[16])
        loss_part1 = fluid.layers.elementwise_sub(
            fluid.layers.fill_constant(shape=[8, 1], value=self.margin, dtype='float32'), pos)
        loss_part2 = fluid.layers.elementwise_add(loss_part1, neg)
        loss_part3 = fluid.layers.elementwise_max(
            fluid.layers.fill_constant(shape=[8, 1], value=0.0, dtype='float32'), loss_part2)
        self._cost = fluid.layers.mean(loss_part3)
        self._metrics["loss"] = self._cost
