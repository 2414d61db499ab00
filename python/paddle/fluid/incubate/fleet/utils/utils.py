"""Saved programs and single variables, read and written by themselves."""
import os
import sys

import numpy as np

__all__ = ["load_program", "save_program", "program_type_trans", "check_pruned_program_vars",
           "graphviz"]


def load_program(model_filename, is_text=False):
    """A Program from a file of ProgramDesc bytes, or of their text."""
    return load_program_text(model_filename) if is_text else load_program_binary(model_filename)


def load_program_binary(model_filename):
    from paddle.fluid import Program
    with open(model_filename, "rb") as f:
        return Program.parse_from_string(f.read())


def load_program_text(model_filename):
    """Needs the package protobuf."""
    from google.protobuf import text_format
    from paddle.fluid import Program
    from paddle.fluid.proto import framework_pb2
    desc = framework_pb2.ProgramDesc()
    with open(model_filename) as f:
        text_format.Merge(f.read(), desc)
    return Program.parse_from_string(desc.SerializeToString())


def save_program(program, model_filename="__model__", is_text=False):
    with open(model_filename, "w" if is_text else "wb") as f:
        f.write(str(program) if is_text else program.desc.serialize_to_string())


def program_type_trans(prog_dir, prog_fn, is_text):
    """The program in the other form beside it: NAME.bin or NAME.pbtxt, which is given back."""
    program = load_program(os.path.join(prog_dir, prog_fn), is_text)
    made = prog_fn + (".bin" if is_text else ".pbtxt")
    save_program(program, os.path.join(prog_dir, made), not is_text)
    return made


def check_pruned_program_vars(train_prog, pruned_prog):
    """Whether the persistable variables of the pruned program are those of the other; what differs
    is written to stderr."""
    from paddle.fluid.core import VarDesc
    from paddle.fluid.io import is_persistable
    same, block = True, train_prog.global_block()
    for var in filter(is_persistable, pruned_prog.list_vars()):
        if var.type in (VarDesc.VarType.FEED_MINIBATCH, VarDesc.VarType.FETCH_LIST):
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
    """The block as FILENAME.dot; `dot -Tpdf` makes a picture of it."""
    from paddle.fluid import debugger
    debugger.draw_block_graphviz(block, path=os.path.join(output_dir, filename + ".dot"))


def append_save_op(block, var, path):
    block.append_op("save", {"X": [var]}, {}, {"file_path": path})


def append_load_op(block, var, path):
    block.append_op("load", {}, {"Out": [var]}, {"file_path": path})


def _with_variable(var_name, shape_list, dtype, append, feed, fetch):
    import paddle.fluid as fluid
    program = fluid.Program()
    with fluid.program_guard(program):
        var = fluid.layers.data(var_name, shape=shape_list, dtype=dtype)
        append(program.global_block(), var)
        return fluid.Executor().run(program, feed=feed, fetch_list=[var] if fetch else [],
                                    scope=fluid.Scope())


def save_var(np_array, var_name, shape_list, dtype, save_path):
    """An array as the file of a variable."""
    _with_variable(var_name, shape_list, dtype,
                   lambda block, var: append_save_op(block, var, save_path), {var_name: np_array},
                   False)


def load_var(var_name, shape_list, dtype, save_path):
    """The file of a variable: a list of one array."""
    return _with_variable(var_name, shape_list, dtype,
                          lambda block, var: append_load_op(block, var, save_path), {}, True)


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
