# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def exponential_decay(learning_rate: Union[float, Variable], decay_steps: Union[int, Variable], decay_rate: Union[float, Variable], staircase: bool = ...) -> Variable:
    """learning_rate * decay_rate^(t / decay_steps).

    Args:
        learning_rate (float): The rate at the start.
        decay_steps (int): Steps between two decays.
        decay_rate (float): What a decay multiplies by.
        staircase (bool): Whether it goes down in stairs, and not at each step. Default: False.

    Returns:
        Variable: the rate, for an optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.exponential_decay(learning_rate=0.1, decay_steps=1000, decay_rate=0.5)
        >>> out.shape
        (1,)
    """
    ...

def natural_exp_decay(learning_rate: Union[float, Variable], decay_steps: Union[int, Variable], decay_rate: Union[float, Variable], staircase: bool = ...) -> Variable:
    """learning_rate * e^(-decay_rate * t / decay_steps).

    Args:
        learning_rate (float): The rate at the start.
        decay_steps (int): Steps between two decays.
        decay_rate (float): What a decay multiplies by.
        staircase (bool): Whether it goes down in stairs, and not at each step. Default: False.

    Returns:
        Variable: the rate, for an optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.natural_exp_decay(learning_rate=0.1, decay_steps=1000, decay_rate=0.5)
        >>> out.shape
        (1,)
    """
    ...

def inverse_time_decay(learning_rate: Union[float, Variable], decay_steps: Union[int, Variable], decay_rate: Union[float, Variable], staircase: bool = ...) -> Variable:
    """learning_rate / (1 + decay_rate * t / decay_steps).

    Args:
        learning_rate (float): The rate at the start.
        decay_steps (int): Steps between two decays.
        decay_rate (float): What a decay multiplies by.
        staircase (bool): Whether it goes down in stairs, and not at each step. Default: False.

    Returns:
        Variable: the rate, for an optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.inverse_time_decay(learning_rate=0.1, decay_steps=1000, decay_rate=0.5)
        >>> out.shape
        (1,)
    """
    ...

def polynomial_decay(learning_rate: Union[float, Variable], decay_steps: Union[int, Variable], end_learning_rate: Union[float, Variable] = ..., power: Union[float, Variable] = ..., cycle: bool = ...) -> Variable:
    """From learning_rate to end_learning_rate in decay_steps, there to stay or, if cycle, to begin
    again with a longer period.

    Args:
        learning_rate (float): The rate at the start.
        decay_steps (int): Steps between two decays.
        end_learning_rate (float): The rate at the end. Default: 0.0001.
        power (float): Of the polynomial. Default: 1.0.
        cycle (bool): Whether it begins again after decay_steps. Default: False.

    Returns:
        Variable: the rate, for an optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.polynomial_decay(learning_rate=0.1, decay_steps=1000)
        >>> out.shape
        (1,)
    """
    ...

def piecewise_decay(boundaries: Sequence[Any], values: Sequence[Any]) -> Variable:
    """values[i] until step boundaries[i], and the last value from the last boundary on.

    Args:
        boundaries (list of int): The steps at which the rate changes.
        values (list of float): The rates, one more than boundaries.

    Returns:
        Variable: the rate, for an optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.piecewise_decay(boundaries=[1000, 2000], values=[0.1, 0.01, 0.001])
        >>> out.shape
        (1,)
    """
    ...

def noam_decay(d_model: Union[int, Variable], warmup_steps: Union[int, Variable], learning_rate: Union[float, Variable] = ...) -> Variable:
    """learning_rate * d_model^-0.5 * min(t^-0.5, t * warmup_steps^-1.5).

    Args:
        d_model (int): The width of the model.
        warmup_steps (int): Steps in which the rate rises.
        learning_rate (float): The rate at the start. Default: 1.0.

    Returns:
        Variable: the rate, for an optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.noam_decay(d_model=512, warmup_steps=100)
        >>> out.shape
        (1,)
    """
    ...

def cosine_decay(learning_rate: Union[float, Variable], step_each_epoch: Union[int, Variable], epochs: Union[int, Variable]) -> Variable:
    """learning_rate / 2 * (cos(pi * epoch / epochs) + 1), the same within an epoch.

    Args:
        learning_rate (float): The rate at the start.
        step_each_epoch (int): Steps in an epoch.
        epochs (int): How many epochs.

    Returns:
        Variable: the rate, for an optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.cosine_decay(learning_rate=0.1, step_each_epoch=100, epochs=10)
        >>> out.shape
        (1,)
    """
    ...

def linear_lr_warmup(learning_rate: Union[float, Variable], warmup_steps: Union[int, Variable], start_lr: Union[float, Variable], end_lr: Union[float, Variable]) -> Variable:
    """From start_lr to end_lr in warmup_steps, and then learning_rate: a number or a schedule.

    Args:
        learning_rate (float or Variable): The rate after it.
        warmup_steps (int): Steps in which the rate rises.
        start_lr (float): The rate at the first step.
        end_lr (float): The rate at the last step of the warmup.

    Returns:
        Variable: the rate, for an optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.linear_lr_warmup(learning_rate=0.1, warmup_steps=50, start_lr=0.0,
        ...                                     end_lr=0.1)
        >>> out.shape
        (1,)
    """
    ...

def autoincreased_step_counter(counter_name: Optional[str] = ..., begin: Union[int, Variable] = ..., step: Union[float, Variable] = ...) -> Variable:
    """An int64 that starts from begin - 1 and grows by `step` in each run of the program: with a step
    of 1, the first run sees `begin`.

    Args:
        counter_name (str, optional): Counters of one name are one. Default: None.
        begin (int): The first number. Default: 1.
        step (float): Added. Default: 1.

    Returns:
        Variable: the counter.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.layers.autoincreased_step_counter()
        >>> out.shape
        (1,)
    """
    ...
