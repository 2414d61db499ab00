"""Programs and single variables in files."""
import os
import sys

import numpy as np

from ..... import _core
from .... import core, debugger
from ....executor import Executor
from ....framework import Program, program_guard
from ....io import is_persistable, read_file

__all__ = ["load_program", "save_program", "program_type_trans", "check_pruned_program_vars",
           "graphviz"]


def load_program_binary(model_filename):
    return Program.parse_from_string(read_file(model_filename))


def load_program_text(model_filename):
    """From what str(program) writes; needs the package protobuf."""
    from ....proto import framework_pb2
    from google.protobuf import text_format
    desc = framework_pb2.ProgramDesc()
    text_format.Merge(read_file(model_filename).decode(), desc)
    return Program.parse_from_string(desc.SerializeToString())


def load_program(model_filename, is_text=False):
    return load_program_text(model_filename) if is_text else load_program_binary(model_filename)


def save_program(program, model_filename="__model__", is_text=False):
    folder, base = os.path.split(model_filename)
    content = str(program).encode() if is_text else program._serialize()
    _core.save_files(folder or ".", lambda: (core.Scope(), [(base, content)]))


def program_type_trans(prog_dir, prog_fn, is_text):
    """The program in the other form beside it: NAME.bin or NAME.pbtxt, which is given back."""
    program = load_program(os.path.join(prog_dir, prog_fn), is_text)
    made = prog_fn + (".bin" if is_text else ".pbtxt")
    save_program(program, os.path.join(prog_dir, made), not is_text)
    return made


def check_pruned_program_vars(train_prog, pruned_prog):
    """Whether the persistable variables of the pruned program are those of the other; what differs
    is written to stderr."""
    same, block = True, train_prog.global_block()
    for var in filter(is_persistable, pruned_prog.list_vars()):
        if var.type in (core.VarDesc.VarType.FEED_MINIBATCH, core.VarDesc.VarType.FETCH_LIST):
            continue
        if not block.has_var(var.name):
            sys.stderr.write("variable %s is not in the train program\n" % var.name)
            continue
        trained = block.var(var.name)
        if var.shape != trained.shape or var.dtype != trained.dtype:
            sys.stderr.write("variable %s is %s %s in the pruned program, and %s %s in the train "
                             "program\n" % (var.name, var.shape, var.dtype, trained.shape,
                                            trained.dtype))
            same = False
    return same


def graphviz(block, output_dir="", filename="debug"):
    """Draw a block as output_dir/filename.dot."""
    debugger.draw_block_graphviz(block, path=os.path.join(output_dir, filename + ".dot"))


def append_save_op(block, var, path):
    block.append_op("save", {"X": [var]}, {}, {"file_path": path})


def append_load_op(block, var, path):
    block.append_op("load", {}, {"Out": [var]}, {"file_path": path})


def save_var(np_array, var_name, shape_list, dtype, save_path):
    """Save an array as the file of a variable. shape_list: its shape, or that of a row."""
    scope, (folder, base) = core.Scope(), os.path.split(save_path)
    shape = list(np_array.shape)
    if list(shape_list) not in (shape, shape[1:]) or np_array.dtype.name != dtype:
        raise ValueError("save_var: the array of %s is %s of %s, and shall be %s of %s"
                         % (var_name, np_array.dtype.name, shape, dtype, list(shape_list)))
    scope.var(var_name).get_tensor().set(np_array, core.CPUPlace())
    _core.save_files(folder or ".", lambda: (scope, [(base, [var_name])]))


def load_var(var_name, shape_list, dtype, save_path):
    """[the array] that the file of a variable holds, in its own shape and type."""
    program = Program()
    with program_guard(program, Program()):
        var = program.global_block().create_var(name=var_name, shape=shape_list, dtype=dtype,
                                                persistable=True)
        append_load_op(program.global_block(), var, save_path)
    return Executor(core.CPUPlace()).run(program, fetch_list=[var], scope=core.Scope())


def reader(batch_size, fn, dim):
    """A file of numbers as arrays [batch_size, dim ...]; what is left of a line is left out."""
    shape = [batch_size] + (list(dim) if isinstance(dim, (list, tuple)) else [dim])
    size = int(np.prod(shape))
    with open(fn) as f:
        lines = [np.array(line.split(), "float64") for line in f]
    return [line[at:at + size].reshape(shape) for line in lines
            for at in range(0, len(line) - size + 1, size)]


def feed_gen(batch_size, feeded_vars_dims, feeded_vars_filelist):
    """reader() of each file."""
    return [reader(batch_size, fn, dim)
            for fn, dim in zip(feeded_vars_filelist, feeded_vars_dims)]
