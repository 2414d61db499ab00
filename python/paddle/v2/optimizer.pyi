# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.optimizers import (L1Regularization as L1Regularization, L2Regularization as L2Regularization, ModelAverage as ModelAverage)

def __getattr__(name: str) -> Any: ...

class Optimizer:
    """Keywords: learning_rate, learning_rate_decay_a, learning_rate_decay_b, learning_rate_schedule,
    learning_rate_args, regularization, model_average, gradient_clipping_threshold, is_async,
    batch_size.

    Args:
        method (object, optional): The rule. Default: None.
        **kwargs (dict): Learning_rate, regularization, learning_rate_decay_a, model_average,
            gradient_clipping_threshold and others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> optimizer = paddle.optimizer.Momentum(momentum=0.9, learning_rate=0.01)
    """
    def __init__(self, method: Any = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def enable_types(self) -> Any:
        """What the model keeps for it."""
        ...

    def create_updater(self, is_local: bool, num_passes: int, use_sparse_updater: bool, pserver_spec: Optional[str], use_etcd: bool) -> Any:
        """How parameters are updated: here, or on servers.

        Args:
            is_local (bool): Whether there are no servers.
            num_passes (int): Passes over the data.
            use_sparse_updater (bool): Taken: the core chooses.
            pserver_spec (str, optional): The addresses of the servers.
            use_etcd (bool): Taken: the core chooses.
        """
        ...

    def create_local_updater(self) -> Any:
        """Parameters are updated here."""
        ...

    def create_remote_updater(self) -> Any:
        """Parameters are updated on servers."""
        ...

class Momentum(Optimizer):
    """v = momentum v - rate g, w += v.

    Args:
        momentum (float, optional): The part of the last step that goes on. Default: None.
        sparse (bool): Whether all rows of a sparse_update parameter move at each step. Default:
            False.
        **kwargs (dict): Learning_rate, regularization, learning_rate_decay_a, model_average,
            gradient_clipping_threshold and others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> optimizer = paddle.optimizer.Momentum(momentum=0.9, learning_rate=0.01)
    """
    def __init__(self, momentum: Optional[float] = ..., sparse: bool = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Adam(Optimizer):
    """Steps by running means of the gradient and of its square.

    Args:
        beta1 (float): How slowly the running mean of gradients forgets. Default: 0.9.
        beta2 (float): How slowly the running mean of squared gradients forgets. Default: 0.999.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-08.
        **kwargs (dict): Learning_rate, regularization, learning_rate_decay_a, model_average,
            gradient_clipping_threshold and others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> optimizer = paddle.optimizer.Adam(learning_rate=0.001,
        ...                                   regularization=paddle.optimizer.L2Regularization(rate=8e-4))
    """
    def __init__(self, beta1: float = ..., beta2: float = ..., epsilon: float = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Adamax(Optimizer):
    """Adam with the largest gradient in place of the second moment.

    Args:
        beta1 (float): How slowly the running mean of gradients forgets. Default: 0.9.
        beta2 (float): How slowly the running mean of squared gradients forgets. Default: 0.999.
        **kwargs (dict): Learning_rate, regularization, learning_rate_decay_a, model_average,
            gradient_clipping_threshold and others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> optimizer = paddle.optimizer.Adamax(learning_rate=0.001)
    """
    def __init__(self, beta1: float = ..., beta2: float = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AdaGrad(Optimizer):
    """Steps scaled by the sum of all squared gradients.

    Args:
        **kwargs (dict): Learning_rate, regularization, learning_rate_decay_a, model_average,
            gradient_clipping_threshold and others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> optimizer = paddle.optimizer.AdaGrad(learning_rate=0.01)
    """
    def __init__(self, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class DecayedAdaGrad(Optimizer):
    """Steps scaled by a running mean of squared gradients.

    Args:
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
        **kwargs (dict): Learning_rate, regularization, learning_rate_decay_a, model_average,
            gradient_clipping_threshold and others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> optimizer = paddle.optimizer.DecayedAdaGrad(rho=0.95, learning_rate=0.01)
    """
    def __init__(self, rho: float = ..., epsilon: float = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AdaDelta(Optimizer):
    """Steps as large as past steps were for such gradients.

    Args:
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
        **kwargs (dict): Learning_rate, regularization, learning_rate_decay_a, model_average,
            gradient_clipping_threshold and others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> optimizer = paddle.optimizer.AdaDelta(rho=0.95, learning_rate=0.01)
    """
    def __init__(self, rho: float = ..., epsilon: float = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class RMSProp(Optimizer):
    """Steps scaled by a running variance of the gradient.

    Args:
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
        **kwargs (dict): Learning_rate, regularization, learning_rate_decay_a, model_average,
            gradient_clipping_threshold and others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> optimizer = paddle.optimizer.RMSProp(rho=0.95, learning_rate=0.01)
    """
    def __init__(self, rho: float = ..., epsilon: float = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
