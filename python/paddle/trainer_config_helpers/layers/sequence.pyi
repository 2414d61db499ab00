# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class AggregateLevel:
    """What a layer over sequences makes: one row of a whole sequence, or, of a sequence of
    sub-sequences, a sequence with one row of each.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> AggregateLevel.TO_NO_SEQUENCE
        'non-seq'
    """
    TO_NO_SEQUENCE: Any
    TO_SEQUENCE: Any
    EACH_TIMESTEP: Any
    EACH_SEQUENCE: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class ExpandLevel:
    """Of what expand_layer takes: a row for each sequence, or a sequence for each nested one.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> ExpandLevel.FROM_NO_SEQUENCE
        'non-seq'
    """
    FROM_NO_SEQUENCE: Any
    FROM_SEQUENCE: Any
    FROM_TIMESTEP: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def pooling_layer(input: Union[LayerOutput, Sequence[Any]], pooling_type: Any = ..., name: Optional[str] = ..., bias_attr: Any = ..., agg_level: str = ..., stride: int = ..., layer_attr: Any = ...) -> LayerOutput:
    """One row of each sequence; with a stride, of each `stride` steps of it. Max unless told.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        pooling_type (BasePoolingType, optional): What is made of the steps; None: the maximum.
            Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        agg_level (str): AggregateLevel: one row of a sequence, or of each sub-sequence. Default:
            'non-seq'.
        stride (int): The step, or that along the width. Default: -1.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = pooling_layer(words, pooling_type=AvgPooling())
        >>> out.size
        8
    """
    ...

def last_seq(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., agg_level: str = ..., stride: int = ..., layer_attr: Any = ...) -> LayerOutput:
    """The last step of each sequence; with a stride, of each window of it.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        agg_level (str): AggregateLevel: one row of a sequence, or of each sub-sequence. Default:
            'non-seq'.
        stride (int): The step, or that along the width. Default: -1.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = last_seq(words)
        >>> out.size
        8
    """
    ...

def first_seq(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., agg_level: str = ..., stride: int = ..., layer_attr: Any = ...) -> LayerOutput:
    """The first step of each sequence; with a stride, of each window of it.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        agg_level (str): AggregateLevel: one row of a sequence, or of each sub-sequence. Default:
            'non-seq'.
        stride (int): The step, or that along the width. Default: -1.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = first_seq(words)
        >>> out.size
        8
    """
    ...

def context_projection(input: Union[LayerOutput, Sequence[Any]], context_len: int, context_start: Optional[int] = ..., padding_attr: Any = ...) -> LayerOutput:
    """Each step with those around it, context_len in all. Outside a sequence there are zeros, or rows
    that are learnt where padding_attr is a ParameterAttribute (or True).

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        context_len (int): How many steps are seen.
        context_start (int, optional): Where they begin; None: so that the step is in the middle.
            Default: None.
        padding_attr (ParameterAttribute or bool): What stands outside a sequence; False: zeros.
            Default: False.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> context_projection(x, context_len=3).size
        24
    """
    ...

def expand_layer(input: Union[LayerOutput, Sequence[Any]], expand_as: LayerOutput, name: Optional[str] = ..., bias_attr: Any = ..., expand_level: str = ..., layer_attr: Any = ...) -> LayerOutput:
    """A row for each step of the sequence of expand_as that it belongs to; with FROM_SEQUENCE, step i
    of a sequence for each step of sub-sequence i.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        expand_as (LayerOutput): Whose steps it gets.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: False.
        expand_level (str): ExpandLevel: of a row for each sequence, or of a sequence for each
            nested one. Default: 'non-seq'.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = expand_layer(data_layer("x", size=4), expand_as=words)
        >>> out.size
        4
    """
    ...

def seq_concat_layer(a: LayerOutput, b: LayerOutput, act: Any = ..., name: Optional[str] = ..., layer_attr: Any = ..., bias_attr: Any = ...) -> LayerOutput:
    """Each sequence of a with that of b after it.

    Args:
        a (LayerOutput): One input.
        b (LayerOutput): The other.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = seq_concat_layer(words, words)
        >>> out.size
        8
    """
    ...

def seq_reshape_layer(input: Union[LayerOutput, Sequence[Any]], reshape_size: int, act: Any = ..., name: Optional[str] = ..., layer_attr: Any = ..., bias_attr: Any = ...) -> LayerOutput:
    """The numbers of each sequence in steps of reshape_size.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        reshape_size (int): The width of a step.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = seq_reshape_layer(words, reshape_size=4)
        >>> out.size
        4
    """
    ...

def seq_slice_layer(input: Union[LayerOutput, Sequence[Any]], starts: Optional[LayerOutput], ends: Optional[LayerOutput], name: Optional[str] = ...) -> LayerOutput:
    """Of each sequence the steps from starts to ends (that one too), for each column of theirs up to
    the first -1; each span is a sequence. None: from the first step, up to the last.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        starts (LayerOutput, optional): Numbers of steps; None: from the first, or to the last.
        ends (LayerOutput, optional): Numbers of steps; None: from the first, or to the last.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = seq_slice_layer(words, starts=data_layer("starts", size=1),
        ...                       ends=data_layer("ends", size=1))
        >>> out.size
        8
    """
    ...

def sub_seq_layer(input: Union[LayerOutput, Sequence[Any]], offsets: LayerOutput, sizes: LayerOutput, act: Any = ..., bias_attr: Any = ..., name: Optional[str] = ...) -> LayerOutput:
    """Of each sequence `sizes` steps from `offsets` on; both are data layers of one number each.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        offsets (LayerOutput): The first step and how many.
        sizes (LayerOutput): The first step and how many.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = sub_seq_layer(words, offsets=data_layer("offsets", size=1),
        ...                     sizes=data_layer("sizes", size=1))
        >>> out.size
        8
    """
    ...

def sub_nested_seq_layer(input: Union[LayerOutput, Sequence[Any]], selected_indices: LayerOutput, name: Optional[str] = ...) -> LayerOutput:
    """Of each nested sequence the sub-sequences whose numbers selected_indices has, up to the first
    -1.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        selected_indices (LayerOutput): Numbers of sub-sequences.
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = sub_nested_seq_layer(words, data_layer("selected", size=1))
        >>> out.size
        8
    """
    ...

def kmax_seq_score_layer(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., beam_size: int = ...) -> LayerOutput:
    """The numbers of the beam_size steps of each sequence with the largest scores; -1 where it has
    fewer.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        beam_size (int): How many prefixes are kept at each step. Default: 1.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = kmax_seq_score_layer(fc_layer(words, 1), beam_size=3)
        >>> out.size
        3
    """
    ...
