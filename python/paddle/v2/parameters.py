"""Parameters: the values of a model, by name, and the files they are kept in.

    parameters = paddle.parameters.create(cost)
    with open("model.tar", "wb") as f:
        parameters.to_tar(f)"""
import collections
import io
import struct
import tarfile

import numpy as np

import paddle.fluid as fluid

from . import param_conf
from ._binary import binary
from .flags import flags
from .topology import Topology

__all__ = ["Parameters", "create"]

_HEADER = struct.Struct("<IIQ")  # version 0, bytes of a number, how many numbers
_SUFFIX = ".protobuf"


def create(layers):
    """The parameters of a model, with the values they start with (by init(seed=...))."""
    network = Topology(layers).network
    made, scope = Parameters(), fluid.core.Scope()
    if flags()["seed"]:
        network.set_seed(flags()["seed"])
    fluid.Executor(fluid.CPUPlace()).run(network.startup, scope=scope)
    for name, config in network.parameters.items():
        value = np.array(scope.find_var(name).get_tensor())
        made._add(name, config.dims, param_conf.write_config(config), value)
    for name, value in network.given_values():
        made[name] = value
    return made


class Parameters:
    """A dict of arrays. Those of a model that is being trained are read from and written to the
    trainer."""

    def __init__(self):
        self._dims = collections.OrderedDict()
        self._configs, self._values, self._machine = {}, {}, None

    def _add(self, name, dims, config, value):
        # Filters of images have no dimensions in files: they are one row.
        self._dims[name] = tuple(int(n) for n in dims) or (1, int(np.size(value)))
        self._configs[name] = config
        self._values[name] = np.ascontiguousarray(value, np.float32).reshape(self._dims[name])

    def _known(self, name):
        if name not in self._dims:
            raise ValueError("there is no parameter %r; there are %s"
                             % (name, ", ".join(self._dims) or "none"))
        return name

    # ---- names ----

    def keys(self):
        return list(self._dims)

    names = keys

    def has_key(self, key):
        return key in self._dims

    __contains__ = has_key

    def __iter__(self):
        return iter(self._dims)

    def __len__(self):
        return len(self._dims)

    def get_shape(self, key):
        return self._dims[self._known(key)]

    # ---- values ----

    def __getitem__(self, key):
        self._known(key)
        if self._is_trained(key):
            return self._machine.get(key).reshape(self._dims[key])
        return self._values[key].copy()

    def _is_trained(self, key):
        """Whether the value is a trainer's: others may be here that its model does not have."""
        return self._machine is not None and key in self._machine.network.parameters

    def __setitem__(self, key, value):
        dims = self.get_shape(key)
        value = np.asarray(value, np.float32)
        if value.size != int(np.prod(dims)):
            raise ValueError("parameter %r has the shape %s, and was given one of %s"
                             % (key, list(dims), list(value.shape)))
        value = np.array(value, np.float32).reshape(dims)
        if self._is_trained(key):
            self._machine.set(key, value)
        else:
            self._values[key] = value

    def get(self, parameter_name):
        return self[parameter_name]

    def set(self, parameter_name, value):
        self[parameter_name] = value

    def get_grad(self, key):
        """The gradient of a parameter in the last batch trained. The first time it is computed
        anew of the parameters as they are now, after the update; from then on it is the step's
        own (with trainer_count=1 and no servers)."""
        self._known(key)
        if self._machine is None:
            raise ValueError("there are no gradients before training: make a trainer.SGD with "
                             "these parameters first")
        grads = self._machine.gradients()
        if key not in grads:
            raise ValueError("parameter %r has no gradient: it is static, or no part of the cost"
                             % key)
        return grads[key].reshape(self._dims[key])

    def append_gradient_machine(self, machine):
        """From now on values are the Machine's, which starts with those held here. What only its
        extra layers have may be missing: it starts anew, and is not kept."""
        for name in machine.parameter_names:
            if name not in self._dims and name in machine.network.extra_parameters:
                continue
            if name not in self._dims:
                raise ValueError("the model has a parameter %r, and these parameters do not: make "
                                 "them with paddle.parameters.create(cost)" % name)
            machine.set(name, self[name])
        for name in machine.parameter_names:
            self._values.pop(name, None)  # a large table need not be held twice
        self._machine = machine

    # ---- files ----

    def serialize(self, name, f):
        """The values of one parameter, as v1 and v2 have them in files."""
        value, f = self[name], binary(f)
        f.write(_HEADER.pack(0, 4, value.size))
        f.write(value.tobytes())

    def deserialize(self, name, f):
        dims, f = self.get_shape(name), binary(f)
        head = f.read(_HEADER.size)
        if len(head) < _HEADER.size:
            raise ValueError("parameter %r: the file ends within its header" % name)
        version, width, count = _HEADER.unpack(head)
        if version != 0 or width != 4 or count != int(np.prod(dims)):
            raise ValueError("parameter %r: the file has %d numbers of %d bytes (version %d), and "
                             "%d of 4 are wanted" % (name, count, width, version,
                                                     int(np.prod(dims))))
        data = f.read(4 * count)
        if len(data) != 4 * count:
            raise ValueError("parameter %r: the file ends after %d of %d bytes"
                             % (name, len(data), 4 * count))
        self[name] = np.frombuffer(data, "<f4").reshape(dims)

    def to_tar(self, f):
        """All parameters as a tar file: NAME with the values, NAME.protobuf with the
        configuration, the same bytes each time."""
        with tarfile.TarFile(fileobj=binary(f), mode="w", format=tarfile.GNU_FORMAT) as tar:
            for name in self._dims:
                data = io.BytesIO()
                self.serialize(name, data)
                _add_member(tar, name, data.getvalue())
                _add_member(tar, name + _SUFFIX, self._configs[name])

    @staticmethod
    def from_tar(f):
        """The parameters of a tar file."""
        made = Parameters()
        try:
            opened = tarfile.TarFile(fileobj=binary(f), mode="r")
        except tarfile.ReadError as error:
            raise ValueError("%s is no tar file (%s): give what parameters.to_tar(f) wrote, opened "
                             "with 'rb'" % (getattr(f, "name", f), error)) from None
        with opened as tar:
            members = tar.getmembers()
            for info in members:
                if info.name.endswith(_SUFFIX):
                    made._add_config(info.name, tar.extractfile(info).read())
            for info in members:
                if not info.name.endswith(_SUFFIX):
                    if info.name not in made._dims:
                        raise ValueError("the tar file has values of %r and no %s"
                                         % (info.name, info.name + _SUFFIX))
                    made.deserialize(info.name, tar.extractfile(info))
                    made._loaded.discard(info.name)
        if made._loaded:
            raise ValueError("the tar file has no values of %s" % ", ".join(sorted(made._loaded)))
        return made

    _loaded = frozenset()  # from_tar: configurations whose values are yet to come

    def _add_config(self, member, data):
        try:
            config = param_conf.read_config(data)
        except ValueError as error:
            raise ValueError("%s is no configuration of a parameter: %s"
                             % (member, error)) from None
        dims = config["dims"] or [1, config["size"]]
        if int(np.prod(dims)) != config["size"]:
            raise ValueError("%s: the dimensions %s do not make %d numbers"
                             % (member, dims, config["size"]))
        self._add(config["name"], dims, data, np.zeros(dims, np.float32))
        self._loaded = set(self._loaded) | {config["name"]}

    def init_from_tar(self, f, exclude_params=()):
        """Take over what the tar file has of these parameters, but for exclude_params."""
        other = Parameters.from_tar(f)
        for name in other.names():
            if name in self._dims and name not in exclude_params:
                self[name] = other[name]

    def update_param_conf(self, model_config):
        raise NotImplementedError("Parameters.update_param_conf: configurations come from the "
                                  "layers; make the parameters with paddle.parameters.create()")


def _add_member(tar, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)  # all else is TarInfo's own, no time and no user among it
    tar.addfile(info, io.BytesIO(data))
