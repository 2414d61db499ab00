# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.executor import (Executor as Executor)
from paddle.fluid.framework import (Program as Program, Variable as Variable)
from paddle.fluid.optimizer import (Optimizer as Optimizer)

def __getattr__(name: str) -> Any: ...

class ModelAverage(_Applied):
    """The mean of each parameter over a moving window of steps: at least min_average_window, at most
    max_average_window, and in between average_window_rate of all steps so far. Made after
    minimize(), it adds its sums to the program.

    Args:
        average_window_rate (float): The part of all steps that is averaged.
        min_average_window (int): The fewest steps. Default: 10000.
        max_average_window (int): The most steps. Default: 10000.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.SGD(0.1).minimize(loss)
        >>> average = fluid.optimizer.ModelAverage(0.15, min_average_window=10, max_average_window=20)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> out = exe.run(feed={"x": numpy.ones((4, 2), "float32")})
        >>> with average.apply(exe):
        ...     out = exe.run(feed={"x": numpy.ones((4, 2), "float32")})
        ...
    """
    def __init__(self, average_window_rate: float, min_average_window: int = ..., max_average_window: int = ..., regularization: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class ExponentialMovingAverage(_Applied):
    """A running mean of each parameter: average = decay * average + (1 - decay) * parameter at every
    update(), which goes into the training program after minimize().

    With thres_steps, a counter of steps, the decay is min(decay, (1 + t) / (10 + t)). apply()
    divides by 1 - decay^t for the start from zero; the averages themselves stay as they are, so
    that training may go on after it (Paddle 1.8.5 leaves them divided).

    Args:
        decay (float): How slowly it forgets. Default: 0.999.
        thres_steps (Variable, optional): A counter: the average follows faster while it is low.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.SGD(0.1).minimize(loss)
        >>> average = fluid.optimizer.ExponentialMovingAverage(0.999)
        >>> average.update()
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> out = exe.run(feed={"x": numpy.ones((4, 2), "float32")})
        >>> with average.apply(exe):
        ...     out = exe.run(feed={"x": numpy.ones((4, 2), "float32")})
        ...
    """
    def __init__(self, decay: float = ..., thres_steps: Optional[Variable] = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def update(self) -> Any:
        """Add the averages' step to the training program."""
        ...

class PipelineOptimizer:
    """Refused: a program is not cut into sections that run on devices of their own."""
    def __init__(self, optimizer: Any, cut_list: Any = ..., place_list: Any = ..., concurrency_list: Any = ..., queue_size: int = ..., sync_steps: int = ..., start_cpu_core_id: int = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class LookaheadOptimizer:
    """The inner optimizer moves the parameters, and every k steps they go back part of the way: slow
    += alpha * (fast - slow), fast = slow.

    Args:
        inner_optimizer (Optimizer): Makes the steps.
        alpha (float): How much of the way is kept. Default: 0.5.
        k (int): Steps between two looks back. Default: 5.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.LookaheadOptimizer(fluid.optimizer.SGD(0.1), alpha=0.5,
        ...                                        k=5).minimize(loss)
    """
    def __init__(self, inner_optimizer: Any, alpha: float = ..., k: int = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def minimize(self, loss: Variable, startup_program: Optional[Program] = ...) -> Any:
        """Append gradients and updates to the program.

        Args:
            loss (Variable): What is to become small, one number.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
        """
        ...

class RecomputeOptimizer(Optimizer):
    """The inner optimizer, with less memory: what is made between checkpoints is not kept for the
    backward pass, but computed again there. The numbers are the same, dropout's included.

    optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.Adam(1e-3))
        optimizer._set_checkpoints([hidden_1, hidden_2])
        optimizer.minimize(loss)

    Args:
        optimizer (Optimizer): The optimizer that is wrapped.

    Examples:
        >>> import paddle.fluid as fluid
        >>> hidden = fluid.layers.fc(fluid.data("x", [None, 2]), 4, act="relu")
        >>> loss = fluid.layers.mean(fluid.layers.fc(hidden, 1))
        >>> optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.1))
        >>> optimizer._set_checkpoints([hidden])
        >>> _ = optimizer.minimize(loss)
    """
    def __init__(self, optimizer: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def load(self, stat_dict: Dict[Any, Any]) -> Any:
        """Refused: optimizer state is loaded with the program's variables (fluid.load)."""
        ...

    def backward(self, loss: Variable, startup_program: Optional[Program] = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ..., callbacks: Optional[Sequence[Any]] = ...) -> Any:
        """Append the gradients to the program.

        Args:
            loss (Variable): What is to become small, one number.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
            parameter_list (list of Variable or str, optional): What is learned; None: all trainable
                parameters. Default: None.
            no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
                None.
            callbacks (list, optional): Called when a gradient op is added. Default: None.
        """
        ...

    def apply_gradients(self, params_grads: Sequence[Any]) -> Any:
        """Append the updates to the program.

        Args:
            params_grads (list of tuple): Parameters with their gradients.
        """
        ...

    def apply_optimize(self, loss: Variable, startup_program: Optional[Program], params_grads: Sequence[Any]) -> Any:
        """Append the updates to the program.

        Args:
            loss (Variable): What is to become small, one number.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one.
            params_grads (list of tuple): Parameters with their gradients.
        """
        ...

class _Applied:
    """Parameters exchanged for their averages, and back."""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, executor: Executor, need_restore: bool = ...) -> Any:
        """with average.apply(exe): the parameters are their averages inside.

        Args:
            executor (Executor): Runs what has to be run.
            need_restore (bool): Whether the parameters come back behind the with block. Default: True.
        """
        ...

    def restore(self, executor: Executor) -> Any:
        """Put the parameters back that apply() set aside.

        Args:
            executor (Executor): Runs what has to be run.
        """
        ...
