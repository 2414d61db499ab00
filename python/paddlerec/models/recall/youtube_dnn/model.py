"""YouTube DNN: what a user watched and searched for gives a vector, and that the next video."""
import paddle.fluid as fluid

from paddlerec.core.metrics import RecallK
from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.tables = [  # slot, rows, width
            (slot, int(nets.hyper(rows)), int(nets.hyper(slot + "_dim", 64)))
            for slot, rows in (("watched", "video_number"), ("searched", "word_number"),
                               ("gender", "gender_number"))]
        self.videos = int(nets.hyper("video_number"))
        self.sizes = list(nets.hyper("fc_sizes", [128, 64, 32]))
        self.k = int(nets.hyper("recall_k", 20))

    def net(self, inputs, is_infer=False):
        slots = self._sparse_data_var_map
        known = [nets.embed(slots[slot], rows, width, slot + "_vector", pool="average")
                 for slot, rows, width in self.tables]
        user = nets.tower(fluid.layers.concat(known + self._dense_data_var, axis=1), self.sizes)
        scores = nets.tower(user, [self.videos], act=None, name="video")
        metric = RecallK(scores, slots["label"], self.k)
        if is_infer:
            self._infer_results["recall"] = metric
            return
        self._cost = fluid.layers.reduce_mean(
            fluid.layers.softmax_with_cross_entropy(scores, slots["label"]))
        self._metrics["LOSS"] = self._cost
        self._metrics["recall"] = metric
