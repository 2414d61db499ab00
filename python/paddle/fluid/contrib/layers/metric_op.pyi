# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def ctr_metric_bundle(input: Union[Variable, Sequence[Any]], label: Variable) -> Sequence[Any]:
    """Sums over all batches so far, for metrics of predicted click rates: (squared error, absolute
    error, sum of predictions, sum of their sigmoids, positives, instances), each of shape [1].

    input: predictions [batch, 1]; label: 0 or 1, float32 [batch, 1]. RMSE is the root of squared
    error / instances, COPC positives / sum of predictions; over all workers: fleet.metrics.

    Args:
        input (Variable or list of Variable): What it is computed from.
        label (Variable): What is true.

    Returns:
        tuple: as the first line says.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.contrib.ctr_metric_bundle(fluid.layers.fc(x, 1, act="sigmoid"),
        ...                                       fluid.data("label", [None, 1]))
        >>> [v.shape for v in out]
        [(1,), (1,), (1,), (1,), (1,), (1,)]
    """
    ...
