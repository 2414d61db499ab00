"""Classes that build a block of a loop or of a condition: StaticRNN, DynamicRNN, IfElse."""
import contextlib

from .. import unique_name
from ..core import VarDesc
from ..framework import Variable, default_main_program
from ..layer_helper import LayerHelper
from . import control_flow
from .tensor import fill_constant

__all__ = ["StaticRNN", "DynamicRNN", "IfElse"]


def _parent_of_current():
    program = default_main_program()
    return program.block(program.current_block().parent_idx)


def _fill_batch_size_like(block, like, out, value, like_dim, out_dim):
    block.append_op("fill_constant_batch_size_like", {"Input": [like]}, {"Out": [out]},
                    {"value": float(value), "shape": list(out.shape), "dtype": int(out.dtype),
                     "input_dim_idx": like_dim, "output_dim_idx": out_dim})


class StaticRNN:
    """A block run once for each entry of dimension 0 of its step inputs:

        rnn = fluid.layers.StaticRNN()
        with rnn.step():
            word = rnn.step_input(x)                      # x: [time, batch, width]
            before = rnn.memory(shape=[-1, size], batch_ref=word)
            hidden = fluid.layers.fc([word, before], size, act='tanh')
            rnn.update_memory(before, hidden)
            rnn.step_output(hidden)
        out = rnn()                                       # [time, batch, size]
    """
    BEFORE_RNN_BLOCK = 0
    IN_RNN_BLOCK = 1
    AFTER_RNN_BLOCK = 2

    def __init__(self, name=None):
        self.helper = LayerHelper("static_rnn", name=name)
        self.memories = {}  # name of what a step finds -> [initial, found, left]
        self.inputs = []
        self.outputs = []
        self.status = StaticRNN.BEFORE_RNN_BLOCK
        self.seq_len = None

    @contextlib.contextmanager
    def step(self):
        self.status = StaticRNN.IN_RNN_BLOCK
        with control_flow._sub_block() as inner:
            yield
            self._complete_states(inner)
        self.status = StaticRNN.AFTER_RNN_BLOCK
        self._complete_op(inner)

    def _assert_in_rnn_block_(self, method):
        if self.status != StaticRNN.IN_RNN_BLOCK:
            raise ValueError("You must invoke {0} in rnn block".format(method))

    def _parent_block(self):
        return _parent_of_current()

    def step_input(self, x):
        """Entry t of x."""
        self._assert_in_rnn_block_("step_input")
        if not isinstance(x, Variable):
            raise TypeError("step input takes a Variable")
        if self.seq_len is None:
            self.seq_len = x.shape[0]
        elif x.shape[0] != -1 and self.seq_len != x.shape[0]:
            raise ValueError("Static RNN only take fix seq_len input")
        var = self.helper.create_variable(name=x.name, dtype=x.dtype, shape=list(x.shape[1:]),
                                          type=x.type)
        self.inputs.append(var)
        return var

    def memory(self, init=None, shape=None, batch_ref=None, init_value=0.0, init_batch_dim_idx=0,
               ref_batch_dim_idx=1):
        """What the step before left by update_memory(); before the first step `init`, or
        init_value in `shape`, with as many rows as batch_ref."""
        self._assert_in_rnn_block_("memory")
        if init is None:
            if shape is None or batch_ref is None:
                raise ValueError("if init is None, memory at least need shape and batch_ref")
            parent = self._parent_block()
            init = parent.create_var(
                name=unique_name.generate("@".join([self.helper.name, "memory_boot"])),
                shape=list(shape), dtype=batch_ref.dtype)
            _fill_batch_size_like(parent, parent._var_recursive(batch_ref.name), init,
                                  init_value, ref_batch_dim_idx, init_batch_dim_idx)
        found = self.helper.create_variable(
            name=unique_name.generate("@".join([self.helper.name, "mem"])), dtype=init.dtype,
            shape=list(init.shape))
        self.memories[found.name] = [init, found, None]
        return found

    def update_memory(self, mem, var):
        """The next step finds `var` where this one found `mem`."""
        if not isinstance(mem, Variable) or not isinstance(var, Variable):
            raise TypeError("update memory should take variables")
        if mem.name not in self.memories:
            raise ValueError("update_memory: %s is not a memory of this StaticRNN" % mem.name)
        self.memories[mem.name][2] = var

    def _copy(self, var):
        out = self.helper.create_variable_for_type_inference(dtype=var.dtype)
        self.helper.append_op("rnn_memory_helper", {"X": [var]}, {"Out": out},
                              {"dtype": int(var.dtype)})
        return out

    def step_output(self, o):
        """Entry t of an output."""
        self._assert_in_rnn_block_("step_output")
        if not isinstance(o, Variable):
            raise TypeError("step output takes a Variable")
        out = self._copy(o)
        self.outputs.append(self._parent_block().create_var(
            name=out.name, shape=[self.seq_len] + list(out.shape), dtype=out.dtype))

    def output(self, *outputs):
        for o in outputs:
            self.step_output(o)

    def _complete_states(self, inner):
        self.states = []
        for init, found, left in self.memories.values():
            if left is None:
                raise ValueError("memory %s is never updated: call update_memory" % found.name)
            self.states.append(self._copy(left).name)

    def _complete_op(self, inner):
        parent = default_main_program().current_block()
        known = {var.name for var in self.inputs} | set(self.memories)
        reads, _ = control_flow._reads_and_writes(inner)
        scopes = parent.create_var(type=VarDesc.VarType.STEP_SCOPES)
        parent.append_op(
            "recurrent",
            {"inputs": [parent._var_recursive(var.name) for var in self.inputs],
             "initial_states": [init for init, _, _ in self.memories.values()],
             "parameters": [parent._var_recursive(n) for n in reads if n not in known]},
            {"outputs": self.outputs, "step_scopes": [scopes]},
            {"has_states": bool(self.memories), "ex_states": list(self.memories),
             "states": self.states, "sub_block": inner})

    def __call__(self, *args, **kwargs):
        if self.status != StaticRNN.AFTER_RNN_BLOCK:
            raise ValueError("RNN output can only be retrieved after rnn block")
        if not self.outputs:
            raise ValueError("RNN has no output")
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs


