# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def reshape(x: Variable, shape: Union[Sequence[Any], Variable], actual_shape: Optional[Variable] = ..., act: Optional[str] = ..., inplace: bool = ..., name: Optional[str] = ...) -> Variable:
    """Another shape: 0 keeps a size, -1 is what is left over. inplace: x itself.

    Args:
        x (Variable): Any shape. Of int32, int64, float16, float32 or float64.
        shape (list of int or Variable): The new sizes; one may be -1, and 0 keeps that of x.
        actual_shape (Variable, optional): The shape as a tensor, which comes before the list.
            Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        inplace (bool): Whether the result shares the memory of x. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the same elements.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.reshape(x, shape=[-1, 2, 4])
        >>> out.shape
        (-1, 2, 4)
    """
    ...

def squeeze(input: Variable, axes: Sequence[Any], name: Optional[str] = ...) -> Variable:
    """Without the axes of size one.

    Args:
        input (Variable): Any shape. Of int8, int32, int64, float16, float32 or float64.
        axes (list of int): Which; none named: all that are 1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the same elements.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.squeeze(fluid.data("a", [None, 1, 5]), axes=[1])
        >>> out.shape
        (-1, 5)
    """
    ...

def unsqueeze(input: Variable, axes: Sequence[Any], name: Optional[str] = ...) -> Variable:
    """With new axes of size one.

    Args:
        input (Variable): What it is computed from.
        axes (list of int): Where, one after the other.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the same elements.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.unsqueeze(x, axes=[1])
        >>> out.shape
        (-1, 1, 8)
    """
    ...

