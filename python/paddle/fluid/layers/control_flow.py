"""Loops, conditions, arrays and comparisons."""
import contextlib
import functools

from .. import unique_name
from ..core import VarDesc
from ..framework import Variable, convert_np_dtype_to_dtype_, default_main_program
from ..layer_helper import LayerHelper
from .utils import flatten, pack_sequence_as
from .tensor import assign, cast

__all__ = ["While", "Switch", "IfElse", "StaticRNN", "DynamicRNN", "increment", "array_write",
           "create_array", "array_read", "array_length", "less_than", "less_equal",
           "greater_than", "greater_equal", "equal", "not_equal", "is_empty", "cond", "case",
           "switch_case", "while_loop", "reorder_lod_tensor_by_rank"]


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


def _block_op(parent, inner, op_type, inputs, reads, outputs, scopes, attrs):
    """Append to `parent` the op that runs the block `inner`."""
    outer_reads, outer_writes = _reads_and_writes(inner)
    given = {var.name for args in inputs.values() for var in args}
    step_scopes = parent.create_var(name=unique_name.generate("_generated_var"),
                                    type=VarDesc.VarType.STEP_SCOPES)
    inputs = dict(inputs)
    inputs[reads] = [parent._var_recursive(n) for n in outer_reads if n not in given]
    parent.append_op(op_type, inputs,
                     {outputs: [parent._var_recursive(n) for n in outer_writes],
                      scopes: [step_scopes]}, dict(attrs, sub_block=inner))


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
        if self.cond_var.name not in _reads_and_writes(inner)[1]:
            raise ValueError("While: the block does not change the condition %s, so the loop would "
                             "never end; write e.g. fluid.layers.less_than(x, y, cond=cond) in it"
                             % self.cond_var.name)
        _block_op(default_main_program().current_block(), inner, "while",
                  {"Condition": [self.cond_var]}, "X", "Out", "StepScopes",
                  {"is_test": self.is_test})


def while_loop(cond, body, loop_vars, is_test=False, name=None):
    """loop_vars = body(*loop_vars) as long as cond(*loop_vars); what is left of them."""
    if not callable(cond):
        raise TypeError("cond in while_loop should be callable")
    if not callable(body):
        raise TypeError("body in while_loop should be callable")
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError("loop_vars in while_loop should be a list or tuple")
    if not loop_vars:
        raise ValueError("loop_vars in while_loop should not be empty")
    before = cond(*loop_vars)
    if not isinstance(before, Variable) or before.dtype != VarDesc.VarType.BOOL:
        raise TypeError("cond in while_loop should return a boolean variable")
    with While(before, is_test, name).block():
        results = body(*loop_vars)
        if not isinstance(results, (list, tuple)):
            results = [results]
        olds, news = flatten(list(loop_vars)), flatten(list(results))
        if len(olds) != len(news):
            raise ValueError("body in while_loop returns %d variables, and there are %d loop_vars"
                             % (len(news), len(olds)))
        after = cond(*results)
        names = [old.name for old in olds]
        for i, new in enumerate(news):
            if new.name in names[:i]:  # it will be overwritten before its turn
                news[i] = assign(new)
        for old, new in zip(olds, news):
            assign(new, old)
        assign(after, before)
    return loop_vars


# ---- conditions ----

def _logical(op_type, **inputs):
    helper = LayerHelper(op_type)
    out = helper.create_variable_for_type_inference(dtype="bool")
    helper.append_op(op_type, {slot: [var] for slot, var in inputs.items()}, {"Out": [out]})
    return out


class ConditionalBlock:
    """Runs its block if `inputs`, one bool, is true; with is_scalar_condition=False, if none of
    them is empty."""

    def __init__(self, inputs, is_scalar_condition=False, name=None):
        for var in inputs:
            if not isinstance(var, Variable):
                raise TypeError("ConditionalBlock: a condition is %r, and must be a Variable"
                                % (var,))
        self.inputs = list(inputs)
        self.is_scalar_condition = is_scalar_condition
        self.helper = LayerHelper("conditional_block", name=name)

    @contextlib.contextmanager
    def block(self):
        with _sub_block() as inner:
            yield
        _block_op(default_main_program().current_block(), inner, "conditional_block",
                  {"Cond": self.inputs}, "Input", "Out", "Scope",
                  {"is_scalar_condition": self.is_scalar_condition})


