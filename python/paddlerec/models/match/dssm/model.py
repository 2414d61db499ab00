"""DSSM: query and document are vectors, and the document that was clicked is to be the nearest."""
import paddle.fluid as fluid

from paddlerec.core.metrics import RecallK
from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.pieces = int(nets.hyper("trigram_number"))
        self.sizes = list(nets.hyper("fc_sizes", [300, 300, 128]))
        self.negatives = int(nets.hyper("neg_num", 4))
        self.smooth = float(nets.hyper("smooth", 10.0))

    def _vector(self, bag, name):
        """The first layer, over a bag of pieces, is the sum of the pieces' rows."""
        first = nets.embed(bag, self.pieces, self.sizes[0], name + "_first")
        return nets.tower(fluid.layers.tanh(first), self.sizes[1:], act="tanh", name=name)

    def net(self, inputs, is_infer=False):
        slots = self._sparse_data_var_map
        query = self._vector(slots["query"], "query")
        docs = ["pos"] + ["neg_%d" % (n + 1) for n in range(self.negatives)]
        near = fluid.layers.concat([fluid.layers.cos_sim(query, self._vector(slots[doc], "doc"))
                                    for doc in docs], axis=1)
        first = fluid.layers.fill_constant_batch_size_like(near, [-1, 1], "int64", 0)
        metric = RecallK(near, first, 1)  # how often the clicked one is the nearest
        if is_infer:
            self._infer_results["recall"] = metric
            return
        self._cost = fluid.layers.reduce_mean(fluid.layers.softmax_with_cross_entropy(
            fluid.layers.scale(near, self.smooth), first))
        self._metrics["LOSS"] = self._cost
        self._metrics["recall"] = metric
