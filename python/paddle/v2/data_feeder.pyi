# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer.feeder import (Feeder as Feeder)

def __getattr__(name: str) -> Any: ...

class DataFeeder(Feeder):
    """data_types: [(name, type)], as Topology.data_type() gives them.

    Args:
        data_types (list of tuple): Names and types of the data layers.
        feeding (dict or list of str, optional): Which part of a sample each data layer gets; None:
            in their order. Default: None.

    Examples:
        >>> import paddle.v2 as paddle
        >>> types = [("x", paddle.data_type.dense_vector(2)),
        ...           ("label", paddle.data_type.integer_value(3))]
        >>> paddle.data_feeder.default_feeding_map(types)
        {'x': 0, 'label': 1}
        >>> feeder = paddle.data_feeder.DataFeeder(types, {"x": 0, "label": 1})
    """
    def __init__(self, data_types: Sequence[Any], feeding: Optional[Union[Dict[Any, Any], Sequence[Any]]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def convert(self, dat: Sequence[Any], argument: Any = ...) -> Any:
        """Samples as feeds.

        Args:
            dat (list of tuple): The samples.
            argument (object, optional): Not looked at. Default: None.
        """
        ...

def default_feeding_map(data_types: Sequence[Any]) -> Dict[Any, Any]:
    """{name: place in a sample} in the order of the data layers.

    Args:
        data_types (list of tuple): Names and types of the data layers.

    Returns:
        dict: places in a sample by name.

    Examples:
        >>> import paddle.v2 as paddle
        >>> types = [("x", paddle.data_type.dense_vector(2)),
        ...           ("label", paddle.data_type.integer_value(3))]
        >>> paddle.data_feeder.default_feeding_map(types)
        {'x': 0, 'label': 1}
        >>> feeder = paddle.data_feeder.DataFeeder(types, {"x": 0, "label": 1})
    """
    ...
