# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

def gradients(targets: Sequence[Any], inputs: Sequence[Any], target_gradients: Optional[Sequence[Any]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ...) -> Sequence[Any]:
    """The gradients of the targets, weighted by target_gradients, by each input.

    Args:
        targets (list of Variable): What is derived.
        inputs (list of Variable): By what.
        target_gradients (list of Variable, optional): A weight for each target; None: ones.
            Default: None.
        no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
            None.

    Returns:
        list of Variable: a gradient for each input; None where there is none.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.gradients(fluid.layers.reduce_sum(fluid.layers.fc(x, 4)),
        ...                       fluid.default_main_program().all_parameters())
        >>> [v.shape for v in out]
        [(8, 4), (4,)]
    """
    ...

def append_backward(loss: Variable, parameter_list: Optional[Union[Sequence[Any], str]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ..., callbacks: Optional[Sequence[Any]] = ..., checkpoints: Optional[Sequence[Any]] = ...) -> Sequence[Any]:
    """Append the gradients of the loss; [(parameter, gradient)] of those it depends on.

    Args:
        loss (Variable): What is to become small, one number.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
            None.
        callbacks (list, optional): Called when a gradient op is added. Default: None.
        checkpoints (list of Variable, optional): What is kept; all between is computed again.
            Default: None.

    Returns:
        list of tuple: parameters with their gradients.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> [(p.name, g.name) for p, g in fluid.backward.append_backward(loss)]
        [('fc_0.w_0', 'fc_0.w_0@GRAD'), ('fc_0.b_0', 'fc_0.b_0@GRAD')]
    """
    ...
