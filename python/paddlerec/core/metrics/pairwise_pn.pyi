# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddlerec.core.metric import (Metric as Metric)

def __getattr__(name: str) -> Any: ...

class PosNegRatio(Metric):
    """How often the one score is above the other.

    Args:
        pos_score (Variable): The scores of both sides.
        neg_score (Variable): The scores of both sides.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddlerec.core import metrics
        >>> x = fluid.data("x", [None, 8])
        >>> sorted(metrics.PosNegRatio(fluid.layers.fc(x, 1), fluid.layers.fc(x, 1)).get_result())
        ['PN', 'RightCnt', 'WrongCnt']
    """
    def __init__(self, pos_score: Variable, neg_score: Variable) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_result(self) -> Any:
        """Name -> Variable, of what each batch shows."""
        ...
