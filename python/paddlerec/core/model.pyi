# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class ModelBase:
    """A model overrides net() and, as it needs, _init_hyper_parameters, input_data, optimizer.

    Args:
        config (str or dict): The configuration.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddlerec.core import model
        >>> class Model(model.ModelBase):
        ...     def input_data(self, is_infer=False, **kwargs):
        ...         return [fluid.data("x", [None, 13]), fluid.data("y", [None, 1])]
        ...     def net(self, inputs, is_infer=False):
        ...         guess = fluid.layers.fc(inputs[0], 1)
        ...         self._cost = fluid.layers.mean(fluid.layers.square_error_cost(guess, inputs[1]))
        ...         self._metrics["cost"] = self._cost
        ...
    """
    def __init__(self, config: Union[str, Dict[Any, Any]]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def input_data(self, is_infer: bool = ..., **kwargs: Any) -> Any:
        """The data layers: of the dataset's slots, dense ones first. None where it has none.

        Args:
            is_infer (bool): Whether the model is used, and not trained. Default: False.
            **kwargs (dict): Dataset_name and others.
        """
        ...

    def get_inputs(self) -> Any:
        """What the model is fed in training."""
        ...

    def get_infer_inputs(self) -> Any:
        """What it is fed when it is used."""
        ...

    def get_metrics(self) -> Any:
        """Name -> Variable, of all that training shows."""
        ...

    def get_infer_results(self) -> Any:
        """What is shown when it is used."""
        ...

    def get_clear_metrics(self) -> Any:
        """The metrics that begin anew with each set of parameters that is judged."""
        ...

    def get_avg_cost(self) -> Any:
        """The cost that is minimized."""
        ...

    def get_fetch_period(self) -> Any:
        """Batches between two lines."""
        ...

    def optimizer(self) -> Any:
        """As hyper_parameters.optimizer says."""
        ...

    def net(self, is_infer: bool = ...) -> Any:
        """Called as net(inputs, is_infer): sets _cost and _metrics, or _infer_results.

        Args:
            is_infer (bool): Whether the model is used, and not trained. Default: False.
        """
        ...

    def train_net(self) -> Any:
        """The older name, for models that call it themselves."""
        ...

    def infer_net(self) -> Any:
        """The older name, for models that call it themselves."""
        ...
