# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def dynamic_gru(input: Variable, size: Union[int, Variable], param_attr: Any = ..., bias_attr: Any = ..., is_reverse: bool = ..., gate_activation: str = ..., candidate_activation: str = ..., h_0: Optional[Variable] = ..., origin_mode: bool = ...) -> Variable:
    """Gated recurrent units over sequences; input is [total, 3 * size].

    Args:
        input (Variable): Sequences, [total, 3 size]: u, r, c. Of float32 or float64.
        size (int): The width of the result.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        is_reverse (bool): From the end of each sequence. Default: False.
        gate_activation (str): Of u and r. Default: 'sigmoid'.
        candidate_activation (str): Of the candidate. Default: 'tanh'.
        h_0 (Variable): States before, [sequences, size]. Of float32 or float64. Default: None.
        origin_mode (bool): U keeps the old state. Default: False.

    Returns:
        Variable: in step order.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.dynamic_gru(fluid.layers.fc(words, 3 * 16), size=16)
        >>> out.shape
        (-1, 16)
    """
    ...

def gru_unit(input: Variable, hidden: Variable, size: Union[int, Variable], param_attr: Any = ..., bias_attr: Any = ..., activation: Union[int, Variable] = ..., gate_activation: Union[int, Variable] = ..., origin_mode: bool = ...) -> Sequence[Any]:
    """One step; size is three times that of the state. (state, r * state before, gates).

    Args:
        input (Variable): [n, 3 size]: u, r, c. Of float32 or float64.
        hidden (Variable): Of float32 or float64.
        size (int): Three times the width of the state.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        activation (int): Of c: 0 identity, 1 sigmoid, 2 tanh, 3 relu. Default: 'tanh'.
        gate_activation (int): Of u and r, likewise. Default: 'sigmoid'.
        origin_mode (bool): U keeps the old state. Default: False.

    Returns:
        tuple of Variable: the state, the state before the gate, and the gates.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 24])
        >>> state = fluid.data("state", [None, 8])
        >>> out = fluid.layers.gru_unit(x, state, size=24)
        >>> [v.shape for v in out]
        [(-1, 8), (-1, 8), (-1, 24)]
    """
    ...

