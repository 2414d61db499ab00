"""Block and Program: lists of ops and their variables.

Scripts know them as paddle.fluid.framework's. The program itself lives in the C core; what is kept
here is what the core has no use for."""
import contextlib
import os
import sys

from .. import _core
from . import core, notebook, unique_name
from .core import VarDesc
from .variable import KNOWN_AS, Operator, Parameter, Variable, convert_np_dtype_to_dtype_

__all__ = ["Block", "Program"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NOT_USERS = (_PACKAGE, contextlib.__file__)


def _user_line():
    """file:line of the nearest caller outside this package, and of contextlib, which calls what
    the package does at the end of a `with`."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_NOT_USERS):
            return "%s:%d" % (name, frame.f_lineno)
        frame = frame.f_back
    return None


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
    __module__ = KNOWN_AS

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
        from .desc import BlockView
        return BlockView(self)

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

    def _check_same(self, var, shape, dtype, type, lod_level, persistable):
        """A variable that is there is not made another one by a second definition."""
        wanted = [("type", var.type, type), ("lod_level", var.lod_level, lod_level),
                  ("persistable", var.persistable, persistable)]
        if var.type in (VarDesc.VarType.LOD_TENSOR, VarDesc.VarType.SELECTED_ROWS) and var.shape:
            wanted += [("shape", tuple(var.shape), None if shape is None else tuple(shape)),
                       ("data type", var.dtype,
                        None if dtype is None else convert_np_dtype_to_dtype_(dtype))]
        for what, old, new in wanted:
            if new is not None and old != new:
                raise ValueError("Variable %s has been created before. The previous %s is %s; the "
                                 "new %s is %s. They are not matched." % (var.name, what, old, what,
                                                                         new))

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
        known = None if name is None else self._find(name)
        if known is not None:
            self._check_same(known, shape, dtype, type, lod_level, persistable)
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
                         stop_gradient=None, type=None, lod_level=0, **kwargs):
        if shape is None or dtype is None:
            raise ValueError("Parameter shape and dtype are required")
        for dim in shape:
            if dim <= 0:
                raise ValueError("Parameter shape should not be related with batch-size: got %s "
                                 "for %s; give the layer's size above 0, and its input's "
                                 "dimensions but the batch's as numbers" % (list(shape), name))
        block = self.program.global_block()
        param = block._make(Parameter, name, shape, dtype, type, lod_level, True, stop_gradient)
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
        notebook.rerun(self.program)
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
    __module__ = KNOWN_AS
    _seed_of_new = 0  # global_seed()
    _readers = ()  # those that give a batch to each run (DataLoader, not iterable)
    _starts = None  # how many initializers have taken the program's seed; None: not counted yet

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
        if Program._seed_of_new and not self.random_seed:
            self.random_seed = Program._seed_of_new

    # ---- blocks ----

    @property
    def blocks(self):
        known = self._blocks
        while len(known) < self.num_blocks:
            known.append(Block(self, len(known)))
        return known

    @property
    def desc(self):
        from .desc import ProgramView
        return ProgramView(self)

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

    def _next_start(self):
        """The number of the next initializer that takes the program's seed: the same model has
        the same ones, whatever its variables are called."""
        if self._starts is None:
            self._starts = max([op.attr("start_number") for op in self.global_block().ops
                                if op.has_attr("start_number")], default=0)
        self._starts += 1
        return self._starts

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
        copy._readers = self._readers
        if for_test:
            copy.current_block_idx = 0
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
        if copy.num_blocks < len(copy._blocks):
            copy._blocks = copy._blocks[:1]  # the others may have another number now
        for block in copy.blocks:
            block._known = {n: v for n, v in block._known.items()
                            if copy._has_var(block.idx, n)}
        # A reader of nothing that is left, or of what is fed, reads no more.
        copy._readers = tuple(reader for reader in copy._readers if any(
            copy._has_var(0, name) and name not in feeded_var_names for name in reader._names))
        return copy

    def _inference_optimize(self, prune_read_op=True):
        copy = self.clone()
        if prune_read_op:
            copy._readers = ()
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
        from .reader_ops import readers_of
        program = Program._parse(binary_str)
        program.__init__()
        program._readers = readers_of(program)
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
        """The random_seed of this program and of those that are made from now on."""
        Program._seed_of_new = seed
        self.random_seed = seed

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

    def _repr_html_(self):
        return notebook.program_html(self)

    def _sync_with_cpp(self):
        pass  # there is one program, in the core
