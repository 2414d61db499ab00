"""recurrent_group: layers that are run once for each step of sequences, with memories.

The step function is called once, on layers that stand for a step's inputs; what it makes belongs to
the group (LayerOutput.group), with names of its own there. The group is lowered to one
fluid.layers.DynamicRNN, which runs all sequences that have a step at once."""
import contextlib

import paddle.fluid as fluid

from ..activations import BaseActivation, LinearActivation
from ..attrs import ParameterAttribute
from ..graph import ConfigError, LayerOutput, as_layers, current_graph, layer_function, layer_name
from ..network import SparseValue
from .ops import append_op
from .sequence import expect_sequence

__all__ = ["StaticInput", "SubsequenceInput", "memory", "recurrent_group"]


class StaticInput:
    """A layer that each step sees whole: a row, or (is_seq) a sequence, for each example. Whether
    it is a sequence, the layer itself says."""

    def __init__(self, input, is_seq=False, size=None):
        if not isinstance(input, LayerOutput):
            raise ConfigError("StaticInput: %r is no layer" % (input,))
        if size is not None:
            if input.size not in (None, size):
                raise ConfigError("StaticInput: size is %s, and the layer %r has size %s"
                                  % (size, input.name, input.size))
            input.size = size
        self.input, self.is_seq = input, is_seq


@layer_function
def SubsequenceInput(input):
    """A nested sequence: each step is a sub-sequence. The layer itself says that it is one."""
    return as_layers(input, "SubsequenceInput")[0]


class RecurrentGroup:
    def __init__(self, name, reverse=False):
        outer = current_graph().groups
        self.name, self.reverse = name, reverse
        self.full_name = "%s@%s" % (name, outer[-1].full_name) if outer else name
        self.links = []     # (layer outside, layer inside): a step of it at a time
        self.statics = []   # (layer outside, layer inside)
        self.memories = []
        self.outputs = []   # layers inside
        self.carried = []   # what each memory holds at the next step

    @contextlib.contextmanager
    def open(self):
        """Layers that are made inside belong to the group."""
        groups = current_graph().groups
        groups.append(self)
        try:
            yield self
        finally:
            groups.pop()

    def link(self, layer):
        inside = next((inner for outer, inner in self.links if outer is layer), None)
        if inside is None:
            inside = LayerOutput(layer.name, "scatter_agent", size=layer.size,
                                 activation=layer.activation)
            self.links.append((layer, inside))
        return inside

    def static(self, layer):
        inside = LayerOutput(layer_name(None, "memory"), "agent", size=layer.size,
                             activation=layer.activation)
        self.statics.append((layer, inside))
        return inside

    def argument(self, given):
        """What the step gets of one input."""
        if isinstance(given, StaticInput):
            return self.static(given.input)
        return self.link(given) if isinstance(given, LayerOutput) else given

    def parents(self):
        boots = [each.boot_layer for each in self.memories if each.boot_layer is not None]
        return [outer for outer, _ in self.links + self.statics] + boots

    def close(self, outputs):
        """All layers of the step are made."""
        self.outputs = outputs
        for each in self.memories:
            source = each.source
            if source is None:
                source = current_graph().layers.get("%s@%s" % (each.of, self.full_name))
            if source is None:
                raise ConfigError(
                    "recurrent group %r: memory(name=%r) is of a layer that the step does not "
                    "make%s"
                    % (self.name, each.of, "" if each.of else "; call set_input() on it"))
            if source.size != each.size:
                raise ConfigError("recurrent group %r: the memory of %r has size %s, and that layer "
                                  "%s"
                                  % (self.name, source.name, each.size, source.size))
            self.carried.append(source)
        self._check(outputs + self.carried)

    def _check(self, ends):
        """Layers outside come in as inputs only."""
        seen, pending = set(), list(ends)
        while pending:
            layer = pending.pop()
            if layer.full_name in seen:
                continue
            seen.add(layer.full_name)
            if layer.group is not self:
                raise ConfigError("recurrent group %r: its step uses the layer %r, which is "
                                  "outside; give it as an input, StaticInput(%s)"
                                  % (self.name, layer.name, layer.name))
            pending.extend(layer.parents)

    # ---- into the program ----

    def lower(self, net, links, statics, boots):
        """The values of the outputs. links, statics: values of what comes in; boots: by memory."""
        for outer, value in zip(self.links, links):
            _expect_steps(self.name, outer[0], value)
        if self.reverse:
            links = [_reversed(value) for value in links]
        rnn = fluid.layers.DynamicRNN()
        starts = [self._start(net, each, boots.get(each), links[0]) for each in self.memories]
        with rnn.block():
            inner = {}
            for (_, layer), value in zip(self.links, links):
                inner[layer] = _each_part(value, rnn.step_input)
            for (_, layer), value in zip(self.statics, statics):
                inner[layer] = _each_part(value, rnn.static_input)
            for each, (start, in_order) in zip(self.memories, starts):
                inner[each] = (rnn.memory(init=start, need_reorder=in_order) if start is not None
                               else rnn.memory(shape=[each.size], value=0.0))
            with net.inner_values(inner):
                for layer in self.outputs + self.carried:
                    net.value(layer)
                net.print_in_group(self)
                outputs = [net.value(layer) for layer in self.outputs]
                for each, source in zip(self.memories, self.carried):
                    rnn.update_memory(inner[each], net.value(source))
            rnn.output(*outputs)
        return [_reversed(value) if self.reverse else value for value in rnn.outputs]

    def _start(self, net, each, boot, like):
        """What a memory holds at the first step, and whether its rows must be put in the order of
        the steps; None: zeros."""
        if each.boot_layer is not None:
            expect_boot(self.name, each, boot)
            return boot, True
        if each.boot_bias is None and each.boot_id is None:
            return None, False
        like = like.ids if isinstance(like, SparseValue) else like
        one = fluid.layers.sequence_pool(fluid.layers.cast(like, "float32"), "first")
        if one.lod_level:
            one = fluid.layers.sequence_pool(one, "first")
        if each.boot_id is not None:
            return fluid.layers.fill_constant_batch_size_like(one, [-1, 1], "int64",
                                                              each.boot_id), False
        zeros = fluid.layers.fill_constant_batch_size_like(one, [-1, each.size], "float32", 0.0)
        bias = net.bias(each, [each.size], each.boot_bias)
        start = fluid.layers.elementwise_add(zeros, bias, axis=1)
        return each.boot_activation.apply(start), False