def dynamic_lstm(input: Variable, size: Union[int, Variable], h_0: Optional[Variable] = ..., c_0: Optional[Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., use_peepholes: bool = ..., is_reverse: bool = ..., gate_activation: str = ..., cell_activation: str = ..., candidate_activation: str = ..., dtype: str = ..., name: Optional[str] = ...) -> Sequence[Any]:
    """Long short-term memory over sequences; size is four times that of the state, as wide as the
    input. (states, cells).

    Args:
        input (Variable): Sequences, [total, 4 size]: c, i, f, o. Of float32 or float64.
        size (int): Four times the width of the state.
        h_0 (Variable): States before, [sequences, size]. Of float32 or float64. Default: None.
        c_0 (Variable): Cells before, [sequences, size]. Of float32 or float64. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        use_peepholes (bool): The gates see the cell. Default: True.
        is_reverse (bool): From the end of each sequence. Default: False.
        gate_activation (str): Identity, sigmoid, tanh or relu. Default: 'sigmoid'.
        cell_activation (str): Of the cell. Default: 'tanh'.
        candidate_activation (str): Of c. Default: 'tanh'.
        dtype (str): The type of the elements. Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        tuple of Variable: the states and the cells of all steps.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.dynamic_lstm(fluid.layers.fc(words, 4 * 16), size=4 * 16)
        >>> [v.shape for v in out]
        [(-1, 16), (-1, 16)]
    """
    ...

def dynamic_lstmp(input: Variable, size: Union[int, Variable], proj_size: Union[int, Variable], param_attr: Any = ..., bias_attr: Any = ..., use_peepholes: bool = ..., is_reverse: bool = ..., gate_activation: str = ..., cell_activation: str = ..., candidate_activation: str = ..., proj_activation: str = ..., dtype: str = ..., name: Optional[str] = ..., h_0: Optional[Variable] = ..., c_0: Optional[Variable] = ..., cell_clip: Optional[Union[float, Variable]] = ..., proj_clip: Optional[Union[float, Variable]] = ...) -> Sequence[Any]:
    """dynamic_lstm whose states are projected to proj_size. (projections, cells).

    Args:
        input (Variable): Sequences, [total, 4 size]: c, i, f, o.
        size (int): Four times the width of the state.
        proj_size (int): The width of the projection.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        use_peepholes (bool): The gates see the cell. Default: True.
        is_reverse (bool): From the end of each sequence. Default: False.
        gate_activation (str): Identity, sigmoid, tanh or relu. Default: 'sigmoid'.
        cell_activation (str): Of the cell. Default: 'tanh'.
        candidate_activation (str): Of c. Default: 'tanh'.
        proj_activation (str): Of the projection. Default: 'tanh'.
        dtype (str): The type of the elements. Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: None.
        h_0 (Variable): Projections before, [sequences, width]. Default: None.
        c_0 (Variable): Cells before, [sequences, size]. Default: None.
        cell_clip (float): Of the cell, where above 0. Default: None.
        proj_clip (float): Of the projection, where above 0. Default: None.

    Returns:
        tuple of Variable: the states and the cells of all steps.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.dynamic_lstmp(fluid.layers.fc(words, 4 * 16), size=4 * 16, proj_size=8)
        >>> [v.shape for v in out]
        [(-1, 8), (-1, 16)]
    """
    ...

def lstm(input: Variable, init_h: Variable, init_c: Variable, max_len: Union[int, Variable], hidden_size: Union[int, Variable], num_layers: Union[int, Variable], dropout_prob: Union[float, Variable] = ..., is_bidirec: bool = ..., is_test: bool = ..., name: Optional[str] = ..., default_initializer: Any = ..., seed: Union[int, Variable] = ...) -> Sequence[Any]:
    """Layers of long short-term memory over [steps, batch, width]. (outputs of all steps, last states,
    last cells).

    Args:
        input (Variable): [steps, batch, in].
        init_h (Variable): States before, [layers directions, batch, size].
        init_c (Variable): Cells before, likewise.
        max_len (int): Most steps that input may have.
        hidden_size (int): Of a state.
        num_layers (int): One above the other.
        dropout_prob (float): Between layers, while training. Default: 0.0.
        is_bidirec (bool): In both directions. Default: False.
        is_test (bool): No dropout. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.
        default_initializer (Initializer, optional): Where it starts if its attributes do not say.
            Default: None.
        seed (int): Above 0: the same is dropped in every run. Default: -1.

    Returns:
        tuple of Variable: the states of all steps, the last states and the last cells.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.lstm(fluid.data("x", [6, 4, 8]),
        ...                         fluid.layers.zeros([1, 4, 16], "float32"),
        ...                         fluid.layers.zeros([1, 4, 16], "float32"), max_len=6,
        ...                         hidden_size=16, num_layers=1)
        >>> [v.shape for v in out]
        [(6, 4, 16), (1, 4, 16), (1, 4, 16)]
    """
    ...

def lstm_unit(x_t: Variable, hidden_t_prev: Variable, cell_t_prev: Variable, forget_bias: Union[float, Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., name: Optional[str] = ...) -> Sequence[Any]:
    """One step of long short-term memory, with the projection of x and h. (state, cell).

    Args:
        x_t (Variable): Of float32 or float64.
        hidden_t_prev (Variable): Of float32 or float64.
        cell_t_prev (Variable): Of float32 or float64.
        forget_bias (float): Added to f. Default: 0.0.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        tuple of Variable: the state and the cell.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 24])
        >>> state = fluid.data("state", [None, 8])
        >>> out = fluid.layers.lstm_unit(x, state, fluid.data("cell", [None, 8]))
        >>> [v.shape for v in out]
        [(-1, 8), (-1, 8)]
    """
    ...

def beam_search(pre_ids: Variable, pre_scores: Variable, ids: Variable, scores: Variable, beam_size: Union[int, Variable], end_id: Union[int, Variable], level: Union[int, Variable] = ..., is_accumulated: bool = ..., name: Optional[str] = ..., return_parent_idx: bool = ...) -> Sequence[Any]:
    """One step: of all ways to go on from the prefixes of a source the beam_size best. (their ids,
    their scores), and with return_parent_idx which prefix each goes on from.

    Args:
        pre_ids (Variable): The last word of each prefix.
        pre_scores (Variable): The score of each prefix.
        ids (Variable): Of the candidates, [n, k]; without, the number of the column.
        scores (Variable): Of the candidates, [n, k].
        beam_size (int): How many go on.
        end_id (int): The id that ends a prefix.
        level (int): Of the LoD: the sources. Default: 0.
        is_accumulated (bool): Scores are of whole prefixes; else probabilities of the candidate
            alone. Default: True.
        name (str, optional): The beginning of the names of what is made. Default: None.
        return_parent_idx (bool): Whether the prefix of each word comes back too. Default: False.

    Returns:
        tuple of Variable: the words, their scores and, if asked for, the prefixes.

    Examples:
        >>> import paddle.fluid as fluid
        >>> ids = fluid.data("ids", [None, 1], "int64", lod_level=2)
        >>> scores = fluid.data("scores", [None, 1], lod_level=2)
        >>> candidates = fluid.data("candidates", [None, 4], "int64")
        >>> totals = fluid.data("totals", [None, 4])
        >>> chosen, best = fluid.layers.beam_search(ids, scores, candidates, totals, beam_size=4,
        ...                                         end_id=1)
        >>> chosen.shape
        (-1, 1)
    """
    ...

def beam_search_decode(ids: Variable, scores: Variable, beam_size: Union[int, Variable], end_id: Union[int, Variable], name: Optional[str] = ...) -> Sequence[Any]:
    """(the sentences, the scores of their words) of arrays with what each step has selected; by
    source, the best first.

    Args:
        ids (Variable): Array: selected_ids of each step.
        scores (Variable): Array: selected_scores of each step.
        beam_size (int): Sentences of a source.
        end_id (int): The id that ends a sentence.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        tuple of Variable: sentences and scores.

    Examples:
        >>> import paddle.fluid as fluid
        >>> i = fluid.layers.fill_constant([1], "int64", 0)
        >>> ids = fluid.layers.array_write(fluid.data("ids", [None, 1], "int64", lod_level=2), i)
        >>> scores = fluid.layers.array_write(fluid.data("scores", [None, 1], lod_level=2), i)
        >>> sentences, totals = fluid.layers.beam_search_decode(ids, scores, beam_size=4, end_id=1)
        >>> sentences.shape
        ()
    """
    ...
