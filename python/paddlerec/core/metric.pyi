# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (Scope as Scope)

def __getattr__(name: str) -> Any: ...

class Metric:
    """A metric keeps its counts in persistable variables, _global_metric_state_vars: what it calls
    each -> (the variable's name, dtype). They are summed over workers, and _calculate() makes a
    line of text of the sums.

    Args:
        config (str or dict): The configuration.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddlerec.core import metric
        >>> class Rate(metric.Metric):
        ...     def __init__(self, label):
        ...         super().__init__(None)
        ...         self.metrics = {"rate": fluid.layers.mean(label)}
        ...         self._global_metric_state_vars = {}
        ...     def get_result(self):
        ...         return self.metrics
        ...
    """
    def __init__(self, config: Union[str, Dict[Any, Any]]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def state_names(self) -> Any:
        """Of all variables that it counts in."""
        ...

    def clear(self, scope: Optional[Scope] = ...) -> Any:
        """Count from nothing again.

        Args:
            scope (Scope): Where the counts live. Default: None.
        """
        ...

    def calc_global_metrics(self, fleet: Any, scope: Optional[Scope] = ...) -> Any:
        """The line of text. With a fleet all workers must call it.

        Args:
            fleet (Fleet): The workers.
            scope (Scope): Where the counts live. Default: None.
        """
        ...

    def get_result(self) -> Any:
        """Name -> Variable, of what each batch shows."""
        ...
