# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (Scope as Scope)
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def sum(input: Variable, scope: Optional[Scope] = ...) -> Any:
    """The sum over all workers, element by element.

    Args:
        input (Variable): Dense, sparse or arrays.
        scope (Scope, optional): Where variables live. Default: None.

    Returns:
        array: the same in every worker.

    Examples:
        # every worker of a job calls it
        >>> import numpy  # doctest: +SKIP
        >>> from paddle.fluid.incubate.fleet import metrics  # doctest: +SKIP
        >>> total = metrics.sum(numpy.array([3.0]))  # doctest: +SKIP
    """
    ...

def max(input: Any, scope: Optional[Scope] = ...) -> Any:
    """The largest over all workers, element by element.

    Args:
        input (array): The values of this worker.
        scope (Scope, optional): Where variables live. Default: None.

    Returns:
        array: the same in every worker.

    Examples:
        # every worker of a job calls it
        >>> import numpy  # doctest: +SKIP
        >>> from paddle.fluid.incubate.fleet import metrics  # doctest: +SKIP
        >>> largest = metrics.max(numpy.array([3.0]))  # doctest: +SKIP
    """
    ...

def min(input: Any, scope: Optional[Scope] = ...) -> Any:
    """The least over all workers, element by element.

    Args:
        input (array): The values of this worker.
        scope (Scope, optional): Where variables live. Default: None.

    Returns:
        array: the same in every worker.

    Examples:
        # every worker of a job calls it
        >>> import numpy  # doctest: +SKIP
        >>> from paddle.fluid.incubate.fleet import metrics  # doctest: +SKIP
        >>> least = metrics.min(numpy.array([3.0]))  # doctest: +SKIP
    """
    ...

def auc(stat_pos: Variable, stat_neg: Variable, scope: Optional[Scope] = ...) -> float:
    """The area under the curve, of the counts by bucket that layers.auc keeps.

    Args:
        stat_pos (Variable): Positives in each bin.
        stat_neg (Variable): Negatives in each bin.
        scope (Scope, optional): Where variables live. Default: None.

    Returns:
        float: the same in every worker.

    Examples:
        # every worker of a job calls it
        >>> from paddle.fluid.incubate.fleet import metrics  # doctest: +SKIP
        >>> value = metrics.auc(stat_pos, stat_neg)  # doctest: +SKIP
    """
    ...

def mae(abserr: Any, total_ins_num: Any, scope: Optional[Scope] = ...) -> float:
    """Mean absolute error: the sum of errors by the number of examples.

    Args:
        abserr (array or Variable): The sum of errors.
        total_ins_num (array or Variable): The number of examples.
        scope (Scope, optional): Where variables live. Default: None.

    Returns:
        float: the same in every worker.

    Examples:
        # every worker of a job calls it
        >>> from paddle.fluid.incubate.fleet import metrics  # doctest: +SKIP
        >>> value = metrics.mae(abserr, total_ins_num)  # doctest: +SKIP
    """
    ...

def rmse(sqrerr: Any, total_ins_num: Any, scope: Optional[Scope] = ...) -> float:
    """Root of the mean squared error: of the sum of squares by the number of examples.

    Args:
        sqrerr (array or Variable): The sum of errors.
        total_ins_num (array or Variable): The number of examples.
        scope (Scope, optional): Where variables live. Default: None.

    Returns:
        float: the same in every worker.

    Examples:
        # every worker of a job calls it
        >>> from paddle.fluid.incubate.fleet import metrics  # doctest: +SKIP
        >>> value = metrics.rmse(sqrerr, total_ins_num)  # doctest: +SKIP
    """
    ...

def mse(sqrerr: Any, total_ins_num: Any, scope: Optional[Scope] = ...) -> float:
    """Mean squared error: the sum of squares by the number of examples.

    Args:
        sqrerr (array or Variable): The sum of errors.
        total_ins_num (array or Variable): The number of examples.
        scope (Scope, optional): Where variables live. Default: None.

    Returns:
        float: the same in every worker.

    Examples:
        # every worker of a job calls it
        >>> from paddle.fluid.incubate.fleet import metrics  # doctest: +SKIP
        >>> value = metrics.mse(sqrerr, total_ins_num)  # doctest: +SKIP
    """
    ...

def acc(correct: Any, total: Any, scope: Optional[Scope] = ...) -> float:
    """The share of examples that were right.

    Args:
        correct (array or Variable): The number of right ones.
        total (array or Variable): The number of all.
        scope (Scope, optional): Where variables live. Default: None.

    Returns:
        float: the same in every worker.

    Examples:
        # every worker of a job calls it
        >>> from paddle.fluid.incubate.fleet import metrics  # doctest: +SKIP
        >>> value = metrics.acc(correct, total)  # doctest: +SKIP
    """
    ...
