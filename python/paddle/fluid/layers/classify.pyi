# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def softmax(input: Variable, use_cudnn: bool = ..., name: Optional[str] = ..., axis: Union[int, Variable] = ...) -> Variable:
    """Numbers made into probabilities along one dimension.

    Args:
        input (Variable): Any shape. Of float16, float32 or float64.
        use_cudnn (bool): Taken, and changes nothing. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.
        axis (int): The dimension; negative: from the end. Default: -1.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.softmax(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def log_softmax(input: Variable, axis: Optional[Union[int, Variable]] = ..., dtype: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """The logarithm of the softmax, in another float type if asked.

    Args:
        input (Variable): Any shape. Of float16, float32 or float64.
        axis (int): The dimension; negative: from the end. Default: None.
        dtype (str): The type of the elements. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.log_softmax(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def label_smooth(label: Variable, prior_dist: Optional[Variable] = ..., epsilon: Union[float, Variable] = ..., dtype: str = ..., name: Optional[str] = ...) -> Variable:
    """Labels that are a little less sure.

    Args:
        label (Variable): What is true. Of float32 or float64.
        prior_dist (Variable): What is given; all alike without it. Default: None.
        epsilon (float): How much is given to all classes. Default: 0.1.
        dtype (str): The type of the elements. Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of X.

    Examples:
        >>> import paddle.fluid as fluid
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.label_smooth(fluid.layers.one_hot(label, 8), epsilon=0.1)
        >>> out.shape
        (-1, 8)
    """
    ...

def one_hot(input: Variable, depth: Union[int, Variable], allow_out_of_range: bool = ...) -> Variable:
    """Input is [..., 1]; see fluid.one_hot() for any shape.

    Args:
        input (Variable): What it is computed from. Of int32 or int64.
        depth (int): Classes.
        allow_out_of_range (bool): Zeros for what is no class. Default: False.

    Returns:
        Variable: the variable.

    Examples:
        >>> import paddle.fluid as fluid
        >>> ids = fluid.data("ids", [None, 1], "int64")
        >>> out = fluid.layers.one_hot(ids, depth=10)
        >>> out.shape
        (-1, 10)
    """
    ...

def cos_sim(X: Variable, Y: Variable) -> Variable:
    """The cosine of the angle between rows.

    Args:
        X (Variable): [rows, ...]. Of float32.
        Y (Variable): Like X, or one row for all. Of float32.

    Returns:
        Variable: [rows, 1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.cos_sim(x, y)
        >>> out.shape
        (-1, 1)
    """
    ...

def topk(input: Variable, k: Union[int, Variable], name: Optional[str] = ...) -> Sequence[Any]:
    """(the k largest of each row, where they stood).

    Args:
        input (Variable): What it is computed from.
        k (int): How many.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        tuple of Variable: the values, and where they stood.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.topk(x, k=3)
        >>> [v.shape for v in out]
        [(-1, 3), (-1, 3)]
    """
    ...

def argmax(x: Variable, axis: Union[int, Variable] = ...) -> Variable:
    """Where the largest stands along one dimension.

    Args:
        x (Variable): Any shape. Of uint8, int32, int64, float32 or float64.
        axis (int): The dimension. Default: 0.

    Returns:
        Variable: x without that dimension.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.argmax(x, axis=1)
        >>> out.shape
        (-1,)
    """
    ...

def argmin(x: Variable, axis: Union[int, Variable] = ...) -> Variable:
    """Where the smallest stands along one dimension.

    Args:
        x (Variable): Any shape. Of uint8, int32, int64, float32 or float64.
        axis (int): The dimension. Default: 0.

    Returns:
        Variable: x without that dimension.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.argmin(x, axis=1)
        >>> out.shape
        (-1,)
    """
    ...

def argsort(input: Variable, axis: Union[int, Variable] = ..., descending: bool = ..., name: Optional[str] = ...) -> Sequence[Any]:
    """(sorted, where each stood).

    Args:
        input (Variable): Any shape. Of uint8, int32, int64, float32 or float64.
        axis (int): The dimension; negative: from the end. Default: -1.
        descending (bool): The largest first. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        tuple of Variable: the values, and where they stood.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.argsort(x, axis=1)
        >>> [v.shape for v in out]
        [(-1, 8), (-1, 8)]
    """
    ...

def sampling_id(x: Variable, min: Union[float, Variable] = ..., max: Union[float, Variable] = ..., seed: Union[int, Variable] = ..., dtype: str = ...) -> Variable:
    """An index drawn from each row of probabilities; it is int64 whatever dtype says.

    Args:
        x (Variable): Probabilities, [batch, n].
        min (float): The number drawn is not below this. Default: 0.0.
        max (float): And below this. Default: 1.0.
        seed (int): 0: the program's or the process's. Default: 0.
        dtype (str): The type of the elements. Default: 'float32'.

    Returns:
        Variable: int64, [batch].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.sampling_id(x)
        >>> out.shape
        (-1,)
    """
    ...

def mean_iou(input: Variable, label: Variable, num_classes: Union[int, Variable]) -> Sequence[Any]:
    """(mean intersection over union, wrong per class, correct per class).

    Args:
        input (Variable): What it is computed from. Of int32 or int64.
        label (Variable): What is true. Of int32 or int64.
        num_classes (int): How many classes.

    Returns:
        tuple of Variable: the mean, and wrong and right ones of each class.

    Examples:
        >>> import paddle.fluid as fluid
        >>> ids = fluid.data("ids", [None, 1], "int64")
        >>> out = fluid.layers.mean_iou(ids, fluid.data("label", [None, 1], "int64"), num_classes=3)
        >>> [v.shape for v in out]
        [(1,), (3,), (3,)]
    """
    ...
