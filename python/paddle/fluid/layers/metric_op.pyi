# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def accuracy(input: Variable, label: Variable, k: Union[int, Variable] = ..., correct: Optional[Variable] = ..., total: Optional[Variable] = ...) -> Variable:
    """How often the label is among the k classes with the highest scores.

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        label (Variable): The true class, [batch, 1].
        k (int): How many. Default: 1.
        correct (Variable, optional): Where the number of right ones goes. Default: None.
        total (Variable, optional): Where the number of all goes. Default: None.

    Returns:
        Variable: float32, [1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.accuracy(fluid.layers.softmax(x), label)
        >>> out.shape
        (1,)
    """
    ...

def auc(input: Variable, label: Variable, curve: str = ..., num_thresholds: Union[int, Variable] = ..., topk: Union[int, Variable] = ..., slide_steps: Union[int, Variable] = ...) -> Sequence[Any]:
    """(area under the ROC curve of all so far, that of the last slide_steps batches, [positives and
    negatives in each bin, of those batches and of all]).

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        label (Variable): 0 or 1; below 0: not counted. Of int32 or int64.
        curve (str): Always ROC. Default: 'ROC'.
        num_thresholds (int): Bins - 1. Default: 4095.
        topk (int): Kept for old scripts. Default: 1.
        slide_steps (int): Batches counted; 0: all. Default: 1.

    Returns:
        tuple: the AUC, that of the last batches, and the counts [batch_stat_pos,
        batch_stat_neg, stat_pos, stat_neg].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.auc(fluid.layers.fc(x, 2, act="softmax"), label)
    """
    ...
