"""Programs as Python sees them: Program, Block, Operator, Variable, Parameter.

They are thin: the program itself lives in the C core, and Variable and Operator are the
core's own objects with Python's operators and Fluid's attribute names on top."""
import contextlib
import os
import sys

from .. import _core
from . import core, unique_name
from .core import VarDesc, attr_type, var_type

__all__ = [
    "Program", "default_startup_program", "default_main_program", "program_guard", "name_scope",
    "cuda_places", "cpu_places", "cuda_pinned_places", "in_dygraph_mode", "is_compiled_with_cuda",
    "Variable", "load_op_library", "require_version", "device_guard", "set_flags", "get_flags",
]

GRAD_VAR_SUFFIX = "@GRAD"
EMPTY_VAR_NAME = "@EMPTY@"
ZERO_VAR_SUFFIX = "@ZERO"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def convert_np_dtype_to_dtype_(np_dtype):
    """The VarType of a numpy dtype, of its name, or of a VarType."""
    if type(np_dtype) is core._VarType:
        return np_dtype
    kind = _DTYPES.get(np_dtype) if isinstance(np_dtype, str) else None
    if kind is None:
        import numpy
        kind = _DTYPES.get(numpy.dtype(np_dtype).name)
    if kind is None:
        raise ValueError("Not supported numpy dtype %s" % (np_dtype,))
    return kind


_DTYPES = {
    "bool": VarDesc.VarType.BOOL, "int16": VarDesc.VarType.INT16, "int32": VarDesc.VarType.INT32,
    "int64": VarDesc.VarType.INT64, "float16": VarDesc.VarType.FP16,
    "float32": VarDesc.VarType.FP32, "float64": VarDesc.VarType.FP64,
    "uint8": VarDesc.VarType.UINT8, "int8": VarDesc.VarType.INT8,
    "uint64": VarDesc.VarType.SIZE_T,
}


def dtype_is_floating(dtype):
    return convert_np_dtype_to_dtype_(dtype) in (VarDesc.VarType.FP16, VarDesc.VarType.FP32,
                                                 VarDesc.VarType.FP64)


def in_dygraph_mode():
    """Always False: Regatta runs programs. fluid.dygraph says so too."""
    return False


def is_compiled_with_cuda():
    return False


