# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class Layer:
    """The base of a model's own layers.

    Args:
        config (str or dict): The configuration.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddlerec.core import layer
        >>> class Tower(layer.Layer):
        ...     def generate(self, param):
        ...         return fluid.layers.fc(param, 16)
        ...
    """
    def __init__(self, config: Union[str, Dict[Any, Any]]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def generate(self, param: Any) -> Any:
        """Append the layer to the program: (output, extra outputs by name).

        Args:
            param (object): What it is made of.
        """
        ...
