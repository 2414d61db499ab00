"""A graph of layers made into a Fluid program: what v2's topologies and v1's configs run as.

Values are as v1 had them: a matrix with a row for each example (or each step of each sequence, with
the LoD that says which), images flattened. Costs are summed over the examples, and so are
gradients: the learning rates of old scripts are made for that."""
import collections
import contextlib

import paddle.fluid as fluid
from paddle.fluid.layer_helper import LayerHelper

from .graph import ConfigError, PlacedError, current_graph, param_attr_of

__all__ = ["Network", "ParameterConfig", "SparseValue", "feed_names"]

DENSE, SPARSE_BINARY, SPARSE_FLOAT, INDEX = range(4)  # as InputType.type


class SparseValue:
    """Rows of a sparse matrix: for each its column numbers, and, unless all are 1, its values."""

    def __init__(self, ids, values, size):
        self.ids, self.values, self.size = ids, values, size

    @property
    def lod_level(self):  # of the sequence, as of other values; one level is the row's own
        return self.ids.lod_level - 1


ParameterConfig = collections.namedtuple(
    "ParameterConfig", "name shape dims attr is_bias initial_mean initial_std initial_strategy")


def feed_names(name, data_type):
    """The variables that a data layer is fed through."""
    return [name, name + "@VALUES"] if data_type.type == SPARSE_FLOAT else [name]


