# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class AutoMixedPrecisionLists:
    """The lists above with some ops moved; ops that touch a variable of custom_black_varnames are
    black.

    Args:
        custom_white_list (list of str, optional): Ops that are, or are not, computed in half
            precision. Default: None.
        custom_black_list (list of str, optional): Ops that are, or are not, computed in half
            precision. Default: None.
        custom_black_varnames (list of str, optional): Variables whose ops are not. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> lists = fluid.contrib.AutoMixedPrecisionLists(custom_black_list=["mul"])
        >>> optimizer = fluid.contrib.decorate(fluid.optimizer.SGD(0.1), amp_lists=lists)
        >>> _ = optimizer.minimize(loss)
    """
    def __init__(self, custom_white_list: Optional[Sequence[Any]] = ..., custom_black_list: Optional[Sequence[Any]] = ..., custom_black_varnames: Optional[Sequence[Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