class Switch:
    """Runs the first of its cases whose condition is true, else the default:

        with fluid.layers.Switch() as switch:
            with switch.case(fluid.layers.less_than(step, limit)):
                fluid.layers.assign(warm, rate)
            with switch.default():
                fluid.layers.assign(full, rate)
    """

    def __init__(self, name=None):
        self.helper = LayerHelper("switch", name=name)
        self.inside_scope = False
        self.pre_not_conditions = []

    def __enter__(self):
        self.inside_scope = True
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.inside_scope = False
        return False

    def case(self, condition):
        if not self.inside_scope:
            raise ValueError("case should be called inside with")
        if condition.dtype != VarDesc.VarType.BOOL:
            raise TypeError("Switch: the condition of a case is %s, and must be bool"
                            % condition.dtype)
        unlike = _logical("logical_not", X=condition)
        if self.pre_not_conditions:
            before = self.pre_not_conditions[-1]
            unlike = _logical("logical_and", X=before, Y=unlike)
            condition = _logical("logical_and", X=before, Y=condition)
        self.pre_not_conditions.append(unlike)
        return ConditionalBlock([condition], is_scalar_condition=True).block()

    def default(self):
        if not self.pre_not_conditions:
            raise ValueError("there should be at least one condition")
        return ConditionalBlock([self.pre_not_conditions[-1]], is_scalar_condition=True).block()


def _run_branch(pred, fn):
    """What fn returns, its variables as ones of the block around."""
    parent = default_main_program().current_block()
    with ConditionalBlock([pred], is_scalar_condition=True).block():
        result = fn()
        if result is None:
            return None
        outer = []
        for var in flatten(result):
            if var.type == VarDesc.VarType.LOD_TENSOR_ARRAY and parent._find(var.name):
                outer.append(var)
                continue
            made = parent.create_var(dtype=var.dtype, shape=var.shape, type=var.type)
            outer.append(assign(var, made))
        return pack_sequence_as(result, outer)


def select_input(inputs, mask):
    """inputs[mask]"""
    helper = LayerHelper("select_input")
    out = helper.create_variable(dtype=inputs[0].dtype, shape=inputs[0].shape,
                                 type=inputs[0].type)
    helper.append_op("select_input", {"X": inputs, "Mask": mask}, {"Out": out})
    return out


def select_output(input, outputs, mask):
    """outputs[mask] = input"""
    helper = LayerHelper("select_output")
    helper.append_op("select_output", {"X": input, "Mask": mask}, {"Out": outputs})
    return outputs


def cond(pred, true_fn=None, false_fn=None, name=None):
    """What true_fn() returns if pred is true, else what false_fn() returns: None, a Variable, or
    the same structure of Variables. Only the one is run."""
    if not isinstance(pred, Variable) or pred.dtype != VarDesc.VarType.BOOL:
        raise TypeError("cond: pred must be a bool Variable, and is %s"
                        % (pred.dtype if isinstance(pred, Variable) else type(pred)))
    LayerHelper("cond", name=name)
    results = []
    for what, fn in (("true_fn", true_fn), ("false_fn", false_fn)):
        if fn is not None and not callable(fn):
            raise TypeError("The %s in cond must be callable, but received %s"
                            % (what, type(fn).__name__))
        if fn is None:
            results.append(None)
            continue
        taken = pred if what == "true_fn" else _logical("logical_not", X=pred)
        results.append(_run_branch(taken, fn))
    if results[0] is None and results[1] is None:
        return None
    for what, other, result in (("true_fn", "false_fn", results[0]),
                                ("false_fn", "true_fn", results[1])):
        if result is None:
            raise ValueError("Incompatible return values of true_fn and false_fn in cond: %s "
                             "returns None while %s returns non-None" % (what, other))
    yes, no = flatten(results[0]), flatten(results[1])
    if len(yes) != len(no):
        raise ValueError("Incompatible return values of true_fn and false_fn in cond: %d and %d "
                         "variables" % (len(yes), len(no)))
    mask = cast(pred, "int32")
    return pack_sequence_as(results[1], [select_input([f, t], mask) for f, t in zip(no, yes)])


def _check_branch(what, fn):
    if not callable(fn):
        raise TypeError("%s must be callable, and is %s" % (what, type(fn).__name__))


def case(pred_fn_pairs, default=None, name=None):
    """What the function returns whose condition is the first that is true, else default() (None:
    the last function)."""
    if not isinstance(pred_fn_pairs, (list, tuple)) or not pred_fn_pairs:
        raise TypeError("case: pred_fn_pairs must be a list of (condition, function)")
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("case: pred_fn_pairs has %r, which is no (condition, function)"
                            % (pair,))
        _check_branch("case: the function of %s" % getattr(pair[0], "name", pair[0]), pair[1])
    pairs = list(pred_fn_pairs)
    if default is None:
        default = pairs.pop()[1]
    _check_branch("case: default", default)
    result = default
    for pred, fn in reversed(pairs):
        result = functools.partial(cond, pred, fn, result)
    return result()