def flatten(x: Variable, axis: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """A matrix: the axes before `axis` as rows, the others as columns.

    Args:
        x (Variable): Any shape. Of int8, int32, int64, float32 or float64.
        axis (int): The first dimension of the second part. Default: 1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the same elements.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.flatten(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def transpose(x: Variable, perm: Sequence[Any], name: Optional[str] = ...) -> Variable:
    """The axes in another order.

    Args:
        x (Variable): Any shape. Of int32, int64, float16, float32 or float64.
        perm (list of int): Which dimension of x becomes the first, the second, .
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: dimension i is dimension axis[i] of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.transpose(x, perm=[1, 0])
        >>> out.shape
        (8, -1)
    """
    ...

def t(input: Variable, name: Optional[str] = ...) -> Variable:
    """A matrix transposed; a vector as it is.

    Args:
        input (Variable): Any shape. Of int32, int64, float16, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: dimension i is dimension axis[i] of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.t(x)
        >>> out.shape
        (8, -1)
    """
    ...

def split(input: Variable, num_or_sections: Union[int, Variable, Sequence[Any]], dim: Union[int, Variable] = ..., name: Optional[str] = ...) -> Sequence[Any]:
    """Parts along an axis: so many equal ones, or of these sizes.

    Args:
        input (Variable): What it is computed from.
        num_or_sections (int or list of int): How many equal parts, or the sizes of the parts.
        dim (int): The dimension that is cut. Default: -1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        list of Variable: the parts.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.split(x, num_or_sections=2, dim=1)
        >>> [v.shape for v in out]
        [(-1, 4), (-1, 4)]
    """
    ...

def stack(x: Variable, axis: Union[int, Variable] = ...) -> Variable:
    """Tensors of one shape along a new axis; a tensor array as well.

    Args:
        x (Variable): Of one shape.
        axis (int): Where the new dimension goes. Default: 0.

    Returns:
        Variable: a dimension more.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.stack([x, y], axis=1)
        >>> out.shape
        (-1, 2, 8)
    """
    ...

def unstack(x: Variable, axis: Union[int, Variable] = ..., num: Optional[Union[int, Variable]] = ...) -> Sequence[Any]:
    """The parts along an axis, without that axis.

    Args:
        x (Variable): Any shape.
        axis (int): The dimension to take apart. Default: 0.
        num (int): How many slices it has. Default: None.

    Returns:
        list of Variable: the parts.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.unstack(x, axis=0)
        >>> [v.shape for v in out]
        [(8,), (8,), (8,), (8,)]
    """
    ...

def slice(input: Variable, axes: Sequence[Any], starts: Sequence[Any], ends: Sequence[Any]) -> Variable:
    """From starts to ends along some axes; numbers below zero count from the end.

    Args:
        input (Variable): Any shape.
        axes (list of int): The dimensions to cut.
        starts (list of int): The first element of each.
        ends (list of int): The element after the last of each.

    Returns:
        Variable: the part.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.slice(x, axes=[1], starts=[0], ends=[4])
        >>> out.shape
        (-1, 4)
    """
    ...

def strided_slice(input: Variable, axes: Sequence[Any], starts: Sequence[Any], ends: Sequence[Any], strides: Sequence[Any]) -> Variable:
    """Every so manyth from starts to ends along some axes.

    Args:
        input (Variable): Any shape. Of int32, int64, float32 or float64.
        axes (list of int): The dimensions to cut.
        starts (list of int): The first element of each.
        ends (list of int): The element after the last of each.
        strides (list of int): The step of each; may be negative.

    Returns:
        Variable: the part.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.strided_slice(x, axes=[1], starts=[0], ends=[8], strides=[2])
        >>> out.shape
        (-1, 4)
    """
    ...

def crop(x: Variable, shape: Optional[Sequence[Any]] = ..., offsets: Optional[Sequence[Any]] = ..., name: Optional[str] = ...) -> Variable:
    """A part of this shape, or of the shape of this tensor, that begins at offsets.

    Args:
        x (Variable): Any shape. Of float32.
        shape (list of int): Its size; -1: all that is left. Default: None.
        offsets (list of int): Where the window begins. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the window.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.crop(x, shape=[2, 4], offsets=[1, 2])
        >>> out.shape
        (2, 4)
    """
    ...

def crop_tensor(x: Variable, shape: Optional[Sequence[Any]] = ..., offsets: Optional[Sequence[Any]] = ..., name: Optional[str] = ...) -> Variable:
    """A part of this shape that begins at offsets; -1 is all that is left of an axis.

    Args:
        x (Variable): Any shape. Of int32, int64, float32 or float64.
        shape (list of int): Its size; -1: all that is left. Default: None.
        offsets (list of int): Where the window begins. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the window.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.crop_tensor(x, shape=[2, 4], offsets=[1, 2])
        >>> out.shape
        (2, 4)
    """
    ...

def random_crop(x: Variable, shape: Sequence[Any], seed: Optional[Variable] = ...) -> Variable:
    """A part of this shape from a random place in each example.

    Args:
        x (Variable): Examples. Of uint8, int32, float32 or float64.
        shape (list of int): Of a window.
        seed (Variable): One int64; startup_seed until it has a value. Default: None.

    Returns:
        Variable: their windows.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.random_crop(x, shape=[4])
        >>> out.shape
        (4, 4)
    """
    ...

def unfold(x: Variable, kernel_sizes: Sequence[Any], strides: Sequence[Any] = ..., paddings: Sequence[Any] = ..., dilations: Sequence[Any] = ..., name: Optional[str] = ...) -> Variable:
    """The windows of images as columns; paddings: down and across, or up, left, down, right.

    Args:
        x (Variable): [n, channels, height, width]. Of float32 or float64.
        kernel_sizes (list of int): Height and width.
        strides (list of int): Down and across. Default: 1.
        paddings (list of int): Zeros up, left, down, right. Default: 0.
        dilations (list of int): The step between taps. Default: 1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [n, channels * kernel height * kernel width, windows].

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.unfold(image, kernel_sizes=[3, 3])
        >>> out.shape
        (-1, 36, 196)
    """
    ...

def expand(x: Variable, expand_times: Sequence[Any], name: Optional[str] = ...) -> Variable:
    """The tensor so many times along each axis.

    Args:
        x (Variable): Any shape. Of bool, int32, int64, float32 or float64.
        expand_times (list of int): One a dimension.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: dimension d is expand_times[d] times that of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.expand(x, expand_times=[1, 2])
        >>> out.shape
        (-1, 16)
    """
    ...

def expand_as(x: Variable, target_tensor: Variable, name: Optional[str] = ...) -> Variable:
    """The tensor as often as fills the shape of another.

    Args:
        x (Variable): Goes into the target. Of bool, int32, int64, float32 or float64.
        target_tensor (Variable): Of bool, int32, int64, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the target's shape.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.expand_as(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def pad(x: Variable, paddings: Sequence[Any], pad_value: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """With pad_value around it: paddings says how much before and after, axis by axis.

    Args:
        x (Variable): Any shape. Of int32, int64, float16, float32 or float64.
        paddings (list of int): Before and behind, a dimension.
        pad_value (float): What the margin is made of. Default: 0.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: wider by the paddings.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.pad(x, paddings=[0, 0, 1, 1])
        >>> out.shape
        (-1, 10)
    """
    ...

def pad2d(input: Variable, paddings: Sequence[Any] = ..., mode: str = ..., pad_value: Union[float, Variable] = ..., data_format: str = ..., name: Optional[str] = ...) -> Variable:
    """Images with a border: paddings says how much above, below, left and right.

    Args:
        input (Variable): What it is computed from. Of int32, int64, float16, float32 or float64.
        paddings (list of int): Top, bottom, left, right. Default: [0, 0, 0, 0].
        mode (str): Constant, reflect or edge. Default: 'constant'.
        pad_value (float): What a constant margin is made of. Default: 0.0.
        data_format (str): NCHW or NHWC. Default: 'NCHW'.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: higher and wider.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.pad2d(image, paddings=[1, 1, 2, 2])
        >>> out.shape
        (-1, 4, 18, 20)
    """
    ...

def pad_constant_like(x: Variable, y: Variable, pad_value: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """y, with pad_value behind it up to the shape of x.

    Args:
        x (Variable): Gives the shape.
        y (Variable): In no dimension larger than x. Of int32, int64, float32 or float64.
        pad_value (float): What the margin is made of. Default: 0.0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.pad_constant_like(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def shape(input: Variable) -> Variable:
    """The dimensions of a tensor, as int32.

    Args:
        input (Variable): Any shape. Of int32, int64, float32 or float64.

    Returns:
        Variable: numbers.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.shape(x)
        >>> out.shape
        (2,)
    """
    ...

def rank(input: Variable) -> Variable:
    """The number of axes.

    Args:
        input (Variable): A tensor, a sparse gradient or an array.

    Returns:
        Variable: numbers.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.rank(x)
        >>> out.shape
        ()
    """
    ...

def size(input: Variable) -> Variable:
    """The number of elements.

    Args:
        input (Variable): Any shape.

    Returns:
        Variable: numbers.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.size(x)
        >>> out.shape
        (1,)
    """
    ...

def gather(input: Variable, index: Variable, overwrite: bool = ...) -> Variable:
    """The rows that index names.

    Args:
        input (Variable): What it is computed from.
        index (Variable): Int32 or int64.
        overwrite (bool): Gradient: of a row taken twice, the last one stays. Default: True.

    Returns:
        Variable: what was taken.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> index = fluid.data("index", [2], "int64")
        >>> out = fluid.layers.gather(x, index)
        >>> out.shape
        (2, 8)
    """
    ...

def gather_nd(input: Variable, index: Variable, name: Optional[str] = ...) -> Variable:
    """The elements or slices at the coordinates in the last axis of index.

    Args:
        input (Variable): What it is computed from.
        index (Variable): Int32 or int64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: what was taken.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.gather_nd(x, fluid.data("places", [3, 2], "int64"))
        >>> out.shape
        (3,)
    """
    ...

def gather_tree(ids: Variable, parents: Variable) -> Variable:
    """Whole beams, [steps, batch, beam], walked back from their last step.

    Args:
        ids (Variable): What was chosen, [steps, batch, beam].
        parents (Variable): The beam of the step before, likewise.

    Returns:
        Variable: the sequences that end in each beam.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.gather_tree(fluid.data("ids", [5, 2, 2], "int64"),
        ...                                fluid.data("parents", [5, 2, 2], "int64"))
        >>> out.shape
        (5, 2, 2)
    """
    ...

def scatter(input: Variable, index: Variable, updates: Variable, name: Optional[str] = ..., overwrite: bool = ...) -> Variable:
    """The input with updates in the rows that index names; overwrite=False sums those that meet.

    Args:
        input (Variable): What it is computed from.
        index (Variable): The numbers of the rows.
        updates (Variable): A row for each id.
        name (str, optional): The beginning of the names of what is made. Default: None.
        overwrite (bool): False: rows put to one place add up. Default: True.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> index = fluid.data("index", [2], "int64")
        >>> out = fluid.layers.scatter(x, index, fluid.data("updates", [2, 8]))
        >>> out.shape
        (4, 8)
    """
    ...

def scatter_nd(index: Variable, updates: Variable, shape: Sequence[Any], name: Optional[str] = ...) -> Variable:
    """Zeros, and updates added at the coordinates in the last axis of index.

    Args:
        index (Variable): [..., depth], int32 or int64.
        updates (Variable): A slice for each index. Of bool, int32, int64, float16, float32 or
            float64.
        shape (list of int): The shape.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of X.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.scatter_nd(fluid.data("rows", [3, 1], "int64"),
        ...                               fluid.data("updates", [3, 8]), shape=[4, 8])
        >>> out.shape
        (4, 8)
    """
    ...

def scatter_nd_add(ref: Variable, index: Variable, updates: Variable, name: Optional[str] = ...) -> Variable:
    """ref, and updates added at the coordinates in the last axis of index.

    Args:
        ref (Variable): What is added to.
        index (Variable): [..., depth], int32 or int64.
        updates (Variable): A slice for each index.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of X.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.scatter_nd_add(x, fluid.data("rows", [3, 1], "int64"),
        ...                                   fluid.data("updates", [3, 8]))
        >>> out.shape
        (4, 8)
    """
    ...

def index_select(input: Variable, index: Variable, dim: Union[int, Variable] = ...) -> Variable:
    """The slices along an axis that index names.

    Args:
        input (Variable): What it is computed from. Of int32, int64, float32 or float64.
        index (Variable): Int32 or int64. Of int32 or int64.
        dim (int): The dimension; negative: from the end. Default: 0.

    Returns:
        Variable: what was taken.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> index = fluid.data("index", [2], "int64")
        >>> out = fluid.layers.index_select(x, index)
        >>> out.shape
        (2, 8)
    """
    ...

def index_sample(x: Variable, index: Variable) -> Variable:
    """Of each row the elements that the same row of index names.

    Args:
        x (Variable): Any shape. Of int32, int64, float32 or float64.
        index (Variable): Int32 or int64. Of int32 or int64.

    Returns:
        Variable: what was taken.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.index_sample(x, fluid.data("index", [None, 2], "int64"))
        >>> out.shape
        (-1, 2)
    """
    ...

def multiplex(inputs: Sequence[Any], index: Variable) -> Variable:
    """Row by row from the input whose number index says.

    Args:
        inputs (list of Variable): What this step sees. Of int32, int64, float32 or float64.
        index (Variable): Of int32 or int64.

    Returns:
        Variable: the shape of each.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.multiplex([x, x], fluid.data("which", [4, 1], "int32"))
        >>> out.shape
        (4, 8)
    """
    ...

def where(condition: Variable) -> Variable:
    """The coordinates of what is true, a row for each.

    Args:
        condition (Variable): Bool, or numbers that are true but for 0.

    Returns:
        Variable: the shape of X.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.where(x > y)
        >>> out.shape
        (-1, 2)
    """
    ...

def nonzero(input: Variable, as_tuple: bool = ...) -> Variable:
    """The coordinates of what is not zero, a row for each; as_tuple: a column for each axis.

    Args:
        input (Variable): Any shape.
        as_tuple (bool): Whether each dimension's places come as a tensor of their own. Default:
            False.

    Returns:
        Variable: of the shape and dtype asked for.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.nonzero(x)
        >>> out.shape
        (-1, 2)
    """
    ...

def unique(x: Variable, dtype: Union[int, Variable] = ...) -> Sequence[Any]:
    """(each value once, where each element's value stands in them).

    Args:
        x (Variable): One dimension. Of int32, int64, float32 or float64.
        dtype (int): Of Index: int32 or int64. Default: 'int32'.

    Returns:
        tuple of Variable: the different elements, and which one each is.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.unique(fluid.data("a", [6], "int64"))
        >>> [v.shape for v in out]
        [(-1,), (6,)]
    """
    ...

def unique_with_counts(x: Variable, dtype: Union[int, Variable] = ...) -> Sequence[Any]:
    """(each value once, where each element's value stands in them, how often each occurs).

    Args:
        x (Variable): One dimension. Of int32, int64, float32 or float64.
        dtype (int): Of Index: int32 or int64. Default: 'int32'.

    Returns:
        tuple of Variable: the different elements, which one each is, and how often.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.unique_with_counts(fluid.data("a", [6], "int64"))
        >>> [v.shape for v in out]
        [(-1,), (6,), (-1,)]
    """
    ...

def shard_index(input: Variable, index_num: Union[int, Variable], nshards: Union[int, Variable], shard_id: Union[int, Variable], ignore_value: Union[int, Variable] = ...) -> Variable:
    """Indices within one of nshards parts of index_num; ignore_value for those of other parts.

    Args:
        input (Variable): [..., 1], ids below index_num. Of int64.
        index_num (int): How many ids there are.
        nshards (int): How many shards.
        shard_id (int): This shard.
        ignore_value (int): For ids of other shards. Default: -1.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> ids = fluid.data("ids", [None, 1], "int64")
        >>> out = fluid.layers.shard_index(ids, index_num=20, nshards=2, shard_id=0)
        >>> out.shape
        (-1, 1)
    """
    ...

def flip(input: Variable, dims: Sequence[Any], name: Optional[str] = ...) -> Variable:
    """Back to front along some axes.

    Args:
        input (Variable): Any shape. Of bool, int32, int64, float16, float32 or float64.
        dims (list of int): The dimensions.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.flip(x, dims=[1])
        >>> out.shape
        (-1, 8)
    """
    ...

def roll(input: Variable, shifts: Sequence[Any], dims: Optional[Sequence[Any]] = ...) -> Variable:
    """Moved along some axes, what leaves coming in at the other end; without dims the elements move as
    one line.

    Args:
        input (Variable): Any shape. Of int32, int64, float16, float32 or float64.
        shifts (list of int): How far, may be negative.
        dims (list of int): Along which dimension each. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.roll(x, shifts=1, dims=1)
        >>> out.shape
        (-1, 8)
    """
    ...

def meshgrid(input: Variable, name: Optional[str] = ...) -> Sequence[Any]:
    """For each vector, a tensor over all of them that varies along its own axis.

    Args:
        input (Variable): One dimension each. Of int32, int64, float16, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        list of Variable: the parts.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.meshgrid([fluid.data("a", [3]), fluid.data("b", [5])])
        >>> [v.shape for v in out]
        [(3, 5), (3, 5)]
    """
    ...

def diag_embed(input: Variable, offset: Union[int, Variable] = ..., dim1: Union[int, Variable] = ..., dim2: Union[int, Variable] = ...) -> Variable:
    """Matrices with the last axis on a diagonal.

    Args:
        input (Variable): One dimension or more. Of int32, int64, float16, float32 or float64.
        offset (int): How far above the main diagonal. Default: 0.
        dim1 (int): The rows' dimension. Default: -2.
        dim2 (int): The columns' dimension. Default: -1.

    Returns:
        Variable: a dimension more.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.diag_embed(x)
        >>> out.shape
        (-1, 8, 8)
    """
    ...

def cross(input: Variable, other: Union[Variable, Sequence[Any]], dim: Optional[Union[int, Variable]] = ...) -> Variable:
    """The cross product of vectors of three along an axis: the first of that size unless told.

    Args:
        input (Variable): What it is computed from.
        other (Variable or list of Variable): The one it is compared with.
        dim (int): The dimension of 3; 9: the first there is. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.cross(fluid.data("u", [5, 3]), fluid.data("v", [5, 3]))
        >>> out.shape
        (5, 3)
    """
    ...

def merge_selected_rows(x: Variable, name: Optional[str] = ...) -> Variable:
    """Each row once, the values of equal rows summed.

    Args:
        x (Variable): Sparse.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: sparse, each row once.

    Examples:
        >>> import paddle.fluid as fluid
        >>> rows = fluid.default_main_program().global_block().create_var(name="rows",
        ...                                   type=fluid.core.VarDesc.VarType.SELECTED_ROWS,
        ...                                   dtype="float32", shape=[10, 4])
        >>> out = fluid.layers.merge_selected_rows(rows)
        >>> out.shape
        (10, 4)
    """
    ...

def get_tensor_from_selected_rows(x: Variable, name: Optional[str] = ...) -> Variable:
    """The values of the rows, as a tensor.

    Args:
        x (Variable): Sparse.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [rows, ...].

    Examples:
        >>> import paddle.fluid as fluid
        >>> rows = fluid.default_main_program().global_block().create_var(name="rows",
        ...                                   type=fluid.core.VarDesc.VarType.SELECTED_ROWS,
        ...                                   dtype="float32", shape=[10, 4])
        >>> out = fluid.layers.get_tensor_from_selected_rows(rows)
        >>> out.shape
        (10, 4)
    """
    ...
