"""Topology: the model that some layers make, and its program."""
import collections
import json
import struct

from paddle.trainer_config_helpers.graph import ConfigError, Evaluator, LayerOutput
from paddle.trainer_config_helpers.network import Network

from ._binary import binary

__all__ = ["Topology"]

MAGIC = b"regatta model\n"  # how a file of serialize_for_inference() begins


class _Proto:
    def __init__(self, program):
        self._program = program

    def SerializeToString(self):
        return self._program.desc.serialize_to_string()

    def __str__(self):
        return str(self._program)


def _flat(layers):
    if layers is None:
        return []
    if not isinstance(layers, collections.abc.Iterable):
        layers = [layers]
    return [each for one in layers for each in (
        _flat(one) if isinstance(one, (list, tuple)) else [one])]


class Topology:
    """layers: the outputs. extra_layers: further layers, or evaluators, that belong to the model
    and are no outputs of it; costs among them are learnt, and do not count as the model's cost."""

    def __init__(self, layers, extra_layers=None):
        self.layers = _flat(layers)
        for layer in self.layers:
            if not isinstance(layer, LayerOutput):
                raise ConfigError("Topology: %r is no layer" % (layer,))
        extra = [each for each in _flat(extra_layers) if not isinstance(each, Evaluator)]
        self._extra = extra
        self.network = self.make_network()

    def make_network(self):
        """A Network of these layers: each that trains appends ops to its own."""
        return Network(self.layers, extra=self._extra)

    def use_sparse_updater(self):
        """Whether a parameter has sparse_update=True."""
        return any(config.attr.sparse_update for config in self.network.parameters.values())

    def proto(self):
        """The program: proto().SerializeToString() is its ProgramDesc."""
        return _Proto(self.network.main)

    def get_layer(self, name):
        """The layer of that name in the model, or None."""
        return self.network.layers.get(name)

    def data_layers(self):
        """{name: data layer}"""
        return {name: self.network.layers[name] for name in self.network.data_types}

    def data_type(self):
        """[(name, type)] of the data layers, in the order of a sample."""
        return list(self.network.data_types.items())

    def serialize_for_inference(self, stream):
        """Write the model, without its parameters' values, for Inference(fileobj=...)."""
        net = self.network
        head = json.dumps({
            "data_types": [[name, kind.dim, kind.seq_type, kind.type]
                           for name, kind in net.data_types.items()],
            "outputs": [value.name for value in net.values],
            "parameters": {name: list(config.shape) for name, config in net.parameters.items()},
        }).encode()
        program = net.main.clone(for_test=True).desc.serialize_to_string()
        binary(stream).write(MAGIC + struct.pack("<QQ", len(head), len(program)) + head + program)
