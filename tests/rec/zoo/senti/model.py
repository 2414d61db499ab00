import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase
from paddlerec.core.metrics import RecallK


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)
        self.dict_dim = int(envs.get_global_env("hyper_parameters.dict_dim", 100))
        self.max_len = envs.get_global_env("hyper_parameters.max_len")
        self.cnn_dim = envs.get_global_env("hyper_parameters.cnn_dim")
        self.emb_dim = envs.get_global_env("hyper_parameters.emb_dim")
        self.hid_dim = envs.get_global_env("hyper_parameters.hid_dim")
        self.class_dim = envs.get_global_env("hyper_parameters.class_dim")

    def input_data(self, is_infer=False, **kwargs):
        data = fluid.data(name="input", shape=[None, self.max_len], dtype='int64')
        seq_len = fluid.data(name="seq_len", shape=[None], dtype='int64')
        label = fluid.data(name="label", shape=[None, 1], dtype='int64')
        return [data, seq_len, label]

    def net(self, input, is_infer=False):
        data, seq_len, label = input
        emb = fluid.embedding(input=data, size=[self.dict_dim, self.emb_dim])
        emb = fluid.layers.sequence_unpad(emb, length=seq_len)
        convs = [fluid.nets.sequence_conv_pool(
            input=emb, num_filters=self.cnn_dim, filter_size=n, act="tanh", pool_type="max")
            for n in (1, 2, 3)]
        fwd, _ = fluid.layers.dynamic_lstm(
            input=fluid.layers.fc(emb, size=self.hid_dim * 4), size=self.hid_dim * 4,
            is_reverse=False, use_peepholes=True)
        back, _ = fluid.layers.dynamic_lstm(
            input=fluid.layers.fc(emb, size=self.hid_dim * 4), size=self.hid_dim * 4,
            is_reverse=True)
        states = [fluid.layers.tanh(fluid.layers.sequence_last_step(fwd)),
                  fluid.layers.tanh(fluid.layers.sequence_first_step(back))]
        hid = fluid.layers.fc(input=convs + states, size=self.hid_dim, act="tanh")
        prediction = fluid.layers.fc(input=[hid], size=self.class_dim, act="softmax")
        cost = fluid.layers.cross_entropy(input=prediction, label=label)
        avg_cost = fluid.layers.mean(x=cost)
        acc = RecallK(input=prediction, label=label, k=1)
        self._cost = avg_cost
        if is_infer:
            self._infer_results["acc"] = acc
            self._infer_results["prediction"] = prediction
        else:
            self._metrics["cost"] = avg_cost
            self._metrics["acc"] = acc

    def optimizer(self):
        return fluid.optimizer.Ftrl(learning_rate=0.2, l1=0.001, l2=0.001)
