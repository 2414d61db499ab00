# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def lstmemory(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., size: Optional[int] = ..., reverse: bool = ..., act: Any = ..., gate_act: Any = ..., state_act: Any = ..., bias_attr: Any = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """Long short-term memory. The input is the sum of what comes from below for the candidate and the
    gates i, f, o, each of the layer's size. The bias has seven parts: four for those, and three by
    which i, f and o see the cell; without it (False) they do not.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        size (int, optional): The width of the layer. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        state_act (BaseActivation, optional): Of the cell; None: tanh. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = lstmemory(fc_layer(words, 4 * 16))
        >>> out.size
        16
    """
    ...

def grumemory(input: Union[LayerOutput, Sequence[Any]], size: Optional[int] = ..., name: Optional[str] = ..., reverse: bool = ..., act: Any = ..., gate_act: Any = ..., bias_attr: Any = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """Gated recurrent units. The input is what comes from below for the gates u (update), r (reset)
    and the candidate, each of the layer's size.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = grumemory(fc_layer(words, 3 * 16))
        >>> out.size
        16
    """
    ...

def recurrent_layer(input: Union[LayerOutput, Sequence[Any]], act: Any = ..., bias_attr: Any = ..., param_attr: Any = ..., name: Optional[str] = ..., reverse: bool = ..., layer_attr: Any = ...) -> LayerOutput:
    """out[t] = act(input[t] + out[t - 1] W + bias).

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = recurrent_layer(words)
        >>> out.size
        8
    """
    ...

def lstm_step_layer(input: Union[LayerOutput, Sequence[Any]], state: LayerOutput, size: Optional[int] = ..., act: Any = ..., name: Optional[str] = ..., gate_act: Any = ..., state_act: Any = ..., bias_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """One step of lstmemory: the input has what comes from the state before in it already. The bias
    has three parts, by which i, f and o see the cell. get_output_layer(.., 'state') gives the cell.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        state (LayerOutput): The memory of the cell.
        size (int, optional): The width of the layer. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        state_act (BaseActivation, optional): Of the cell; None: tanh. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> def step(word):
        ...     cell = memory(name="cell", size=2)
        ...     out = lstm_step_layer(word, state=cell, size=2, name="out")
        ...     get_output_layer(out, "state", name="cell")
        ...     return out
        ...
        >>> recurrent_group(step, input=words).size
        2
    """
    ...

def gru_step_layer(input: Union[LayerOutput, Sequence[Any]], output_mem: Optional[LayerOutput], size: Optional[int] = ..., act: Any = ..., name: Optional[str] = ..., gate_act: Any = ..., bias_attr: Any = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """One step of grumemory; output_mem: the memory of this layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        output_mem (LayerOutput, optional): The memory of this layer.
        size (int, optional): The width of the layer. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=9)
        >>> def step(word):
        ...     return gru_step_layer(word, output_mem=memory(name="state", size=3), name="state")
        ...
        >>> recurrent_group(step, input=words).size
        3
    """
    ...

def gru_step_naive_layer(input: Union[LayerOutput, Sequence[Any]], output_mem: Optional[LayerOutput], size: Optional[int] = ..., name: Optional[str] = ..., act: Any = ..., gate_act: Any = ..., bias_attr: Any = ..., param_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """gru_step_layer as mixed layers, so that error clipping and dropout are of each gate. Each has
    its own parameters, so the attributes may not name them.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        output_mem (LayerOutput, optional): The memory of this layer.
        size (int, optional): The width of the layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=9)
        >>> def step(word):
        ...     return gru_step_naive_layer(word, output_mem=memory(name="state", size=3), name="state")
        ...
        >>> recurrent_group(step, input=words).size
        3
    """
    ...

def get_output_layer(input: Union[LayerOutput, Sequence[Any]], arg_name: str, name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """Another output of a layer than its first: 'state' of lstm_step_layer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        arg_name (str): The name of the output.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> def step(word):
        ...     cell = memory(name="cell", size=2)
        ...     out = lstm_step_layer(word, state=cell, size=2, name="out")
        ...     get_output_layer(out, "state", name="cell")
        ...     return out
        ...
        >>> recurrent_group(step, input=words).size
        2
    """
    ...
