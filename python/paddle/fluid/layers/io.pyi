# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def data(name: Optional[str], shape: Sequence[Any], append_batch_size: bool = ..., dtype: str = ..., lod_level: Union[int, Variable] = ..., type: Any = ..., stop_gradient: bool = ...) -> Variable:
    """A variable to be fed; the batch dimension is put in front unless it is there.

    Args:
        name (str, optional): The beginning of the names of what is made.
        shape (list of int): The sizes of the dimensions.
        append_batch_size (bool): Whether a dimension for the batch is put in front. Default: True.
        dtype (str): The type of the elements. Default: 'float32'.
        lod_level (int): Levels of sequences; 0: none. Default: 0.
        type (VarType): What the variable holds. Default: VarType.LOD_TENSOR.
        stop_gradient (bool): Whether no gradient passes it. Default: True.

    Returns:
        Variable: the variable.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.data("pixel", shape=[784])
        >>> out.shape
        (-1, 784)
    """
    ...

def load(out: Optional[Variable], file_path: str, load_as_fp16: Optional[bool] = ...) -> Variable:
    """The variable `out` from a file, each time that the program runs.

    Args:
        out (Variable, optional): Where the result goes; None: a new variable.
        file_path (str): The file.
        load_as_fp16 (bool): Not implemented: must be false. Default: None.

    Returns:
        Variable: the same variable.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.layers.create_tensor(dtype="float32", name="weight")
        >>> fluid.layers.load(x, file_path="model/weight")
    """
    ...

def read_file(reader: Variable) -> Union[Variable, Sequence[Any]]:
    """The variables of a reader: a list, or the one.

    Args:
        reader (Variable): The reader.

    Returns:
        Variable or list of Variable: the parts of a batch.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.layers.py_reader(capacity=4, shapes=[[-1, 2]], dtypes=["float32"])
        >>> x = fluid.layers.read_file(reader)
        >>> x.shape
        (-1, 2)
    """
    ...

def double_buffer(reader: Variable, place: Any = ..., name: Optional[str] = ...) -> Variable:
    """A reader of the same batches, which are made ahead anyway, `capacity` of them.

    Args:
        reader (Variable): The reader.
        place (CPUPlace, optional): Where batches are made ahead. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> reader = fluid.layers.py_reader(capacity=4, shapes=[[-1, 2]], dtypes=["float32"])
        >>> x = fluid.layers.read_file(fluid.layers.double_buffer(reader))
        >>> x.shape
        (-1, 2)
    """
    ...

def py_reader(capacity: Union[int, Variable], shapes: Sequence[Any], dtypes: Sequence[Any], lod_levels: Optional[Sequence[Any]] = ..., name: Optional[str] = ..., use_double_buffer: bool = ...) -> Variable:
    """A reader of new variables; read_file() gives them.

    Args:
        capacity (int): How many batches may wait.
        shapes (list of list of int): The shape of each part of a batch.
        dtypes (list of int): Types of each.
        lod_levels (list of int): Levels of each. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        use_double_buffer (bool): Whether batches are made ahead. Default: True.

    Returns:
        Variable: the reader.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> reader = fluid.layers.py_reader(capacity=4, shapes=[[-1, 2]], dtypes=["float32"])
        >>> x = fluid.layers.read_file(reader)
        >>> reader.decorate_batch_generator(lambda: iter([[numpy.ones((3, 2), "float32")]]))
        >>> reader.start()
        >>> fluid.Executor().run(fetch_list=[fluid.layers.reduce_sum(x)])[0].tolist()
        [6.0]
        >>> reader.reset()
    """
    ...

def create_py_reader_by_data(capacity: Union[int, Variable], feed_list: Sequence[Any], name: Optional[str] = ..., use_double_buffer: bool = ...) -> Variable:
    """A reader of new variables like those of feed_list; read_file() gives them.

    Args:
        capacity (int): How many batches may wait.
        feed_list (list of Variable): The variables that are fed, in the order of a sample's parts.
        name (str, optional): The beginning of the names of what is made. Default: None.
        use_double_buffer (bool): Whether batches are made ahead. Default: True.

    Returns:
        Variable: the reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> reader = fluid.layers.create_py_reader_by_data(capacity=4, feed_list=[x])
        >>> x = fluid.layers.read_file(reader)
        >>> x.shape
        (-1, 2)
    """
    ...
