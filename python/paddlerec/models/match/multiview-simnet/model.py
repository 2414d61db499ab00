"""Multiview SimNet: several views of a query, each with its encoder, are compared with a title."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


def bow(words, size, name):
    return nets.tower(fluid.layers.softsign(fluid.layers.sequence_pool(words, "sum")), [size],
                      act=None, name=name)


def cnn(words, size, name):
    return fluid.nets.sequence_conv_pool(
        words, size, filter_size=3, act="relu", pool_type="max",
        param_attr=fluid.ParamAttr(name=name + "_conv_w"),
        bias_attr=fluid.ParamAttr(name=name + "_conv_b"))


def gru(words, size, name):
    gates = nets.tower(words, [3 * size], act=None, name=name)
    return fluid.layers.sequence_last_step(fluid.layers.dynamic_gru(
        gates, size=size, param_attr=fluid.ParamAttr(name=name + "_gru_w"),
        bias_attr=fluid.ParamAttr(name=name + "_gru_b")))


ENCODERS = {"bow": bow, "cnn": cnn, "gru": gru}


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.encoder = {}
        for side in ("query", "title"):
            kind = nets.hyper(side + "_encoder", "bow")
            if kind not in ENCODERS:
                raise ValueError("hyper_parameters.%s_encoder is %r, and must be one of %s"
                                 % (side, kind, ", ".join(sorted(ENCODERS))))
            self.encoder[side] = ENCODERS[kind]
        self.rows = int(nets.hyper("sparse_feature_number"))
        self.width = int(nets.hyper("embedding_dim", 128))
        self.size = int(nets.hyper("hidden_size", 128))
        self.margin = float(nets.hyper("margin", 0.1))

    def _encode(self, side, slots, name):
        """Of each slot a vector; several are made one."""
        views = [self.encoder[side](nets.embed(slot, self.rows, self.width, "word", pool=None),
                                    self.size, "%s_%d" % (name, n))
                 for n, slot in enumerate(slots)]
        return nets.tower(fluid.layers.concat(views, axis=1), [self.size], act="relu",
                          name=name + "_whole")

    def net(self, inputs, is_infer=False):
        slots = self._sparse_data_var_map
        views = [slots[name] for name in slots if name.startswith("query")]
        query = self._encode("query", views, "query")
        right, wrong = (fluid.layers.cos_sim(query, self._encode("title", [slots[name]], "title"))
                        for name in ("title_pos", "title_neg"))
        nets.nearer_by_margin(self, right, wrong, self.margin, is_infer)
