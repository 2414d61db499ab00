"""Variable, Parameter and Operator: the core's own objects with Fluid's attribute names on top.

Scripts know them as paddle.fluid.framework's; arithmetic on variables is layers/math_op_patch.py's."""
from .. import _core
from . import core
from .core import VarDesc, attr_type, var_type

__all__ = ["Variable", "Parameter", "Operator", "convert_np_dtype_to_dtype_", "dtype_is_floating"]

GRAD_VAR_SUFFIX = "@GRAD"
KNOWN_AS = "paddle.fluid.framework"  # the module that messages name


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
    # numpy has no bfloat16: arrays of its bits are uint16
    "bfloat16": VarDesc.VarType.BF16, "uint16": VarDesc.VarType.BF16,
}


def dtype_is_floating(dtype):
    return convert_np_dtype_to_dtype_(dtype) in (VarDesc.VarType.FP16, VarDesc.VarType.FP32,
                                                 VarDesc.VarType.FP64, VarDesc.VarType.BF16)


class Variable(_core.Var):
    """A variable of a block: made by layers and by Block.create_var()."""
    __module__ = KNOWN_AS
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
        from .desc import VarView
        return VarView(self)

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

    def _repr_html_(self):
        from .notebook import variable_html
        return variable_html(self)

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

    __hash__ = object.__hash__


class Parameter(Variable):
    """A variable that training changes."""
    __module__ = KNOWN_AS
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
    __module__ = KNOWN_AS

    @property
    def block(self):
        return self._program.block(self._block_idx)

    @property
    def desc(self):
        from .desc import OpView
        return OpView(self)

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
