# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class EndIteration(WithMetric):
    """cost: of a sample of this batch, on average; metrics too are those of the batch.

    Args:
        pass_id (int): The number of the pass, and of the batch.
        batch_id (int): The number of the pass, and of the batch.
        cost (float): Of a sample, on average.
        evaluator (callable, optional): Measures the result; None: the error rate.
        gm (object, optional): The model. Default: None.

    Examples:
        >>> import paddle.v2 as paddle
        >>> def handler(event):
        ...     if isinstance(event, paddle.event.EndIteration) and event.batch_id % 100 == 0:
        ...         print("pass %d, batch %d: cost %f" % (event.pass_id, event.batch_id, event.cost))
        ...     if isinstance(event, paddle.event.EndPass):
        ...         print("pass %d is over" % event.pass_id)
        ...
    """
    def __init__(self, pass_id: int, batch_id: int, cost: float, evaluator: Optional[Callable[..., Any]], gm: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class BeginIteration:
    """A batch begins.

    Args:
        pass_id (int): The number of the pass, and of the batch.
        batch_id (int): The number of the pass, and of the batch.

    Examples:
        >>> import paddle.v2 as paddle
        >>> def handler(event):
        ...     if isinstance(event, paddle.event.EndIteration) and event.batch_id % 100 == 0:
        ...         print("pass %d, batch %d: cost %f" % (event.pass_id, event.batch_id, event.cost))
        ...     if isinstance(event, paddle.event.EndPass):
        ...         print("pass %d is over" % event.pass_id)
        ...
    """
    def __init__(self, pass_id: int, batch_id: int) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class BeginPass:
    """A pass begins.

    Args:
        pass_id (int): The number of the pass, and of the batch.

    Examples:
        >>> import paddle.v2 as paddle
        >>> def handler(event):
        ...     if isinstance(event, paddle.event.EndIteration) and event.batch_id % 100 == 0:
        ...         print("pass %d, batch %d: cost %f" % (event.pass_id, event.batch_id, event.cost))
        ...     if isinstance(event, paddle.event.EndPass):
        ...         print("pass %d is over" % event.pass_id)
        ...
    """
    def __init__(self, pass_id: int) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class EndPass(WithMetric):
    """Metrics are those of the whole pass.

    Args:
        pass_id (int): The number of the pass, and of the batch.
        evaluator (callable, optional): Measures the result; None: the error rate.
        gm (object, optional): The model. Default: None.

    Examples:
        >>> import paddle.v2 as paddle
        >>> def handler(event):
        ...     if isinstance(event, paddle.event.EndIteration) and event.batch_id % 100 == 0:
        ...         print("pass %d, batch %d: cost %f" % (event.pass_id, event.batch_id, event.cost))
        ...     if isinstance(event, paddle.event.EndPass):
        ...         print("pass %d is over" % event.pass_id)
        ...
    """
    def __init__(self, pass_id: int, evaluator: Optional[Callable[..., Any]], gm: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class TestResult(WithMetric):
    """What trainer.test() gives: the cost of a sample on average, and metrics.

    Args:
        evaluator (callable, optional): Measures the result; None: the error rate.
        cost (float): Of a sample, on average.

    Examples:
        >>> import paddle.v2 as paddle
        >>> def handler(event):
        ...     if isinstance(event, paddle.event.EndIteration) and event.batch_id % 100 == 0:
        ...         print("pass %d, batch %d: cost %f" % (event.pass_id, event.batch_id, event.cost))
        ...     if isinstance(event, paddle.event.EndPass):
        ...         print("pass %d is over" % event.pass_id)
        ...
    """
    def __init__(self, evaluator: Optional[Callable[..., Any]], cost: float) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class EndForwardBackward:
    """Gradients are there, parameters are not changed yet.

    Args:
        pass_id (int): The number of the pass, and of the batch.
        batch_id (int): The number of the pass, and of the batch.
        gm (object, optional): The model.

    Examples:
        >>> import paddle.v2 as paddle
        >>> def handler(event):
        ...     if isinstance(event, paddle.event.EndIteration) and event.batch_id % 100 == 0:
        ...         print("pass %d, batch %d: cost %f" % (event.pass_id, event.batch_id, event.cost))
        ...     if isinstance(event, paddle.event.EndPass):
        ...         print("pass %d is over" % event.pass_id)
        ...
    """
    def __init__(self, pass_id: int, batch_id: int, gm: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class WithMetric:
    """metrics: {name of the evaluator: number}.

    Args:
        evaluator (callable, optional): Measures the result; None: the error rate.
    """
    metrics: Any
    def __init__(self, evaluator: Optional[Callable[..., Any]]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
