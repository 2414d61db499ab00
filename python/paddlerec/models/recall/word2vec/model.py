"""word2vec: a word's vector is learnt from the words around it (skip-gram, noise contrast)."""
import paddle.fluid as fluid

from paddlerec.core.metrics import RecallK
from paddlerec.core.model import ModelBase
from paddlerec.core.utils import envs


class Model(ModelBase):
    def _init_hyper_parameters(self):
        get = envs.get_global_env
        self.words = int(get("hyper_parameters.sparse_feature_number"))
        self.width = int(get("hyper_parameters.sparse_feature_dim", 16))
        self.noise = int(get("hyper_parameters.neg_num", 5))
        self.k = int(get("hyper_parameters.recall_k", 10))

    def input_data(self, is_infer=False, **kwargs):
        return [fluid.data(name, [None, 1], "int64") for name in ("input_word", "true_label")]

    def net(self, inputs, is_infer=False):
        word, near = inputs
        vector = fluid.layers.embedding(
            word, size=[self.words, self.width], is_sparse=True,
            param_attr=fluid.ParamAttr(name="emb", initializer=fluid.initializer.Uniform(
                -0.5 / self.width, 0.5 / self.width)))
        if is_infer:
            self._judge(vector, near)
            return
        cost = fluid.layers.nce(
            input=vector, label=near, num_total_classes=self.words, num_neg_samples=self.noise,
            sampler="log_uniform", is_sparse=True, param_attr=fluid.ParamAttr(name="emb_w"),
            bias_attr=fluid.ParamAttr(name="emb_b"))
        self._cost = fluid.layers.reduce_mean(cost)
        self._metrics["LOSS"] = self._cost

    def _judge(self, vector, near):
        """How often a word's neighbour is among the k words that fit best."""
        weight = fluid.layers.create_parameter([self.words, self.width], "float32", name="emb_w")
        bias = fluid.layers.create_parameter([self.words, 1], "float32", name="emb_b")
        scores = fluid.layers.elementwise_add(
            fluid.layers.matmul(vector, weight, transpose_y=True),
            fluid.layers.reshape(bias, [-1]), axis=1)
        self._infer_results["recall"] = RecallK(scores, near, self.k)
