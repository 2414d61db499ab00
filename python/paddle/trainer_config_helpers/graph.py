"""A v1 or v2 model as its script writes it: layers that name their inputs.

A layer function makes a LayerOutput and nothing else: what a data layer holds (ids, dense or sparse
vectors, sequences of them) is known in v1 only when the data provider has spoken. Network
(network.py) then asks each layer that is needed to build itself into a Fluid program, through the
function `build` that the layer was made with. So everything about a layer is in its one function."""
import contextlib
import functools
import inspect
import os
import sys

from .activations import BaseActivation, LinearActivation
from .attrs import ExtraLayerAttribute, ParameterAttribute

__all__ = ["LayerOutput", "Evaluator", "Graph", "layer_name", "layer_function", "as_layers",
           "current_graph", "use_graph", "ConfigError"]


class ConfigError(ValueError):
    """A model that cannot be: the message names the layer, and what to do."""


class PlacedError(ConfigError):
    """One whose message begins with a line of the script."""


_OURS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


def script_line():
    """The line of the script (or config) that has called into this package, as file:line; '' where
    there is none."""
    frame = sys._getframe(1)
    while frame is not None and (frame.f_code.co_filename.startswith(("<", _OURS)) or
                                 os.path.abspath(frame.f_code.co_filename).startswith(_OURS)):
        frame = frame.f_back
    if frame is None:
        return ""
    return "%s:%d" % (os.path.relpath(frame.f_code.co_filename), frame.f_lineno)


class Graph:
    """What one config file (v1) or one process (v2) has declared so far. In a config no two
    layers have one name; in a process they may, as long as no network has both."""

    def __init__(self, one_network=True):
        self.one_network = one_network
        self.counts = {}      # by kind of layer: how many were named by us
        self.layers = {}      # by full name
        self.declared = 0     # layers
        self.evaluators = []  # in the order of declaration
        self.outputs = []     # v1: outputs(...)
        self.inputs = []      # v1: inputs(...), or [] for the order of a walk from the outputs
        self.groups = []      # recurrent groups that are being declared, innermost last
        self.settings = {}    # v1: settings(...)
        self.data_sources = {}  # v1: define_py_data_sources2(...), by "train" and "test"
        self.config_args = {}

    def add(self, layer):
        known = self.layers.get(layer.full_name)
        if known is not None and known is not layer and not layer.replaces and self.one_network:
            raise ConfigError("there are two layers called %r; give each its own name" % layer.name)
        self.layers[layer.full_name] = layer
        return layer

    def number(self):
        """Of the next layer, in the order of declaration."""
        self.declared += 1
        return self.declared


_graph = Graph(one_network=False)


def current_graph():
    return _graph


@contextlib.contextmanager
def use_graph(graph):
    """Layers that are made inside belong to `graph`."""
    global _graph
    before, _graph = _graph, graph
    try:
        yield graph
    finally:
        _graph = before


def layer_name(name, kind):
    """`name`, or where it is None the next free name of that kind: __fc_layer_0__."""
    if name is not None:
        return name
    n = _graph.counts.get(kind, 0)
    _graph.counts[kind] = n + 1
    return "__%s_%d__" % (kind, n)


def as_layers(layers, what="input"):
    """One layer or several, as a list; anything else is refused by name."""
    layers = list(layers) if isinstance(layers, (list, tuple)) else [layers]
    for each in layers:
        if not isinstance(each, LayerOutput):
            raise ConfigError("%s is %r, and must be a layer (or a list of layers)" % (what, each))
    return layers


class LayerOutput:
    """What a layer function gives: the layer, to be the input of others.

    build(net, *values) makes the Fluid variable of the layer; `values` are those of its parents
    and `net` is the Network. It returns the value before the activation and dropout, which are
    added by the Network, or (with `finished`) the value as it is to be."""

    def __init__(self, name, layer_type, parents=None, activation=None, size=None, build=None,
                 layer_attr=None, num_filters=None, height=None, width=None, depth=None,
                 img_norm_type=None, outputs=None, reverse=None, finished=False, data_type=None,
                 is_cost=False, coeff=1.0, replaces=False):
        self.name = name
        self.group = _graph.groups[-1] if _graph.groups else None
        # Layers of a recurrent group have names of their own there, and parameters, too.
        self.full_name = name if self.group is None else "%s@%s" % (name, self.group.full_name)
        self.layer_type = layer_type
        self.parents = as_layers(parents or [])
        self.activation = LinearActivation() if activation is None else activation
        if not isinstance(self.activation, BaseActivation):
            raise ConfigError("layer %r: act is %r, and must be an activation such as "
                              "TanhActivation()" % (name, activation))
        self.size = size
        self.build = build
        if layer_attr is not None and not isinstance(layer_attr, ExtraLayerAttribute):
            raise ConfigError("layer %r: layer_attr is %r, and must be an ExtraLayerAttribute"
                              % (name, layer_attr))
        self.layer_attr = layer_attr
        self.num_filters, self.height, self.width, self.depth = num_filters, height, width, depth
        self.img_norm_type = img_norm_type
        self.outputs = outputs or ["default"]
        self.reverse = reverse
        self.finished = finished
        self.data_type = data_type  # of data layers: an InputType; None: the provider says
        self.is_cost, self.coeff = is_cost, coeff
        self.replaces = replaces
        self.where = script_line()
        self.number = _graph.number()
        _graph.add(self)

    def set_input(self, layer):
        raise ConfigError("layer %r is no memory: set_input() is for memory(name=None)" % self.name)

    def __repr__(self):
        return "<%s layer %s of size %s>" % (self.layer_type, self.name, self.size)


class Evaluator:
    """A figure of merit. build(net, *values) gives the sums of a batch as a list of Fluid
    variables; they are added over batches, and result(sums) makes of the totals an ordered
    dict {name: number}. joins: they are rows, which are put behind each other instead."""

    def __init__(self, name, kind, inputs, build, result, joins=False):
        self.name, self.kind, self.inputs = name, kind, as_layers(inputs)
        self.build, self.result, self.joins = build, result, joins
        self.group = _graph.groups[-1] if _graph.groups else None
        _graph.evaluators.append(self)


def layer_function(function):
    """For functions that scripts call: a wrong argument is an error that names the layer."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args, **kwargs):
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            known = ", ".join(signature.parameters)
            raise ConfigError("%s: %s; it takes (%s)" % (function.__name__, error, known)) from None
        return function(*args, **kwargs)
    return checked


def param_attr_of(attr, what):
    """A ParameterAttribute, or the default one for None."""
    if attr is None or attr is True:
        return ParameterAttribute()
    if not isinstance(attr, ParameterAttribute):
        raise ConfigError("%s is %r, and must be a ParameterAttribute" % (what, attr))
    return attr
