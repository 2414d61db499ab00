# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def Print(input: Variable, first_n: Union[int, Variable] = ..., message: Optional[str] = ..., summarize: Union[int, Variable] = ..., print_tensor_name: bool = ..., print_tensor_type: bool = ..., print_tensor_shape: bool = ..., print_tensor_lod: bool = ..., print_phase: str = ...) -> Variable:
    """The input itself, shown on stdout when the program comes to it; print_phase: 'forward',
    'backward' (its gradient) or 'both'.

    Args:
        input (Variable): What is shown.
        first_n (int): So many times only; not above 0: always. Default: -1.
        message (str): Shown before it. Default: None.
        summarize (int): Numbers to show; below 0: all. Default: 20.
        print_tensor_name (bool): Show the name. Default: True.
        print_tensor_type (bool): Show the data type. Default: True.
        print_tensor_shape (bool): Show the shape. Default: True.
        print_tensor_lod (bool): Show the LoD, if any. Default: True.
        print_phase (str): FORWARD, BACKWARD or BOTH. Default: 'both'.

    Returns:
        Variable: the same variable.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.Print(x, message="x is")
        >>> out.shape
        (-1, 8)
    """
    ...

def py_func(func: Union[Callable[..., Any]], x: Variable, out: Union[Variable, Sequence[Any]], backward_func: Optional[Union[Callable[..., Any]]] = ..., skip_vars_in_backward_input: Optional[Sequence[Any]] = ...) -> Variable:
    """Call a Python function of LoDTensors in each step: it returns arrays or LoDTensors for `out`,
    whose shapes must be given. backward_func is called with x, out and the gradients of out, but
    for what skip_vars_in_backward_input names, and returns the gradients of x.

    Args:
        func (callable): Called with the inputs, gives the outputs.
        x (Variable): Its arguments.
        out (Variable or list of Variable): What it sets.
        backward_func (callable, optional): Inputs, outputs and gradients to gradients of the
            inputs. Default: None.
        skip_vars_in_backward_input (list of Variable, optional): What backward_func does not get.
            Default: None.

    Returns:
        Variable: what it returns.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.layers.fill_constant([2], "float32", 3.0)
        >>> out = fluid.default_main_program().current_block().create_var(name="out", dtype="float32",
        ...                                  shape=[2])
        >>> out = fluid.layers.py_func(lambda array: numpy.array(array) * 2, x, out)
        >>> fluid.Executor().run(fetch_list=[out])[0].tolist()
        [6.0, 6.0]
    """
    ...
