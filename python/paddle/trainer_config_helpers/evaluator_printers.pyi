# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def value_printer_evaluator(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """What layers hold.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> value_printer_evaluator(x).name
        '__value_printer_evaluator_0__'
    """
    ...

def gradient_printer_evaluator(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ...) -> LayerOutput:
    """The gradients of layers' values.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> gradient_printer_evaluator(x).name
        '__gradient_printer_evaluator_0__'
    """
    ...

def maxid_printer_evaluator(input: Union[LayerOutput, Sequence[Any]], num_results: Optional[int] = ..., name: Optional[str] = ...) -> LayerOutput:
    """The num_results (1) largest columns of each row.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        num_results (int, optional): How many are shown. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> scores = fc_layer(x, 5, act=SoftmaxActivation())
        >>> maxid_printer_evaluator(scores).name
        '__maxid_printer_evaluator_0__'
    """
    ...

def maxframe_printer_evaluator(input: Union[LayerOutput, Sequence[Any]], num_results: Optional[int] = ..., name: Optional[str] = ...) -> LayerOutput:
    """The num_results (1) steps of each sequence with the largest numbers, of layers of size 1.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        num_results (int, optional): How many are shown. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> maxframe_printer_evaluator(fc_layer(x, 1)).name
        '__maxframe_printer_evaluator_0__'
    """
    ...

def seqtext_printer_evaluator(input: Union[LayerOutput, Sequence[Any]], result_file: str, id_input: Optional[LayerOutput] = ..., dict_file: Optional[str] = ..., delimited: Optional[bool] = ..., name: Optional[str] = ...) -> LayerOutput:
    """Sequences of ids as text, a line each, in result_file: a sample's id (of id_input, or its
    number), a tab, and its words (of dict_file, a line each, or the ids).

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        result_file (str): The file that is written.
        id_input (LayerOutput, optional): The id of each sample. Default: None.
        dict_file (str, optional): Words, a line each. Default: None.
        delimited (bool, optional): Whether words are separated by spaces. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> scores = fc_layer(x, 5, act=SoftmaxActivation())
        >>> seqtext_printer_evaluator(maxid_layer(scores), result_file="out.txt").name
        '__seqtext_printer_evaluator_0__'
    """
    ...

def classification_error_printer_evaluator(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, threshold: Optional[float] = ..., name: Optional[str] = ...) -> LayerOutput:
    """For each example whether it is wrong.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        threshold (float, optional): From where on it is 1. Default: 0.5.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> scores = fc_layer(x, 5, act=SoftmaxActivation())
        >>> classification_error_printer_evaluator(scores, label).name
        '__classification_error_printer_evaluator_0__'
    """
    ...
