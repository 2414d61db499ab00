"""The part of v1's swig_paddle that prediction scripts use: a model of a config and a folder of
parameters, run forward. Training is `paddle train` or paddle.v2."""
import collections

import numpy as np

from paddle import fluid
from paddle.trainer import device, model_dir
from paddle.trainer.machine import Machine, output
from paddle.trainer_config_helpers.network import Network

__all__ = ["initPaddle", "isGpuVersion", "isUsingGpu", "Arguments", "GradientMachine"]


def initPaddle(*arguments):
    """Take --use_gpu and --trainer_count, as `paddle train` has them."""
    for argument in arguments:
        name, _, value = argument.lstrip("-").partition("=")
        if name == "use_gpu" and value.lower() in ("0", "false"):
            device.use(None)
            continue
        if name == "use_gpu" and value.lower() in ("1", "true"):
            try:
                device.use(0)
            except RuntimeError as error:
                raise ValueError("initPaddle: %s is not supported here: %s" % (argument, error)) from None
            continue
        if name == "trainer_count" and value == "1":
            continue
        raise ValueError("initPaddle: %s is not supported: prediction runs on one thread "
                         "(--use_gpu=0 or 1, --trainer_count=1)" % argument)


def isGpuVersion():
    return fluid.is_compiled_with_cuda()


def isUsingGpu():
    return device.place() != fluid.CPUPlace()


class Arguments:
    """Samples with the types of their slots, made by a DataProviderConverter."""

    def __init__(self, input_types, samples):
        self.input_types, self.samples = input_types, samples


class GradientMachine:
    """A network with its parameters. createFromConfigProto(parse_config(...).model_config) makes
    one."""

    @classmethod
    def createFromConfigProto(cls, model_config):
        return cls(model_config)

    def __init__(self, model_config):
        if not hasattr(model_config, "input_layer_names") or not hasattr(model_config, "graph"):
            raise TypeError("GradientMachine: there is %r, and it must be the model_config of "
                            "paddle.trainer.config_parser.parse_config()" % (model_config,))
        self._config = model_config
        self._folder, self._machine, self._types = None, None, None
        self._last = None  # the samples that were computed last

    def loadParameters(self, path):
        """Take the parameters of a folder such as output/pass-00009."""
        model_dir.load(path, {})  # is it there?
        self._folder = path
        if self._machine is not None:
            self._fill()

    def forwardTest(self, arguments):
        """For each output of the config {"id": its integers, or None where it gives others,
        "value": its matrix, a row for each sample (or each step of each sequence)}."""
        if self._folder is None:
            raise RuntimeError("GradientMachine: there are no parameters yet; call "
                               "loadParameters('output/pass-00000') first")
        self._build(arguments.input_types)
        self._last = [tuple(sample) for sample in arguments.samples]
        return [output(value) for value in self._machine.infer(self._last)]

    def getLayerOutputs(self, layerNames):
        """{name: {"id": ..., "value": ...}} of layers of the config, for the samples of the last
        forwardTest()."""
        if self._last is None:
            raise RuntimeError("GradientMachine: nothing was computed yet; call "
                               "forwardTest(arguments) first")
        return self._machine.layer_outputs(layerNames, self._last)

    def _build(self, types):
        """A v1 config does not say what its data are: the first samples do."""
        if self._machine is not None:
            if [_key(kind) for kind in types] != self._types:
                raise ValueError("GradientMachine: these samples have other types than those before")
            return
        names = self._config.input_layer_names
        if len(names) != len(types):
            raise ValueError("GradientMachine: there are %d input types, and the config has %d data "
                             "layers: %s" % (len(types), len(names), ", ".join(names)))
        graph = self._config.graph
        network = Network(graph.outputs, data_types=collections.OrderedDict(zip(names, types)),
                          evaluators=(), graph=graph, declared_order=False)
        self._machine, self._types = Machine(network, feeding=names), [_key(k) for k in types]
        self._fill()

    def _fill(self):
        network = self._machine.network
        sizes = {name: int(np.prod(config.shape)) for name, config in network.parameters.items()}
        for name, values in model_dir.load(self._folder, sizes).items():
            self._machine.set(name, values)


def _key(kind):
    return kind.dim, kind.seq_type, kind.type


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError("py_paddle.swig_paddle.%s is not supported: prediction has initPaddle "
                              "and GradientMachine; to train use `paddle train` or paddle.v2" % name)
