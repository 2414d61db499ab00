# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def maxid_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """The number of the largest column.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = maxid_layer(x)
        >>> out.size
        8
    """
    ...

def sampling_id_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """The number of a column, drawn by the row's probabilities.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = sampling_id_layer(fc_layer(x, 5, act=SoftmaxActivation()))
        >>> out.size
        5
    """
    ...

def eos_layer(input: Union[LayerOutput, Sequence[Any]], eos_id: int, name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """1 where an id is eos_id, else 0.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        eos_id (int): The id that ends a sentence.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = eos_layer(maxid_layer(x), eos_id=1)
        >>> out.size
        1
    """
    ...

def printer_layer(input: Union[LayerOutput, Sequence[Any]], format: Optional[str] = ..., name: Optional[str] = ...) -> LayerOutput:
    """Shows the values of its inputs in each batch of a network that has them. format: text with a %s
    for each input.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        format (str, optional): A text with %s for each input. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = printer_layer(x)
    """
    ...

def hsigmoid(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, num_classes: Optional[int] = ..., name: Optional[str] = ..., bias_attr: Any = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """-log of the label's probability by the nodes of a complete binary tree on the way to it.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        num_classes (int, optional): How many classes there are. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> out = hsigmoid(x, label)
        >>> out.size
        1
    """
    ...

def nce_layer(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, num_classes: Optional[int] = ..., param_attr: Any = ..., weight: Optional[LayerOutput] = ..., num_neg_samples: int = ..., neg_distribution: Optional[Sequence[Any]] = ..., name: Optional[str] = ..., bias_attr: Any = ..., layer_attr: Any = ..., act: Any = ...) -> LayerOutput:
    """Noise-contrastive estimation: the label told from num_neg_samples classes that are drawn, by
    neg_distribution or all alike. weight: a layer with a factor for each example.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        num_classes (int, optional): How many classes there are. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        num_neg_samples (int): Wrong classes for each example. Default: 10.
        neg_distribution (list of float, optional): The probability of each class to be drawn.
            Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> out = nce_layer(x, label, num_classes=5, num_neg_samples=3)
        >>> out.size
        1
    """
    ...
