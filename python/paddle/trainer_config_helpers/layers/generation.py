"""Generation: a step that is run on what it has said, by beam search.

Rows inside the step are the prefixes that are followed, of all samples. They change from step to
step, so each memory and each static input is gathered anew: by the prefix that a new one goes on
from, and by the sample that it belongs to."""
import paddle.fluid as fluid

from ..attrs import ParameterAttribute
from ..graph import ConfigError, LayerOutput, as_layers, layer_function, layer_name
from ..network import SparseValue
from .basic import embedding_layer
from .classes import maxid_layer
from .group import RecurrentGroup, expect_boot, memory
from .sequence import regroup

__all__ = ["BaseGeneratedInput", "GeneratedInput", "beam_search"]

_PREDICTED = "__beam_search_predict__"


class BaseGeneratedInput:
    """What a step says, as what the next one sees."""

    def __init__(self):
        self.bos_id = self.eos_id = None

    def before_real_step(self):
        raise NotImplementedError("%s.before_real_step()" % type(self).__name__)

    def after_real_step(self, *args):
        raise NotImplementedError("%s.after_real_step()" % type(self).__name__)


class GeneratedInput(BaseGeneratedInput):
    """The word before, as a row of the embedding whose parameter is embedding_name; there are
    `size` words."""

    def __init__(self, size, embedding_name, embedding_size):
        BaseGeneratedInput.__init__(self)
        self.size, self.embedding_name = size, embedding_name
        self.embedding_size = embedding_size

    def before_real_step(self):
        before = memory(_PREDICTED, self.size, boot_with_const_id=self.bos_id)
        return embedding_layer(before, self.embedding_size,
                               param_attr=ParameterAttribute(name=self.embedding_name))

    def after_real_step(self, *outputs):
        probability = outputs[0]
        if probability.size != self.size:
            raise ConfigError("beam_search: the step gives %r of size %s, and GeneratedInput has "
                              "%d words" % (probability.name, probability.size, self.size))
        return maxid_layer(probability, name=_PREDICTED)


def _one_generated(name, given):
    generated = [each for each in given if isinstance(each, BaseGeneratedInput)]
    for each in given:
        if isinstance(each, LayerOutput):
            raise ConfigError("beam_search %r: its input %r is neither a GeneratedInput nor a "
                              "StaticInput" % (name, each))
    if len(generated) != 1:
        raise ConfigError("beam_search %r: it has %d inputs that are a GeneratedInput, and must "
                          "have one" % (name, len(generated)))
    return generated[0]


@layer_function
def beam_search(step, input, bos_id, eos_id, beam_size, max_length=500, name=None,
                num_results_per_sample=None):
    """The sentences that the step, which gives the probabilities of the next word, says: the best
    num_results_per_sample (beam_size) of each sample, ended by eos_id or by max_length. input: one
    GeneratedInput, and StaticInputs; anything else is handed to the step as it is.

    Its value, and the field 'id' of an inference: of one result the words, of more for each how
    many words, the words, -1; the field 'prob': the logarithm of each one's probability."""
    name = layer_name(name, "beam_search")
    given = list(input) if isinstance(input, (list, tuple)) else [input]
    generated = _one_generated(name, given)
    for what, n in (("beam_size", beam_size), ("max_length", max_length)):
        if not isinstance(n, int) or n < 1:
            raise ConfigError("beam_search %r: %s is %r, and must be at least 1" % (name, what, n))
    results = beam_size if num_results_per_sample is None else num_results_per_sample
    if not 1 <= results <= beam_size:
        raise ConfigError("beam_search %r: num_results_per_sample is %r, and beam_size %d: it "
                          "cannot give more, nor none" % (name, results, beam_size))
    generated.bos_id, generated.eos_id = bos_id, eos_id
    group = RecurrentGroup(name)
    with group.open():
        made = as_layers(step(*[each.before_real_step() if isinstance(each, BaseGeneratedInput)
                                else group.argument(each) for each in given]),
                         "beam_search %r: what its step returns" % name)
        if len(made) > 1:
            raise ConfigError("beam_search %r: its step returns %d layers, and must return the "
                              "probabilities alone" % (name, len(made)))
        predicted = generated.after_real_step(*made)
    group.close([predicted])
    if not group.parents():
        raise ConfigError("beam_search %r: it has no StaticInput, and no memory with a boot_layer, so "
                          "nothing says for how many samples to generate" % name)
    search = _Search(group, made[0], eos_id, beam_size, max_length, results)
    layer = LayerOutput(name, "beam_search", group.parents(),
                        size=predicted.size, finished=True, outputs=["default", "prob"],
                        build=lambda net, *values: search.build(net, layer, values))
    return layer


