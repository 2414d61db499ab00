"""Programs as Python sees them, and what is set for all of them: the default programs, name
scopes, devices, flags.

They are thin: the program itself lives in the C core. The classes are in variable.py and
program.py; scripts know them as this module's."""
import contextlib
import os

from .. import _core
from . import core, unique_name  # noqa: F401
from .core import VarDesc, attr_type, var_type  # noqa: F401
from .program import Block, Program  # noqa: F401
from .variable import (GRAD_VAR_SUFFIX, Operator, Parameter, Variable,  # noqa: F401
                       convert_np_dtype_to_dtype_, dtype_is_floating)

__all__ = [
    "Program", "default_startup_program", "default_main_program", "program_guard", "name_scope",
    "cuda_places", "cpu_places", "cuda_pinned_places", "in_dygraph_mode", "is_compiled_with_cuda",
    "Variable", "load_op_library", "require_version", "device_guard", "set_flags", "get_flags",
]

EMPTY_VAR_NAME = "@EMPTY@"
ZERO_VAR_SUFFIX = "@ZERO"


def in_dygraph_mode():
    """Always False: Regatta runs programs. fluid.dygraph says so too."""
    return False


def is_compiled_with_cuda():
    """Whether CUDAPlace(0) can be had: there are GPU kernels, and a GPU."""
    return core.is_compiled_with_cuda()


# ---- the default programs ----

_main_program_ = Program()
_startup_program_ = Program()
_first_programs = _main_program_, _startup_program_  # whatever is switched to later


def default_startup_program():
    return _startup_program_


def default_main_program():
    return _main_program_


def switch_main_program(program):
    global _main_program_
    old, _main_program_ = _main_program_, program
    return old


def switch_startup_program(program):
    global _startup_program_
    old, _startup_program_ = _startup_program_, program
    return old


@contextlib.contextmanager
def program_guard(main_program, startup_program=None):
    if not isinstance(main_program, Program):
        raise TypeError("program_guard: main_program is %s, and must be a Program"
                        % type(main_program))
    if startup_program is not None and not isinstance(startup_program, Program):
        raise TypeError("program_guard: startup_program is %s, and must be a Program"
                        % type(startup_program))
    main = switch_main_program(main_program)
    startup = None if startup_program is None else switch_startup_program(startup_program)
    try:
        yield
    finally:
        switch_main_program(main)
        if startup is not None:
            switch_startup_program(startup)


def _get_var(name, program=None):
    return (program or default_main_program()).global_block().var(name)


# ---- name scopes and devices: labels on ops ----

class NameScope:
    def __init__(self, name="", parent=None):
        self._children = {}
        self._name = name
        self._parent = parent

    def child(self, prefix):
        same = self._children.setdefault(prefix, [])
        made = NameScope(prefix if not same else "%s_%d" % (prefix, len(same)), self)
        same.append(made)
        return made

    def path(self):
        parts = []
        scope = self
        while scope is not None and scope._name:
            parts.append(scope._name)
            scope = scope._parent
        return "/" + "".join(p + "/" for p in reversed(parts))


_name_scope = NameScope()
_device = ""


def _label_ops():
    path = _name_scope.path()
    for program in (default_main_program(), default_startup_program()):
        program._set_namescope(path, _device)


@contextlib.contextmanager
def name_scope(prefix=None):
    if not prefix:
        raise ValueError("namescope prefix can not be empty")
    global _name_scope
    outer = _name_scope
    _name_scope = outer.child(prefix)
    _label_ops()
    try:
        yield
    finally:
        _name_scope = outer
        _label_ops()


def _full_name_scope():
    return _name_scope.path()


@contextlib.contextmanager
def device_guard(device=None):
    """Ops built inside are labelled with the device. Those of device_guard("cpu") run on the CPU in a
    program that runs on a GPU; those of "gpu" on the GPU where it has a kernel for them."""
    if device not in ("cpu", "gpu", None):
        raise ValueError("The Attr(device) should be 'cpu' or 'gpu', and it can also be empty "
                         "string or None when there is no need to specify device. But received %s"
                         % device)
    if device == "gpu" and not core.is_compiled_with_cuda():
        try:
            core.CUDAPlace(0)
        except RuntimeError as e:
            raise ValueError("device_guard('gpu'): %s" % e) from None
    global _device
    old, _device = _device, device or ""
    _label_ops()
    try:
        yield
    finally:
        _device = old
        _label_ops()


# ---- places, flags, versions ----

def cpu_places(device_count=None):
    if device_count is None:
        device_count = _cpu_num()
    return [core.CPUPlace()] * device_count


def cuda_places(device_ids=None):
    """The GPUs of that number; without, those of FLAGS_selected_gpus, or all."""
    if device_ids is None:
        selected = _flag_value("selected_gpus")
        device_ids = ([int(n) for n in selected.split(",")] if selected
                      else range(max(1, core.get_cuda_device_count())))
    elif not isinstance(device_ids, (list, tuple)):
        device_ids = [device_ids]
    return [core.CUDAPlace(n) for n in device_ids]


def cuda_pinned_places(device_count=None):
    if device_count is None:
        device_count = _cpu_num()
    return [core.CUDAPinnedPlace()] * device_count


def _flag_value(name):
    kind, text, _ = _core.get_flag(name)
    if kind == 0:
        return text.lower() in ("1", "true", "t", "yes", "y", "on")
    return text if kind == 3 else int(text) if kind == 1 else float(text)


class _Flags:
    def __getitem__(self, name):
        return _flag_value(name)

    def __setitem__(self, name, value):
        set_flags({name: value})


def set_flags(flags):
    if not isinstance(flags, dict):
        raise TypeError("flags in set_flags should be a dict")
    for name, value in flags.items():
        _core.set_flag(name, str(value))


def get_flags(flags):
    if isinstance(flags, str):
        flags = [flags]
    if not isinstance(flags, (list, tuple)):
        raise TypeError("Flags in get_flags should be a list, tuple or string.")
    return {name: _flag_value(name) for name in flags}


def require_version(min_version, max_version=None):
    """Scripts ask for a Paddle release: the one whose behaviour is reproduced is 1.8.5."""
    def parse(text, what):
        if not isinstance(text, str):
            raise TypeError("The type of %r in require_version must be str, but received %s."
                            % (what, type(text)))
        try:
            parts = [int(p) for p in text.split(".")]
        except ValueError:
            parts = []
        if not 1 <= len(parts) <= 4:
            raise ValueError("The value of %r in require_version must be in format "
                             "'\\d+(\\.\\d+){0,3}', like '1.5.2.0', but received %s"
                             % (what, text))
        return parts + [0] * (4 - len(parts))

    here = [1, 8, 5, 0]
    if parse(min_version, "min_version") > here or (
            max_version is not None and parse(max_version, "max_version") < here):
        raise Exception("VersionError: this is the API of PaddlePaddle 1.8.5; the script asks for "
                        "%s to %s" % (min_version, max_version or "any"))


def load_op_library(lib_filename):
    raise NotImplementedError("fluid.load_op_library(%r): custom C++ ops cannot be loaded; an op "
                              "is a C file of its source, in src/ops" % lib_filename)


def grad_var_name(var_name):
    """The name of the variable's gradient."""
    return var_name + GRAD_VAR_SUFFIX


def _cpu_num():
    """How many CPUPlaces there are unless they are counted out."""
    return int(os.environ.get("CPU_NUM", 1))


def _current_expected_place():
    return core.CPUPlace()


def _dygraph_tracer():
    return None
