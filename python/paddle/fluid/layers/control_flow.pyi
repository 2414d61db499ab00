# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

class While:
    """Runs its block as long as `cond`, a bool of one element, is true:

    i = fluid.layers.fill_constant(shape=[1], dtype='int64', value=0)
    n = fluid.layers.fill_constant(shape=[1], dtype='int64', value=10)
    cond = fluid.layers.less_than(x=i, y=n)
    loop = fluid.layers.While(cond=cond)
    with loop.block():
        i = fluid.layers.increment(x=i, value=1, in_place=True)
        fluid.layers.less_than(x=i, y=n, cond=cond)

    Args:
        cond (Variable): A bool; the block sets it anew.
        is_test (bool): No gradient will be asked for. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> i = fluid.layers.fill_constant([1], "int64", 0)
        >>> ten = fluid.layers.fill_constant([1], "int64", 10)
        >>> go_on = fluid.layers.less_than(i, ten)
        >>> loop = fluid.layers.While(go_on)
        >>> with loop.block():
        ...     _ = fluid.layers.increment(i, 3)
        ...     _ = fluid.layers.less_than(i, ten, cond=go_on)
        ...
        >>> fluid.Executor().run(fetch_list=[i])[0].tolist()
        [12]
    """
    def __init__(self, cond: Variable, is_test: bool = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def block(self) -> Any:
        """The ops inside the with block are the loop's."""
        ...

class Switch:
    """Runs the first of its cases whose condition is true, else the default:

    with fluid.layers.Switch() as switch:
        with switch.case(fluid.layers.less_than(step, limit)):
            fluid.layers.assign(warm, rate)
        with switch.default():
            fluid.layers.assign(full, rate)

    Args:
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> step = fluid.layers.fill_constant([1], "float32", 5.0)
        >>> rate = fluid.layers.create_global_var([1], 0.0, "float32", persistable=True)
        >>> with fluid.layers.Switch() as switch:
        ...     with switch.case(step < fluid.layers.fill_constant([1], "float32", 3.0)):
        ...         _ = fluid.layers.assign(fluid.layers.fill_constant([1], "float32", 0.1), rate)
        ...     with switch.default():
        ...         _ = fluid.layers.assign(fluid.layers.fill_constant([1], "float32", 0.25), rate)
        ...
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> exe.run(fetch_list=[rate])[0].tolist()
        [0.25]
    """
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __enter__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __exit__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def case(self, condition: Variable) -> Any:
        """What is done where this is the first condition that is true.

        Args:
            condition (Variable): A bool; the first that is true is the one.

        Returns:
            Variable or list of Variable: what the chosen function, or the last round, gives.
        """
        ...

    def default(self) -> Any:
        """What is done where no condition was true."""
        ...

def increment(x: Variable, value: Union[float, Variable] = ..., in_place: bool = ...) -> Variable:
    """x + step, of one number.

    Args:
        x (Variable): One number. Of int32, int64, float32 or float64.
        value (float): What it is filled with. Default: 1.0.
        in_place (bool): Whether the result takes the place of the input. Default: True.

    Returns:
        Variable: one number.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.increment(fluid.layers.zeros([1], "int64"))
        >>> out.shape
        (1,)
    """
    ...

def array_write(x: Variable, i: Variable, array: Optional[Variable] = ...) -> Variable:
    """Item I of the array Out becomes a copy of x.

    Args:
        x (Variable): A tensor.
        i (Variable): One int64. Of int64.
        array (Variable): The array. Default: None.

    Returns:
        Variable: an array of tensors.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> i = fluid.layers.fill_constant([1], "int64", 0)
        >>> array = fluid.layers.array_write(x, i)
        >>> fluid.layers.array_read(array, i).shape
        (4, 8)
    """
    ...

def create_array(dtype: str) -> Variable:
    """An empty array of tensors, for array_write.

    Args:
        dtype (str): The type of the elements.

    Returns:
        Variable: the array.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.create_array(dtype="float32")
        >>> out.shape
        ()
    """
    ...

def array_read(array: Variable, i: Variable) -> Variable:
    """A copy of item I of the array X.

    Args:
        array (Variable): The array.
        i (Variable): One int64. Of int64.

    Returns:
        Variable: a tensor.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> i = fluid.layers.fill_constant([1], "int64", 0)
        >>> array = fluid.layers.array_write(x, i)
        >>> fluid.layers.array_read(array, i).shape
        (4, 8)
    """
    ...

def array_length(array: Variable) -> Variable:
    """How many items an array has.

    Args:
        array (Variable): The array.

    Returns:
        Variable: numbers.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> array = fluid.layers.array_write(x, fluid.layers.fill_constant([1], "int64", 0))
        >>> fluid.layers.array_length(array).shape
        (1,)
    """
    ...

def less_than(x: Variable, y: Variable, force_cpu: Optional[bool] = ..., cond: Optional[Variable] = ...) -> Variable:
    """x < y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float32 or float64.
        y (Variable): The second; broadcast. Of int32, int64, float32 or float64.
        force_cpu (bool): Always true here. Default: None.
        cond (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.less_than(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def less_equal(x: Variable, y: Variable, cond: Optional[Variable] = ...) -> Variable:
    """x <= y.

    Args:
        x (Variable): The first tensor.
        y (Variable): The second; broadcast.
        cond (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.less_equal(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def greater_than(x: Variable, y: Variable, cond: Optional[Variable] = ...) -> Variable:
    """x > y.

    Args:
        x (Variable): The first tensor.
        y (Variable): The second; broadcast.
        cond (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.greater_than(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def greater_equal(x: Variable, y: Variable, cond: Optional[Variable] = ...) -> Variable:
    """x >= y.

    Args:
        x (Variable): The first tensor.
        y (Variable): The second; broadcast.
        cond (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.greater_equal(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def equal(x: Variable, y: Variable, cond: Optional[Variable] = ...) -> Variable:
    """x == y.

    Args:
        x (Variable): The first tensor. Of int32, int64, float32 or float64.
        y (Variable): The second; broadcast. Of int32, int64, float32 or float64.
        cond (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.equal(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def not_equal(x: Variable, y: Variable, cond: Optional[Variable] = ...) -> Variable:
    """x != y.

    Args:
        x (Variable): The first tensor.
        y (Variable): The second; broadcast.
        cond (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.not_equal(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def is_empty(x: Variable, cond: Optional[Variable] = ...) -> Variable:
    """Whether a tensor has no elements.

    Args:
        x (Variable): A tensor.
        cond (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: a bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.is_empty(x)
        >>> out.shape
        (1,)
    """
    ...

def cond(pred: Variable, true_fn: Optional[Union[Callable[..., Any]]] = ..., false_fn: Optional[Union[Callable[..., Any]]] = ..., name: Optional[str] = ...) -> Union[Variable, Sequence[Any]]:
    """What true_fn() returns if pred is true, else what false_fn() returns: None, a Variable, or the
    same structure of Variables. Only the one is run.

    Args:
        pred (Variable): A bool.
        true_fn (callable, optional): Builds what is done if it is true. Default: None.
        false_fn (callable, optional): Builds what is done if not; gives as many results. Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable or list of Variable: what the chosen function, or the last round, gives.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.layers.fill_constant([1], "float32", 3.0)
        >>> limit = fluid.layers.fill_constant([1], "float32", 2.0)
        >>> out = fluid.layers.cond(limit < x, lambda: x - limit, lambda: x + limit)
        >>> fluid.Executor().run(fetch_list=[out])[0].tolist()
        [1.0]
    """
    ...

def case(pred_fn_pairs: Sequence[Any], default: Optional[Union[Callable[..., Any]]] = ..., name: Optional[str] = ...) -> Union[Variable, Sequence[Any]]:
    """What the function returns whose condition is the first that is true, else default() (None: the
    last function).

    Args:
        pred_fn_pairs (list of tuple): A bool and a function each; the first that is true is the
            one.
        default (callable, optional): What is done if nothing else is; None: the last. Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable or list of Variable: what the chosen function, or the last round, gives.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.layers.fill_constant([1], "float32", 3.0)
        >>> small = x < fluid.layers.fill_constant([1], "float32", 2.0)
        >>> out = fluid.layers.case([(small, lambda: x * 10.0)], default=lambda: x * 100.0)
        >>> fluid.Executor().run(fetch_list=[out])[0].tolist()
        [300.0]
    """
    ...

def switch_case(branch_index: Variable, branch_fns: Union[Dict[Any, Any], Sequence[Any]], default: Optional[Union[Callable[..., Any]]] = ..., name: Optional[str] = ...) -> Union[Variable, Sequence[Any]]:
    """What the function returns whose number is branch_index, else default() (None: the one with the
    largest number). branch_fns is {number: function}, [(number, function)] or [function].

    Args:
        branch_index (Variable): Which function.
        branch_fns (dict or list): Functions by number.
        default (callable, optional): What is done if nothing else is; None: the last. Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable or list of Variable: what the chosen function, or the last round, gives.

    Examples:
        >>> import paddle.fluid as fluid
        >>> which = fluid.layers.fill_constant([1], "int32", 1)
        >>> def constant(value):
        ...     return lambda: fluid.layers.fill_constant([1], "float32", value)
        ...
        >>> out = fluid.layers.switch_case(which, {0: constant(1.0), 1: constant(2.0)},
        ...                                default=constant(3.0))
        >>> fluid.Executor().run(fetch_list=[out])[0].tolist()
        [2.0]
    """
    ...

def while_loop(cond: Union[Callable[..., Any]], body: Union[Callable[..., Any]], loop_vars: Sequence[Any], is_test: bool = ..., name: Optional[str] = ...) -> Union[Variable, Sequence[Any]]:
    """loop_vars = body(*loop_vars) as long as cond(*loop_vars); what is left of them.

    Args:
        cond (callable): Of the loop's variables: whether to go on.
        body (callable): Of the loop's variables: what they become.
        loop_vars (list of Variable): What they are at the start.
        is_test (bool): No gradient will be asked for. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable or list of Variable: what the chosen function, or the last round, gives.

    Examples:
        >>> import paddle.fluid as fluid
        >>> i = fluid.layers.fill_constant([1], "int64", 0)
        >>> ten = fluid.layers.fill_constant([1], "int64", 10)
        >>> out, = fluid.layers.while_loop(lambda i: fluid.layers.less_than(i, ten),
        ...                                lambda i: [fluid.layers.increment(i, 3)], [i])
        >>> fluid.Executor().run(fetch_list=[out])[0].tolist()
        [12]
    """
    ...

def reorder_lod_tensor_by_rank(x: Variable, rank_table: Variable) -> Variable:
    """Sequences, or rows, in the order of a rank table.

    Args:
        x (Variable): Sequences or rows.
        rank_table (Variable): Whose order it gets.

    Returns:
        Variable: as many.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.reorder_lod_tensor_by_rank(words, words)
        >>> out.shape
        (-1, 8)
    """
    ...
