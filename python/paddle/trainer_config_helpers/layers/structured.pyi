# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def crf_layer(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, size: Optional[int] = ..., weight: Optional[LayerOutput] = ..., param_attr: Any = ..., name: Optional[str] = ..., coeff: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """-log of how probable the labels of each sequence are under a linear-chain conditional random
    field over the scores `input`. The parameter has the scores of the first tag, of the last one,
    and of each tag after each.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        size (int, optional): The width of the layer. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = crf_layer(fc_layer(words, 5), data_layer("tags", size=5))
        >>> out.size
        1
    """
    ...

def crf_decoding_layer(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], label: Optional[LayerOutput] = ..., param_attr: Any = ..., name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """The most probable tags of each sequence; with a label, 1 at each step where they differ from it,
    and the tags are its output 'ids'. param_attr names the parameter of the crf_layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        label (LayerOutput): What is true. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = crf_decoding_layer(fc_layer(words, 5), size=5)
        >>> out.size
        1
    """
    ...

def ctc_layer(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, size: Optional[int] = ..., name: Optional[str] = ..., norm_by_times: bool = ..., layer_attr: Any = ...) -> LayerOutput:
    """-log of how probable the labels are, whichever steps of `input`, a softmax, say them; its last
    column is the blank, which says nothing. norm_by_times: the gradient over the number of steps.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        size (int, optional): The width of the layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        norm_by_times (bool): Whether it is divided by the number of steps. Default: False.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = ctc_layer(fc_layer(words, 6, act=SoftmaxActivation()), data_layer("tags", size=5),
        ...                 size=6)
        >>> out.size
        1
    """
    ...

def warp_ctc_layer(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, size: Optional[int] = ..., name: Optional[str] = ..., blank: int = ..., norm_by_times: bool = ..., layer_attr: Any = ...) -> LayerOutput:
    """As ctc_layer, of an `input` that is no softmax yet, with the blank at any column.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        size (int, optional): The width of the layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        blank (int): The column that says nothing. Default: 0.
        norm_by_times (bool): Whether it is divided by the number of steps. Default: False.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = warp_ctc_layer(fc_layer(words, 6), data_layer("tags", size=5), size=6)
        >>> out.size
        1
    """
    ...
