# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class WeightedAverage:
    """average = fluid.average.WeightedAverage() average.add(value=2.0, weight=1)
    average.add(value=4.0, weight=2) average.eval() # 3.33.

    Examples:
        >>> import paddle.fluid as fluid
        >>> average = fluid.average.WeightedAverage()
        >>> average.add(value=2.0, weight=1)
        >>> average.add(value=4.0, weight=3)
        >>> float(average.eval())
        3.5
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def reset(self) -> Any:
        """Forget all numbers."""
        ...

    def add(self, value: Any, weight: Any) -> Any:
        """Count a number, or an array of them.

        Args:
            value (float or array): What is added.
            weight (float or array): How much it counts.
        """
        ...

    def eval(self) -> Any:
        """The mean."""
        ...
