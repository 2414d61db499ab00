import paddle.fluid as fluid
from paddle.fluid.initializer import Constant, Xavier

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase
from paddlerec.core.metrics import PrecisionRecall, AUC


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.feature_size = envs.get_global_env("hyper_parameters.feature_size")
        self.expert_num = envs.get_global_env("hyper_parameters.expert_num")
        self.gate_num = envs.get_global_env("hyper_parameters.gate_num")
        self.expert_size = envs.get_global_env("hyper_parameters.expert_size")
        self.tower_size = envs.get_global_env("hyper_parameters.tower_size")

    def input_data(self, is_infer=False, **kwargs):
        inputs = fluid.data(name="input", shape=[-1, self.feature_size], dtype="float32")
        label_income = fluid.data(name="label_income", shape=[-1, 2], dtype="float32", lod_level=0)
        label_marital = fluid.data(name="label_marital", shape=[-1, 2], dtype="float32",
                                   lod_level=0)
        return [inputs, label_income, label_marital]

    def net(self, inputs, is_infer=False):
        input_data, label_income, label_marital = inputs

        def experts(x, count, name):
            return [fluid.layers.fc(
                input=x, size=self.expert_size, act='relu',
                bias_attr=fluid.ParamAttr(learning_rate=1.0, initializer=Constant(value=0.1)),
                name='%s_%d' % (name, i)) for i in range(count)]

        def gate(x, own, name):
            mix = fluid.layers.concat(own, axis=1)
            mix = fluid.layers.reshape(mix, [-1, len(own), self.expert_size])
            g = fluid.layers.fc(input=x, size=len(own), act='softmax', name='gate_' + name)
            out = fluid.layers.elementwise_mul(mix, g, axis=0)
            return fluid.layers.reduce_sum(out, dim=1)
        shared = experts(input_data, 2, "shared")
        outs = [gate(input_data, experts(input_data, 2, "task%d" % i) + shared, "t%d" % i)
                for i in range(self.gate_num)]
        mixed = gate(input_data, shared, "s")
        shared = experts(mixed, 2, "shared_b")
        outs = [gate(o, experts(o, 1, "task_b%d" % i) + shared, "b%d" % i)
                for i, o in enumerate(outs)]
        preds = []
        for i, o in enumerate(outs):
            t = fluid.layers.fc(input=o, size=self.tower_size, act='elu', name='tower_%d' % i)
            p = fluid.layers.fc(input=t, size=2, act='softmax', name='out_%d' % i)
            preds.append(fluid.layers.clip(p, min=1e-15, max=1.0 - 1e-15))
        labels, costs, results = [label_income, label_marital], [], []
        for p, l in zip(preds, labels):
            l1 = fluid.layers.cast(fluid.layers.slice(l, axes=[1], starts=[1], ends=[2]), 'int64')
            results.append(fluid.layers.auc(input=p, label=l1))
            costs.append(fluid.layers.cross_entropy(input=p, label=l, soft_label=True))
        last = fluid.layers.cast(fluid.layers.slice(label_income, [1], [1], [2]), "int32")
        metric = PrecisionRecall(preds[0], last, 2)
        if is_infer:
            self._infer_results["AUC_income"] = results[0][0]
            self._infer_results["AUC_marital"] = results[1][0]
            return
        avg = [fluid.layers.mean(x=c) for c in costs]
        self._cost = fluid.layers.elementwise_add(avg[0], avg[1])
        self._metrics["AUC_income"] = results[0][0]
        self._metrics["BATCH_AUC_income"] = results[0][1]
        self._metrics["AUC_marital"] = results[1][0]
        self._metrics["LOSS"] = self._cost
        self._metrics["pr"] = metric
