# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def sequence_conv_pool(input: Union[LayerOutput, Sequence[Any]], context_len: int, hidden_size: int, name: Optional[str] = ..., context_start: Optional[int] = ..., pool_type: Any = ..., context_proj_layer_name: Optional[str] = ..., context_proj_param_attr: Any = ..., fc_layer_name: Optional[str] = ..., fc_param_attr: Any = ..., fc_bias_attr: Any = ..., fc_act: Any = ..., pool_bias_attr: Any = ..., fc_attr: Any = ..., context_attr: Any = ..., pool_attr: Any = ...) -> LayerOutput:
    """Words with those around them, a fully connected layer, and the largest over each sequence.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        context_len (int): How many steps are seen.
        hidden_size (int): The width of the fully connected layer.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        context_start (int, optional): Where they begin; None: so that the step is in the middle.
            Default: None.
        pool_type (BasePoolingType, optional): What a window gives; None: the maximum. Default:
            None.
        context_proj_layer_name (str, optional): The name of that layer. Default: None.
        context_proj_param_attr (ParameterAttribute, optional): The weights of that layer. Default:
            False.
        fc_layer_name (str, optional): The name of that layer. Default: None.
        fc_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        fc_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default: None.
        fc_act (BaseActivation, optional): The activation of that part. Default: None.
        pool_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            None.
        fc_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default: None.
        context_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        pool_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = sequence_conv_pool(words, context_len=3, hidden_size=16)
        >>> out.size
        16
    """
    ...

def simple_lstm(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], name: Optional[str] = ..., reverse: bool = ..., mat_param_attr: Any = ..., bias_param_attr: Any = ..., inner_param_attr: Any = ..., act: Any = ..., gate_act: Any = ..., state_act: Any = ..., mixed_layer_attr: Any = ..., lstm_cell_attr: Any = ...) -> LayerOutput:
    """lstmemory with the matrix before it.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        mat_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        bias_param_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            None.
        inner_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        state_act (BaseActivation, optional): Of the cell; None: tanh. Default: None.
        mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        lstm_cell_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = simple_lstm(words, size=16)
        >>> out.size
        16
    """
    ...

def lstmemory_unit(input: Union[LayerOutput, Sequence[Any]], out_memory: Optional[LayerOutput] = ..., name: Optional[str] = ..., size: Optional[int] = ..., param_attr: Any = ..., act: Any = ..., gate_act: Any = ..., state_act: Any = ..., input_proj_bias_attr: Any = ..., input_proj_layer_attr: Any = ..., lstm_bias_attr: Any = ..., lstm_layer_attr: Any = ..., mixed_bias_attr: Any = ..., mixed_layer_attr: Any = ..., get_output_layer_attr: Any = ...) -> LayerOutput:
    """One step of lstmemory, inside a recurrent group, with its memories. out_memory: the memory of
    the output, where the caller has made it. The last three are v0.10's: its names of the
    attributes of the input's projection, and those of the layer that is the cell.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        out_memory (LayerOutput, optional): The memory of this layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        size (int, optional): The width of the layer. Default: None.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        state_act (BaseActivation, optional): Of the cell; None: tanh. Default: None.
        input_proj_bias_attr (ParameterAttribute or bool, optional): The bias of that layer.
            Default: None.
        input_proj_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        lstm_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            None.
        lstm_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        mixed_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            None.
        mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        get_output_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = recurrent_group(lambda word: lstmemory_unit(word, name="unit", size=2), input=words)
        >>> out.size
        2
    """
    ...

def lstmemory_group(input: Union[LayerOutput, Sequence[Any]], size: Optional[int] = ..., name: Optional[str] = ..., out_memory: Optional[LayerOutput] = ..., reverse: bool = ..., param_attr: Any = ..., act: Any = ..., gate_act: Any = ..., state_act: Any = ..., input_proj_bias_attr: Any = ..., input_proj_layer_attr: Any = ..., lstm_bias_attr: Any = ..., lstm_layer_attr: Any = ..., mixed_bias_attr: Any = ..., mixed_layer_attr: Any = ..., get_output_layer_attr: Any = ...) -> LayerOutput:
    """lstmemory as a recurrent group, whose layers can be seen and changed.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        out_memory (LayerOutput, optional): The memory of this layer. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        state_act (BaseActivation, optional): Of the cell; None: tanh. Default: None.
        input_proj_bias_attr (ParameterAttribute or bool, optional): The bias of that layer.
            Default: None.
        input_proj_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        lstm_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            None.
        lstm_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        mixed_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            None.
        mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        get_output_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = lstmemory_group(fc_layer(words, 4 * 16), size=16)
        >>> out.size
        16
    """
    ...