def switch_case(branch_index, branch_fns, default=None, name=None):
    """What the function returns whose number is branch_index, else default() (None: the one with
    the largest number). branch_fns is {number: function}, [(number, function)] or [function]."""
    dtypes = [VarDesc.VarType.UINT8, VarDesc.VarType.INT32, VarDesc.VarType.INT64]
    if not isinstance(branch_index, Variable) or branch_index.dtype not in dtypes:
        raise TypeError("switch_case: branch_index must be a Variable of uint8, int32 or int64")
    if not isinstance(branch_fns, (list, tuple, dict)) or not branch_fns:
        raise TypeError("switch_case: branch_fns must be a dict, or a list that is not empty")
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    if all(callable(fn) for fn in pairs):
        pairs = enumerate(pairs)
    elif not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise TypeError("switch_case: branch_fns is of functions, or of numbers and functions")
    pairs = sorted(((number, fn) for number, fn in pairs), key=lambda pair: pair[0])
    for k, (number, fn) in enumerate(pairs):
        if not isinstance(number, int):
            raise TypeError("switch_case: the number of a branch is %r" % (number,))
        if k and pairs[k - 1][0] == number:
            raise ValueError("switch_case: two branches have the number %d" % number)
        _check_branch("switch_case: branch %d" % number, fn)
    if default is None:
        default = pairs.pop()[1]
    _check_branch("switch_case: default", default)
    if branch_index.dtype != VarDesc.VarType.INT64:
        branch_index = cast(branch_index, "int64")
    from .tensor import fill_constant
    result = default
    for number, fn in pairs:
        pred = equal(branch_index, fill_constant([1], "int64", number))
        result = functools.partial(cond, pred, fn, result)
    return result()


def increment(x, value=1.0, in_place=True):
    helper = LayerHelper("increment")
    out = x if in_place else helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("increment", {"X": [x]}, {"Out": [out]}, {"step": float(value)})
    return out


# ---- arrays ----

def _new_array(helper, dtype):
    return helper.create_variable(name=helper.name + ".out", dtype=dtype,
                                  type=VarDesc.VarType.LOD_TENSOR_ARRAY)


def create_array(dtype):
    return _new_array(LayerHelper("array"), dtype)


def array_write(x, i, array=None):
    helper = LayerHelper("array_write")
    if array is None:
        array = _new_array(helper, x.dtype)
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


# ---- sequences by falling length ----

def lod_rank_table(x, level=0):
    """The sequences of x by falling length: what loops over them go by."""
    helper = LayerHelper("lod_rank_table")
    table = helper.create_variable(name=unique_name.generate("lod_rank_table"),
                                   type=VarDesc.VarType.LOD_RANK_TABLE)
    helper.append_op("lod_rank_table", {"X": x}, {"Out": table}, {"level": level})
    return table


def max_sequence_len(rank_table):
    helper = LayerHelper("max_seqence_len")
    out = helper.create_variable_for_type_inference(dtype="int64")
    helper.append_op("max_sequence_len", {"RankTable": rank_table}, {"Out": out})
    return out


def lod_tensor_to_array(x, table):
    """Sequences as an array of steps."""
    helper = LayerHelper("lod_tensor_to_array")
    array = helper.create_variable(name=unique_name.generate("lod_tensor_to_array"),
                                   type=VarDesc.VarType.LOD_TENSOR_ARRAY, dtype=x.dtype)
    helper.append_op("lod_tensor_to_array", {"X": x, "RankTable": table}, {"Out": array})
    return array


def array_to_lod_tensor(x, table):
    """An array of steps as sequences."""
    helper = LayerHelper("array_to_lod_tensor")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("array_to_lod_tensor", {"X": x, "RankTable": table}, {"Out": out})
    return out


def shrink_memory(x, i, table):
    """Of rows by falling length, those whose sequence goes on at step i."""
    helper = LayerHelper("shrink_memory")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("shrink_rnn_memory", {"X": [x], "I": [i], "RankTable": [table]},
                     {"Out": [out]})
    return out


def reorder_lod_tensor_by_rank(x, rank_table):
    helper = LayerHelper("reorder_lod_tensor_by_rank")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("reorder_lod_tensor_by_rank", {"X": [x], "RankTable": [rank_table]},
                     {"Out": [out]})
    return out


def split_lod_tensor(input, mask, level=0):
    helper = LayerHelper("split_lod_tensor")
    yes = helper.create_variable_for_type_inference(dtype=input.dtype)
    no = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("split_lod_tensor", {"X": input, "Mask": mask},
                     {"OutTrue": yes, "OutFalse": no}, {"level": level})
    return yes, no


def merge_lod_tensor(in_true, in_false, x, mask, level=0):
    helper = LayerHelper("merge_lod_tensor")
    out = helper.create_variable_for_type_inference(dtype=in_true.dtype)
    helper.append_op("merge_lod_tensor",
                     {"X": x, "Mask": mask, "InTrue": in_true, "InFalse": in_false},
                     {"Out": out}, {"level": level})
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


from .block_layers import DynamicRNN, IfElse, StaticRNN  # noqa: E402,F401 (they use the above)