class DynamicRNN:
    """A block run for each step of sequences, on all that have one:

        rnn = fluid.layers.DynamicRNN()
        with rnn.block():
            word = rnn.step_input(x)                      # x: sequences
            before = rnn.memory(shape=[size], value=0.0)
            hidden = fluid.layers.fc([word, before], size, act='tanh')
            rnn.update_memory(before, hidden)
            rnn.output(hidden)
        out = rnn()                                       # sequences
    """
    BEFORE_RNN = 0
    IN_RNN = 1
    AFTER_RNN = 2

    def __init__(self, name=None):
        self.helper = LayerHelper("dynamic_rnn", name=name)
        self.status = DynamicRNN.BEFORE_RNN
        self.lod_rank_table = None
        self.max_seq_len = None
        self.step_idx = None
        self.zero_idx = None
        self.mem_dict = {}   # name of what a step finds -> its array
        self.mem_link = []   # (what the step leaves, the array)
        self.output_array = []
        self.outputs = []
        self.cond = self.helper.create_variable_for_type_inference(dtype="bool",
                                                                   stop_gradient=True)
        self.while_op = control_flow.While(self.cond)
        self.input_array = []

    def _parent_block_(self):
        return _parent_of_current()

    def _assert_in_rnn_block_(self, method):
        if self.status != DynamicRNN.IN_RNN:
            raise ValueError("{0} can only be invoked inside rnn block.".format(method))

    def _less_than(self, block):
        block.append_op("less_than", {"X": self.step_idx, "Y": self.max_seq_len},
                        {"Out": self.cond}, {"force_cpu": True})

    def step_input(self, x, level=0):
        """Step t of the sequences of x that have one, the longest first."""
        self._assert_in_rnn_block_("step_input")
        if not isinstance(x, Variable):
            raise TypeError("step_input() can only take a Variable as its input.")
        parent = self._parent_block_()
        if self.lod_rank_table is None:
            self.lod_rank_table = parent.create_var(
                name=unique_name.generate("lod_rank_table"),
                type=VarDesc.VarType.LOD_RANK_TABLE)
            self.lod_rank_table.stop_gradient = True
            parent.append_op("lod_rank_table", {"X": x}, {"Out": self.lod_rank_table},
                             {"level": level})
            self.max_seq_len = parent.create_var(
                name=unique_name.generate("dynamic_rnn_max_seq_len"), dtype="int64")
            self.max_seq_len.stop_gradient = False
            parent.append_op("max_sequence_len", {"RankTable": self.lod_rank_table},
                             {"Out": self.max_seq_len})
            self._less_than(parent)
        array = parent.create_var(name=unique_name.generate("dynamic_rnn_input_array"),
                                  type=VarDesc.VarType.LOD_TENSOR_ARRAY, dtype=x.dtype)
        self.input_array.append((array, x.dtype))
        parent.append_op("lod_tensor_to_array", {"X": x, "RankTable": self.lod_rank_table},
                         {"Out": array})
        return control_flow.array_read(array=array, i=self.step_idx)

    def static_input(self, x):
        """The rows, or sequences, of x that belong to the sequences of this step."""
        self._assert_in_rnn_block_("static_input")
        if not isinstance(x, Variable):
            raise TypeError("static_input() can only take a Variable as its input")
        if self.lod_rank_table is None:
            raise RuntimeError("static_input() must be called after step_input().")
        reordered = self._reorder(x, "dynamic_rnn_static_input_reordered")
        return control_flow.shrink_memory(reordered, self.step_idx, self.lod_rank_table)

    def _reorder(self, x, name):
        parent = self._parent_block_()
        out = parent.create_var(name=unique_name.generate(name), dtype=x.dtype)
        parent.append_op("reorder_lod_tensor_by_rank",
                         {"X": [x], "RankTable": [self.lod_rank_table]}, {"Out": [out]})
        return out

    @contextlib.contextmanager
    def block(self):
        if self.status != DynamicRNN.BEFORE_RNN:
            raise ValueError("rnn.block() can only be invoke once")
        self.step_idx = fill_constant(shape=[1], dtype="int64", value=0, force_cpu=True)
        self.step_idx.stop_gradient = False
        self.status = DynamicRNN.IN_RNN
        with self.while_op.block():
            yield
            if self.lod_rank_table is None:
                raise ValueError("DynamicRNN: the block has no step_input")
            control_flow.increment(x=self.step_idx, value=1.0, in_place=True)
            for new, array in self.mem_link:
                control_flow.array_write(x=new, i=self.step_idx, array=array)
            self._less_than(default_main_program().current_block())
        self.status = DynamicRNN.AFTER_RNN
        for array in self.output_array:
            self.outputs.append(control_flow.array_to_lod_tensor(x=array,
                                                                 table=self.lod_rank_table))

    def __call__(self, *args, **kwargs):
        if self.status != DynamicRNN.AFTER_RNN:
            raise ValueError("Output of the dynamic RNN can only be visited outside the rnn "
                             "block.")
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs

    def _init_zero_idx_(self):
        if self.zero_idx is None:
            parent = self._parent_block_()
            self.zero_idx = parent.create_var(name=unique_name.generate("zero_idx"),
                                              dtype="int64")
            parent.append_op("fill_constant", {}, {"Out": [self.zero_idx]},
                             {"shape": [1], "dtype": int(self.zero_idx.dtype), "value": 0.0,
                              "force_cpu": True})

    def memory(self, init=None, shape=None, value=0.0, need_reorder=False, dtype="float32"):
        """What the step before left by update_memory(); before the first step `init`, or
        `value` in rows of `shape`. need_reorder: init is in the order of the step input's
        sequences."""
        self._assert_in_rnn_block_("memory")
        self._init_zero_idx_()
        if shape is not None and not isinstance(shape, (list, tuple)):
            raise TypeError("memory: shape must be a list or tuple, and is %r" % (shape,))
        parent = self._parent_block_()
        if init is None:
            if not self.input_array:
                raise ValueError("step_input should be invoked before memory(shape=..., "
                                 "value=...)")
            init = self._memory_of_value(parent, shape, value, dtype)
        else:
            if need_reorder:
                if self.lod_rank_table is None:
                    raise ValueError("If set need_reorder to True, make sure step_input be "
                                     "invoked before memory(init=init, need_reordered=True, ...).")
                init = self._reorder(init, "dynamic_rnn_mem_init_reordered")
            elif self.lod_rank_table is None:
                raise ValueError("memory: call step_input first")
        array = parent.create_var(name=unique_name.generate("dynamic_rnn_mem_array"),
                                  type=VarDesc.VarType.LOD_TENSOR_ARRAY, dtype=init.dtype)
        parent.append_op("write_to_array", {"X": init, "I": self.zero_idx}, {"Out": array})
        found = control_flow.array_read(array=array, i=self.step_idx)
        found = control_flow.shrink_memory(x=found, i=self.step_idx, table=self.lod_rank_table)
        self.mem_dict[found.name] = array
        return found

    def _memory_of_value(self, parent, shape, value, dtype):
        init = parent.create_var(name=unique_name.generate("mem_init"),
                                 shape=[-1] + list(shape or []), dtype=dtype)
        array, array_dtype = self.input_array[0]
        first = parent.create_var(name=unique_name.generate("in0"), dtype=array_dtype)
        parent.append_op("read_from_array", {"X": [array], "I": [self.zero_idx]},
                         {"Out": [first]})
        _fill_batch_size_like(parent, first, init, value, 0, 0)
        return init

    def update_memory(self, ex_mem, new_mem):
        """The next step finds new_mem where this one found ex_mem."""
        self._assert_in_rnn_block_("update_memory")
        if not isinstance(ex_mem, Variable) or not isinstance(new_mem, Variable):
            raise TypeError("update_memory takes the memory and what it becomes, as Variables")
        array = self.mem_dict.get(ex_mem.name)
        if array is None:
            raise ValueError("Please invoke memory before update_memory")
        self.mem_link.append((new_mem, array))

    def output(self, *outputs):
        """Step t of the outputs."""
        self._assert_in_rnn_block_("output")
        parent = self._parent_block_()
        for out in outputs:
            array = parent.create_var(
                name=unique_name.generate("_".join([self.helper.name, "output_array", out.name])),
                type=VarDesc.VarType.LOD_TENSOR_ARRAY, dtype=out.dtype)
            control_flow.array_write(x=out, i=self.step_idx, array=array)
            self.output_array.append(array)


