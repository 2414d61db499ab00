"""Programs and single variables in files."""
import os

from ..... import _core
from .... import core, debugger
from ....executor import Executor
from ....framework import Program, program_guard

__all__ = ["load_program", "save_program", "program_type_trans", "graphviz"]


def _no_text(call, is_text):
    if is_text:
        raise NotImplementedError("%s: a program is read and written in its binary form; "
                                  "str(program) prints it" % call)


def load_program_binary(model_filename):
    folder, base = os.path.split(model_filename)
    text, = _core.load_bytes(folder or ".", [base])
    return Program.parse_from_string(text)


def load_program(model_filename, is_text=False):
    _no_text("load_program", is_text)
    return load_program_binary(model_filename)


def save_program(program, model_filename="__model__", is_text=False):
    _no_text("save_program", is_text)
    folder, base = os.path.split(model_filename)
    _core.save_files(folder or ".", lambda: (core.Scope(), [(base, program._serialize())]))


def program_type_trans(prog_dir, prog_fn, is_text):
    _no_text("program_type_trans", True)


def graphviz(block, output_dir="", filename="debug"):
    """Draw a block as output_dir/filename.dot."""
    debugger.draw_block_graphviz(block, path=os.path.join(output_dir, filename + ".dot"))


def save_var(np_array, var_name, shape_list, dtype, save_path):
    """Save an array as the file of a variable."""
    scope, (folder, base) = core.Scope(), os.path.split(save_path)
    if list(np_array.shape) != list(shape_list) or np_array.dtype.name != dtype:
        raise ValueError("save_var: the array of %s is %s of %s, and shall be %s of %s"
                         % (var_name, np_array.dtype.name, list(np_array.shape), dtype,
                            list(shape_list)))
    scope.var(var_name).get_tensor().set(np_array, core.CPUPlace())
    _core.save_files(folder or ".", lambda: (scope, [(base, [var_name])]))


def load_var(var_name, shape_list, dtype, save_path):
    """[the array] that the file of a variable holds, in its own shape and type."""
    program = Program()
    with program_guard(program, Program()):
        var = program.global_block().create_var(name=var_name, shape=shape_list, dtype=dtype,
                                                persistable=True)
        program.global_block().append_op("load", {}, {"Out": [var]}, {"file_path": save_path})
    return Executor(core.CPUPlace()).run(program, fetch_list=[var], scope=core.Scope())
