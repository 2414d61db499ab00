# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def data_layer(name: Optional[str], size: Optional[int], depth: Optional[int] = ..., height: Optional[int] = ..., width: Optional[int] = ..., layer_attr: Any = ...) -> LayerOutput:
    """An input of the model: `size` numbers, or a number below `size`.

    Args:
        name (str, optional): The name of the layer; None: one that is made.
        size (int, optional): The width of the layer.
        depth (int, optional): Of the image. Default: None.
        height (int, optional): Of the image. Default: None.
        width (int, optional): Of the image. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = data_layer("pixel", size=784)
        >>> out.size
        784
    """
    ...

def fc_layer(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], act: Any = ..., name: Optional[str] = ..., param_attr: Any = ..., bias_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum of its inputs, each by a matrix of its own, and a bias; tanh unless told.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = fc_layer(x, size=16, act=ReluActivation())
        >>> out.size
        16
    """
    ...

def embedding_layer(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], name: Optional[str] = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """Rows of a table by id.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> ids = data_layer("ids", size=1000)
        >>> out = embedding_layer(ids, size=16)
        >>> out.size
        16
    """
    ...

def concat_layer(input: Union[LayerOutput, Sequence[Any]], act: Any = ..., name: Optional[str] = ..., layer_attr: Any = ..., bias_attr: Any = ...) -> LayerOutput:
    """Its inputs side by side: layers, and projections, which have their parameters here.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = concat_layer([x, y])
        >>> out.size
        16
    """
    ...

def addto_layer(input: Union[LayerOutput, Sequence[Any]], act: Any = ..., name: Optional[str] = ..., bias_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum of its inputs; no bias unless asked for.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = addto_layer([x, y])
        >>> out.size
        8
    """
    ...

def dropout_layer(input: Union[LayerOutput, Sequence[Any]], dropout_rate: float, name: Optional[str] = ...) -> LayerOutput:
    """Some elements set to 0 while it is trained.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        dropout_rate (float): The part of elements that is dropped.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = dropout_layer(x, dropout_rate=0.5)
        >>> out.size
        8
    """
    ...
