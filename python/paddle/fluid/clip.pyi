# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

def set_gradient_clip(clip: Any, param_list: Optional[Union[Sequence[Any], str]] = ..., program: Optional[Program] = ...) -> None:
    """The old way: a clip for some parameters, or for all. An optimizer's own grad_clip comes before
    it.

    Each parameter is clipped as it was asked for. (Paddle 1.8.5 takes one clip for all
    parameters, or none where one has none, and does not ask need_clip.)

    Args:
        clip (GradientClipBase): How gradients are clipped.
        param_list (list of Variable or str, optional): Of these parameters; None: of all. Default:
            None.
        program (Program, optional): The program that is meant; None: the default main program.
            Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(5.0))
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.SGD(0.1).minimize(loss)
    """
    ...

class ErrorClipByValue(BaseErrorClipAttr):
    """Clips the gradient of a variable while the backward pass goes on.

    Args:
        max (float): The largest.
        min (float, optional): The least; None: -max. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> hidden = fluid.layers.fc(fluid.data("x", [None, 2]), 4)
        >>> hidden.error_clip = fluid.clip.ErrorClipByValue(max=1.0)
    """
    def __init__(self, max: float, min: Optional[float] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class GradientClipByValue(GradientClipBase):
    """Each element of a gradient is kept between min and max.

    Args:
        max (float): The largest.
        min (float, optional): The least; None: -max. Default: None.
        need_clip (callable, optional): Whether a parameter's gradient is clipped; None: all are.
            Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> optimizer = fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByValue(max=1.0))
    """
    def __init__(self, max: float, min: Optional[float] = ..., need_clip: Optional[Callable[..., Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class GradientClipByNorm(GradientClipBase):
    """Each gradient is made no longer than clip_norm.

    Args:
        clip_norm (float): The greatest length.
        need_clip (callable, optional): Whether a parameter's gradient is clipped; None: all are.
            Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> optimizer = fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByNorm(1.0))
    """
    def __init__(self, clip_norm: float, need_clip: Optional[Callable[..., Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class GradientClipByGlobalNorm(GradientClipBase):
    """All gradients together are made no longer than clip_norm.

    Args:
        clip_norm (float): The greatest length.
        group_name (str): Gradients of one name are measured together. Default: 'default_group'.
        need_clip (callable, optional): Whether a parameter's gradient is clipped; None: all are.
            Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> optimizer = fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(5.0))
    """
    def __init__(self, clip_norm: float, group_name: str = ..., need_clip: Optional[Callable[..., Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class BaseErrorClipAttr:
    """"""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class GradientClipBase:
    """
    Args:
        need_clip (callable, optional): Whether a parameter's gradient is clipped; None: all are.
            Default: None.
    """
    def __init__(self, need_clip: Optional[Callable[..., Any]] = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
