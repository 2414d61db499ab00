"""What every layer function is written with: parameters, temporaries, ops."""
import copy

from . import unique_name
from .framework import (Parameter, Variable, default_main_program, default_startup_program,
                        dtype_is_floating)
from .initializer import Constant, Xavier
from .param_attr import ParamAttr, WeightNormParamAttr

__all__ = ["LayerHelper"]


def _suggest(kind, error):
    """The activation that was meant, if this is none, is added to the error."""
    import difflib
    from paddle import _core
    known = _core.op_types()
    near = () if kind in known else difflib.get_close_matches(kind, known, 1)
    if near:
        error.args = ("%s; act is %r, did you mean %r?" % (error, kind, near[0]),)


class LayerHelper:
    def __init__(self, layer_type, **kwargs):
        self.kwargs = kwargs
        self.layer_type = layer_type
        name = kwargs.get("name")
        self._name = unique_name.generate(layer_type) if name is None else name
        kwargs["name"] = self._name  # layers of scripts read it there

    @property
    def name(self):
        return self._name

    @property
    def main_program(self):
        return default_main_program()

    @property
    def startup_program(self):
        return default_startup_program()

    # ---- inputs ----

    def multiple_input(self, input_param_name="input"):
        inputs = self.kwargs.get(input_param_name, [])
        return list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]

    def input(self, input_param_name="input"):
        inputs = self.multiple_input(input_param_name)
        if len(inputs) != 1:
            raise ValueError("%s layer only takes one input" % self.layer_type)
        return inputs[0]

    def input_dtype(self, input_param_name="input"):
        dtype = None
        for var in self.multiple_input(input_param_name):
            if dtype is None:
                dtype = var.dtype
            elif dtype != var.dtype:
                raise ValueError("Data Type mismatch: %s to %s" % (dtype, var.dtype))
        return dtype

    @property
    def param_attr(self):
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self):
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def multiple_param_attr(self, length):
        attr = self.param_attr
        attrs = attr if isinstance(attr, list) else [attr]
        if len(attrs) == 1 and length != 1:
            attrs = [copy.copy(attrs[0]) for _ in range(length)]
        if len(attrs) != length:
            raise ValueError("parameter number mismatch: %d attributes for %d inputs"
                             % (len(attrs), length))
        return attrs

    def iter_inputs_and_params(self, input_param_name="input"):
        inputs = self.multiple_input(input_param_name)
        return zip(inputs, self.multiple_param_attr(len(inputs)))

    # ---- variables ----

    def create_variable_for_type_inference(self, dtype, stop_gradient=False, shape=None):
        block = self.main_program.current_block()
        return block._make(Variable, unique_name.generate(self._name + ".tmp"), shape, dtype, None,
                           None, False, stop_gradient)

    create_tmp_variable = create_variable_for_type_inference

    def create_variable(self, *args, **kwargs):
        return self.main_program.current_block().create_var(*args, **kwargs)

    def create_global_variable(self, persistable=False, *args, **kwargs):
        return self.main_program.global_block().create_var(*args, persistable=persistable, **kwargs)

    def create_or_get_global_variable(self, name, *args, **kwargs):
        """(variable, whether it was made now)"""
        block = self.main_program.global_block()
        if block.has_var(name):
            return block.var(name), False
        return self.create_global_variable(name=name, *args, **kwargs), True

    def set_variable_initializer(self, var, initializer):
        """Give a global variable its start value in the startup program."""
        block = self.startup_program.global_block()
        made = block.create_var(name=var.name, type=var.type, dtype=var.dtype, shape=var.shape,
                                persistable=True)
        initializer(made, block)
        return made

    # ---- parameters ----

    def create_parameter(self, attr, shape, dtype=None, is_bias=False, default_initializer=None,
                         stop_gradient=False, type=None):
        attr = copy.copy(attr)
        if attr is False:
            return None
        if not isinstance(attr, ParamAttr):
            raise TypeError("a parameter's attribute must be a ParamAttr, not %r" % (attr,))
        for dim in shape:
            if not isinstance(dim, int) and not hasattr(dim, "__index__"):
                raise TypeError("a parameter's shape is %s, and must be whole numbers" % (shape,))
        dtype = dtype if dtype is not None else "float32"
        if default_initializer is None and attr.initializer is None:
            if not dtype_is_floating(dtype):
                raise TypeError("a parameter of type %s needs an initializer" % dtype)
            if is_bias:
                attr._set_default_bias_initializer()
            else:
                attr._set_default_param_initializer()
        else:
            attr._set_default_initializer(default_initializer)
        if attr.name is None:
            attr.name = unique_name.generate(".".join([self._name, "b" if is_bias else "w"]))
        if isinstance(attr, WeightNormParamAttr):
            return self._weight_norm(attr, shape, dtype)
        startup = self.startup_program.global_block()
        shared = startup.has_var(attr.name)
        startup_param = startup.create_parameter(shape=shape, dtype=dtype, type=type,
                                                 **attr._to_kwargs())
        if not shared:
            attr.initializer(startup_param, startup)
        block = self.main_program.global_block()
        known = block._find(attr.name)
        if known is not None:
            if tuple(known.shape) != tuple(shape):
                raise ValueError("parameter %s is shared: it has the shape %s, and %s is wanted"
                                 % (attr.name, list(known.shape), list(shape)))
            return known
        return block.create_parameter(shape=shape, dtype=dtype, type=type,
                                      stop_gradient=stop_gradient, **attr._to_kwargs())

    def _weight_norm(self, attr, shape, dtype):
        from .layers import weight_norm
        return weight_norm.create(self, attr, shape, dtype)

    def get_parameter(self, name):
        param = self.main_program.global_block().var(name)
        if not isinstance(param, Parameter):
            raise ValueError("no Parameter name %s found" % name)
        return param

    # ---- ops ----

    def append_op(self, type=None, inputs=None, outputs=None, attrs=None, stop_gradient=False):
        return self.main_program.current_block().append_op(type, inputs, outputs, attrs)

    def append_bias_op(self, input_var, dim_start=1, dim_end=None):
        size = list(input_var.shape[dim_start:dim_end])
        bias_attr = self.bias_attr
        if not bias_attr:
            return input_var
        b = self.create_parameter(attr=bias_attr, shape=size, dtype=input_var.dtype, is_bias=True)
        out = self.create_variable_for_type_inference(dtype=input_var.dtype)
        self.append_op("elementwise_add", {"X": [input_var], "Y": [b]}, {"Out": [out]},
                       {"axis": dim_start})
        return out

    def append_activation(self, input_var):
        act = self.kwargs.get("act")
        if act is None:
            return input_var
        if isinstance(act, str):
            act = {"type": act}
        elif isinstance(act, dict):
            act = dict(act)
        else:
            raise TypeError("act is %r, and must be the name of an activation" % (act,))
        kind = act.pop("type")
        out = self.create_variable_for_type_inference(dtype=input_var.dtype)
        try:
            self.append_op(kind, {"X": [input_var]}, {"Out": [out]}, act)
        except NotImplementedError as error:
            _suggest(kind, error)
            raise
        return out

    def is_instance(self, param_name, cls):
        param = self.kwargs.get(param_name)
        if not isinstance(param, cls):
            raise TypeError("The input {0} parameter of method {1} must be {2}".format(
                param_name, self.layer_type, cls.__name__))

    def to_variable(self, value, name=None):
        raise RuntimeError("to_variable() is of dygraph, which Regatta does not have")
