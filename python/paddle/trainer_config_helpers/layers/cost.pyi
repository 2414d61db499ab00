# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def cost_layer(name: Optional[str], kind: str, parents: Sequence[Any], build: Callable[..., Any], coeff: float = ..., weight: Optional[LayerOutput] = ..., layer_attr: Any = ...) -> LayerOutput:
    """A layer whose build(net, *values) gives the cost of each example; weight: a layer with a factor
    for each.

    Args:
        name (str, optional): The name of the layer; None: one that is made.
        kind (str): What it is called in errors.
        parents (list of LayerOutput): Its inputs.
        build (callable): Adds the ops.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> cost = sum_cost(x)
        >>> cost.size
        1
    """
    ...

def classification_cost(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, weight: Optional[LayerOutput] = ..., name: Optional[str] = ..., evaluator: Optional[Callable[..., Any]] = ..., layer_attr: Any = ..., top_k: Optional[int] = ..., coeff: float = ...) -> LayerOutput:
    """-log of the probability that `input`, a softmax, gives the label; with the error rate as an
    evaluator, unless others are given.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        evaluator (callable, optional): Measures the result; None: the error rate. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        top_k (int, optional): How many of the most probable count. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> out = classification_cost(fc_layer(x, 5, act=SoftmaxActivation()), label)
        >>> out.size
        1
    """
    ...

def cross_entropy(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ..., coeff: float = ..., weight: Optional[LayerOutput] = ..., layer_attr: Any = ...) -> LayerOutput:
    """-log of the probability that `input` gives the label.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> out = cross_entropy(fc_layer(x, 5, act=SoftmaxActivation()), label)
        >>> out.size
        1
    """
    ...

def square_error_cost(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, weight: Optional[LayerOutput] = ..., name: Optional[str] = ..., coeff: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum over its columns of (input - label)^2, without a half.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = square_error_cost(x, y)
        >>> out.size
        1
    """
    ...

def cross_entropy_with_selfnorm(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ..., coeff: float = ..., softmax_selfnorm_alpha: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """Of numbers whose sum Z is to become 1: -log(input of the label / Z) + alpha log(Z)^2.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        softmax_selfnorm_alpha (float): How much Z counts. Default: 0.1.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> label = data_layer("label", size=5)
        >>> out = cross_entropy_with_selfnorm(fc_layer(x, 5, act=ExpActivation()), label)
        >>> out.size
        1
    """
    ...

def multi_binary_label_cross_entropy(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ..., coeff: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """Of columns that are each a probability of its own, label saying which are true.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = multi_binary_label_cross_entropy(fc_layer(x, 8, act=SigmoidActivation()), y)
        >>> out.size
        1
    """
    ...

def sum_cost(input: Union[LayerOutput, Sequence[Any]], name: Optional[str] = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum of each row.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = sum_cost(x)
        >>> out.size
        1
    """
    ...

def rank_cost(left: LayerOutput, right: LayerOutput, label: LayerOutput, weight: Optional[LayerOutput] = ..., name: Optional[str] = ..., coeff: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """Of two scores and the chance that the left one is the better: log(1 + e^o) - label o, with o =
    left - right.

    Args:
        left (LayerOutput): The scores.
        right (LayerOutput): The scores.
        label (LayerOutput): What is true.
        weight (LayerOutput, optional): How much each example counts. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> number = data_layer("number", size=1)
        >>> out = rank_cost(fc_layer(x, 1), fc_layer(y, 1), number)
        >>> out.size
        1
    """
    ...

def lambda_cost(input: Union[LayerOutput, Sequence[Any]], score: LayerOutput, name: Optional[str] = ..., NDCG_num: int = ..., max_sort_size: int = ..., layer_attr: Any = ...) -> LayerOutput:
    """Of lists, each a sequence: `input` are the scores that should bring them into the order of
    `score`. What it shows is the NDCG of the first NDCG_num places, for each row of a list; what it
    learns by is LambdaRank's gradient.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        score (LayerOutput): How relevant each document is.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        NDCG_num (int): How many documents count. Default: 5.
        max_sort_size (int): Documents that are looked at; -1: all. Default: -1.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> words = embedding_layer(data_layer("words", size=1000), size=8)
        >>> out = lambda_cost(fc_layer(words, 1), data_layer("score", size=1))
        >>> out.size
        1
    """
    ...

def huber_regression_cost(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ..., delta: float = ..., coeff: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum over columns of d^2 / 2, or delta (|d| - delta / 2) beyond delta.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        delta (float): Where the square becomes a line. Default: 1.0.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = huber_regression_cost(x, y)
        >>> out.size
        1
    """
    ...

def huber_classification_cost(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ..., coeff: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """Of one number and a label 0 or 1: with a = input, or -input for 0, (1 - a)^2 from -1 to 1, -4a
    below and 0 above.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = huber_classification_cost(fc_layer(x, 1), data_layer("flag", size=2))
        >>> out.size
        1
    """
    ...

def smooth_l1_cost(input: Union[LayerOutput, Sequence[Any]], label: LayerOutput, name: Optional[str] = ..., coeff: float = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum over columns of d^2 / 2, or |d| - 1/2 beyond 1.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        label (LayerOutput): What is true.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = smooth_l1_cost(x, y)
        >>> out.size
        1
    """
    ...