def expect_boot(name, memory, boot):
    """Whether a memory is a sequence, what it begins with says; is_seq may only agree."""
    if memory.is_seq and not boot.lod_level:
        raise ConfigError("recurrent group %r: the memory of %r begins with %r, which is no "
                          "sequence: leave is_seq=True out"
                          % (name, memory.of or memory.name, memory.boot_layer.name))


def _expect_steps(name, layer, value):
    level = value.lod_level
    if level < 1:
        raise ConfigError("recurrent group %r: its input %r is no sequence; give it as "
                          "StaticInput(%s)" % (name, layer.name, layer.name))


def _reversed(value):
    """The steps back to front."""
    def turned(part):
        if part.lod_level == 1:
            return fluid.layers.sequence_reverse(part)
        return append_op("sequence_pick", {"X": part}, {"how": "reverse"}, part.dtype,
                         also=("Rows",))
    return _each_part(value, turned)


def _each_part(value, function):
    if not isinstance(value, SparseValue):
        return function(value)
    return SparseValue(function(value.ids),
                       None if value.values is None else function(value.values), value.size)


class MemoryOutput(LayerOutput):
    """What a layer of the group was at the step before."""

    def __init__(self, name, of, size, is_seq, boot_layer, boot_bias, boot_activation, boot_id):
        LayerOutput.__init__(self, name, "memory", size=size)
        self.of, self.source, self.is_seq = of, None, is_seq
        self.boot_layer, self.boot_bias = boot_layer, boot_bias
        self.boot_activation, self.boot_id = boot_activation, boot_id

    def set_input(self, layer):
        if self.of is not None:
            raise ConfigError("memory of %r: set_input() is for memory(name=None)" % self.of)
        self.source = as_layers(layer, "set_input")[0]


