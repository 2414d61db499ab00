# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class Parameters:
    """A dict of arrays. Those of a model that is being trained are read from and written to the
    trainer.

    Examples:
        >>> import paddle.v2 as paddle
        >>> x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(2))
        >>> parameters = paddle.parameters.create(paddle.layer.fc(x, size=3, name="out"))
        >>> sorted(parameters.keys())
        ['_out.w0', '_out.wbias']
        >>> parameters.get("_out.w0").shape
        (2, 3)
        >>> with open("model.tar", "wb") as f:
        ...     parameters.to_tar(f)
        ...
    """
    def __init__(self) -> None: ...
    def __getitem__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __len__(self, *args: Any, **kwargs: Any) -> int: ...
    def __iter__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def keys(self) -> Any:
        """The names of the parameters."""
        ...

    def names(self) -> Any:
        """The names of the parameters."""
        ...

    def has_key(self, key: LayerOutput) -> Any:
        """Whether there is one of that name.

        Args:
            key (LayerOutput): What attends, what it is compared with, and what is summed up.
        """
        ...

    def get_shape(self, key: LayerOutput) -> Any:
        """The shape of a parameter.

        Args:
            key (LayerOutput): What attends, what it is compared with, and what is summed up.
        """
        ...

    def get(self, parameter_name: str) -> Any:
        """A parameter, as an array.

        Args:
            parameter_name (str): The name of a parameter.
        """
        ...

    def set(self, parameter_name: str, value: float) -> Any:
        """Set a parameter to an array.

        Args:
            parameter_name (str): The name of a parameter.
            value (float): A factor.
        """
        ...

    def get_grad(self, key: LayerOutput) -> Any:
        """The gradient of a parameter in the last batch trained. The first time it is computed anew of the
        parameters as they are now, after the update; from then on it is the step's own (with
        trainer_count=1 and no servers).

        Args:
            key (LayerOutput): What attends, what it is compared with, and what is summed up.
        """
        ...

    def append_gradient_machine(self, machine: Any) -> Any:
        """From now on values are the Machine's, which starts with those held here. What only its extra
        layers have may be missing: it starts anew, and is not kept.

        Args:
            machine (object): A model that is being trained.
        """
        ...

    def serialize(self, name: Optional[str], f: Any) -> Any:
        """The values of one parameter, as v1 and v2 have them in files.

        Args:
            name (str, optional): The name of the layer; None: one that is made.
            f (file): Where to, or where from.
        """
        ...

    def deserialize(self, name: Optional[str], f: Any) -> Any:
        """Read a parameter that serialize() wrote.

        Args:
            name (str, optional): The name of the layer; None: one that is made.
            f (file): Where to, or where from.
        """
        ...

    def to_tar(self, f: Any) -> Any:
        """All parameters as a tar file: NAME with the values, NAME.protobuf with the configuration, the
        same bytes each time.

        Args:
            f (file): Where to, or where from.
        """
        ...

    @staticmethod
    def from_tar(f: Any) -> Any:
        """The parameters of a tar file.

        Args:
            f (file): Where to, or where from.
        """
        ...

    def init_from_tar(self, f: Any, exclude_params: Sequence[Any] = ...) -> Any:
        """Take over what the tar file has of these parameters, but for exclude_params.

        Args:
            f (file): Where to, or where from.
            exclude_params (list of str): Parameters that are left alone. Default: ().
        """
        ...

    def update_param_conf(self, model_config: Any) -> Any:
        """Take over the settings of a model's parameters.

        Args:
            model_config (object): Of a model.
        """
        ...

def create(layers: Union[LayerOutput, Sequence[Any]]) -> Parameters:
    """The parameters of a model, with the values they start with (by init(seed=...)).

    Args:
        layers (LayerOutput or list of LayerOutput): The layers.

    Returns:
        Parameters: the parameters.

    Examples:
        >>> import paddle.v2 as paddle
        >>> x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(2))
        >>> parameters = paddle.parameters.create(paddle.layer.fc(x, size=3, name="out"))
        >>> sorted(parameters.keys())
        ['_out.w0', '_out.wbias']
        >>> parameters.get("_out.w0").shape
        (2, 3)
        >>> with open("model.tar", "wb") as f:
        ...     parameters.to_tar(f)
        ...
    """
    ...
