"""Single ops run on a scope, without a program: Operator("scale", X="x", Out="y", scale=2.0).

Scripts of unit tests use it; a model is built with fluid.layers."""
from .. import _core
from . import core
from .executor import Executor
from .framework import Program

__all__ = []

_FLUID_ROWS = int(core.VarDesc.VarType.SELECTED_ROWS)


def _names(value):
    return [value] if isinstance(value, str) else list(value)


class _Run:
    """An op with the names of its variables."""

    def __init__(self, type, inputs, outputs, attrs):
        self._type, self._inputs, self._outputs, self._attrs = type, inputs, outputs, attrs

    def type(self):
        return self._type

    def inputs(self):
        return self._inputs

    def outputs(self):
        return self._outputs

    def input(self, slot):
        return self._inputs.get(slot, [])

    def output(self, slot):
        return self._outputs.get(slot, [])

    def _declare(self, block, scope, name):
        """The scope's variable in the block, with the shape and type of what it holds."""
        if block.has_var(name):
            return
        holder = scope._find_or_make_var(name)
        kind = holder._kind()
        var = block.create_var(name=name, persistable=True, type=core.var_type(kind))
        if kind == _FLUID_ROWS:
            return
        tensor = holder.get_tensor()
        if tensor._is_initialized():
            var._shape, var._dtype = tensor.shape(), core.var_type(tensor._dtype())
            var.lod_level = len(tensor.lod())

    def run(self, scope, place):
        """Run it on the variables of the scope, where the outputs are made."""
        program = Program()
        block = program.global_block()
        for slots in (self._inputs, self._outputs):
            for names in slots.values():
                for name in names:
                    self._declare(block, scope, name)
        block.append_op(self._type, self._inputs, self._outputs, self._attrs)
        Executor(place).run(program, scope=scope, fetch_list=[])

    def __str__(self):
        return "Op(%s), inputs:%s, outputs:%s." % (self._type, self._inputs, self._outputs)


class OperatorFactory:
    """Makes ops of every type; keywords are slots and attributes."""

    def __call__(self, *args, **kwargs):
        if "type" in kwargs:
            if args:
                raise ValueError("Except the argument \"type\", all of the other arguments should "
                                 "be keyword arguments.")
            args = (kwargs.pop("type"),)
        if len(args) != 1:
            raise ValueError("Operator(type, slot=names, attribute=value): one type, and keywords")
        schema = self._schema(args[0])
        inputs, outputs, attrs = {}, {}, {}
        for key, value in kwargs.items():
            if key in self._of(schema, "inputs"):
                inputs[key] = _names(value)
            elif key in self._of(schema, "outputs"):
                outputs[key] = _names(value)
            elif key in self._of(schema, "attrs"):
                attrs[key] = value
            else:
                raise ValueError("Operator(%r): it has no input, output or attribute %r"
                                 % (args[0], key))
        return _Run(args[0], inputs, outputs, attrs)

    @staticmethod
    def _schema(type):
        if type not in _core.op_types():
            raise ValueError("The operator: %s is not registered: `paddle ops` lists those that "
                             "are" % type)
        return _core.op_schema(type)

    @staticmethod
    def _of(schema, what):
        return [each["name"] for each in schema[what]]

    def types(self):
        return _core.op_types()

    def get_op_input_names(self, type):
        return self._of(self._schema(type), "inputs")

    def get_op_output_names(self, type):
        return self._of(self._schema(type), "outputs")

    def get_op_attr_names(self, type):
        return self._of(self._schema(type), "attrs")


Operator = OperatorFactory()
