# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def sequence_conv(input: Variable, num_filters: Union[int, Variable], filter_size: Union[int, Variable, Sequence[Any]] = ..., filter_stride: Union[int, Variable] = ..., padding: Union[int, Variable, str, Sequence[Any]] = ..., padding_start: Optional[Union[int, Variable]] = ..., bias_attr: Any = ..., param_attr: Any = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """A convolution along sequences, with zeros around them; the window begins padding_start from its
    row (None: -filter_size // 2). `padding` has no meaning: it never had one.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        num_filters (int): How many filters, and so channels of the result.
        filter_size (int or list of int): The size of a filter. Default: 3.
        filter_stride (int): 1. Default: 1.
        padding (int, str or list of int): Zeros around the image; or "SAME" or "VALID". Default:
            True.
        padding_start (int, optional): Where the first row of the window is; None: half of it
            before. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [total, filters].

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_conv(words, num_filters=16, filter_size=3)
        >>> out.shape
        (-1, 16)
    """
    ...

def sequence_softmax(input: Variable, use_cudnn: bool = ..., name: Optional[str] = ...) -> Variable:
    """A softmax over each sequence of numbers.

    Args:
        input (Variable): Sequences, [total, 1]. Of float32 or float64.
        use_cudnn (bool): Taken, and changes nothing. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [total, 1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_softmax(fluid.layers.fc(words, 1))
        >>> out.shape
        (-1, 1)
    """
    ...

def sequence_pool(input: Variable, pool_type: str, is_test: bool = ..., pad_value: Union[float, Variable] = ...) -> Variable:
    """One row for each sequence: its sum, average, sqrt (sum / sqrt(n)), max, first or last.

    Args:
        input (Variable): Sequences, [total, ...]. Of float32 or float64.
        pool_type (str): What a window gives: "max" or "avg".
        is_test (bool): No gradient will be asked for. Default: False.
        pad_value (float): What an empty sequence gives. Default: 0.0.

    Returns:
        Variable: [sequences, ...].

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_pool(words, pool_type="average")
        >>> out.shape
        (-1, 8)
    """
    ...

def sequence_concat(input: Variable, name: Optional[str] = ...) -> Variable:
    """Sequences joined end to end.

    Args:
        input (Variable): Sequences, as many in each. Of int64, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: as many sequences.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_concat([words, words])
        >>> out.shape
        (-1, 8)
    """
    ...

def sequence_first_step(input: Variable) -> Variable:
    """The first row of each sequence.

    Args:
        input (Variable): Sequences, [total, ...]. Of float32 or float64.

    Returns:
        Variable: [sequences, ...].

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_first_step(words)
        >>> out.shape
        (-1, 8)
    """
    ...

def sequence_last_step(input: Variable) -> Variable:
    """The last row of each sequence.

    Args:
        input (Variable): Sequences, [total, ...]. Of float32 or float64.

    Returns:
        Variable: [sequences, ...].

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_last_step(words)
        >>> out.shape
        (-1, 8)
    """
    ...

def sequence_slice(input: Variable, offset: Variable, length: Variable, name: Optional[str] = ...) -> Variable:
    """A part of each sequence.

    Args:
        input (Variable): What it is computed from. Of int32, int64, float32 or float64.
        offset (Variable): [sequences, 1]. Of int32 or int64.
        length (Variable): [sequences, 1]. Of int32 or int64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: as many sequences.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> lengths = fluid.data("lengths", [None, 1], "int64")
        >>> out = fluid.layers.sequence_slice(words, offset=fluid.data("offset", [None, 1], "int64"),
        ...                                   length=lengths)
        >>> out.shape
        (-1, 8)
    """
    ...

def sequence_expand(x: Variable, y: Variable, ref_level: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Sequences of x repeated as often as those of y are long.

    Args:
        x (Variable): Sequences or rows. Of int32, int64, float32 or float64.
        y (Variable): Sequences.
        ref_level (int): The level of y's LoD; -1: the last. Default: -1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: each copy a sequence, if x has sequences.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_expand(fluid.data("x", [None, 4]), words)
        >>> out.shape
        (-1, 4)
    """
    ...

def sequence_expand_as(x: Variable, y: Variable, name: Optional[str] = ...) -> Variable:
    """Rows of x repeated as often as the sequences of y are long.

    Args:
        x (Variable): A row for each sequence of y. Of int32, int64, float32 or float64.
        y (Variable): Sequences.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: sequences as long as y's.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_expand_as(fluid.data("x", [None, 4]), words)
        >>> out.shape
        (-1, 4)
    """
    ...

def sequence_pad(x: Variable, pad_value: Variable, maxlen: Optional[Union[int, Variable]] = ..., name: Optional[str] = ...) -> Sequence[Any]:
    """(sequences as rows of equal length, their lengths).

    Args:
        x (Variable): Sequences, [total, ...]. Of int32, int64, float32 or float64.
        pad_value (Variable): One number, or one entry of x. Of int32, int64, float32 or float64.
        maxlen (int, optional): The length of all; None: that of the longest. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        tuple of Variable: the padded sequences, and their lengths.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_pad(words, pad_value=fluid.layers.zeros([1], "float32"))
        >>> [v.shape for v in out]
        [(-1, 1, 8), (-1,)]
    """
    ...

def sequence_unpad(x: Variable, length: Variable, name: Optional[str] = ...) -> Variable:
    """Rows of equal length as sequences of given lengths.

    Args:
        x (Variable): [sequences, length, ...]. Of int32, int64, float32 or float64.
        length (Variable): [sequences]. Of int64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: sequences, [total, ...].

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.sequence_unpad(fluid.data("padded", [4, 6, 8]),
        ...                                   fluid.data("length", [4], "int64"))
        >>> out.shape
        (-1, 8)
    """
    ...

def sequence_reshape(input: Variable, new_dim: Union[int, Variable]) -> Variable:
    """Sequences with their numbers in rows of another width.

    Args:
        input (Variable): Sequences, [total, width]. Of int32, int64, float32 or float64.
        new_dim (int): The width of a row.

    Returns:
        Variable: [..., new_dim].

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_reshape(words, new_dim=4)
        >>> out.shape
        (-1, 4)
    """
    ...

def sequence_scatter(input: Variable, index: Variable, updates: Variable, name: Optional[str] = ...) -> Variable:
    """Numbers added at places of rows.

    Args:
        input (Variable): What it is computed from. Of int32, int64, float32 or float64.
        index (Variable): Of int32 or int64.
        updates (Variable): What is added at each. Of int32, int64, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [rows, width].

    Examples:
        >>> import paddle.fluid as fluid
        >>> marks = fluid.data("marks", [None, 1], "int64", lod_level=1)
        >>> out = fluid.layers.sequence_scatter(fluid.data("x", [3, 6]), marks,
        ...                                     fluid.data("updates", [None, 1], lod_level=1))
        >>> out.shape
        (3, 6)
    """
    ...

def sequence_enumerate(input: Variable, win_size: Union[int, Variable], pad_value: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """The windows of a sequence of ids.

    Args:
        input (Variable): Sequences of ids, [total, 1]. Of int32 or int64.
        win_size (int): Ids in a window.
        pad_value (int): What stands after the end. Default: 0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [total, win_size].

    Examples:
        >>> import paddle.fluid as fluid
        >>> marks = fluid.data("marks", [None, 1], "int64", lod_level=1)
        >>> out = fluid.layers.sequence_enumerate(marks, win_size=2)
        >>> out.shape
        (-1, 2)
    """
    ...

def sequence_mask(x: Variable, maxlen: Optional[Union[int, Variable]] = ..., dtype: str = ..., name: Optional[str] = ...) -> Variable:
    """x[i] ones and then zeros, maxlen numbers in all (None: the largest of x).

    Args:
        x (Variable): Lengths.
        maxlen (int): The length of a row; -1: the largest of x. Default: None.
        dtype (str): The type of the elements. Default: 'int64'.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: x's shape and one dimension more.

    Examples:
        >>> import paddle.fluid as fluid
        >>> lengths = fluid.data("lengths", [None, 1], "int64")
        >>> out = fluid.layers.sequence_mask(lengths, maxlen=5)
        >>> out.shape
        (-1, 1, 5)
    """
    ...

def sequence_reverse(x: Variable, name: Optional[str] = ...) -> Variable:
    """Each sequence back to front.

    Args:
        x (Variable): Sequences. Of int8, int32, int64, float32 or float64.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: as long.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.sequence_reverse(words)
        >>> out.shape
        (-1, 8)
    """
    ...

def lod_reset(x: Variable, y: Optional[Variable] = ..., target_lod: Optional[Sequence[Any]] = ...) -> Variable:
    """x with the sequences of y, or with the offsets target_lod.

    Args:
        x (Variable): A tensor. Of int32, int64, float32 or float64.
        y (Variable): Sequences, or offsets. Default: None.
        target_lod (list of int): Offsets, beginning with 0. Default: None.

    Returns:
        Variable: x with another LoD.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.lod_reset(words, target_lod=[0, 2, 5])
        >>> out.shape
        (-1, 8)
    """
    ...

def lod_append(x: Variable, level: Union[int, Variable]) -> Variable:
    """x with one more level of sequences below its own: offsets, or those of a Variable.

    Args:
        x (Variable): A tensor. Of int32, int64, float32 or float64.
        level (int): Of sequences, the outermost is 0.

    Returns:
        Variable: x with another LoD.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.lod_append(words, level=[0, 1, 2])
        >>> out.shape
        (-1, 8)
    """
    ...

def im2sequence(input: Variable, filter_size: Union[int, Variable, Sequence[Any]] = ..., stride: Union[int, Variable, Sequence[Any]] = ..., padding: Union[int, Variable, str, Sequence[Any]] = ..., input_image_size: Optional[Variable] = ..., out_stride: Sequence[Any] = ..., name: Optional[str] = ...) -> Variable:
    """The patches of images as sequences.

    Args:
        input (Variable): What it is computed from. Of float32.
        filter_size (int or list of int): The size of a filter. Default: 1.
        stride (int or list of int): The step of a filter along each side. Default: 1.
        padding (int, str or list of int): Zeros around the image; or "SAME" or "VALID". Default: 0.
        input_image_size (Variable, optional): The real size of each image. Default: None.
        out_stride (list of int): How much smaller than Y says. Default: 1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: sequences of patches.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.im2sequence(image, filter_size=[4, 4], stride=[4, 4])
        >>> out.shape
        (-1, 64)
    """
    ...

def row_conv(input: Variable, future_context_size: Union[int, Variable], param_attr: Any = ..., act: Optional[str] = ...) -> Variable:
    """Each column of a sequence convolved with what follows.

    Args:
        input (Variable): What it is computed from. Of float32.
        future_context_size (int): How many steps ahead are seen.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.

    Returns:
        Variable: input's shape.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.row_conv(words, future_context_size=2)
        >>> out.shape
        (-1, 8)
    """
    ...

def hash(input: Variable, hash_size: Union[int, Variable], num_hash: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """Rows of ids as numbers of buckets.

    Args:
        input (Variable): Ids, [n, width].
        hash_size (int): How many different results there are.
        num_hash (int): Numbers for each row. Default: 1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [n, num_hash, 1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> marks = fluid.data("marks", [None, 1], "int64", lod_level=1)
        >>> out = fluid.layers.hash(marks, hash_size=1000)
        >>> out.shape
        (-1, 1, 1)
    """
    ...

def add_position_encoding(input: Variable, alpha: Union[float, Variable], beta: Union[float, Variable], name: Optional[str] = ...) -> Variable:
    """Where a row stands in its sequence, added to it as waves.

    Args:
        input (Variable): [total, width] or [batch, time, width]. Of float32 or float64.
        alpha (float): Factor of input.
        beta (float): Factor of the waves.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input's shape.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.add_position_encoding(fluid.data("x", [None, 6, 8]), alpha=1.0, beta=1.0)
        >>> out.shape
        (-1, 6, 8)
    """
    ...

def continuous_value_model(input: Variable, cvm: Variable, use_cvm: bool = ...) -> Variable:
    """The shows and clicks that stand before an embedding, as logarithms or left out.

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        cvm (Variable): [instances, 2]: the gradient of the counters.
        use_cvm (bool): The counters stay, as logarithms. Default: True.

    Returns:
        Variable: [n, 2 + width], or [n, width].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.continuous_value_model(x, fluid.data("cvm", [None, 2]))
        >>> out.shape
        (-1, 8)
    """
    ...

def filter_by_instag(ins: Variable, ins_tag: Variable, filter_tag: Variable, is_lod: bool, out_val_if_empty: Union[int, Variable] = ...) -> Sequence[Any]:
    """[out, loss_weight]: the instances of `ins` (rows, or with is_lod sequences) that have a tag of
    filter_tag among those of ins_tag, a sequence of tags an instance. Where there is none, out is
    one row of out_val_if_empty, and loss_weight 0.

    Args:
        ins (Variable): Instances: rows, or sequences.
        ins_tag (Variable): The tags of each row.
        filter_tag (Variable): The tags that are wanted.
        is_lod (bool): An instance is a sequence, not a row.
        out_val_if_empty (int): What Out has without any. Default: 0.

    Returns:
        list of Variable: the rows, their weights.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.filter_by_instag(words,
        ...                                     fluid.data("tags", [None, 1], "int64", lod_level=1),
        ...                                     fluid.data("wanted", [1], "int64"), is_lod=True)
        >>> [v.shape for v in out]
        [(-1, 8), (-1, 1)]
    """
    ...
