# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddlerec.core.metric import (Metric as Metric)

def __getattr__(name: str) -> Any: ...

class RecallK(Metric):
    """How often the true item is among the k best.

    Args:
        input (Variable): What it is computed from.
        label (Variable): What is true.
        k (int): How many are looked at. Default: 20.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddlerec.core import metrics
        >>> item = fluid.data("item", [None, 1], "int64")
        >>> guess = fluid.layers.fc(fluid.data("x", [None, 8]), 50, act="softmax")
        >>> sorted(metrics.RecallK(guess, item, k=20).get_result())
        ['Acc(Recall@20)', 'InsCnt', 'RecallCnt']
    """
    def __init__(self, input: Variable, label: Variable, k: int = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_result(self) -> Any:
        """Name -> Variable, of what each batch shows."""
        ...
