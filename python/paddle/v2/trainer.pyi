# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)
from paddle.v2.parameters import (Parameters as Parameters)

def __getattr__(name: str) -> Any: ...

class SGD:
    """Trains the model of a cost, here or with servers.

    Args:
        cost (LayerOutput or list of LayerOutput): What is to become small.
        parameters (Parameters): The values of its parameters.
        update_equation (Optimizer): How it learns.
        extra_layers (list of LayerOutput, optional): Further layers, or evaluators. Default: None.
        is_local (bool): Whether there are no servers. Default: True.
        pserver_spec (str, optional): The addresses of the servers. Default: None.
        use_etcd (bool): Taken: the core chooses. Default: True.

    Examples:
        >>> import paddle.v2 as paddle
        >>> x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(2))
        >>> y = paddle.layer.data(name="y", type=paddle.data_type.dense_vector(1))
        >>> cost = paddle.layer.square_error_cost(paddle.layer.fc(x, size=1, act=paddle.activation.Linear()),
        ...                                       y)
        >>> parameters = paddle.parameters.create(cost)
        >>> trainer = paddle.trainer.SGD(cost, parameters,
        ...                              paddle.optimizer.Momentum(learning_rate=0.01))
        >>> samples = [([1.0, 2.0], [3.0]), ([2.0, 1.0], [3.0])]
        >>> trainer.train(paddle.batch(lambda: iter(samples), 2), num_passes=3,
        ...               event_handler=lambda event: None)
    """
    def __init__(self, cost: Union[LayerOutput, Sequence[Any]], parameters: Parameters, update_equation: Any, extra_layers: Optional[Sequence[Any]] = ..., is_local: bool = ..., pserver_spec: Optional[str] = ..., use_etcd: bool = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_topology_proto(self) -> Any:
        """The program of the model; it has SerializeToString()."""
        ...

    def train(self, reader: Callable[..., Any], num_passes: int = ..., event_handler: Optional[Callable[..., Any]] = ..., feeding: Optional[Union[Dict[Any, Any], Sequence[Any]]] = ...) -> Any:
        """reader: a function that gives the batches of a pass, as paddle.batch() makes one. feeding: {name
        of a data layer: place in a sample}; None: as the layers were declared.

        Args:
            reader (callable): Gives batches.
            num_passes (int): Passes over the data. Default: 1.
            event_handler (callable): Called with each event. Default: None.
            feeding (dict or list of str, optional): Which part of a sample each data layer gets; None:
                in their order. Default: None.
        """
        ...

    def test(self, reader: Callable[..., Any], feeding: Optional[Union[Dict[Any, Any], Sequence[Any]]] = ...) -> Any:
        """The cost of a sample on average, and the metrics, of all batches of the reader.

        Args:
            reader (callable): Gives batches.
            feeding (dict or list of str, optional): Which part of a sample each data layer gets; None:
                in their order. Default: None.
        """
        ...

    def save_parameter_to_tar(self, f: Any) -> Any:
        """The parameters, or their averages where the optimizer has a model_average.

        Args:
            f (file): Where to, or where from.
        """
        ...
