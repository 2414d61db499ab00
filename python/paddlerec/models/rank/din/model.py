"""Deep interest network: what a user has had is weighed by how it fits the item that is offered."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.items = int(nets.hyper("item_count"))
        self.cats = int(nets.hyper("cat_count"))
        self.item_width = int(nets.hyper("item_emb_size", 64))
        self.cat_width = int(nets.hyper("cat_emb_size", 64))
        self.attention_sizes = list(nets.hyper("attention_sizes", [80, 40]))
        self.sizes = list(nets.hyper("fc_sizes", [80, 40]))

    def _vectors(self, items, cats):
        return fluid.layers.concat([
            nets.embed(items, self.items, self.item_width, "item_vector", pool=None),
            nets.embed(cats, self.cats, self.cat_width, "cat_vector", pool=None)], axis=1)

    def _interest(self, history, target):
        """The history's vectors, weighed one by one against the target and added up."""
        layers = fluid.layers
        target = layers.sequence_expand_as(target, history)
        fit = layers.concat([history, target, history - target, history * target], axis=1)
        weight = nets.one_column(nets.tower(fit, self.attention_sizes, act="sigmoid"))
        return layers.sequence_pool(layers.elementwise_mul(history, weight, axis=0), "sum")

    def net(self, inputs, is_infer=False):
        slots = self._sparse_data_var_map
        history = self._vectors(slots["had"], slots["had_cat"])
        target = self._vectors(slots["item"], slots["item_cat"])
        interest = self._interest(history, target)
        both = fluid.layers.concat([interest, target, interest * target], axis=1)
        bias = nets.embed(slots["item"], self.items, 1, "item_bias", pool=None)
        logit = nets.one_column(nets.tower(both, self.sizes)) + bias
        nets.clicked(self, logit, slots["label"], is_infer)
