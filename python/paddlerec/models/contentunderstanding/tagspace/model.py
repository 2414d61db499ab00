"""TagSpace: texts and tags are vectors of one space, and a text is to be nearer to its own tag."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.words = int(nets.hyper("vocab_text_size"))
        self.tags = int(nets.hyper("vocab_tag_size"))
        self.width = int(nets.hyper("emb_dim", 10))
        self.hidden = int(nets.hyper("hid_dim", 1000))
        self.window = int(nets.hyper("window_size", 5))
        self.margin = float(nets.hyper("margin", 0.1))

    def net(self, inputs, is_infer=False):
        slots = self._sparse_data_var_map
        words = nets.embed(slots["word"], self.words, self.width, "word_vector", pool=None)
        text = fluid.nets.sequence_conv_pool(words, self.hidden, filter_size=self.window,
                                             act="tanh", pool_type="max")
        text = nets.tower(text, [self.width], act=None)
        right, wrong = (fluid.layers.cos_sim(
            nets.embed(slots[slot], self.tags, self.width, "tag_vector", pool=None), text)
            for slot in ("tag_pos", "tag_neg"))
        nets.nearer_by_margin(self, right, wrong, self.margin, is_infer)