def _user_line():
    """file:line of the nearest caller outside this package."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE):
            return "%s:%d" % (name, frame.f_lineno)
        frame = frame.f_back
    return None


class Variable(_core.Var):
    """A variable of a block: made by layers and by Block.create_var()."""
    error_clip = None
    belong_to_optimizer = False
    is_distributed = False
    capacity = None

    @property
    def shape(self):
        return self._shape

    @property
    def dtype(self):
        return var_type(self._dtype)

    @property
    def type(self):
        return var_type(self._kind)

    @property
    def block(self):
        return self._program.block(self._block_idx)

    @property
    def desc(self):
        return self

    @property
    def grad_name(self):
        return self.name + GRAD_VAR_SUFFIX

    def _set_error_clip(self, error_clip):
        self.error_clip = error_clip

    set_error_clip = _set_error_clip

    def to_string(self, throw_on_error=True, with_details=False):
        text = self._text()
        if with_details:
            for name in ("error_clip", "stop_gradient"):
                text += "%s: %s\n" % (name, getattr(self, name))
        return text

    def __repr__(self):
        return self.to_string(True)

    __str__ = __repr__

    # Dygraph's methods: refused, since there is no eager mode.
    def numpy(self):
        raise RuntimeError("Variable.numpy(): %s has no value while a program is built; fetch it "
                           "with exe.run(program, fetch_list=[%s])" % (self.name, self.name))

    detach = gradient = clear_gradient = backward = numpy

    def set_value(self, value):
        raise RuntimeError("Variable.set_value(): use fluid.global_scope().find_var(%r)"
                           ".get_tensor().set(array, place)" % self.name)

    def astype(self, dtype):
        from .layers import cast
        return cast(self, dtype)

    def __len__(self):
        raise TypeError("a Variable has no length while a program is built")

    def __bool__(self):
        raise TypeError("a Variable has no truth value while a program is built; use "
                        "fluid.layers.cond or fluid.layers.While")

    __nonzero__ = __bool__
    __hash__ = object.__hash__


class Parameter(Variable):
    """A variable that training changes."""
    regularizer = None
    optimize_attr = {"learning_rate": 1.0}
    do_model_average = None
    gradient_clip_attr = None

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = value

    def to_string(self, throw_on_error=True, with_details=False):
        text = self._text()
        if with_details:
            for name in ("trainable", "optimize_attr", "regularizer", "do_model_average"):
                text += "%s: %s\n" % (name, getattr(self, name))
        return text


class Operator(_core.Op):
    """An op of a block: made by Block.append_op()."""

    @property
    def block(self):
        return self._program.block(self._block_idx)

    @property
    def desc(self):
        return self

    @property
    def attr_names(self):
        return self._attr_names()

    def attr(self, name):
        return self._attr(name)

    def attr_type(self, name):
        return attr_type(_core.Op.attr_type(self, name))

    def all_attrs(self):
        return {name: self._attr(name) for name in self._attr_names()}

    def _set_attr(self, name, value):
        self._set_attr_value(name, value)

    _update_desc_attr = _set_attr

    def _block_attr_id(self, name):
        return self._attr(name)

    def _block_attr(self, name):
        return self._program.block(self._attr(name))

    def _rename_input(self, old, new):
        self._rename(old, new, True, False)

    def _rename_output(self, old, new):
        self._rename(old, new, False, True)

    def to_string(self, throw_on_error=True):
        return self._text()

    def __str__(self):
        return self._text()

    __repr__ = __str__


_core.set_classes(Variable, Operator)


class _VarMap:
    """The variables of a block by name, in order of making."""

    def __init__(self, block):
        self._block = block

    def __getitem__(self, name):
        var = self._block._find(name)
        if var is None:
            raise KeyError(name)
        return var

    def __contains__(self, name):
        return self._block.has_var(name)

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def keys(self):
        return self._block.program._var_names(self._block.idx)

    def values(self):
        return [self._block._find(name) for name in self.keys()]

    def items(self):
        return [(name, self._block._find(name)) for name in self.keys()]

    def get(self, name, default=None):
        return self[name] if name in self else default


class Block:
    """A list of ops, and the variables that they work on."""

    def __init__(self, program, idx):
        self.program = program
        self.idx = idx
        self.removed_vars = {}
        self._known = {}  # name -> the Variable object given out for it

    @property
    def vars(self):
        return _VarMap(self)

    @property
    def ops(self):
        return self.program._ops(self.idx)

    @property
    def parent_idx(self):
        return self.program._block_info(self.idx)[0]

    @property
    def forward_block_idx(self):
        return self.program._block_info(self.idx)[1]

    @property
    def desc(self):
        return self

    # ---- variables ----

    def _find(self, name):
        """The variable of this block, or None."""
        var = self._known.get(name)
        if var is not None:
            return var
        if not self.program._has_var(self.idx, name):
            return None
        var = self.program._add_var(self.idx, name, Variable)
        self._known[name] = var
        return var

    def has_var(self, name):
        return name in self._known or self.program._has_var(self.idx, name)

    def var(self, name):
        if not isinstance(name, str):
            raise TypeError("var require string as parameter, but get %s instead." % type(name))
        var = self._find(name)
        if var is None:
            raise ValueError("var %s not in this block" % name)
        return var

    def _find_var_recursive(self, name):
        block = self
        while True:
            var = block._find(name)
            if var is not None:
                return var
            parent = block.parent_idx
            if parent < 0:
                return None
            block = self.program.block(parent)

    def _var_recursive(self, name):
        var = self._find_var_recursive(name)
        if var is None:
            raise ValueError("Var {0} is not found recursively".format(name))
        return var

    def _make(self, cls, name, shape, dtype, type, lod_level, persistable, stop_gradient,
              is_data=None, need_check_feed=None):
        if name is None:
            name = unique_name.generate("_generated_var")
        var = self._known.get(name)
        if var is None:
            var = self.program._add_var(self.idx, name, cls)
            self._known[name] = var
        if type is not None and type != 7:
            var._kind = type
        if shape is not None:
            var._shape = shape
        if dtype is not None:
            var._dtype = convert_np_dtype_to_dtype_(dtype)
        if lod_level is not None:
            var.lod_level = lod_level
        if persistable is not None:
            var.persistable = persistable
        if stop_gradient is not None:
            var.stop_gradient = stop_gradient
        if is_data:
            var.is_data = True
        if need_check_feed:
            var.need_check_feed = True
        return var

    def create_var(self, name=None, shape=None, dtype=None, type=None, lod_level=None,
                   persistable=None, stop_gradient=None, is_data=None, need_check_feed=None,
                   error_clip=None, belong_to_optimizer=False, initializer=None, **kwargs):
        for key in kwargs:
            raise TypeError("create_var() has no argument %r" % key)
        var = self._make(Variable, name, shape, dtype, type, lod_level, persistable,
                         stop_gradient, is_data, need_check_feed)
        if error_clip is not None:
            var.error_clip = error_clip
        if belong_to_optimizer:
            var.belong_to_optimizer = True
        if initializer is not None:
            initializer(var, self)
        return var

    def create_parameter(self, shape, dtype, name=None, initializer=None, trainable=True,
                         optimize_attr=None, regularizer=None, do_model_average=None,
                         stop_gradient=None, type=None, **kwargs):
        if shape is None or dtype is None:
            raise ValueError("Parameter shape and dtype are required")
        for dim in shape:
            if dim <= 0:
                raise ValueError("Parameter shape should not be related with batch-size: got %s "
                                 "for %s" % (list(shape), name))
        block = self.program.global_block()
        param = block._make(Parameter, name, shape, dtype, type, 0, True, stop_gradient)
        param._is_parameter = True
        param._trainable = trainable
        if optimize_attr is not None:
            param.optimize_attr = optimize_attr
        if regularizer is not None:
            param.regularizer = regularizer
        if do_model_average is not None:
            param.do_model_average = do_model_average
        for key, value in kwargs.items():
            if key not in ("error_clip", "need_check_feed", "gradient_clip_attr",
                           "is_distributed"):
                raise TypeError("create_parameter() has no argument %r" % key)
            setattr(param, key, value)
        if initializer is not None and not any(param.name in op.output_arg_names
                                               for op in self.ops):
            initializer(param, self)  # a shared parameter is initialised once
        return param

    def all_parameters(self):
        return list(self.iter_parameters())

    def iter_parameters(self):
        return (var for var in self.vars.values() if isinstance(var, Parameter))

    def _remove_var(self, name):
        self._known.pop(name, None)
        self.program._remove_var(self.idx, name)

    def _rename_var(self, name, new_name):
        var = self.var(name)
        self.program._rename_var(self.idx, name, new_name)
        self._known.pop(name, None)
        self._known[new_name] = var
        return var

    def _clone_variable(self, var, force_persistable=True):
        made = self._make(Variable, var.name, var.shape, var.dtype, var.type, var.lod_level,
                          True if force_persistable else var.persistable, None, var.is_data,
                          var.need_check_feed)
        made.stop_gradient = var.stop_gradient
        return made

    # ---- ops ----

    def _insert(self, index, type, inputs, outputs, attrs, stop_gradient=False):
        if inputs and any(v is None for v in inputs.values()):
            inputs = {k: v for k, v in inputs.items() if v is not None}
        if outputs and any(v is None for v in outputs.values()):
            outputs = {k: v for k, v in outputs.items() if v is not None}
        return self.program._append_op(self.idx, index, type, inputs, outputs, attrs,
                                       _user_line(), True)

    def append_op(self, type=None, inputs=None, outputs=None, attrs=None, stop_gradient=False):
        if type is None:
            raise ValueError("`type` to initialized an Operator can not be None.")
        return self._insert(-1, type, inputs, outputs, attrs)

    def _prepend_op(self, type=None, inputs=None, outputs=None, attrs=None, stop_gradient=False):
        return self._insert(0, type, inputs, outputs, attrs)

    def _insert_op(self, index, type=None, inputs=None, outputs=None, attrs=None,
                   stop_gradient=False):
        return self._insert(index, type, inputs, outputs, attrs)

    def _remove_op(self, index):
        self.program._remove_ops(self.idx, index, index + 1)

    def to_string(self, throw_on_error=True, with_details=False):
        return self.program._text(self.idx)

    def __str__(self):
        return self.to_string()

    __repr__ = __str__


class Program(_core.Program):
    """A program: what layers build and an Executor runs."""
    _readers = ()  # those that give a batch to each run (DataLoader, not iterable)

    def __init__(self):
        self._blocks = []
        self.current_block_idx = 0
        self._is_distributed = self._is_chief = False
        self._parameters_on_pservers = self._endpoints = self._ps_endpoint = None
        self._trainer_id = -1
        self._trainers_endpoints = []
        self._distributed_lookup_table = None
        self._fleet_opt = self._pipeline_opt = None
        self._appending_grad_times = 0
        self.lr_sheduler = None
        self._role = (core.OpRole.Forward, ())
        self._is_test = False

    # ---- blocks ----

    @property
    def blocks(self):
        known = self._blocks
        while len(known) < self.num_blocks:
            known.append(Block(self, len(known)))
        return known

    @property
    def desc(self):
        return self

    def block(self, index):
        known = self._blocks
        if index < len(known):
            return known[index]
        return self.blocks[index]

    def global_block(self):
        return self.block(0)

    def current_block(self):
        return self.block(self.current_block_idx)

    def _create_block(self, parent_idx=None):
        parent = self.current_block_idx if parent_idx is None else parent_idx
        self.current_block_idx = self._add_block(parent)
        return self.current_block()

    def _rollback(self):
        self.current_block_idx = self.current_block().parent_idx

    # ---- what ops are for ----

    @property
    def _op_role(self):
        return self._role[0]

    @_op_role.setter
    def _op_role(self, role):
        self._role = (role, self._role[1])
        self._set_role(*self._role)

    @property
    def _op_role_var(self):
        return list(self._role[1])

    @contextlib.contextmanager
    def _roles(self, role, names):
        old = self._role
        self._role = (role, tuple(v.name if isinstance(v, Variable) else v for v in names))
        self._set_role(*self._role)
        try:
            yield
        finally:
            self._role = old
            self._set_role(*old)

    def _optimized_guard(self, param_and_grads):
        return self._roles(core.OpRole.Optimize, param_and_grads)

    def _lr_schedule_guard(self, is_with_opt=False):
        role = core.OpRole.LRSched | (core.OpRole.Optimize if is_with_opt else 0)
        return self._roles(role, ())

    def _backward_role_guard(self):
        return self._roles(core.OpRole.Backward, self._role[1])

    # ---- copies ----

    def _adopt(self, other):
        """Take over from `other` what the core does not know of its variables."""
        for block, old in zip(self.blocks, other.blocks):
            for name, var in old._known.items():
                if not self._has_var(block.idx, name):
                    continue
                copy = self._add_var(block.idx, name, type(var))
                copy.__dict__.update(var.__dict__)
                block._known[name] = copy
        self.current_block_idx = other.current_block_idx
        for key in ("_is_distributed", "_is_chief", "_parameters_on_pservers", "_endpoints",
                    "_ps_endpoint", "_trainer_id", "_trainers_endpoints",
                    "_distributed_lookup_table",
                    "_fleet_opt", "_pipeline_opt", "_appending_grad_times", "lr_sheduler"):
            setattr(self, key, getattr(other, key))
        return self

    def clone(self, for_test=False):
        """A copy. for_test: without backward and optimizer ops, and with is_test set."""
        copy = self._clone(type(self), bool(for_test))
        copy.__init__()
        copy._adopt(self)
        copy._is_test = bool(for_test)
        if for_test:
            copy.current_block_idx = 0
        else:
            copy._readers = self._readers
        return copy

    def _prune(self, targets):
        return self._prune_with_input([], targets)

    def _prune_with_input(self, feeded_var_names, targets):
        """A copy with only the ops that the targets need."""
        if not isinstance(targets, (list, tuple)):
            targets = [targets]
        copy = self.clone()
        names = []
        for target in targets:
            if isinstance(target, Operator):
                names.extend(target.output_arg_names)
            else:
                names.append(target.name if isinstance(target, Variable) else target)
        copy._prune_to(list(feeded_var_names), names)
        for block in copy.blocks:
            block._known = {n: v for n, v in block._known.items()
                            if copy._has_var(block.idx, n)}
        return copy

    def _inference_optimize(self, prune_read_op=True):
        copy = self.clone()
        if prune_read_op:
            for block in copy.blocks[:1]:
                reads = [i for i, op in enumerate(block.ops)
                         if op.type in ("read", "create_py_reader", "create_double_buffer_reader")]
                for i in reversed(reads):
                    block._remove_op(i)
                for var in list(block.vars.values()):
                    if var.type == VarDesc.VarType.READER:
                        block._remove_var(var.name)
        copy._set_test()
        return copy

    @staticmethod
    def parse_from_string(binary_str):
        program = Program._parse(binary_str)
        program.__init__()
        return program

    def serialize_to_string(self):
        """ProgramDesc bytes, as program.desc.serialize_to_string() of real Paddle."""
        return self._serialize()

    # ---- looking at it ----

    def list_vars(self):
        for block in self.blocks:
            for var in block.vars.values():
                yield var

    def all_parameters(self):
        params = []
        for block in self.blocks:
            params.extend(block.all_parameters())
        return params

    def global_seed(self, seed=0):
        raise RuntimeError("Program.global_seed is of dygraph; set Program.random_seed")

    def to_string(self, throw_on_error=True, with_details=False):
        if not with_details:
            return self._text()
        text = ""
        for block in self.blocks:
            text += "blocks {\n  idx: %d\n  parent_idx: %d" % (block.idx, block.parent_idx)
            for var in block.vars.values():
                lines = var.to_string(throw_on_error, with_details).rstrip().split("\n")
                text += "\n  vars {\n    " + "\n    ".join(lines) + "\n  }"
            for op in block.ops:
                lines = op.to_string(throw_on_error).rstrip().split("\n")
                text += "\n  ops {\n    " + "\n    ".join(lines) + "\n  }"
            text += "\n}\n"
        return text

    def __str__(self):
        return self._text()

    __repr__ = __str__

    def _sync_with_cpp(self):
        pass  # there is one program, in the core


# ---- the default programs ----

_main_program_ = Program()
_startup_program_ = Program()


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
    """Ops built inside are labelled with the device; all of them run on the CPU."""
    if device not in ("cpu", None):
        if device == "gpu":
            raise ValueError("device_guard('gpu'): this build of Regatta has no GPU kernels")
        raise ValueError("The Attr(device) should be 'cpu' or 'gpu', and it can also be empty "
                         "string or None when there is no need to specify device. But received %s"
                         % device)
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
        device_count = int(os.environ.get("CPU_NUM", 1))
    return [core.CPUPlace()] * device_count


def cuda_places(device_ids=None):
    raise RuntimeError("fluid.cuda_places(): this build of Regatta has no GPU kernels; use "
                       "fluid.cpu_places()")


def cuda_pinned_places(device_count=None):
    raise RuntimeError("fluid.cuda_pinned_places(): this build of Regatta has no GPU kernels; use "
                       "fluid.cpu_places()")


def _flag_value(name):
    kind, text = _core.get_flag(name)
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
                              "is a C file, see docs/adding-an-op.md" % lib_filename)


def _current_expected_place():
    return core.CPUPlace()


def _dygraph_tracer():
    return None
