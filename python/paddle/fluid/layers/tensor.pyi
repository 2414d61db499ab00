# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def sum(x: Variable) -> Variable:
    """The sum of several tensors of one shape; one without elements is left out.

    Args:
        x (Variable): Dense, sparse or arrays. Of int32, int64, float32 or float64.

    Returns:
        Variable: their shape.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.sum([x, y])
        >>> out.shape
        (-1, 8)
    """
    ...

def create_tensor(dtype: str, name: Optional[str] = ..., persistable: bool = ...) -> Variable:
    """A variable of the current block, without a value yet.

    Args:
        dtype (str): The type of the elements.
        name (str, optional): The beginning of the names of what is made. Default: None.
        persistable (bool): Whether it lives on between runs. Default: False.

    Returns:
        Variable: what is computed, a variable of the program that is being built.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.create_tensor(dtype="float32")
        >>> out.shape
        ()
    """
    ...

def create_parameter(shape: Sequence[Any], dtype: str, name: Optional[str] = ..., attr: Optional[ParamAttr] = ..., is_bias: bool = ..., default_initializer: Any = ...) -> Variable:
    """A parameter of the program.

    Args:
        shape (list of int): The sizes of the dimensions.
        dtype (str): The type of the elements.
        name (str, optional): The beginning of the names of what is made. Default: None.
        attr (ParamAttr, optional): Its name, start values and learning rate. Default: None.
        is_bias (bool): Whether it starts with 0 unless told. Default: False.
        default_initializer (Initializer, optional): Where it starts if its attributes do not say.
            Default: None.

    Returns:
        Variable: the parameter.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.create_parameter(shape=[8, 4], dtype="float32")
        >>> out.shape
        (8, 4)
    """
    ...

def create_global_var(shape: Sequence[Any], value: Union[float, Variable], dtype: str, persistable: bool = ..., force_cpu: bool = ..., name: Optional[str] = ...) -> Variable:
    """A variable of the global block that starts as one number everywhere.

    Args:
        shape (list of int): The sizes of the dimensions.
        value (float): What it is filled with.
        dtype (str): The type of the elements.
        persistable (bool): Whether it lives on between runs. Default: False.
        force_cpu (bool): Whether it stays on the CPU. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: what is computed, a variable of the program that is being built.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.create_global_var(shape=[1], value=0.0, dtype="float32",
        ...                                      persistable=True)
        >>> out.shape
        (1,)
    """
    ...

def cast(x: Variable, dtype: str) -> Variable:
    """A tensor's numbers as another type.

    Args:
        x (Variable): Any shape. Of bool, uint8, int32, int64, float16, bfloat16, float32 or
            float64.
        dtype (str): The type of the elements.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.cast(x, dtype="int64")
        >>> out.shape
        (-1, 8)
    """
    ...

def tensor_array_to_tensor(input: Variable, axis: Union[int, Variable] = ..., name: Optional[str] = ..., use_stack: bool = ...) -> Sequence[Any]:
    """(the tensors of an array as one, how much each takes of the axis).

    Args:
        input (Variable): An array of tensors.
        axis (int): Along which the items are joined. Default: 1.
        name (str, optional): The beginning of the names of what is made. Default: None.
        use_stack (bool): Along a new dimension. Default: False.

    Returns:
        tuple of Variable: the tensor, and the size of each part.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> array = fluid.layers.array_write(x, fluid.layers.fill_constant([1], "int64", 0))
        >>> out, sizes = fluid.layers.tensor_array_to_tensor(array, axis=1)
    """
    ...

