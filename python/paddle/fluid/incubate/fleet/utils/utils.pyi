# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

def load_program(model_filename: Optional[str], is_text: bool = ...) -> Program:
    """The program in a file.

    Args:
        model_filename (str, optional): The file of the program; None: __model__.
        is_text (bool): Whether the program is text. Default: False.

    Returns:
        Program: the program.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddle.fluid.incubate.fleet.utils import utils
        >>> y = fluid.layers.mean(fluid.data("x", [None, 8]))
        >>> utils.save_program(fluid.default_main_program(), "__model__")
        >>> program = utils.load_program("__model__")
        >>> utils.program_type_trans(".", "__model__", is_text=False)
        '__model__.pbtxt'
    """
    ...

def save_program(program: Optional[Program], model_filename: Optional[str] = ..., is_text: bool = ...) -> None:
    """Write a program to a file.

    Args:
        program (Program, optional): The program that is meant; None: the default main program.
        model_filename (str, optional): The file of the program; None: __model__. Default:
            '__model__'.
        is_text (bool): Whether the program is text. Default: False.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddle.fluid.incubate.fleet.utils import utils
        >>> y = fluid.layers.mean(fluid.data("x", [None, 8]))
        >>> utils.save_program(fluid.default_main_program(), "__model__")
        >>> program = utils.load_program("__model__")
        >>> utils.program_type_trans(".", "__model__", is_text=False)
        '__model__.pbtxt'
    """
    ...

def program_type_trans(prog_dir: str, prog_fn: str, is_text: bool) -> str:
    """The program in the other form beside it: NAME.bin or NAME.pbtxt, which is given back.

    Args:
        prog_dir (str): Where the program is.
        prog_fn (str): Its file.
        is_text (bool): Whether the program is text.

    Returns:
        str: the name of the file.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddle.fluid.incubate.fleet.utils import utils
        >>> y = fluid.layers.mean(fluid.data("x", [None, 8]))
        >>> utils.save_program(fluid.default_main_program(), "__model__")
        >>> program = utils.load_program("__model__")
        >>> utils.program_type_trans(".", "__model__", is_text=False)
        '__model__.pbtxt'
    """
    ...

def check_pruned_program_vars(train_prog: Program, pruned_prog: Program) -> bool:
    """Whether the persistable variables of the pruned program are those of the other; what differs is
    written to stderr.

    Args:
        train_prog (Program): The programs.
        pruned_prog (Program): The programs.

    Returns:
        bool: whether.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddle.fluid.incubate.fleet.utils import utils
        >>> program = fluid.default_main_program()
        >>> utils.check_pruned_program_vars(program, program.clone(for_test=True))
        True
    """
    ...

def graphviz(block: Any, output_dir: str = ..., filename: str = ...) -> None:
    """Draw a block as output_dir/filename.dot.

    Args:
        block (Block): A block of a program.
        output_dir (str): A folder for what is written. Default: ''.
        filename (str): The file that is written. Default: 'debug'.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddle.fluid.incubate.fleet.utils import utils
        >>> y = fluid.layers.mean(fluid.data("x", [None, 8]))
        >>> utils.graphviz(fluid.default_main_program().global_block(), output_dir=".", filename="net")
    """
    ...
