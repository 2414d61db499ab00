"""TextCNN: windows of several widths over a text's words, the strongest of each, and a class."""
import paddle.fluid as fluid

from paddlerec.core.metrics import RecallK
from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.words = int(nets.hyper("dict_dim"))
        self.width = int(nets.hyper("emb_dim", 128))
        self.filters = int(nets.hyper("cnn_dim", 128))
        self.windows = list(nets.hyper("window_sizes", [3, 4, 5]))
        self.hidden = int(nets.hyper("hid_dim", 96))
        self.classes = int(nets.hyper("class_dim", 2))

    def net(self, inputs, is_infer=False):
        text, label = self._sparse_data_var_map["word"], self._sparse_data_var_map["label"]
        words = nets.embed(text, self.words, self.width, "word_vector", pool=None)
        found = [fluid.nets.sequence_conv_pool(words, self.filters, filter_size=window,
                                               act="relu", pool_type="max")
                 for window in self.windows]
        scores = nets.tower(nets.tower(fluid.layers.concat(found, axis=1), [self.hidden]),
                            [self.classes], act=None)
        metric = RecallK(scores, label, 1)  # of the best one: the share of right answers
        if is_infer:
            self._infer_results["right"] = metric
            return
        self._cost = fluid.layers.reduce_mean(
            fluid.layers.softmax_with_cross_entropy(scores, label))
        self._metrics["LOSS"] = self._cost
        self._metrics["right"] = metric