def concat(input: Variable, axis: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Tensors side by side along an axis; a tensor array as well.

    Args:
        input (Variable): What it is computed from. Of int32, int64, float16, float32 or float64.
        axis (int): The dimension; negative: from the end. Default: 0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: one behind the other.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.concat([x, y], axis=1)
        >>> out.shape
        (-1, 16)
    """
    ...

def sums(input: Variable, out: Optional[Variable] = ...) -> Variable:
    """The sum of tensors of one shape.

    Args:
        input (Variable): Dense, sparse or arrays. Of int32, int64, float32 or float64.
        out (Variable, optional): Where the result goes; None: a new variable. Of int32, int64,
            float32 or float64. Default: None.

    Returns:
        Variable: their shape.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.sums([x, y])
        >>> out.shape
        (-1, 8)
    """
    ...

def assign(input: Variable, output: Optional[Variable] = ...) -> Variable:
    """A copy of a tensor, or an array of numpy as a tensor.

    Args:
        input (Variable): A tensor, a sparse gradient or an array. Of bool, int32, int64, float16,
            bfloat16, float32 or float64.
        output (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: the copy.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.assign(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def fill_constant_batch_size_like(input: Variable, shape: Sequence[Any], dtype: Union[int, Variable], value: Union[float, Variable], input_dim_idx: Union[int, Variable] = ..., output_dim_idx: Union[int, Variable] = ..., force_cpu: bool = ...) -> Variable:
    """A tensor of one number; one of its sizes is one of input's.

    Args:
        input (Variable): Gives the batch size.
        shape (list of int): The shape, but for the batch.
        dtype (int): The data type's number.
        value (float): The number.
        input_dim_idx (int): The batch dimension of input. Default: 0.
        output_dim_idx (int): The batch dimension of Out. Default: 0.
        force_cpu (bool): Always true here. Default: False.

    Returns:
        Variable: what is computed, a variable of the program that is being built.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.fill_constant_batch_size_like(x, shape=[-1, 3], dtype="float32",
        ...                                                  value=0.0)
        >>> out.shape
        (-1, 3)
    """
    ...

def fill_constant(shape: Sequence[Any], dtype: Union[int, Variable], value: Union[float, Variable], force_cpu: bool = ..., out: Optional[Variable] = ...) -> Variable:
    """A tensor of one number; the shape may hold or be Variables.

    Args:
        shape (list of int): The shape.
        dtype (int): The data type's number.
        value (float): The number.
        force_cpu (bool): Always true here. Default: False.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.fill_constant(shape=[2, 3], dtype="float32", value=1.5)
        >>> out.shape
        (2, 3)
    """
    ...

def zeros(shape: Sequence[Any], dtype: Union[int, Variable], force_cpu: bool = ...) -> Variable:
    """A tensor of zeros.

    Args:
        shape (list of int): The shape.
        dtype (int): The data type's number.
        force_cpu (bool): Always true here. Default: False.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.zeros(shape=[2, 3], dtype="float32")
        >>> out.shape
        (2, 3)
    """
    ...

def ones(shape: Sequence[Any], dtype: Union[int, Variable], force_cpu: bool = ...) -> Variable:
    """A tensor of ones.

    Args:
        shape (list of int): The shape.
        dtype (int): The data type's number.
        force_cpu (bool): Always true here. Default: False.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.ones(shape=[2, 3], dtype="float32")
        >>> out.shape
        (2, 3)
    """
    ...

def zeros_like(x: Variable, out: Optional[Variable] = ...) -> Variable:
    """Zeros of the shape of x.

    Args:
        x (Variable): What it is computed from. Of bool, int32, int64, float32 or float64.
        out (Variable, optional): Where the result goes; None: a new variable. Of bool, int32,
            int64, float32 or float64. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.zeros_like(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def ones_like(x: Variable, out: Optional[Variable] = ...) -> Variable:
    """Ones of the shape of x.

    Args:
        x (Variable): What it is computed from. Of bool, int32, int64, float32 or float64.
        out (Variable, optional): Where the result goes; None: a new variable. Of bool, int32,
            int64, float32 or float64. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.ones_like(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def full(shape: Sequence[Any], fill_value: Union[float, Variable], out: Optional[Variable] = ..., dtype: Optional[Union[int, Variable]] = ..., device: Optional[str] = ..., stop_gradient: bool = ..., name: Optional[str] = ...) -> Variable:
    """A tensor of one number, of float32 unless told. No gradient comes from a constant, so
    stop_gradient changes nothing.

    Args:
        shape (list of int): The shape.
        fill_value (float): What it is filled with.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        dtype (int): The data type's number. Default: None.
        device (str, optional): Where the op runs; None: where the program does. Default: None.
        stop_gradient (bool): Whether no gradient passes it. Default: True.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.full(shape=[2, 3], fill_value=1.5)
        >>> out.shape
        (2, 3)
    """
    ...

def full_like(input: Variable, fill_value: Union[float, Variable], out: Optional[Variable] = ..., dtype: Optional[Union[int, Variable]] = ..., device: Optional[str] = ..., stop_gradient: bool = ..., name: Optional[str] = ...) -> Variable:
    """A tensor of one number in the shape of another.

    Args:
        input (Variable): What it is computed from.
        fill_value (float): What it is filled with.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        dtype (int): -1: that of input. Default: None.
        device (str, optional): Where the op runs; None: where the program does. Default: None.
        stop_gradient (bool): Whether no gradient passes it. Default: True.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.full_like(x, fill_value=3.0)
        >>> out.shape
        (-1, 8)
    """
    ...

def range(start: Variable, end: Variable, step: Variable, dtype: Union[int, Variable]) -> Variable:
    """start, start + step, ... up to end, without it.

    Args:
        start (Variable): The first number.
        end (Variable): Not reached.
        step (Variable): From each to the next.
        dtype (int): The data type's number.

    Returns:
        Variable: one dimension.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.range(0, 10, 2, "int64")
        >>> out.shape
        (-1,)
    """
    ...

def arange(start: Variable, end: Variable, step: Variable = ..., dtype: Optional[Union[int, Variable]] = ..., name: Optional[str] = ...) -> Variable:
    """Numbers from start to end, by steps.

    Args:
        start (Variable): The first number.
        end (Variable): Not reached.
        step (Variable): From each to the next. Default: 1.
        dtype (int): The data type's number. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of X.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.arange(0, 10, 2)
        >>> out.shape
        (-1,)
    """
    ...

def linspace(start: Variable, stop: Variable, num: Variable, dtype: Union[int, Variable]) -> Variable:
    """num numbers in equal steps from start to stop, both among them.

    Args:
        start (Variable): The first number.
        stop (Variable): The last number.
        num (Variable): How many.
        dtype (int): The data type's number.

    Returns:
        Variable: [Num].

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.linspace(0.0, 1.0, 5, "float32")
        >>> out.shape
        (-1,)
    """
    ...

def diag(diagonal: Variable) -> Variable:
    """A square matrix with these numbers on its diagonal.

    Args:
        diagonal (Variable): One dimension.

    Returns:
        Variable: a square.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.diag(fluid.data("a", [3]))
        >>> out.shape
        (3, 3)
    """
    ...

def eye(num_rows: Union[int, Variable], num_columns: Optional[Union[int, Variable]] = ..., batch_shape: Optional[Sequence[Any]] = ..., dtype: Union[int, Variable] = ...) -> Variable:
    """Ones on the diagonal; batch_shape: as many times.

    Args:
        num_rows (int): Rows.
        num_columns (int): Columns; -1: as many as rows. Default: None.
        batch_shape (list of int, optional): Further dimensions in front. Default: None.
        dtype (int): The data type's number. Default: 'float32'.

    Returns:
        Variable: [num_rows, num_columns].

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.eye(3)
        >>> out.shape
        (3, 3)
    """
    ...

def tril(input: Variable, diagonal: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """What stands on and below a diagonal.

    Args:
        input (Variable): Two dimensions or more. Of int32, int64, float32 or float64.
        diagonal (int): How far above the main diagonal. Default: 0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.tril(x)
        >>> out.shape
        (4, 8)
    """
    ...

def triu(input: Variable, diagonal: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """What stands on and above a diagonal.

    Args:
        input (Variable): Two dimensions or more. Of int32, int64, float32 or float64.
        diagonal (int): How far above the main diagonal. Default: 0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.triu(x)
        >>> out.shape
        (4, 8)
    """
    ...

def trace(input: Variable, offset: Union[int, Variable] = ..., dim1: Union[int, Variable] = ..., dim2: Union[int, Variable] = ..., out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """The sum of a diagonal.

    Args:
        input (Variable): Two dimensions or more. Of int32, int64, float16, float32 or float64.
        offset (int): How far above the main diagonal. Default: 0.
        dim1 (int): The rows' dimension. Default: 0.
        dim2 (int): The columns' dimension. Default: 1.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: two dimensions less.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.trace(x)
        >>> out.shape
        (1,)
    """
    ...

def kron(x: Variable, y: Variable, out: Optional[Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Each element of x times the whole of y.

    Args:
        x (Variable): Any shape. Of int32, int64, float16, float32 or float64.
        y (Variable): Any shape. Of int32, int64, float16, float32 or float64.
        out (Variable, optional): Where the result goes; None: a new variable. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: dimensions of x times those of y.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> y = fluid.data("y", [8, 3])
        >>> out = fluid.layers.kron(x, y)
        >>> out.shape
        (32, 24)
    """
    ...

def reverse(x: Variable, axis: Sequence[Any]) -> Variable:
    """Elements along dimensions, last to first.

    Args:
        x (Variable): Any shape. Of uint8, int32, int64, float32 or float64.
        axis (list of int): The dimensions.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.reverse(x, axis=1)
        >>> out.shape
        (-1, 8)
    """
    ...

def has_inf(x: Variable) -> Variable:
    """Whether any element is infinite.

    Args:
        x (Variable): Any shape; may be sparse.

    Returns:
        Variable: a bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.has_inf(x)
        >>> out.shape
        (1,)
    """
    ...

def has_nan(x: Variable) -> Variable:
    """Whether any element is not a number.

    Args:
        x (Variable): Any shape; may be sparse.

    Returns:
        Variable: a bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.has_nan(x)
        >>> out.shape
        (1,)
    """
    ...

def isfinite(x: Variable) -> Variable:
    """Whether all elements are finite numbers.

    Args:
        x (Variable): Any shape; may be sparse. Of int32, int64, float32 or float64.

    Returns:
        Variable: a bool.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.isfinite(x)
        >>> out.shape
        (1,)
    """
    ...