@layer_function
def memory(name, size, memory_name=None, is_seq=False, boot_layer=None, boot_bias=None,
           boot_bias_active_type=None, boot_with_const_id=None):
    """Inside a step: the layer `name` as it was at the step before; before the first, zeros, or
    boot_layer, or a learnt row (boot_bias), or an id (boot_with_const_id). With name=None it is
    said by set_input(). It is a sequence where boot_layer is one; is_seq=True expects that."""
    groups = current_graph().groups
    if not groups:
        raise ConfigError("memory(name=%r): a memory is made inside the step of a recurrent_group"
                          % (name,))
    given = [what for what, value in (("boot_layer", boot_layer), ("boot_bias", boot_bias),
                                      ("boot_with_const_id", boot_with_const_id))
             if value is not None and value is not False]
    if len(given) > 1:
        raise ConfigError("memory(name=%r): give one of %s" % (name, ", ".join(given)))
    if is_seq and boot_layer is None:
        raise ConfigError("memory(name=%r, is_seq=True): give its first sequence, boot_layer"
                          % (name,))
    if boot_layer is not None:
        boot_layer = as_layers(boot_layer, "memory: boot_layer")[0]
        if boot_layer.size != size:
            raise ConfigError("memory(name=%r): size is %s, and boot_layer %r has size %s"
                              % (name, size, boot_layer.name, boot_layer.size))
    if boot_bias is True:
        boot_bias = ParameterAttribute(initial_std=0.0, initial_mean=0.0)
    active = LinearActivation() if boot_bias_active_type is None else boot_bias_active_type
    if not isinstance(active, BaseActivation):
        raise ConfigError("memory(name=%r): boot_bias_active_type is %r, and must be an activation"
                          % (name, active))
    own = name + "+delay1" if name is not None else layer_name(memory_name, "memory")
    made = MemoryOutput(own, name, size, bool(is_seq), boot_layer, boot_bias or None, active,
                        boot_with_const_id)
    groups[-1].memories.append(made)
    return made


def _check_step_inputs(name, given):
    if not any(isinstance(each, LayerOutput) for each in given):
        raise ConfigError("recurrent group %r: none of its inputs is a sequence" % name)


@layer_function
def recurrent_group(step, input, reverse=False, name=None, targetInlink=None,
                    is_generating=False):
    """step(one layer for each input) is called once, and run for each step of the sequences; it
    gives a layer, or several. Inputs are sequences (of sub-sequences: a step is one of them) of the
    same length, and StaticInputs; anything else is handed to the step as it is. targetInlink: the input whose sequences the output has; here
    they are what the step makes of them."""
    name = layer_name(name, "recurrent_group")
    given = list(input) if isinstance(input, (list, tuple)) else [input]
    if is_generating:
        raise ConfigError("recurrent group %r: is_generating=True: beam_search() generates" % name)
    _check_step_inputs(name, given)
    if targetInlink is not None and not any(each is targetInlink for each in given):
        raise ConfigError("recurrent group %r: targetInlink is not one of its inputs" % name)
    group = RecurrentGroup(name, bool(reverse))
    with group.open():
        made = step(*[group.argument(each) for each in given])
    several = isinstance(made, (list, tuple))
    group.close(as_layers(made, "recurrent group %r: what its step returns" % name))
    outputs = outside(group)
    return outputs if several else outputs[0]


def outside(group):
    """The outputs of a group as layers around it, with the names that they have inside."""
    parents = group.parents()

    def build(net, *values):
        n, end = len(group.links), len(group.links) + len(group.statics)
        booted = [each for each in group.memories if each.boot_layer is not None]
        return group.lower(net, values[:n], values[n:end], dict(zip(booted, values[end:])))

    whole = LayerOutput(group.name, "recurrent_layer_group", parents, build=build, finished=True)

    def output(i, inner):
        return LayerOutput(inner.name, "gather_agent", [whole], inner.activation, inner.size,
                           lambda net, values: values[i], finished=True, reverse=group.reverse)
    return [output(i, inner) for i, inner in enumerate(group.outputs)]
