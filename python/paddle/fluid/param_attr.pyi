# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class ParamAttr:
    """gradient_clip is of Fluid before 1.7: as set_gradient_clip() on this parameter.

    Args:
        name (str): The name of the variable. Default: None.
        initializer (Initializer, optional): Where it starts; None: Xavier, and 0 for a bias.
            Default: None.
        learning_rate (float): Times that of the optimizer. Default: 1.0.
        regularizer (WeightDecayRegularizer, optional): Draws it to zero. Default: None.
        trainable (bool): Whether it is learned. Default: True.
        do_model_average (bool): Whether ModelAverage averages it. Default: True.
        gradient_clip (GradientClipBase, optional): How its gradient is clipped, where the optimizer
            has no grad_clip. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> attr = fluid.ParamAttr(name="w", initializer=fluid.initializer.Normal(0.0, 0.01),
        ...                        learning_rate=0.5, regularizer=fluid.regularizer.L2Decay(1e-4))
        >>> y = fluid.layers.fc(x, 4, param_attr=attr)
        >>> y.shape
        (-1, 4)
    """
    def __init__(self, name: Optional[str] = ..., initializer: Any = ..., learning_rate: float = ..., regularizer: Any = ..., trainable: bool = ..., do_model_average: bool = ..., gradient_clip: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class WeightNormParamAttr(ParamAttr):
    """Weight normalisation: w = g v / |v|.

    Args:
        dim (int, optional): The dimension that keeps a length of its own; None: one length for all.
            Default: None.
        name (str): The name of the variable. Default: None.
        initializer (Initializer, optional): Where it starts; None: Xavier, and 0 for a bias.
            Default: None.
        learning_rate (float): Times that of the optimizer. Default: 1.0.
        regularizer (WeightDecayRegularizer, optional): Draws it to zero. Default: None.
        trainable (bool): Whether it is learned. Default: True.
        do_model_average (bool): Whether ModelAverage averages it. Default: False.
        gradient_clip (GradientClipBase, optional): How its gradient is clipped, where the optimizer
            has no grad_clip. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.WeightNormParamAttr(dim=0, name="w")
    """
    params_with_weight_norm: Any
    def __init__(self, dim: Optional[int] = ..., name: Optional[str] = ..., initializer: Any = ..., learning_rate: float = ..., regularizer: Any = ..., trainable: bool = ..., do_model_average: bool = ..., gradient_clip: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
