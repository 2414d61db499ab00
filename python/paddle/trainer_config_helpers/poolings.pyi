# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class BasePoolingType:
    """A pooling by its name in v1's configs.

    Args:
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> BasePoolingType("max").name
        'max'
    """
    name: Any
    sequence: Any
    image: Any
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class MaxPooling(BasePoolingType):
    """The maximum.

    Args:
        output_max_index (bool, optional): Whether places come back, and not values. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> MaxPooling().name
        'max'
    """
    name: Any
    sequence: Any
    image: Any
    def __init__(self, output_max_index: Optional[bool] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AvgPooling(BasePoolingType):
    """The average.

    Args:
        strategy (str): "average", "sum" or "squarerootn". Default: 'average'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> AvgPooling().name
        'average'
    """
    STRATEGY_AVG: Any
    STRATEGY_SUM: Any
    STRATEGY_SQROOTN: Any
    name: Any
    image: Any
    def __init__(self, strategy: str = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class MaxWithMaskPooling(BasePoolingType):
    """The maximum, and where it was.

    Args:
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> MaxWithMaskPooling().name
        'max-pool-with-mask'
    """
    name: Any
    image: Any
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class CudnnMaxPooling(BasePoolingType):
    """On a CPU it is the same pooling.

    Args:
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> CudnnMaxPooling().name
        'cudnn-max-pool'
    """
    name: Any
    image: Any
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class CudnnAvgPooling(BasePoolingType):
    """The average.

    Args:
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> CudnnAvgPooling().name
        'cudnn-avg-pool'
    """
    name: Any
    image: Any
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class CudnnAvgInclPadPooling(BasePoolingType):
    """The average, with the padding counted in.

    Args:
        name (str, optional): The name of the layer; None: one that is made. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> CudnnAvgInclPadPooling().name
        'cudnn-avg-incl-pad-pool'
    """
    name: Any
    image: Any
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class SumPooling(AvgPooling):
    """The sum.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SumPooling().name
        'average'
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class SquareRootNPooling(AvgPooling):
    """The sum divided by the root of how many there are.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SquareRootNPooling().name
        'average'
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
