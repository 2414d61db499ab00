"""Layers: those of trainer_config_helpers without the suffix _layer. A data layer says here what
it holds: data(name="x", type=paddle.data_type.dense_vector(13))."""
from paddle.trainer.PyDataProvider2 import InputType
from paddle.trainer_config_helpers import layers as _v1
from paddle.trainer_config_helpers.graph import ConfigError, LayerOutput, current_graph, \
    layer_function


def _short(name):
    return name[:-len("_layer")] if name.endswith("_layer") else name


_NAMES = {_short(_name): _name for _name in _v1.__all__ if _name != "data_layer"}
_NAMES.update({  # what v2 calls otherwise
    "max_id": "maxid_layer", "cross_entropy_cost": "cross_entropy",
    "cross_entropy_with_selfnorm_cost": "cross_entropy_with_selfnorm",
    "multi_binary_label_cross_entropy_cost": "multi_binary_label_cross_entropy",
    # and what 0.10.0rc did
    "StaticInputV2": "StaticInput", "GeneratedInputV2": "GeneratedInput",
    "BaseGeneratedInputV2": "BaseGeneratedInput"})
globals().update({_name: getattr(_v1, _v1_name) for _name, _v1_name in _NAMES.items()})


@layer_function
def data(name, type, height=None, width=None, depth=None, layer_attr=None):
    """An input of the model: type is one of paddle.data_type."""
    if not isinstance(type, InputType):
        raise ConfigError("data layer %r: type is %r, and must be one of paddle.data_type, such as "
                          "dense_vector(13)" % (name, type))
    made = _v1.data_layer(name, type.dim, depth=depth, height=height, width=width,
                          layer_attr=layer_attr)
    made.data_type = type
    return made


def get_layer(name):
    """The layer of that name, or None."""
    return current_graph().layers.get(name)


def parse_network(output_layers, extra_layers=None):
    """The model of some layers, as Topology has it."""
    from .topology import Topology
    return Topology(output_layers, extra_layers).proto()


Layer = LayerOutput

__all__ = sorted(set(_NAMES) | {"data", "get_layer", "parse_network"})