def gru_unit(input: Union[LayerOutput, Sequence[Any]], memory_boot: Optional[LayerOutput] = ..., size: Optional[int] = ..., name: Optional[str] = ..., gru_bias_attr: Any = ..., gru_param_attr: Any = ..., act: Any = ..., gate_act: Any = ..., gru_layer_attr: Any = ..., naive: bool = ...) -> LayerOutput:
    """One step of grumemory, inside a recurrent group, with its memory.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        memory_boot (LayerOutput, optional): The state at the start. Default: None.
        size (int, optional): The width of the layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        gru_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default: None.
        gru_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        gru_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        naive (bool): Whether gru_step_naive_layer makes the steps. Default: False.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=9)
        >>> out = recurrent_group(lambda word: gru_unit(word, name="unit", size=3), input=words)
        >>> out.size
        3
    """
    ...

def gru_group(input: Union[LayerOutput, Sequence[Any]], memory_boot: Optional[LayerOutput] = ..., size: Optional[int] = ..., name: Optional[str] = ..., reverse: bool = ..., gru_bias_attr: Any = ..., gru_param_attr: Any = ..., act: Any = ..., gate_act: Any = ..., gru_layer_attr: Any = ..., naive: bool = ...) -> LayerOutput:
    """grumemory as a recurrent group.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        memory_boot (LayerOutput, optional): The state at the start. Default: None.
        size (int, optional): The width of the layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        gru_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default: None.
        gru_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        gru_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        naive (bool): Whether gru_step_naive_layer makes the steps. Default: False.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = gru_group(fc_layer(words, 3 * 16), size=16)
        >>> out.size
        16
    """
    ...

def simple_gru(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], name: Optional[str] = ..., reverse: bool = ..., mixed_param_attr: Any = ..., mixed_bias_param_attr: Any = ..., mixed_layer_attr: Any = ..., gru_bias_attr: Any = ..., gru_param_attr: Any = ..., act: Any = ..., gate_act: Any = ..., gru_layer_attr: Any = ..., naive: bool = ...) -> LayerOutput:
    """gru_group with the matrix before it.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        mixed_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        mixed_bias_param_attr (ParameterAttribute or bool, optional): The bias of that layer.
            Default: None.
        mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        gru_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default: None.
        gru_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        gru_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        naive (bool): Whether gru_step_naive_layer makes the steps. Default: False.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = simple_gru(words, size=16)
        >>> out.size
        16
    """
    ...

def simple_gru2(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], name: Optional[str] = ..., reverse: bool = ..., mixed_param_attr: Any = ..., mixed_bias_attr: Any = ..., gru_param_attr: Any = ..., gru_bias_attr: Any = ..., act: Any = ..., gate_act: Any = ..., mixed_layer_attr: Any = ..., gru_cell_attr: Any = ...) -> LayerOutput:
    """grumemory with the matrix before it: simple_gru, and quicker.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: False.
        mixed_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        mixed_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default:
            None.
        gru_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        gru_bias_attr (ParameterAttribute or bool, optional): The bias of that layer. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        gate_act (BaseActivation, optional): Of the gates; None: sigmoid. Default: None.
        mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer.
            Default: None.
        gru_cell_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = simple_gru2(words, size=16)
        >>> out.size
        16
    """
    ...

