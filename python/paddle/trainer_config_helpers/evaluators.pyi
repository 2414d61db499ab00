# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def evaluator_base(input: Union[LayerOutput, Sequence[Any]], type: str, label: Optional[LayerOutput] = ..., weight: Optional[LayerOutput] = ..., name: Optional[str] = ..., chunk_scheme: Optional[str] = ..., num_chunk_types: Optional[int] = ..., classification_threshold: Optional[float] = ..., positive_label: Optional[int] = ..., dict_file: Optional[str] = ..., result_file: Optional[str] = ..., num_results: Optional[int] = ..., delimited: Optional[bool] = ..., top_k: Optional[int] = ..., excluded_chunk_types: Optional[Sequence[Any]] = ...) -> LayerOutput:
    """The evaluator of a type by its name in v1's configs. pnpair has an input more: use
    pnpair_evaluator.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        type (str): The kind by its name.
        label (LayerOutput): What is true. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        chunk_scheme (str): How tags mark chunks: "IOB", "IOE", "IOBES" or "plain". Default: None.
        num_chunk_types (int): How many kinds of chunks there are. Default: None.
        classification_threshold (float, optional): From where on an input of size 1 is 1. Default:
            None.
        positive_label (int, optional): The label that is looked for. Default: None.
        dict_file (str, optional): Words, a line each. Default: None.
        result_file (str): The file that is written. Default: None.
        num_results (int, optional): How many are shown. Default: None.
        delimited (bool, optional): Whether words are separated by spaces. Default: None.
        top_k (int, optional): How many of the most probable count. Default: None.
        excluded_chunk_types (list of int, optional): Kinds that are not counted. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> scores = fc_layer(x, 5, act=SoftmaxActivation())
        >>> evaluator_base(scores, type="classification_error", label=label).name
        '__classification_error_evaluator_0__'
    """
    ...

def classification_error_evaluator(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ..., weight: Optional[LayerOutput] = ..., top_k: Optional[int] = ..., threshold: Optional[float] = ...) -> LayerOutput:
    """The part of examples whose label is not among the top_k most probable. An input of size 1 is the
    probability of label 1, which is said above the threshold (0.5). With labels that are vectors of
    0 and 1, the part of their numbers that are on the wrong side of it.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        top_k (int, optional): How many of the most probable count. Default: None.
        threshold (float, optional): From where on it is 1. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> scores = fc_layer(x, 5, act=SoftmaxActivation())
        >>> classification_error_evaluator(scores, label).name
        '__classification_error_evaluator_0__'
    """
    ...

def auc_evaluator(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ..., weight: Optional[LayerOutput] = ...) -> LayerOutput:
    """The area under the curve of the last column, the probability of a label that is not 0.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> auc_evaluator(fc_layer(x, 2, act=SoftmaxActivation()), data_layer("click", size=2)).name
        '__auc_evaluator_0__'
    """
    ...

def pnpair_evaluator(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, info: LayerOutput, name: Optional[str] = ..., weight: Optional[LayerOutput] = ...) -> LayerOutput:
    """How many pairs of examples of one query (info) the last column has in the labels' order, over
    how many it has not. Queries are of the whole pass: all its rows are kept until then.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        info (LayerOutput): The query of each example.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> pnpair_evaluator(fc_layer(x, 1), data_layer("order", size=1),
        ...                  data_layer("query", size=100)).name
        '__pnpair_evaluator_0__'
    """
    ...

def precision_recall_evaluator(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, positive_label: Optional[int] = ..., weight: Optional[LayerOutput] = ..., name: Optional[str] = ...) -> LayerOutput:
    """Precision, recall and F1 of positive_label; without it of all labels: the mean over them (macro)
    and that of all examples together (micro).

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        positive_label (int, optional): The label that is looked for. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> scores = fc_layer(x, 5, act=SoftmaxActivation())
        >>> precision_recall_evaluator(scores, label, positive_label=1).name
        '__precision_recall_evaluator_0__'
    """
    ...

def ctc_error_evaluator(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ...) -> LayerOutput:
    """How far the best path of each sequence is from its label, in changes over the longer length; the
    blank is the last class.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> scores = fc_layer(x, 5, act=SoftmaxActivation())
        >>> ctc_error_evaluator(scores, label).name
        '__ctc_error_evaluator_0__'
    """
    ...

def chunk_evaluator(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, chunk_scheme: str, num_chunk_types: int, name: Optional[str] = ..., excluded_chunk_types: Optional[Sequence[Any]] = ...) -> LayerOutput:
    """Precision, recall and F1 of the chunks that `input`, a sequence of tags, has: crf_decoding_layer
    gives one. chunk_scheme: 'IOB', 'IOE', 'IOBES' or 'plain'.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        chunk_scheme (str): How tags mark chunks: "IOB", "IOE", "IOBES" or "plain".
        num_chunk_types (int): How many kinds of chunks there are.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        excluded_chunk_types (list of int, optional): Kinds that are not counted. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> tags = data_layer("tags", size=7)
        >>> chunk_evaluator(tags, data_layer("truth", size=7), chunk_scheme="IOB",
        ...                 num_chunk_types=3).name
        '__chunk_evaluator_0__'
    """
    ...

def sum_evaluator(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., weight: Optional[LayerOutput] = ...) -> LayerOutput:
    """The mean over examples of the sum of what they have.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> sum_evaluator(x).name
        '__sum_evaluator_0__'
    """
    ...

def column_sum_evaluator(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., weight: Optional[LayerOutput] = ...) -> LayerOutput:
    """The mean over examples of their last column.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> column_sum_evaluator(x).name
        '__column_sum_evaluator_0__'
    """
    ...
