"""Inference: the outputs of a model for some samples."""
import collections
import json
import struct

import numpy as np

import paddle.fluid as fluid
from paddle.trainer import device
from paddle.trainer.feeder import Feeder
from paddle.trainer.machine import Machine
from paddle.trainer.PyDataProvider2 import InputType
from paddle.trainer_config_helpers.layers import get_output_layer

from ._binary import binary
from .topology import MAGIC, Topology

__all__ = ["infer", "Inference"]

_FIELDS = ("value", "id", "prob")


class _Model:
    """A model read from a file of Topology.serialize_for_inference()."""

    def __init__(self, stream):
        head = stream.read(len(MAGIC) + 16)
        if not head.startswith(MAGIC) or len(head) != len(MAGIC) + 16:
            raise ValueError("Inference: the file was not written by "
                             "Topology.serialize_for_inference()")
        sizes = struct.unpack("<QQ", head[len(MAGIC):])
        about, program = stream.read(sizes[0]), stream.read(sizes[1])
        if (len(about), len(program)) != sizes:
            raise ValueError("Inference: the file of the model ends early")
        about = json.loads(about)
        self.parameters = about["parameters"]
        self._program = fluid.Program.parse_from_string(program)
        self._outputs = about["outputs"]
        self._scope, self._exe = fluid.core.Scope(), fluid.Executor(device.place())
        self.feeder = Feeder(collections.OrderedDict(
            (name, InputType(*kind)) for name, *kind in about["data_types"]))

    @property
    def parameter_names(self):
        return list(self.parameters)

    def set(self, name, value):
        self._scope.var(name).get_tensor().set(
            np.ascontiguousarray(value, np.float32).reshape(self.parameters[name]),
            self._exe.place)

    def use_feeding(self, feeding):
        before = self.feeder
        self.feeder = Feeder(before.data_types, feeding)
        return before

    def infer(self, samples):
        return self._exe.run(self._program, self.feeder(samples), self._outputs,
                             scope=self._scope, return_numpy=False)


class Inference:
    """output_layer: a layer, or several; or fileobj: a file of
    Topology.serialize_for_inference()."""

    def __init__(self, parameters, output_layer=None, fileobj=None):
        if (output_layer is None) == (fileobj is None):
            raise ValueError("Inference: give output_layer or fileobj, one of them")
        self._further = {}
        if fileobj is not None:
            self._machine = _Model(binary(fileobj))
        else:
            layers, self._further = _with_further(output_layer)
            self._machine = Machine(Topology(layers).network)
        for name in self._machine.parameter_names:
            if not parameters.has_key(name):
                raise ValueError("Inference: the model has a parameter %r, and the parameters do "
                                 "not; they have %s" % (name, ", ".join(parameters.names())))
            self._machine.set(name, parameters.get(name))

    def iter_infer(self, input, feeding=None):
        """For the samples of `input`, as one batch: a dict of fields for each output layer."""
        self._machine.use_feeding(feeding)
        samples = list(input)
        if not samples:
            return
        found = [_fields(tensor) for tensor in self._machine.infer(samples)]
        for place, (i, field) in self._further.items():
            value = found[place]["value"]
            found[i][field] = value.reshape(-1) if field == "id" else value
        yield [each for i, each in enumerate(found) if i not in self._further]

    def iter_infer_field(self, field, **kwargs):
        fields = list(field) if isinstance(field, (list, tuple)) else [field]
        for each in fields:
            if each not in _FIELDS:
                raise ValueError("infer: there is no field %r; there are %s"
                                 % (each, ", ".join(_FIELDS)))
        for results in self.iter_infer(**kwargs):
            for result in results:
                yield [_field(result, each) for each in fields]

    def infer(self, input, field="value", flatten_result=True, **kwargs):
        """An array for the field, or a list of arrays where there are several fields."""
        found = None
        for items in self.iter_infer_field(field=field, input=input, **kwargs):
            if found is None:
                found = [[] for _ in items]
            for all_of, item in zip(found, items):
                all_of.append(item)
        if found is None:
            return []
        if flatten_result:
            found = [np.concatenate(all_of) for all_of in found]
        return found[0] if len(found) == 1 else found


# Fields that are outputs of a layer besides its value: the scores of what a search has generated, the
# tags of a crf_decoding that has a label.
_OUTPUTS = {"prob": "prob", "ids": "id"}


def _with_further(output_layer):
    """The layers, and behind them their further outputs; {place of one: (of which layer, field)}."""
    layers = list(output_layer) if isinstance(output_layer, (list, tuple)) else [output_layer]
    further = {}
    for i, layer in enumerate(list(layers)):
        for output in getattr(layer, "outputs", ()):
            if output in _OUTPUTS:
                further[len(layers)] = i, _OUTPUTS[output]
                layers.append(get_output_layer(layer, output))
    return layers, further


def _fields(tensor):
    """value: as it is. id: of integers those, of rows the place of the largest; prob: its
    value."""
    array = np.array(tensor)
    if array.dtype.kind in "iu":
        return {"value": array, "id": array.reshape(-1)}
    best = array.reshape(len(array), -1)
    return {"value": array, "id": best.argmax(1), "prob": best.max(1)}


def _field(result, name):
    if name not in result:
        raise ValueError("infer: an output layer of integers has no field %r" % name)
    return result[name]


def infer(output_layer, parameters, input, feeding=None, field="value"):
    """What `output_layer` gives for the samples of `input`."""
    return Inference(parameters, output_layer).infer(input, field=field, feeding=feeding)
