# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class Topology:
    """layers: the outputs. extra_layers: further layers, or evaluators, that belong to the model and
    are no outputs of it; costs among them are learnt, and do not count as the model's cost.

    Args:
        layers (LayerOutput or list of LayerOutput): The layers.
        extra_layers (list of LayerOutput, optional): Further layers, or evaluators. Default: None.

    Examples:
        >>> import paddle.v2 as paddle
        >>> x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(2))
        >>> topology = paddle.topology.Topology(paddle.layer.fc(x, size=3))
        >>> [name for name, type in topology.data_type()]
        ['x']
    """
    def __init__(self, layers: Union[LayerOutput, Sequence[Any]], extra_layers: Optional[Sequence[Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def make_network(self) -> Any:
        """A Network of these layers: each that trains appends ops to its own."""
        ...

    def use_sparse_updater(self) -> Any:
        """Whether a parameter has sparse_update=True."""
        ...

    def proto(self) -> Any:
        """The program: proto().SerializeToString() is its ProgramDesc."""
        ...

    def get_layer(self, name: Optional[str]) -> Any:
        """The layer of that name in the model, or None.

        Args:
            name (str, optional): The name of the layer; None: one that is made.
        """
        ...

    def data_layers(self) -> Any:
        """{name: data layer}."""
        ...

    def data_type(self) -> Any:
        """[(name, type)] of the data layers, in the order of a sample."""
        ...

    def serialize_for_inference(self, stream: Any) -> Any:
        """Write the model, without its parameters' values, for Inference(fileobj=...).

        Args:
            stream (file): Where to.
        """
        ...