class _Search:
    """The loop of a search."""

    def __init__(self, group, probability, eos_id, beam_size, max_length, results):
        self.group, self.probability, self.eos_id = group, probability, eos_id
        self.beam_size, self.max_length, self.results = beam_size, max_length, results

    def build(self, net, layer, values):
        layers = fluid.layers
        statics = values[:len(self.group.statics)]
        booted = [each for each in self.group.memories if each.boot_layer is not None]
        boots = dict(zip(booted, values[len(statics):]))
        samples = self._samples(values)
        count, last = layers.fill_constant([1], "int64", 0), layers.fill_constant(
            [1], "int64", self.max_length)
        state = self._start(net, samples, boots)
        ids, scores = (layers.create_array(dtype) for dtype in ("int64", "float32"))
        going = layers.less_than(count, last)
        with layers.While(going).block():
            chosen, totals = self._step(net, statics, state)
            layers.array_write(chosen, count, array=ids)
            layers.array_write(totals, count, array=scores)
            layers.increment(count, 1)
            more = layers.logical_not(layers.is_empty(chosen))
            layers.logical_and(layers.less_than(count, last), more, out=going)
        found, found_scores = layers.beam_search_decode(ids, scores, self.beam_size, self.eos_id)
        helper = fluid.layer_helper.LayerHelper("beam_results")
        out, prob = (helper.create_variable_for_type_inference(d) for d in ("int64", "float32"))
        helper.append_op("beam_results", {"Ids": found, "Scores": found_scores},
                         {"Out": out, "Prob": prob}, {"num_results": self.results})
        net.keep(layer, "prob", prob)
        return out

    def _samples(self, values):
        """A row for each sample, of what comes in from outside."""
        for value in values:
            if isinstance(value, SparseValue):
                continue
            if value.lod_level > 1:
                raise ConfigError("beam_search %r: a StaticInput or boot_layer is a nested sequence, "
                                  "and must be a sequence or none" % self.group.name)
            value = fluid.layers.cast(value, "float32")
            return fluid.layers.sequence_pool(value, "first") if value.lod_level else value
        raise ConfigError("beam_search %r: its StaticInputs are all sparse data; put an fc_layer "
                          "between them" % self.group.name)

    def _start(self, net, samples, boots):
        """What the first step finds: by memory its value; "ids", "scores": of the prefixes, one for
        each sample; "sample": which one a prefix is of."""
        layers = fluid.layers
        one = layers.fill_constant([1], "int64", 1)
        n = layers.slice(layers.shape(samples), axes=[0], starts=[0], ends=[1])
        n = layers.cast(n, "int64")
        offsets = layers.range(0, layers.elementwise_add(n, one), 1, "int64")
        state = {"sample": layers.range(0, n, 1, "int64")}
        for each in self.group.memories:
            if each.of == _PREDICTED:
                begin = layers.fill_constant_batch_size_like(samples, [-1, 1], "int64",
                                                             each.boot_id)
                begin = layers.lod_append(layers.lod_reset(begin, offsets), offsets)
                state["ids"] = begin
                zeros = layers.fill_constant_batch_size_like(samples, [-1, 1], "float32", 0.0)
                state["scores"] = layers.lod_reset(zeros, begin)
            elif each.boot_layer is not None:
                expect_boot(self.group.name, each, boots[each])
                # A copy: the loop changes it.
                state[each] = layers.assign(boots[each])
            else:
                state[each] = self._first(net, each, samples)
        return state

    def _first(self, net, each, samples):
        layers = fluid.layers
        if each.boot_id is not None:
            return layers.fill_constant_batch_size_like(samples, [-1, 1], "int64", each.boot_id)
        zeros = layers.fill_constant_batch_size_like(samples, [-1, each.size], "float32", 0.0)
        if each.boot_bias is None:
            return zeros
        bias = net.bias(each, [each.size], each.boot_bias)
        return each.boot_activation.apply(layers.elementwise_add(zeros, bias, axis=1))

    def _step(self, net, statics, state):
        """One step, which leaves its state for the next; what it has chosen, and their scores."""
        layers = fluid.layers
        prefixes = regroup(state["ids"], "merge")
        inner = {layer: _of_prefixes(value, prefixes, state["sample"])
                 for (_, layer), value in zip(self.group.statics, statics)}
        for each in self.group.memories:
            if each.of == _PREDICTED:
                inner[each] = layers.assign(state["ids"])
                inner[each].desc.set_lod_level(0)
            else:
                inner[each] = state[each]
        carried = []
        with net.inner_values(inner):
            best, words = layers.topk(net.value(self.probability),
                                      k=min(self.beam_size, self.probability.size))
            for each, source in zip(self.group.memories, self.group.carried):
                if each.of != _PREDICTED:
                    carried.append((state[each], net.value(source)))
            net.print_in_group(self.group)
        totals = layers.elementwise_add(layers.log(best), layers.reshape(state["scores"], [-1]),
                                        axis=0)
        chosen, scores, parents = layers.beam_search(
            state["ids"], state["scores"], words, layers.lod_reset(totals, state["ids"]),
            self.beam_size, self.eos_id, return_parent_idx=True)
        for variable, value in carried + [(state["sample"], state["sample"])]:
            layers.assign(_go_on(value, parents, chosen), variable)
        layers.assign(chosen, state["ids"])
        layers.assign(scores, state["scores"])
        return chosen, scores


def _go_on(value, parents, chosen):
    """Of each prefix that was chosen, the row, or sequence, of the one that it goes on from."""
    if value.lod_level:
        made = fluid.layers.sequence_expand(value, chosen, ref_level=1)
        made.desc.set_lod_level(1)
        return made
    return fluid.layers.gather(value, parents)


def _of_prefixes(value, prefixes, sample):
    """A sample's row, or sequence, for each of its prefixes."""
    if isinstance(value, SparseValue):
        raise ConfigError("beam_search: a StaticInput is sparse data; put an fc_layer between them")
    if value.lod_level == 0:
        return fluid.layers.gather(value, sample)
    made = fluid.layers.sequence_expand(value, prefixes, ref_level=0)
    made.desc.set_lod_level(1)
    return made