class Network:
    """main, startup: the programs, without backward and optimizer. cost: the sum of a batch, None
    where no output is a cost. loss: with the costs among `extra`, layers that are part of the network
    and no outputs (costs: all of them); extra_parameters: those that they alone have. parameters: by name, in the order of the layers. data_types: of its
    data layers, in the order of a sample."""

    def __init__(self, outputs, data_types=None, evaluators=None, graph=None, declared_order=True,
                 extra=()):
        graph = graph or current_graph()
        self.outputs = list(outputs)
        self.main, self.startup = fluid.Program(), fluid.Program()
        self.parameters = collections.OrderedDict()
        self.data_types = collections.OrderedDict()
        self.clipped = []  # (layer, value, threshold) of those with error_clipping_threshold
        self._numbers = {}  # of data layers, as they were declared
        self.layers = collections.OrderedDict()  # that were built, by full name
        self._given_types = data_types or {}
        self._scopes = [{}]  # values by layer, of the program and of the groups that are open
        self._weights, self._named = {}, {}
        self._declared = list(graph.evaluators if evaluators is None else evaluators)
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            self.values = [self.value(layer) for layer in self.outputs]
            own = set(self.parameters)
            extra = [(layer, self.value(layer)) for layer in extra]
            self.extra_parameters = set(self.parameters) - own
            self.costs = [(layer, value) for layer, value in dict(
                list(zip(self.outputs, self.values)) + extra).items() if layer.is_cost]
            self.cost = self._sum_costs(zip(self.outputs, self.values))
            self.loss = self._with_extra()
            self._find_evaluators()
        self._order_data(graph, declared_order)

    # ---- layers ----

    def value(self, layer):
        """The variable (or SparseValue) of a layer, built now if it is not yet."""
        pending = [layer]
        while pending:  # no recursion: networks of hundreds of layers are usual
            top = pending[-1]
            self._expect_one_name(top)
            missing = [p for p in top.parents if self._known(p) is None]
            if self._known(top) is not None or not missing:
                pending.pop()
            if missing:
                pending.extend(reversed(missing))  # the first input first
            elif self._known(top) is None:
                self._scopes[-1][top.full_name] = self._build(top)
        return self._known(layer)

    def _expect_one_name(self, layer):
        other = self._named.setdefault(layer.full_name, layer)
        if other is not layer and layer.group is None and not (layer.replaces or other.replaces):
            raise ConfigError("the network has two layers called %r; give each its own name"
                              % layer.name)

    def _known(self, layer):
        for scope in reversed(self._scopes):
            if layer.full_name in scope:
                return scope[layer.full_name]
        return None

    def replace(self, layer, value):
        """Whoever asks for the layer from now on gets this."""
        for scope in reversed(self._scopes):
            if layer.full_name in scope:
                scope[layer.full_name] = value
                return

    def keep(self, layer, what, value):
        """A second output of a layer that is being built: for get_output_layer."""
        self._scopes[-1]["%s.%s" % (layer.full_name, what)] = value

    def kept(self, layer, what):
        key = "%s.%s" % (layer.full_name, what)
        for scope in reversed(self._scopes):
            if key in scope:
                return scope[key]
        raise ConfigError("layer %r has no output %r" % (layer.name, what))

    def ids_of(self, layer, value):
        """The ids that a layer gives, whose value may be something else."""
        return self.kept(layer, "ids") if "ids" in layer.outputs else value

    @contextlib.contextmanager
    def inner_values(self, values):
        """For recurrent groups: what is built inside is known inside only. values: {layer: what it
        is there}."""
        self._scopes.append({layer.full_name: value for layer, value in values.items()})
        try:
            yield
        finally:
            self._scopes.pop()

    def _build(self, layer):
        self.layers[layer.full_name] = layer
        values = [self._known(parent) for parent in layer.parents]
        try:
            made = layer.build(self, *values)
            return made if layer.finished else self._finish(layer, made)
        except PlacedError:
            raise
        except ConfigError as error:
            raise self._placed(layer, error) from error
        except Exception as error:
            why = str(error)
            for parent, value in zip(layer.parents, values):
                if isinstance(value, SparseValue):
                    why = "its input %r is sparse data, which it does not take; put an fc_layer " \
                        "between them" % parent.name
            raise self._placed(layer, "layer %r (%s): %s" % (layer.name, layer.layer_type,
                                                             why)) from error

    @staticmethod
    def _placed(layer, error):
        """An error with the line of the script that made the layer."""
        return PlacedError("%s: %s" % (layer.where, error) if layer.where else str(error))

    def _finish(self, layer, value):
        return self.drop_and_clip(layer, layer.activation.apply(value))

    def drop_and_clip(self, layer, value):
        """What layer_attr asks for; a layer that is `finished` calls it where it takes one."""
        attr = layer.layer_attr
        if attr is not None and attr.drop_rate:
            value = fluid.layers.dropout(value, attr.drop_rate)
        if attr is not None and attr.error_clipping_threshold:
            value = _clip_error(value, attr.error_clipping_threshold)
            self.clipped.append((layer, value, attr.error_clipping_threshold))
        return value

    # ---- data ----

    def data_type(self, layer):
        found = self._given_types.get(layer.name, layer.data_type)
        if found is None:
            raise ConfigError("the data layer %r has no type: the data provider's input_types do "
                              "not name it (they name %s)"
                              % (layer.name, ", ".join(sorted(self._given_types)) or "none"))
        if layer.size is not None and found.type != INDEX and layer.size != found.dim:
            raise ConfigError("the data layer %r has size %d, and its data have %d"
                              % (layer.name, layer.size, found.dim))
        return found

    def data(self, layer):
        kind = self.data_type(layer)
        self.data_types[layer.name] = kind
        self._numbers[layer.name] = layer.number
        level = kind.seq_type
        if kind.type == DENSE:
            return fluid.layers.data(layer.name, [kind.dim], lod_level=level)
        if kind.type == INDEX:
            return fluid.layers.data(layer.name, [1], dtype="int64", lod_level=level)
        names = feed_names(layer.name, kind)
        ids = fluid.layers.data(names[0], [1], dtype="int64", lod_level=level + 1)
        values = None
        if kind.type == SPARSE_FLOAT:
            values = fluid.layers.data(names[1], [1], lod_level=level + 1)
        return SparseValue(ids, values, kind.dim)

    def _order_data(self, graph, declared):
        """A sample's slots: as the layers were declared (v2), or as a walk from the outputs meets
        them (v1), which is the order of self.data_types now; inputs() decides where it was
        called."""
        order = list(self.data_types)
        if graph.inputs:
            order = [layer.name for layer in graph.inputs if layer.name in self.data_types]
        elif declared:
            order = sorted(self.data_types, key=self._numbers.get)
        for name in order + [name for name in self.data_types if name not in order]:
            self.data_types.move_to_end(name)

    # ---- parameters ----

    def weight(self, layer, index, shape, attr=None, dims=None, mean=0.0, std=None):
        """The weight that belongs to input number `index` of the layer. dims: as v1 writes them
        into files, where that is not the shape; [] for those that it writes as one row. std: of
        its start where the attribute says nothing; None: 1/sqrt(rows)."""
        attr = param_attr_of(attr, "layer %r: param_attr" % layer.name)
        name = attr.name or "_%s.w%d" % (layer.full_name, index)
        if std is None:
            std = float(shape[0]) ** -0.5
        return self._parameter(name, shape, shape if dims is None else dims, attr, mean, std,
                               is_bias=False)

    def bias(self, layer, shape, attr=None, dims=None):
        """None where bias_attr is False."""
        if attr is False:
            return None
        attr = param_attr_of(attr, "layer %r: bias_attr" % layer.name)
        name = attr.name or "_%s.wbias" % layer.full_name
        return self._parameter(name, shape, dims or [1] + list(shape), attr, 0.0, 0.0, is_bias=True)

    def _parameter(self, name, shape, dims, attr, mean, std, is_bias):
        shape = [int(n) for n in shape]
        known = self.parameters.get(name)
        if known is not None:
            if list(known.shape) != shape:
                raise ConfigError("the parameter %r is shared by layers that want it as %s and as "
                                  "%s"
                                  % (name, list(known.shape), shape))
            return self._weights[name]
        strategy = 0
        if attr.initial_max is not None:
            mean = (attr.initial_max + attr.initial_min) / 2
            std, strategy = attr.initial_max - mean, 1
        elif not attr.is_smart:
            mean = attr.initial_mean or 0.0
            std = 0.01 if attr.initial_std is None else attr.initial_std
        self.parameters[name] = ParameterConfig(name, tuple(shape), tuple(int(n) for n in dims),
                                                attr, is_bias, mean, std, strategy)
        rate = 1.0 if attr.learning_rate is None else attr.learning_rate
        self._weights[name] = LayerHelper("v1").create_parameter(
            fluid.ParamAttr(name=name, initializer=_initializer(mean, std, strategy),
                            learning_rate=rate, trainable=not attr.is_static),
            shape, "float32")
        return self._weights[name]

    def set_seed(self, seed):
        """Start values by `seed` and the place of the parameter; each initialiser is told its own
        number, since that goes to servers with the program."""
        self.main.random_seed = self.startup.random_seed = int(seed)
        drawn = [op for op in self.startup.global_block().ops if op.has_attr("seed")]
        for place, op in enumerate(drawn):
            op._set_attr("seed", (int(seed) * 1000003 + place) % (2 ** 31 - 1) + 1)

    def given_values(self):
        """[(name, array)] of the parameters whose ParameterAttribute has an initializer: they
        start with what it gives."""
        return [(name, config.attr.initializer(name)) for name, config in self.parameters.items()
                if config.attr.initializer is not None]

    # ---- what many layers are made of ----

    def multiply(self, value, weight, sparse_update=False):
        """value x weight, of a dense or a sparse value, or of ids."""
        if isinstance(value, SparseValue):
            rows = self.rows(value.ids, weight, sparse_update)
            if value.values is not None:
                rows = fluid.layers.elementwise_mul(rows, value.values, axis=0)
            return fluid.layers.sequence_pool(rows, "sum")
        if _holds_integers(value):
            raise ValueError("an input of it is integers, which are the numbers of something and not "
                             "its size; put an embedding_layer between them")
        return fluid.layers.mul(value, weight)

    def rows(self, ids, table, sparse_update=False):
        """The rows of `table` that `ids` number."""
        if not _holds_integers(ids):
            raise ValueError("its input is of floats, and must be integers, which number the rows of "
                             "a table; an fc_layer takes floats")
        helper = LayerHelper("embedding")
        out = helper.create_variable_for_type_inference("float32")
        helper.append_op(type="lookup_table", inputs={"Ids": [ids], "W": [table]},
                         outputs={"Out": [out]},
                         attrs={"is_sparse": bool(sparse_update), "padding_idx": -1,
                                "is_distributed": False, "remote_prefetch": False})
        return out

    def add_bias(self, layer, value, bias_attr, size=None):
        bias = self.bias(layer, [layer.size if size is None else size], bias_attr)
        return value if bias is None else fluid.layers.elementwise_add(value, bias, axis=1)

    # ---- costs and evaluators ----

    def _sum_costs(self, layers):
        sums = []
        for layer, value in layers:
            if layer.is_cost:
                one = fluid.layers.reduce_sum(value)
                sums.append(one if layer.coeff == 1.0 else fluid.layers.scale(one, layer.coeff))
        if not sums:
            return None
        return sums[0] if len(sums) == 1 else fluid.layers.sums(sums)

    def _with_extra(self):
        """What is learnt: as in v1 every cost of the network, whether it is an output or not."""
        more = self._sum_costs([each for each in self.costs if each[0] not in self.outputs])
        if self.cost is None or more is None:
            return self.cost
        return fluid.layers.sums([self.cost, more])

    def _find_evaluators(self):
        """Those whose layers are all part of this network. Those of recurrent groups are built with
        them."""
        self.evaluators = []
        for each in self._declared:
            if each.group is None and all(
                    self.layers.get(layer.full_name) is layer for layer in each.inputs):
                for layer in each.inputs:
                    if layer.group is not None:
                        raise ConfigError("evaluator %r: the layer %r is inside the recurrent "
                                          "group %r; let the step return it" % (each.name, layer.name,
                                                                          layer.group.name))
                sums = each.build(self, *[self.value(layer) for layer in each.inputs])
                self.evaluators.append((each, sums))

    def print_in_group(self, group):
        """The printers that a step has declared; sums of single steps have no meaning."""
        for each in self._declared:
            if each.group is group and each.build(self, *[self.value(p) for p in each.inputs]):
                raise ConfigError("evaluator %r is declared inside the step of %r, where only "
                                  "printers may be; declare it outside, on what the group gives"
                                  % (each.name, group.name))


def _holds_integers(value):
    return fluid.data_feeder.convert_dtype(value.dtype) in ("int32", "int64")


def _clip_error(value, threshold):
    """The value, whose gradient does not leave +-threshold."""
    helper = LayerHelper("error_clip")
    out = helper.create_variable_for_type_inference(value.dtype)
    helper.append_op(type="error_clip", inputs={"X": [value]}, outputs={"Out": [out]},
                     attrs={"min": -float(threshold), "max": float(threshold)})
    return out


def _initializer(mean, std, strategy):
    if std == 0:
        return fluid.initializer.Constant(mean)
    if strategy == 1:
        return fluid.initializer.Uniform(mean - std, mean + std)
    return fluid.initializer.Normal(mean, std)
