# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class L1DecayRegularizer(WeightDecayRegularizer):
    """coeff * sign(param).

    Args:
        regularization_coeff (float): How strongly. Default: 0.0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> optimizer = fluid.optimizer.SGD(0.1, regularization=fluid.regularizer.L1Decay(1e-4))
    """
    def __init__(self, regularization_coeff: float = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class L2DecayRegularizer(WeightDecayRegularizer):
    """coeff * param.

    Args:
        regularization_coeff (float): How strongly. Default: 0.0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> optimizer = fluid.optimizer.SGD(0.1, regularization=fluid.regularizer.L2Decay(1e-4))
    """
    def __init__(self, regularization_coeff: float = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class WeightDecayRegularizer:
    """"""
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

L1Decay = L1DecayRegularizer

L2Decay = L2DecayRegularizer
