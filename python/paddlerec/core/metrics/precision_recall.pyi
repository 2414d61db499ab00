# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddlerec.core.metric import (Metric as Metric)

def __getattr__(name: str) -> Any: ...

class PrecisionRecall(Metric):
    """Precision, recall and F1 of classes.

    Args:
        input (Variable): What it is computed from.
        label (Variable): What is true.
        class_num (int): How many classes there are.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddlerec.core import metrics
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> guess = fluid.layers.fc(fluid.data("x", [None, 8]), 3, act="softmax")
        >>> sorted(metrics.PrecisionRecall(guess, label, class_num=3).get_result())
        ['[TP FP TN FN]', 'precision_recall_f1']
    """
    def __init__(self, input: Variable, label: Variable, class_num: int) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_result(self) -> Any:
        """Name -> Variable, of what each batch shows."""
        ...
