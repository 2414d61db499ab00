# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class Feeder:
    """feeder(samples): a feed for the network whose data layers have `data_types`, by name.

    A sample is a list or tuple with a value for each of them in that order, or as `feeding` says:
    a dict of the place in the sample by name, or a list of names in the order of the sample; or
    it is a dict by name. Where there is one slot, a sample may be its value alone (v1).

    Args:
        data_types:
        feeding: Default: None.
        single (bool): Default: False.
    """
    def __init__(self, data_types: Any, feeding: Any = ..., single: bool = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
