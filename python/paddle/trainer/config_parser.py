"""v1 config files: a Python file that declares layers, settings and data sources.

    config = parse_config("trainer_config.py", "is_predict=1")

The file runs with get_config_arg and a few old names in its globals; what it declares is the
config's graph. An error in it names the file and the line."""
import difflib
import os
import sys
import traceback

from .. import python2
from ..trainer_config_helpers.graph import ConfigError, Graph, current_graph, use_graph

__all__ = ["Config", "ConfigFileError", "get_config_arg", "parse_config",
           "parse_config_and_serialize"]


class ConfigFileError(ConfigError):
    """A config file that failed: the message begins with file and line."""


def _read_bool(text):
    values = {"true": True, "1": True, "false": False, "0": False}
    if text.lower() not in values:
        raise ValueError("it is True, 1, true, False, 0 or false")
    return values[text.lower()]


def get_config_arg(name, type, default=None):
    """The argument NAME of --config_args, or the default."""
    given = current_graph().config_args
    if name not in given:
        return default
    try:
        return _read_bool(given[name]) if type is bool else type(given[name])
    except (ValueError, TypeError) as error:
        raise ConfigError("config_args has %s=%s, which is no %s: %s"
                          % (name, given[name], getattr(type, "__name__", type), error)) from None


def read_config_args(text):
    """'a=1,b=2' as a dict."""
    given = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise ConfigError("config_args is name=value,name=value and has %r" % part)
        given[name.strip()] = value.strip()
    return given


def _layer_called(name):
    layers = current_graph().layers
    if name not in layers:
        near = difflib.get_close_matches(name, layers, 1)
        raise ConfigError("there is no layer called %r%s"
                          % (name, "; did you mean %r?" % near[0] if near else ""))
    return layers[name]


def _inputs(*names):
    current_graph().inputs = [_layer_called(name) for name in names]


def _outputs(*names):
    current_graph().outputs = [_layer_called(name) for name in names]


def _refused(name, instead):
    def refuse(*arguments, **keywords):
        raise ConfigError("%s() of the raw config language is not supported; use %s of "
                          "paddle.trainer_config_helpers" % (name, instead))
    return refuse


def _default_device(device):
    """-1 is the CPU."""
    if device != -1:
        raise ConfigError("default_device(%r) is not supported: layers run where the trainer runs "
                          "(--use_gpu); leave it out" % (device,))


_RAW = {"Settings": "settings()", "Layer": "the layer functions", "Bias": "bias_attr",
        "Input": "the layer functions", "Parameter": "ParamAttr",
        "Evaluator": "the evaluators", "TrainData": "define_py_data_sources2()",
        "TestData": "define_py_data_sources2()", "PyData": "define_py_data_sources2()",
        "SimpleData": "define_py_data_sources2()", "ProtoData": "define_py_data_sources2()",
        "default_initial_std": "ParamAttr(initial_std=)",
        "default_initial_mean": "ParamAttr(initial_mean=)",
        "default_decay_rate": "settings(regularization=)",
        "default_momentum": "settings(learning_method=MomentumOptimizer())",
        "default_gradient_clipping_threshold": "settings(gradient_clipping_threshold=)",
        "model_type": "settings()", "Import": "Python's import"}


def _namespace(path):
    names = {name: _refused(name, instead) for name, instead in _RAW.items()}
    names.update(get_config_arg=get_config_arg, Inputs=_inputs, Outputs=_outputs,
                 default_device=_default_device,
                 __file__=path, __name__="__paddle_config__")
    return names


def _data_below(layers):
    """The names of the data layers that layers are made of, as a walk from them meets them."""
    order, seen = [], set()
    pending = list(reversed(layers))
    while pending:
        layer = pending.pop()
        if layer.name in seen:
            continue
        seen.add(layer.name)
        if layer.layer_type == "data":
            order.append(layer.name)
        pending.extend(reversed(layer.parents))
    return order


