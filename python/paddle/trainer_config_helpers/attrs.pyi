# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class HookAttribute:
    """What is done to a parameter after each update: 'pruning' with a sparsity_ratio.

    Args:
        type (str): The kind by its name.
        sparsity_ratio (float): The part that is set to zero. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> pruned = ParamAttr(update_hooks=HookAttr("pruning", sparsity_ratio=0.6))
        >>> fc_layer(x, size=16, param_attr=pruned).size
        16
    """
    def __init__(self, type: str, sparsity_ratio: Optional[float] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class ParameterAttribute:
    """How a parameter starts and learns. Without a word about its start it is normal around 0 with a
    deviation of 1/sqrt(rows): "smart".

    Args:
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        is_static (bool): Whether it is not learned. Default: False.
        initial_std (float, optional): The standard deviation at the start. Default: None.
        initial_mean (float, optional): The mean at the start. Default: None.
        initial_max (float, optional): Ends of a uniform distribution at the start. Default: None.
        initial_min (float, optional): Ends of a uniform distribution at the start. Default: None.
        l1_rate (float, optional): Draws to zero. Default: None.
        l2_rate (float, optional): Draws to zero. Default: None.
        learning_rate (float, optional): Times that of the settings. Default: None.
        momentum (float, optional): The part of the last step that goes on. Default: None.
        gradient_clipping_threshold (float, optional): Gradients are clipped to it. Default: None.
        sparse_update (bool): Whether gradients are rows. Default: False.
        update_hooks (HookAttr, optional): What is done after each update. Default: None.
        initializer (callable, optional): Of the name: the elements at the start. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = fc_layer(x, size=16, param_attr=ParamAttr(name="w", initial_std=0.01, l2_rate=1e-4))
        >>> out.size
        16
    """
    is_smart: Any
    def __init__(self, name: Optional[str] = ..., is_static: bool = ..., initial_std: Optional[float] = ..., initial_mean: Optional[float] = ..., initial_max: Optional[float] = ..., initial_min: Optional[float] = ..., l1_rate: Optional[float] = ..., l2_rate: Optional[float] = ..., learning_rate: Optional[float] = ..., momentum: Optional[float] = ..., gradient_clipping_threshold: Optional[float] = ..., sparse_update: bool = ..., update_hooks: Any = ..., initializer: Optional[Callable[..., Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_default_parameter_name(self, name: Optional[str]) -> Any:
        """Give it a name if it has none.

        Args:
            name (str, optional): The name of the layer; None: one that is made.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class ExtraLayerAttribute:
    """Of a layer: dropout, and clipping of the gradient that comes back.

    Args:
        error_clipping_threshold (float, optional): The gradient that comes back is clipped to it.
            Default: None.
        drop_rate (float, optional): The part of elements that is dropped. Default: None.
        device (int, optional): Refused, but for -1. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> out = fc_layer(x, size=16, layer_attr=ExtraAttr(drop_rate=0.5))
        >>> out.size
        16
    """
    attr: Any
    def __init__(self, error_clipping_threshold: Optional[float] = ..., drop_rate: Optional[float] = ..., device: Optional[int] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
