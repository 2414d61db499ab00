"""Loops, arrays and comparisons."""
import contextlib

from .. import unique_name
from ..core import VarDesc
from ..framework import Variable, default_main_program
from ..layer_helper import LayerHelper

__all__ = ["While", "increment", "array_write", "create_array", "array_read", "array_length",
           "less_than", "less_equal", "greater_than", "greater_equal", "equal", "not_equal",
           "is_empty"]


@contextlib.contextmanager
def _sub_block():
    """Ops go into a new block inside the present one."""
    program = default_main_program()
    block = program._create_block()
    try:
        yield block
    finally:
        program._rollback()


def _reads_and_writes(block):
    """Variables from outside the block that its ops read, and that they write."""
    reads, writes, own = [], [], set()
    for op in block.ops:
        for name in op.input_arg_names:
            if name not in own and not block.has_var(name) and name not in reads:
                reads.append(name)
        for name in op.output_arg_names:
            if block.has_var(name):
                own.add(name)
            elif name not in writes:
                writes.append(name)
        if op.has_attr("sub_block"):
            inner_reads, inner_writes = _reads_and_writes(op._block_attr("sub_block"))
            reads += [n for n in inner_reads if not block.has_var(n) and n not in reads]
            writes += [n for n in inner_writes if not block.has_var(n) and n not in writes]
    return reads, writes


class While:
    """Runs its block as long as `cond`, a bool of one element, is true:

        i = fluid.layers.fill_constant(shape=[1], dtype='int64', value=0)
        n = fluid.layers.fill_constant(shape=[1], dtype='int64', value=10)
        cond = fluid.layers.less_than(x=i, y=n)
        loop = fluid.layers.While(cond=cond)
        with loop.block():
            i = fluid.layers.increment(x=i, value=1, in_place=True)
            fluid.layers.less_than(x=i, y=n, cond=cond)
    """

    def __init__(self, cond, is_test=False, name=None):
        self.helper = LayerHelper("while", name=name)
        if not isinstance(cond, Variable) or cond.dtype != VarDesc.VarType.BOOL:
            raise TypeError("While: cond must be a bool Variable, and is %s"
                            % (cond.dtype if isinstance(cond, Variable) else type(cond)))
        size = 1
        for dim in cond.shape:
            size *= dim
        if size != 1:
            raise TypeError("condition expected shape as [1], but given shape as {0}.".format(
                list(cond.shape)))
        self.cond_var = cond
        self.is_test = is_test

    @contextlib.contextmanager
    def block(self):
        with _sub_block() as inner:
            yield
        parent = default_main_program().current_block()
        reads, writes = _reads_and_writes(inner)
        if self.cond_var.name not in writes:
            raise ValueError("While: the block does not change the condition %s, so the loop would "
                             "never end; write e.g. fluid.layers.less_than(x, y, cond=cond) in it"
                             % self.cond_var.name)
        scopes = parent.create_var(name=unique_name.generate("_generated_var"),
                                   type=VarDesc.VarType.STEP_SCOPES)
        parent.append_op(
            "while",
            {"X": [parent._var_recursive(n) for n in reads if n != self.cond_var.name],
             "Condition": [self.cond_var]},
            {"Out": [parent._var_recursive(n) for n in writes], "StepScopes": [scopes]},
            {"sub_block": inner, "is_test": self.is_test})


def increment(x, value=1.0, in_place=True):
    helper = LayerHelper("increment")
    out = x if in_place else helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("increment", {"X": [x]}, {"Out": [out]}, {"step": float(value)})
    return out


# ---- arrays ----

def create_array(dtype):
    helper = LayerHelper("array")
    return helper.create_variable(name=unique_name.generate(helper.name + ".out"), dtype=dtype,
                                  type=VarDesc.VarType.LOD_TENSOR_ARRAY)


def array_write(x, i, array=None):
    helper = LayerHelper("array_write")
    if array is None:
        array = create_array(x.dtype)
    elif array.type != VarDesc.VarType.LOD_TENSOR_ARRAY:
        raise TypeError("array_write: %s is a %s, and must be an array" % (array.name, array.type))
    helper.append_op("write_to_array", {"X": [x], "I": [i]}, {"Out": [array]})
    return array


def array_read(array, i):
    helper = LayerHelper("array_read")
    if not isinstance(array, Variable) or array.type != VarDesc.VarType.LOD_TENSOR_ARRAY:
        raise TypeError("array should be tensor array vairable")
    out = helper.create_variable_for_type_inference(dtype=array.dtype)
    helper.append_op("read_from_array", {"X": [array], "I": [i]}, {"Out": [out]})
    return out


def array_length(array):
    helper = LayerHelper("array_length")
    out = helper.create_variable_for_type_inference(dtype="int64", stop_gradient=True)
    helper.append_op("lod_array_length", {"X": [array]}, {"Out": [out]})
    return out


# ---- comparisons ----

def _compare(op_type, x, y, cond, force_cpu=None):
    helper = LayerHelper(op_type)
    if cond is None:
        cond = helper.create_variable_for_type_inference(dtype="bool")
        cond.stop_gradient = True
    attrs = {} if force_cpu is None else {"force_cpu": force_cpu}
    helper.append_op(op_type, {"X": [x], "Y": [y]}, {"Out": [cond]}, attrs)
    return cond


def less_than(x, y, force_cpu=None, cond=None):
    return _compare("less_than", x, y, cond, force_cpu)


def less_equal(x, y, cond=None):
    return _compare("less_equal", x, y, cond)


def greater_than(x, y, cond=None):
    return _compare("greater_than", x, y, cond)


def greater_equal(x, y, cond=None):
    return _compare("greater_equal", x, y, cond)


def equal(x, y, cond=None):
    return _compare("equal", x, y, cond)


def not_equal(x, y, cond=None):
    return _compare("not_equal", x, y, cond)


def is_empty(x, cond=None):
    helper = LayerHelper("is_empty")
    if cond is None:
        cond = helper.create_variable_for_type_inference(dtype="bool")
        cond.stop_gradient = True
    helper.append_op("is_empty", {"X": [x]}, {"Out": [cond]})
    return cond
