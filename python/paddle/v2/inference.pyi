# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)
from paddle.v2.parameters import (Parameters as Parameters)

def __getattr__(name: str) -> Any: ...

def infer(output_layer: Union[LayerOutput, Sequence[Any]], parameters: Parameters, input: Union[LayerOutput, Sequence[Any]], feeding: Optional[Union[Dict[Any, Any], Sequence[Any]]] = ..., field: Union[str, Sequence[Any]] = ...) -> Any:
    """What `output_layer` gives for the samples of `input`.

    Args:
        output_layer (LayerOutput or list of LayerOutput): What is computed.
        parameters (Parameters): The values of its parameters.
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        feeding (dict or list of str, optional): Which part of a sample each data layer gets; None:
            in their order. Default: None.
        field (str or list of str): "value", "id" or "prob". Default: 'value'.

    Returns:
        array or list of array: what was computed.

    Examples:
        >>> import paddle.v2 as paddle
        >>> x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(2))
        >>> y = paddle.layer.fc(x, size=1, act=paddle.activation.Linear())
        >>> parameters = paddle.parameters.create(y)
        >>> paddle.infer(output_layer=y, parameters=parameters,
        ...              input=[([1.0, 2.0],), ([3.0, 4.0],)]).shape
        (2, 1)
    """
    ...

class Inference:
    """output_layer: a layer, or several; or fileobj: a file of Topology.serialize_for_inference().

    Args:
        parameters (Parameters): The values of its parameters.
        output_layer (LayerOutput or list of LayerOutput): What is computed. Default: None.
        fileobj (file, optional): What serialize_for_inference() wrote. Default: None.

    Examples:
        >>> import paddle.v2 as paddle
        >>> x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(2))
        >>> y = paddle.layer.fc(x, size=1, act=paddle.activation.Linear())
        >>> inference = paddle.inference.Inference(parameters=paddle.parameters.create(y),
        ...                                        output_layer=y)
        >>> inference.infer(input=[([1.0, 2.0],)]).shape
        (1, 1)
    """
    def __init__(self, parameters: Parameters, output_layer: Optional[Union[LayerOutput, Sequence[Any]]] = ..., fileobj: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def iter_infer(self, input: Union[LayerOutput, Sequence[Any]], feeding: Optional[Union[Dict[Any, Any], Sequence[Any]]] = ...) -> Any:
        """For the samples of `input`, as one batch: a dict of fields for each output layer.

        Args:
            input (LayerOutput or list of LayerOutput): The layers it is computed from.
            feeding (dict or list of str, optional): Which part of a sample each data layer gets; None:
                in their order. Default: None.
        """
        ...

    def iter_infer_field(self, field: Union[str, Sequence[Any]], **kwargs: Any) -> Any:
        """One field after the other.

        Args:
            field (str or list of str): "value", "id" or "prob".
            **kwargs (dict): Use_gpu, trainer_count, pservers, trainer_id, seed and others (docs/v2.md).
        """
        ...

    def infer(self, input: Union[LayerOutput, Sequence[Any]], field: Union[str, Sequence[Any]] = ..., flatten_result: bool = ..., **kwargs: Any) -> Any:
        """An array for the field, or a list of arrays where there are several fields.

        Args:
            input (LayerOutput or list of LayerOutput): The layers it is computed from.
            field (str or list of str): "value", "id" or "prob". Default: 'value'.
            flatten_result (bool): Whether one array comes back for one field. Default: True.
            **kwargs (dict): Use_gpu, trainer_count, pservers, trainer_id, seed and others (docs/v2.md).

        Returns:
            array or list of array: what was computed.
        """
        ...
