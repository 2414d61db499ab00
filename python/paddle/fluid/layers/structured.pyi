# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def linear_chain_crf(input: Variable, label: Variable, param_attr: Any = ..., length: Optional[Variable] = ...) -> Variable:
    """The cost of each sequence of labels under a conditional random field over the scores `input`,
    sequences, or with `length` [n, time, tags]. Its parameter is [tags + 2, tags]: scores of the
    first tag, of the last one, and of each after each.

    Args:
        input (Variable): What it is computed from.
        label (Variable): One tag for each step.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        length (Variable): Of the sequences, [n, 1]. Default: None.

    Returns:
        Variable: as Emission.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> marks = fluid.data("marks", [None, 1], "int64", lod_level=1)
        >>> out = fluid.layers.linear_chain_crf(fluid.layers.fc(words, 5), marks)
        >>> out.shape
        (-1, 1)
    """
    ...

def crf_decoding(input: Variable, param_attr: Any, label: Optional[Variable] = ..., length: Optional[Variable] = ...) -> Variable:
    """The most probable tags, by the parameter that linear_chain_crf has trained; with a label,
    whether each is right.

    Args:
        input (Variable): What it is computed from.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights.
        label (Variable): Tags to compare with. Default: None.
        length (Variable): Of the sequences, [n, 1]. Default: None.

    Returns:
        Variable: tags, or whether they are the labels: 1, 0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> tags = fluid.data("tags", [None, 1], "int64", lod_level=1)
        >>> scores = fluid.layers.fc(words, 5)
        >>> cost = fluid.layers.linear_chain_crf(scores, tags, param_attr=fluid.ParamAttr(name="crf"))
        >>> path = fluid.layers.crf_decoding(scores, param_attr=fluid.ParamAttr(name="crf"))
        >>> path.shape
        (-1, 1)
    """
    ...

def chunk_eval(input: Variable, label: Variable, chunk_scheme: str, num_chunk_types: Union[int, Variable], excluded_chunk_types: Optional[Sequence[Any]] = ..., seq_length: Optional[Variable] = ...) -> Sequence[Any]:
    """(precision, recall, F1, chunks in input, chunks in label, chunks in both).

    Args:
        input (Variable): What it is computed from.
        label (Variable): True tags.
        chunk_scheme (str): IOB, IOE, IOBES or plain.
        num_chunk_types (int): How many.
        excluded_chunk_types (list of int): Types that are not counted. Default: None.
        seq_length (Variable): [n]. Default: None.

    Returns:
        tuple of Variable: precision, recall, F1, and the numbers of chunks found, true and
        right.

    Examples:
        >>> import paddle.fluid as fluid
        >>> marks = fluid.data("marks", [None, 1], "int64", lod_level=1)
        >>> out = fluid.layers.chunk_eval(marks, fluid.data("label", [None, 1], "int64", lod_level=1),
        ...                               chunk_scheme="IOB", num_chunk_types=3)
        >>> [v.shape for v in out]
        [(1,), (1,), (1,), (1,), (1,), (1,)]
    """
    ...

def ctc_greedy_decoder(input: Variable, blank: Union[int, Variable], input_length: Optional[Variable] = ..., padding_value: Union[int, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """What the best symbol of each step says, with repeats made one and blanks left out; with
    input_length also how long that is.

    Args:
        input (Variable): Symbols, [total, 1], or with InputLength [n, time].
        blank (int): The symbol that is none.
        input_length (Variable): [n, 1]. Default: None.
        padding_value (int): Fills rows up. Default: 0.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the labels, as sequences.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.ctc_greedy_decoder(fluid.layers.softmax(words), blank=7)
        >>> out.shape
        (-1, 1)
    """
    ...