def bidirectional_gru(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], name: Optional[str] = ..., return_seq: bool = ..., fwd_mixed_param_attr: Any = ..., fwd_mixed_bias_attr: Any = ..., fwd_gru_param_attr: Any = ..., fwd_gru_bias_attr: Any = ..., fwd_act: Any = ..., fwd_gate_act: Any = ..., fwd_mixed_layer_attr: Any = ..., fwd_gru_cell_attr: Any = ..., bwd_mixed_param_attr: Any = ..., bwd_mixed_bias_attr: Any = ..., bwd_gru_param_attr: Any = ..., bwd_gru_bias_attr: Any = ..., bwd_act: Any = ..., bwd_gate_act: Any = ..., bwd_mixed_layer_attr: Any = ..., bwd_gru_cell_attr: Any = ..., last_seq_attr: Any = ..., first_seq_attr: Any = ..., concat_attr: Any = ..., concat_act: Any = ...) -> LayerOutput:
    """Two simple_gru2, one from each end of the sequence.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        return_seq (bool): Whether all steps come back, and not the two last ones. Default: False.
        fwd_mixed_param_attr (ParameterAttribute, optional): The weights of that layer, forward
            (fwd) or backward (bwd). Default: None.
        fwd_mixed_bias_attr (ParameterAttribute or bool, optional): The bias of that layer, forward
            (fwd) or backward (bwd). Default: None.
        fwd_gru_param_attr (ParameterAttribute, optional): The weights of that layer, forward (fwd)
            or backward (bwd). Default: None.
        fwd_gru_bias_attr (ParameterAttribute or bool, optional): The bias of that layer, forward
            (fwd) or backward (bwd). Default: None.
        fwd_act (BaseActivation, optional): The activation of that part, forward (fwd) or backward
            (bwd). Default: None.
        fwd_gate_act (BaseActivation, optional): The activation of that part, forward (fwd) or
            backward (bwd). Default: None.
        fwd_mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer,
            forward (fwd) or backward (bwd). Default: None.
        fwd_gru_cell_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer,
            forward (fwd) or backward (bwd). Default: None.
        bwd_mixed_param_attr (ParameterAttribute, optional): The weights of that layer, forward
            (fwd) or backward (bwd). Default: None.
        bwd_mixed_bias_attr (ParameterAttribute or bool, optional): The bias of that layer, forward
            (fwd) or backward (bwd). Default: None.
        bwd_gru_param_attr (ParameterAttribute, optional): The weights of that layer, forward (fwd)
            or backward (bwd). Default: None.
        bwd_gru_bias_attr (ParameterAttribute or bool, optional): The bias of that layer, forward
            (fwd) or backward (bwd). Default: None.
        bwd_act (BaseActivation, optional): The activation of that part, forward (fwd) or backward
            (bwd). Default: None.
        bwd_gate_act (BaseActivation, optional): The activation of that part, forward (fwd) or
            backward (bwd). Default: None.
        bwd_mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer,
            forward (fwd) or backward (bwd). Default: None.
        bwd_gru_cell_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer,
            forward (fwd) or backward (bwd). Default: None.
        last_seq_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        first_seq_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        concat_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        concat_act (BaseActivation, optional): The activation of that part, forward (fwd) or
            backward (bwd). Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = bidirectional_gru(words, size=16)
        >>> out.size
        32
    """
    ...

