"""program.desc, block.desc, op.desc and var.desc: what scripts ask of Fluid's C++ descriptions,
whose attributes are methods. They look at the same program and hold nothing of their own."""
from .core import VarDesc

__all__ = ["BlockView", "OpView", "ProgramView", "VarView"]


def _text(name):
    return name.decode() if isinstance(name, bytes) else name


class VarView:
    """var.desc"""
    VarType = VarDesc.VarType

    def __init__(self, var):
        self._var = var

    def name(self):
        return self._var.name

    def shape(self):
        return list(self._var.shape)

    get_shape = shape

    def dtype(self):
        return self._var.dtype

    def type(self):
        return self._var.type

    def lod_level(self):
        return self._var.lod_level

    def persistable(self):
        return self._var.persistable

    def need_check_feed(self):
        return self._var.need_check_feed

    def set_shape(self, shape):
        self._var._shape = shape

    def set_dtype(self, dtype):
        self._var._dtype = dtype

    def set_type(self, type):
        self._var._kind = type

    def set_lod_level(self, level):
        self._var.lod_level = level

    def set_persistable(self, persistable):
        self._var.persistable = persistable

    def set_need_check_feed(self, check):
        self._var.need_check_feed = check


class OpView:
    """op.desc"""

    def __init__(self, op):
        self._op = op

    def type(self):
        return self._op.type

    def block(self):
        return BlockView(self._op.block)

    def input_names(self):
        return self._op.input_names

    def output_names(self):
        return self._op.output_names

    def input_arg_names(self):
        return self._op.input_arg_names

    def output_arg_names(self):
        return self._op.output_arg_names

    def input(self, slot):
        return self._op.input(_text(slot))

    def output(self, slot):
        return self._op.output(_text(slot))

    def inputs(self):
        return {slot: self._op.input(slot) for slot in self._op.input_names}

    def outputs(self):
        return {slot: self._op.output(slot) for slot in self._op.output_names}

    def attr_names(self):
        return self._op.attr_names

    def has_attr(self, name):
        return self._op.has_attr(_text(name))

    def attr(self, name):
        return self._op.attr(_text(name))

    def attr_type(self, name):
        return self._op.attr_type(_text(name))

    def set_input(self, slot, names):
        self._op._set_slot(_text(slot), [_text(name) for name in names], False)

    def set_output(self, slot, names):
        self._op._set_slot(_text(slot), [_text(name) for name in names], True)

    def infer_shape(self, block):
        self._op._infer()

    def _set_attr(self, name, value):
        self._op._set_attr(_text(name), value)

    def remove_attr(self, name):
        self._op._remove_attr(_text(name))

    def _block_attr_id(self, name):
        return self._op._block_attr_id(_text(name))

    def _rename_input(self, old, new):
        self._op._rename_input(_text(old), _text(new))

    def _rename_output(self, old, new):
        self._op._rename_output(_text(old), _text(new))


class BlockView:
    """block.desc"""

    def __init__(self, block):
        self._block = block

    @property
    def id(self):
        return self._block.idx

    @property
    def parent(self):
        return self._block.parent_idx

    def get_forward_block_idx(self):
        return self._block.forward_block_idx

    def op_size(self):
        return len(self._block.ops)

    def op(self, index):
        return OpView(self._block.ops[index])

    def all_vars(self):
        return [VarView(var) for var in self._block.vars.values()]

    def has_var(self, name):
        return self._block.has_var(_text(name))

    def find_var(self, name):
        var = self._block._find(_text(name))
        return None if var is None else VarView(var)

    def find_var_recursive(self, name):
        var = self._block._find_var_recursive(_text(name))
        return None if var is None else VarView(var)

    def has_var_recursive(self, name):
        return self.find_var_recursive(name) is not None

    def var(self, name):
        """The variable, made if it is not there."""
        return VarView(self._block._find(_text(name)) or self._block.create_var(name=_text(name)))

    def _remove_op(self, start, end):
        self._block.program._remove_ops(self._block.idx, start, end)

    def _remove_var(self, name):
        self._block._remove_var(_text(name))

    def _rename_var(self, old, new):
        self._block._rename_var(_text(old), _text(new))


class ProgramView:
    """program.desc"""

    def __init__(self, program):
        self._program = program

    def serialize_to_string(self):
        return self._program._serialize()

    def num_blocks(self):
        return self._program.num_blocks

    def block(self, index):
        return BlockView(self._program.block(index))

    def flush(self):
        """There is one program, in the core: nothing waits to be written."""

    def _columns(self, type, slot, output):
        ops = [op for op in self._program.global_block().ops if op.type == type]
        ops.sort(key=lambda op: op.attr("col"))
        return [name for op in ops for name in (op.output(slot) if output else op.input(slot))]

    def get_feed_target_names(self):
        return self._columns("feed", "Out", True)

    def get_fetch_target_names(self):
        return self._columns("fetch", "X", False)