class IfElse:
    """Rows for which `cond` is true go through one block, the others through another:

        choice = fluid.layers.IfElse(cond)                # cond: bool, [batch, 1]
        with choice.true_block():
            choice.output(fluid.layers.scale(choice.input(x), 2.0))
        with choice.false_block():
            choice.output(choice.input(x))
        out = choice()[0]
    """
    OUT_IF_ELSE_BLOCKS = 0
    IN_IF_ELSE_TRUE_BLOCKS = 1
    IN_IF_ELSE_FALSE_BLOCKS = 2

    def __init__(self, cond, name=None):
        if not isinstance(cond, Variable) or cond.dtype != VarDesc.VarType.BOOL:
            raise TypeError("IfElse: cond must be a bool Variable")
        self.helper = LayerHelper("ifelse", name=name)
        self.cond = cond
        self.input_table = {}  # name of an input -> (its rows for true, for false)
        self.status = IfElse.OUT_IF_ELSE_BLOCKS
        self.output_table = ([], [])  # of the false and of the true block

    def _parent_block(self):
        return _parent_of_current()

    @contextlib.contextmanager
    def _branch(self, status):
        self.status = status
        with control_flow.ConditionalBlock([self.cond]).block():
            yield
            if not self.output_table[status == IfElse.IN_IF_ELSE_TRUE_BLOCKS]:
                raise ValueError("Must set output inside block")
        self.status = IfElse.OUT_IF_ELSE_BLOCKS

    def true_block(self):
        return self._branch(IfElse.IN_IF_ELSE_TRUE_BLOCKS)

    def false_block(self):
        return self._branch(IfElse.IN_IF_ELSE_FALSE_BLOCKS)

    def input(self, x):
        """The rows of x that this block is for."""
        if self.status == IfElse.OUT_IF_ELSE_BLOCKS:
            raise ValueError("input must in true/false blocks")
        if x.name not in self.input_table:
            parent = self._parent_block()
            parts = [parent.create_var(
                name=unique_name.generate("ifelse_input" + self.helper.name), dtype=x.dtype)
                for _ in range(2)]
            parent.append_op("split_lod_tensor", {"X": x, "Mask": self.cond},
                             {"OutTrue": parts[0], "OutFalse": parts[1]}, {"level": 0})
            self.input_table[x.name] = parts
        return self.input_table[x.name][self.status == IfElse.IN_IF_ELSE_FALSE_BLOCKS]

    def output(self, *outs):
        """Each block gives as many outputs, in the same order."""
        if self.status == IfElse.OUT_IF_ELSE_BLOCKS:
            raise ValueError("output can only be invoked in the sub-block")
        table = self.output_table[self.status == IfElse.IN_IF_ELSE_TRUE_BLOCKS]
        parent = self._parent_block()
        for out in outs:
            made = parent.create_var(
                name=unique_name.generate("_".join([self.helper.name, "output"])),
                dtype=out.dtype)
            table.append(made)
            control_flow.assign(out, made)

    def __call__(self):
        if self.status != IfElse.OUT_IF_ELSE_BLOCKS:
            raise ValueError("IfElse::__call__ must be out of sub-block")
        no, yes = self.output_table
        if not no and not yes:
            raise ValueError("Must invoke true_block/false_block before __call__")
        if not no or not yes:
            return no or yes
        if len(no) != len(yes):
            raise ValueError("The true block gives %d outputs, and the false block %d"
                             % (len(yes), len(no)))
        return [control_flow.merge_lod_tensor(in_true=t, in_false=f, mask=self.cond, x=self.cond)
                for f, t in zip(no, yes)]