def bidirectional_lstm(input: Union[LayerOutput, Sequence[Any]], size: Optional[int], name: Optional[str] = ..., return_seq: bool = ..., fwd_mat_param_attr: Any = ..., fwd_bias_param_attr: Any = ..., fwd_inner_param_attr: Any = ..., fwd_act: Any = ..., fwd_gate_act: Any = ..., fwd_state_act: Any = ..., fwd_mixed_layer_attr: Any = ..., fwd_lstm_cell_attr: Any = ..., bwd_mat_param_attr: Any = ..., bwd_bias_param_attr: Any = ..., bwd_inner_param_attr: Any = ..., bwd_act: Any = ..., bwd_gate_act: Any = ..., bwd_state_act: Any = ..., bwd_mixed_layer_attr: Any = ..., bwd_lstm_cell_attr: Any = ..., last_seq_attr: Any = ..., first_seq_attr: Any = ..., concat_attr: Any = ..., concat_act: Any = ...) -> LayerOutput:
    """Two simple_lstm, one from each end of the sequence.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        return_seq (bool): Whether all steps come back, and not the two last ones. Default: False.
        fwd_mat_param_attr (ParameterAttribute, optional): The weights of that layer, forward (fwd)
            or backward (bwd). Default: None.
        fwd_bias_param_attr (ParameterAttribute or bool, optional): The bias of that layer, forward
            (fwd) or backward (bwd). Default: None.
        fwd_inner_param_attr (ParameterAttribute, optional): The weights of that layer, forward
            (fwd) or backward (bwd). Default: None.
        fwd_act (BaseActivation, optional): The activation of that part, forward (fwd) or backward
            (bwd). Default: None.
        fwd_gate_act (BaseActivation, optional): The activation of that part, forward (fwd) or
            backward (bwd). Default: None.
        fwd_state_act (BaseActivation, optional): The activation of that part, forward (fwd) or
            backward (bwd). Default: None.
        fwd_mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer,
            forward (fwd) or backward (bwd). Default: None.
        fwd_lstm_cell_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer,
            forward (fwd) or backward (bwd). Default: None.
        bwd_mat_param_attr (ParameterAttribute, optional): The weights of that layer, forward (fwd)
            or backward (bwd). Default: None.
        bwd_bias_param_attr (ParameterAttribute or bool, optional): The bias of that layer, forward
            (fwd) or backward (bwd). Default: None.
        bwd_inner_param_attr (ParameterAttribute, optional): The weights of that layer, forward
            (fwd) or backward (bwd). Default: None.
        bwd_act (BaseActivation, optional): The activation of that part, forward (fwd) or backward
            (bwd). Default: None.
        bwd_gate_act (BaseActivation, optional): The activation of that part, forward (fwd) or
            backward (bwd). Default: None.
        bwd_state_act (BaseActivation, optional): The activation of that part, forward (fwd) or
            backward (bwd). Default: None.
        bwd_mixed_layer_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer,
            forward (fwd) or backward (bwd). Default: None.
        bwd_lstm_cell_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer,
            forward (fwd) or backward (bwd). Default: None.
        last_seq_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        first_seq_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        concat_attr (ExtraLayerAttribute, optional): Dropout and the like of that layer. Default:
            None.
        concat_act (BaseActivation, optional): The activation of that part, forward (fwd) or
            backward (bwd). Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = bidirectional_lstm(words, size=16)
        >>> out.size
        32
    """
    ...

def simple_attention(encoded_sequence: LayerOutput, encoded_proj: LayerOutput, decoder_state: LayerOutput, transform_param_attr: Any = ..., softmax_param_attr: Any = ..., weight_act: Any = ..., name: Optional[str] = ...) -> LayerOutput:
    """What a decoder looks at: the sum of encoded_sequence, weighted by how each step of its
    projection goes with the state.

    Args:
        encoded_sequence (LayerOutput): The steps that are weighted.
        encoded_proj (LayerOutput): The same, projected, for the weights.
        decoder_state (LayerOutput): The decoder's state.
        transform_param_attr (ParameterAttribute, optional): The weights of that layer. Default:
            None.
        softmax_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        weight_act (BaseActivation, optional): The activation of that part. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = simple_attention(words, fc_layer(words, 16), data_layer("state", size=16))
        >>> out.size
        8
    """
    ...

def dot_product_attention(encoded_sequence: LayerOutput, attended_sequence: LayerOutput, transformed_state: LayerOutput, softmax_param_attr: Any = ..., name: Optional[str] = ...) -> LayerOutput:
    """The sum of attended_sequence, weighted by the product of each step of encoded_sequence with the
    state.

    Args:
        encoded_sequence (LayerOutput): The steps that are weighted.
        attended_sequence (LayerOutput): What is summed up.
        transformed_state (LayerOutput): The state, as wide as a step.
        softmax_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = dot_product_attention(words, words, data_layer("state", size=8))
        >>> out.size
        8
    """
    ...

def multi_head_attention(query: LayerOutput, key: LayerOutput, value: float, key_proj_size: int, value_proj_size: int, head_num: int, attention_type: str, softmax_param_attr: Any = ..., name: Optional[str] = ...) -> LayerOutput:
    """head_num attentions side by side, each with projections of its own.

    Args:
        query (LayerOutput): What attends, what it is compared with, and what is summed up.
        key (LayerOutput): What attends, what it is compared with, and what is summed up.
        value (float): A factor.
        key_proj_size (int): Widths of the projections.
        value_proj_size (int): Widths of the projections.
        head_num (int): How many attentions.
        attention_type (str): "dot-product attention" or "additive attention".
        softmax_param_attr (ParameterAttribute, optional): The weights of that layer. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> state = data_layer("state", size=8)
        >>> out = multi_head_attention(state, words, words, key_proj_size=4, value_proj_size=4,
        ...                            head_num=2, attention_type="dot-product attention")
        >>> out.size
        8
    """
    ...
