# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class BaseActivation:
    """An activation by its name in v1's configs.

    Args:
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        support_hppl (bool, optional): Not looked at. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> BaseActivation("tanh").name
        'tanh'
    """
    name: Any
    support_hppl: Any
    def __init__(self, name: Optional[str] = ..., support_hppl: Optional[bool] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class TanhActivation(BaseActivation):
    """The activation 'tanh'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> TanhActivation().name
        'tanh'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class SigmoidActivation(BaseActivation):
    """The activation 'sigmoid'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SigmoidActivation().name
        'sigmoid'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class SoftmaxActivation(BaseActivation):
    """The activation 'softmax'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SoftmaxActivation().name
        'softmax'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class SequenceSoftmaxActivation(BaseActivation):
    """The activation 'sequence_softmax'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SequenceSoftmaxActivation().name
        'sequence_softmax'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class IdentityActivation(BaseActivation):
    """The activation 'linear'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> IdentityActivation().name
        ''
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class ReluActivation(BaseActivation):
    """The activation 'relu'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> ReluActivation().name
        'relu'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class BReluActivation(BaseActivation):
    """The activation 'brelu'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> BReluActivation().name
        'brelu'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class SoftReluActivation(BaseActivation):
    """The activation 'softrelu'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SoftReluActivation().name
        'softrelu'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class STanhActivation(BaseActivation):
    """The activation 'stanh'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> STanhActivation().name
        'stanh'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class AbsActivation(BaseActivation):
    """The activation 'abs'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> AbsActivation().name
        'abs'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class SquareActivation(BaseActivation):
    """The activation 'square'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SquareActivation().name
        'square'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class ExpActivation(BaseActivation):
    """The activation 'exponential'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> ExpActivation().name
        'exponential'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class LogActivation(BaseActivation):
    """The activation 'log'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> LogActivation().name
        'log'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class SqrtActivation(BaseActivation):
    """The activation 'sqrt'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SqrtActivation().name
        'sqrt'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class ReciprocalActivation(BaseActivation):
    """The activation 'reciprocal'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> ReciprocalActivation().name
        'reciprocal'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

class SoftSignActivation(BaseActivation):
    """The activation 'softsign'.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> SoftSignActivation().name
        'softsign'
    """
    name: Any
    support_hppl: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def apply(self, x: LayerOutput) -> Any:
        """The activation of a Fluid variable.

        Args:
            x (LayerOutput): One input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...
