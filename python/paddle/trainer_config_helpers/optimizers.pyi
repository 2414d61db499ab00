# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class Optimizer:
    """A part of the settings.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> issubclass(AdamOptimizer, BaseSGDOptimizer)
        True
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class BaseSGDOptimizer(Optimizer):
    """op: the op of its rule. attrs: that op's attributes. states: its inputs besides parameter,
    gradient and rate, and the number each starts with; a state called ...Pow is one number.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> issubclass(AdamOptimizer, BaseSGDOptimizer)
        True
    """
    op: Any
    states: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def attrs(self) -> Any:
        """The attributes of the op of its rule.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class MomentumOptimizer(BaseSGDOptimizer):
    """v = momentum v - rate (g + decay p), p += v. With sparse=True all rows of a sparse_update
    parameter move at each step, else those with a gradient.

    Args:
        momentum (float, optional): The part of the last step that goes on. Default: None.
        sparse (bool): Whether all rows of a sparse_update parameter move at each step. Default:
            False.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = MomentumOptimizer(momentum=0.9)
    """
    op: Any
    def __init__(self, momentum: Optional[float] = ..., sparse: bool = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AdamaxOptimizer(_AdamLike):
    """Adam with the largest gradient in place of the second moment.

    Args:
        beta1 (float): How slowly the running mean of gradients forgets. Default: 0.9.
        beta2 (float): How slowly the running mean of squared gradients forgets. Default: 0.999.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = AdamaxOptimizer(beta1=0.9)
    """
    states: Any
    op: Any
    def __init__(self, beta1: float = ..., beta2: float = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def attrs(self) -> Any:
        """The attributes of the op of its rule.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class AdamOptimizer(_AdamLike):
    """Steps by running means of the gradient and of its square.

    Args:
        beta1 (float): How slowly the running mean of gradients forgets. Default: 0.9.
        beta2 (float): How slowly the running mean of squared gradients forgets. Default: 0.999.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-08.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = AdamOptimizer(beta1=0.9)
    """
    states: Any
    op: Any
    def __init__(self, beta1: float = ..., beta2: float = ..., epsilon: float = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def attrs(self) -> Any:
        """The attributes of the op of its rule.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class AdaGradOptimizer(BaseSGDOptimizer):
    """Steps scaled by the sum of all squared gradients.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = AdaGradOptimizer()
    """
    op: Any
    states: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def attrs(self) -> Any:
        """The attributes of the op of its rule.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class RMSPropOptimizer(_Forgetting):
    """Steps scaled by a running variance of the gradient.

    Args:
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = RMSPropOptimizer(rho=0.9)
    """
    op: Any
    states: Any
    def __init__(self, rho: float = ..., epsilon: float = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class DecayedAdaGradOptimizer(_Forgetting):
    """Steps scaled by a running mean of squared gradients.

    Args:
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = DecayedAdaGradOptimizer(rho=0.9)
    """
    op: Any
    states: Any
    def __init__(self, rho: float = ..., epsilon: float = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AdaDeltaOptimizer(_Forgetting):
    """Steps as large as past steps were for such gradients.

    Args:
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = AdaDeltaOptimizer(rho=0.9)
    """
    op: Any
    states: Any
    def __init__(self, rho: float = ..., epsilon: float = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class BaseRegularization(Optimizer):
    """The base of regularizations.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> issubclass(L2Regularization, BaseRegularization)
        True
    """
    l1: Any
    l2: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class L1Regularization(BaseRegularization):
    """Draws parameters to zero by a constant.

    Args:
        rate (float): How strongly.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = L1Regularization(rate=1e-4)
    """
    def __init__(self, rate: float) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class L2Regularization(BaseRegularization):
    """Draws parameters to zero in proportion.

    Args:
        rate (float): How strongly.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = L2Regularization(rate=1e-4)
    """
    def __init__(self, rate: float) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def settings(batch_size: int, learning_rate: Optional[float] = ..., learning_rate_decay_a: float = ..., learning_rate_decay_b: float = ..., learning_rate_schedule: str = ..., learning_rate_args: str = ..., learning_method: Any = ..., regularization: Any = ..., is_async: bool = ..., model_average: Any = ..., gradient_clipping_threshold: Optional[float] = ...) -> LayerOutput:
    """How the model of this config learns. batch_size is that of one node.

    Args:
        batch_size (int): Samples in a batch of one node.
        learning_rate (float, optional): Times that of the settings. Default: 0.001.
        learning_rate_decay_a (float): Of the schedule. Default: 0.0.
        learning_rate_decay_b (float): Of the schedule. Default: 0.0.
        learning_rate_schedule (str): How the rate changes: "constant", "poly", "exp", "linear",
            "manual" and others. Default: 'poly'.
        learning_rate_args (str): Of the schedule "manual". Default: ''.
        learning_method (BaseSGDOptimizer, optional): The rule; None: plain descent. Default: None.
        regularization (BaseRegularization, optional): For parameters that have none of their own.
            Default: None.
        is_async (bool): Whether servers apply gradients as they come. Default: False.
        model_average (ModelAverage, optional): Averages for tests and saved models. Default: None.
        gradient_clipping_threshold (float, optional): Gradients are clipped to it. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> _ = settings(batch_size=128, learning_rate=1e-3, learning_method=AdamOptimizer(),
        ...              regularization=L2Regularization(8e-4))
    """
    ...

class ModelAverage(Optimizer):
    """Tests and saved models take the mean of each parameter over the last average_window (a part of
    all steps so far), at most max_average_window steps.

    Args:
        average_window (float): A part of all batches, or how many.
        max_average_window (int, optional): The most batches. Default: None.
        do_average_in_cpu (bool): Taken: the result is the same. Default: False.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = ModelAverage(average_window=0.5)
    """
    def __init__(self, average_window: float, max_average_window: Optional[int] = ..., do_average_in_cpu: bool = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class GradientClippingThreshold(Optimizer):
    """Gradients are clipped to this.

    Args:
        threshold (float, optional): From where on it is 1.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> out = GradientClippingThreshold(threshold=5.0)
    """
    def __init__(self, threshold: Optional[float]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class _AdamLike(BaseSGDOptimizer):
    """
    Args:
        beta1 (float): How slowly the running mean of gradients forgets.
        beta2 (float): How slowly the running mean of squared gradients forgets.
    """
    def __init__(self, beta1: float, beta2: float) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class _Forgetting(BaseSGDOptimizer):
    """
    Args:
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
    """
    def __init__(self, rho: float = ..., epsilon: float = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def attrs(self) -> Any:
        """The attributes of the op of its rule.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...
