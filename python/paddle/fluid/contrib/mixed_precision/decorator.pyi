# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def decorate(optimizer: Any, amp_lists: Any = ..., init_loss_scaling: float = ..., incr_every_n_steps: int = ..., decr_every_n_nan_or_inf: int = ..., incr_ratio: float = ..., decr_ratio: float = ..., use_dynamic_loss_scaling: bool = ...) -> Any:
    """The optimizer, with its program computed in float16 on a GPU and in bfloat16 on a CPU where
    `amp_lists` say so. Parameters and their gradients are float32.

    Args:
        optimizer (Optimizer): The optimizer that is wrapped.
        amp_lists (AutoMixedPrecisionLists, optional): Which ops are computed in which precision.
            Default: None.
        init_loss_scaling (float): What the loss is multiplied by at the start. Default: 32768.
        incr_every_n_steps (int): Good steps until the factor grows. Default: 1000.
        decr_every_n_nan_or_inf (int): Bad steps until it shrinks. Default: 2.
        incr_ratio (float): By how much. Default: 2.0.
        decr_ratio (float): By how much. Default: 0.8.
        use_dynamic_loss_scaling (bool): Whether the factor changes at all. Default: True.

    Returns:
        Optimizer: the optimizer.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> lists = fluid.contrib.AutoMixedPrecisionLists(custom_black_list=["mul"])
        >>> optimizer = fluid.contrib.decorate(fluid.optimizer.SGD(0.1), amp_lists=lists)
        >>> _ = optimizer.minimize(loss)
    """
    ...