class Config:
    """What a config declared. graph has all; path is the file."""

    def __init__(self, graph, path=None):
        self.graph, self.path = graph, path

    @property
    def settings(self):
        return self.graph.settings

    @property
    def outputs(self):
        return self.graph.outputs

    @property
    def evaluators(self):
        return self.graph.evaluators

    @property
    def data_sources(self):
        return self.graph.data_sources

    @property
    def judged(self):
        """Layers that evaluators look at: they are computed, whether an output needs them or
        not."""
        return [layer for each in self.graph.evaluators for layer in each.inputs
                if layer.group is None]

    @property
    def costs_aside(self):
        """Costs that outputs() does not name: they are learnt all the same, as long as a sample has
        what they need."""
        known = set(self.input_layer_names)
        return [layer for layer in self.graph.layers.values()
                if layer.is_cost and layer.group is None and layer not in self.graph.outputs
                and known.issuperset(_data_below([layer]))]

    @property
    def input_layer_names(self):
        """The data layers in the order of a sample: by inputs(), or as a walk from the outputs
        meets them."""
        if self.graph.inputs:
            return [layer.name for layer in self.graph.inputs]
        return _data_below(self.graph.outputs + self.judged)

    def network(self, data_types):
        """The Network of the config, with what its data layers hold by name."""
        from ..trainer_config_helpers.network import Network
        return Network(self.outputs, data_types=data_types, graph=self.graph,
                       declared_order=False, extra=self.judged + self.costs_aside)

    @property
    def output_layer_names(self):
        return [layer.name for layer in self.graph.outputs]

    @property
    def model_config(self):
        return self

    @property
    def opt_config(self):
        return self.settings


def place_of(error, files):
    """The last line of one of the files that an error went through, as file:line."""
    wanted = {os.path.realpath(f) for f in files if f}
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if os.path.realpath(frame.f_code.co_filename) in wanted:
            found = "%s:%d" % (os.path.relpath(frame.f_code.co_filename), line)
    if isinstance(error, SyntaxError) and error.filename:
        found = "%s:%d" % (os.path.relpath(error.filename), error.lineno or 0)
    return found


def _deepest(error, folder):
    """The last line below a folder, where an error is of a module that the config imported."""
    found = None
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = os.path.realpath(frame.f_code.co_filename)
        if name.startswith(os.path.join(os.path.realpath(folder), "")) and \
                not name.startswith(os.path.join(os.path.realpath(ours), "")):
            found = "%s:%d" % (os.path.relpath(name), line)
    return found


def told(error, path=None):
    """An error of a config file in one line: where, and what."""
    where = place_of(error, [path] if path else [])
    deeper = _deepest(error, os.path.dirname(os.path.abspath(path))) if path else None
    kind = "" if isinstance(error, ConfigError) else type(error).__name__ + ": "
    if deeper and deeper != where and not isinstance(error, ConfigError):
        return "%s: %s%s (raised at %s)" % (where or path, kind, error, deeper)
    return "%s: %s%s" % (where or path or "config", kind, error)


def workspace_of(path):
    """The folder whose modules go with a config: the current one, unless the config is elsewhere,
    or the current one is a home or the like."""
    here = os.path.realpath(os.getcwd())
    folder = os.path.dirname(os.path.realpath(path))
    is_below = folder.startswith(os.path.join(here, "")) and not python2.is_shared(here)
    return here if is_below else folder


def parse_config(trainer_config, config_arg_str=""):
    """Run a config, a file or a function without arguments, and give what it declared."""
    graph = Graph()
    graph.config_args = read_config_args(config_arg_str)
    if callable(trainer_config):
        with use_graph(graph):
            trainer_config()
        return Config(graph)
    path = trainer_config
    if not os.path.isfile(path):
        raise ConfigFileError("there is no config file %s (in %s)" % (path, os.getcwd()))
    folder = workspace_of(path)
    python2.enable(folder, also=[path])
    for extra in (os.path.dirname(os.path.abspath(path)), os.getcwd()):
        if extra not in sys.path:
            sys.path.insert(0, extra)
    with use_graph(graph):
        try:
            python2.load(path, _namespace(path))
        except ConfigFileError:
            raise
        except Exception as error:
            raise ConfigFileError(told(error, path)) from error
    return Config(graph, path)


def parse_config_and_serialize(trainer_config, config_arg_str=""):
    """v1 gave bytes of its own protobuf, which nothing reads here."""
    raise NotImplementedError("parse_config_and_serialize: TrainerConfig protobufs are not "
                              "written; use parse_config(), or `paddle dump_config`")
