# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class Mode:
    """Which fleet: transpiler, pslib or collective.

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import fleet_base
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
        >>> isinstance(fleet, fleet_base.Fleet), fleet._mode == fleet_base.Mode.TRANSPILER
        (True, True)
    """
    TRANSPILER: Any
    PSLIB: Any
    COLLECTIVE: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
