"""A config as v1's protobuf messages: TrainerConfig, ModelConfig and what is in them. They have
what names a model (layers, their inputs and parameters); details of single layers are left out."""
from ..trainer_config_helpers.graph import ConfigError
from ..v2.param_conf import read_config, write_config
from .proto import Message, Written
from .PyDataProvider2 import (ProviderError, dense_vector, dense_vector_sequence, integer_value,
                              integer_value_sequence)
from .sources import open_source

__all__ = ["network_of", "model_message", "trainer_message"]


def _types_of_provider(config):
    for which in ("train", "test"):
        if config.data_sources.get(which) is not None:
            source = open_source(config, which, 1)
            return dict(zip(config.input_layer_names, source.provider.slots))
    raise ConfigError("%s has no data sources" % (config.path or "the config"))


def _guesses(config):
    """What data layers may hold, by the layers they go into: without a provider it is not said."""
    users = {}
    for layer in config.graph.layers.values():
        for number, parent in enumerate(layer.parents):
            users.setdefault(parent.name, []).append((layer, number))
    for dense in (dense_vector, dense_vector_sequence):
        for index in (integer_value_sequence, integer_value):
            types = {}
            for name in config.input_layer_names:
                layer = config.graph.layers[name]
                kind = dense
                for user, number in users.get(name, ()):
                    if user.layer_type == "embedding":
                        kind = index
                    elif user.is_cost and number > 0 and (layer.size or 1) > 1:
                        kind = integer_value
                types[name] = kind(layer.size)
            yield types


def network_of(config):
    """The Network of a config: with the types of its data provider, or where that cannot be opened
    with types that its layers can take."""
    try:
        types = _types_of_provider(config)
    except (ConfigError, ProviderError, OSError) as error:
        reason = error
    else:
        return config.network(types)
    for types in _guesses(config):
        try:
            return config.network(types)
        except ConfigError:
            continue
    raise ConfigError("what the data layers hold is not known without the data provider, which "
                      "cannot be opened: %s" % reason)


def _layer_message(layer, parameters):
    message = Message().add(1, "name", layer.name).add(2, "type", layer.layer_type)
    message.add(3, "size", layer.size).add(4, "active_type", layer.activation.name or "")
    for number, parent in enumerate(layer.parents):
        entry = Message().add(1, "input_layer_name", parent.name)
        weight = "_%s.w%d" % (layer.name, number)
        message.add(5, "inputs", entry.add(2, "input_parameter_name",
                                           weight if weight in parameters else None))
    bias = "_%s.wbias" % layer.name
    return message.add(6, "bias_parameter_name", bias if bias in parameters else None)


def _parameter_message(config):
    """As it stands in files of parameters: v2.param_conf has its fields."""
    data = write_config(config)
    found, shown = read_config(data), Message()
    dims = found.pop("dims")
    for name, value in found.items():
        if name == "initial_strategy":  # which follows them
            shown.add(0, "dims", dims)
        is_bool = name.startswith(("is_", "sparse_")) or name == "initial_smart"
        shown.add(0, name, bool(value) if is_bool else value)
    return Written(data, shown)


def model_message(config, network):
    message = Message().add(1, "type", "nn")
    for layer in network.layers.values():
        message.add(2, "layers", _layer_message(layer, network.parameters))
    for parameter in network.parameters.values():
        message.add(3, "parameters", _parameter_message(parameter))
    message.add(4, "input_layer_names", config.input_layer_names)
    message.add(5, "output_layer_names", config.output_layer_names)
    for each, _ in network.evaluators:
        message.add(6, "evaluators", Message().add(1, "name", each.name).add(2, "type", each.kind)
                    .add(3, "input_layers", [layer.name for layer in each.inputs]))
    return message


def _data_message(source):
    if source is None:
        return None
    files = source.files if isinstance(source.files, str) else ",".join(source.files)
    return Message().add(1, "type", "py2").add(3, "files", files).add(
        11, "load_data_module", source.module).add(12, "load_data_object", source.obj)


def _settings_message(settings):
    if not settings:
        return None
    return Message().add(3, "batch_size", settings.batch_size).add(
        4, "algorithm", settings.algorithm).add(7, "learning_rate", settings.learning_rate).add(
        8, "learning_rate_decay_a", settings.learning_rate_decay_a).add(
        9, "learning_rate_decay_b", settings.learning_rate_decay_b).add(
        23, "learning_method", type(settings.learning_method).__name__.replace(
            "Optimizer", "").lower()).add(
        27, "learning_rate_schedule", settings.learning_rate_schedule)


def trainer_message(config, network):
    return Message().add(1, "model_config", model_message(config, network)).add(
        2, "data_config", _data_message(config.data_sources.get("train"))).add(
        3, "opt_config", _settings_message(config.settings)).add(
        4, "test_data_config", _data_message(config.data_sources.get("test"))).add(
        9, "config_file", config.path)
