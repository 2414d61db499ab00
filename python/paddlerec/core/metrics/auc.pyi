# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddlerec.core.metric import (Metric as Metric)

def __getattr__(name: str) -> Any: ...

class AUC(Metric):
    """The area under the ROC curve, with calibration beside it.

    Args:
        input (Variable): What it is computed from.
        label (Variable): What is true.
        curve (str): "ROC" or "PR". Default: 'ROC'.
        num_thresholds (int): How many bins the scores are counted in. Default: 4095.
        topk (int): Kept for old scripts. Default: 1.
        slide_steps (int): Over how many batches the AUC of a batch goes; 0: over all. Default: 1.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddlerec.core import metrics
        >>> click = fluid.data("click", [None, 1], "int64")
        >>> guess = fluid.layers.fc(fluid.data("x", [None, 8]), 2, act="softmax")
        >>> sorted(metrics.AUC(guess, click).get_result())
        ['AUC', 'BATCH_AUC']
    """
    def __init__(self, input: Variable, label: Variable, curve: str = ..., num_thresholds: int = ..., topk: int = ..., slide_steps: int = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_result(self) -> Any:
        """Name -> Variable, of what each batch shows."""
        ...
