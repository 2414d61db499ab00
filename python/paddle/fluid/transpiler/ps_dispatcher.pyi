# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class HashName(PSDispatcher):
    """By a hash of the name, the same in every process and on every machine.

    Args:
        pserver_endpoints (list of str): The addresses of the servers, HOST:PORT.

    Examples:
        >>> import paddle.fluid as fluid
        >>> config = fluid.DistributeTranspilerConfig()
        >>> config.split_method = fluid.transpiler.HashName
    """
    def __init__(self, pserver_endpoints: Sequence[Any]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def dispatch(self, varlist: Sequence[Any]) -> Any:
        """The server of each variable.

        Args:
            varlist (list of Variable): What is to be placed.
        """
        ...

class RoundRobin(PSDispatcher):
    """In turn.

    Args:
        pserver_endpoints (list of str): The addresses of the servers, HOST:PORT.

    Examples:
        >>> import paddle.fluid as fluid
        >>> config = fluid.DistributeTranspilerConfig()
        >>> config.split_method = fluid.transpiler.RoundRobin
    """
    def __init__(self, pserver_endpoints: Sequence[Any]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def dispatch(self, varlist: Sequence[Any]) -> Any:
        """The server of each variable.

        Args:
            varlist (list of Variable): What is to be placed.
        """
        ...

class PSDispatcher:
    """
    Args:
        pserver_endpoints (list of str): The addresses of the servers, HOST:PORT.
    """
    eps: Any
    def __init__(self, pserver_endpoints: Sequence[Any]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def reset(self) -> Any:
        """Begin with the first server again."""
        ...

    def dispatch(self, varlist: Sequence[Any]) -> Any:
        """The server of each variable.

        Args:
            varlist (list of Variable): What is to be placed.
        """
        ...
