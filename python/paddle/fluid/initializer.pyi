# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class ConstantInitializer(Initializer):
    """The same number everywhere.

    Args:
        value (float): The number. Default: 0.0.
        force_cpu (bool): Whether it is made on the CPU. Default: False.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.layers.fc(fluid.data("x", [None, 2]), 3,
        ...                 param_attr=fluid.initializer.Constant(0.5)).shape
        (-1, 3)
    """
    def __init__(self, value: float = ..., force_cpu: bool = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class UniformInitializer(Initializer):
    """Uniform numbers between low and high.

    Args:
        low (float): The least. Default: -1.0.
        high (float): The largest. Default: 1.0.
        seed (int): 0: the program's or the process's. Default: 0.
        diag_num (int): How many diagonal elements to set. Default: 0.
        diag_step (int): The step between them. Default: 0.
        diag_val (float): What to set them to. Default: 1.0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.layers.fc(fluid.data("x", [None, 2]), 3,
        ...                 param_attr=fluid.initializer.Uniform(-0.1, 0.1)).shape
        (-1, 3)
    """
    def __init__(self, low: float = ..., high: float = ..., seed: int = ..., diag_num: int = ..., diag_step: int = ..., diag_val: float = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class NormalInitializer(Initializer):
    """Normal numbers with this mean and standard deviation.

    Args:
        loc (float): The mean. Default: 0.0.
        scale (float): The standard deviation. Default: 1.0.
        seed (int): 0: the program's or the process's. Default: 0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.layers.fc(fluid.data("x", [None, 2]), 3,
        ...                 param_attr=fluid.initializer.Normal(0.0, 0.01)).shape
        (-1, 3)
    """
    def __init__(self, loc: float = ..., scale: float = ..., seed: int = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class TruncatedNormalInitializer(NormalInitializer):
    """Normal numbers, drawn again where they are more than two standard deviations off.

    Args:
        loc (float): The mean. Default: 0.0.
        scale (float): The standard deviation. Default: 1.0.
        seed (int): Of random numbers; 0: one for the whole program. Default: 0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.layers.fc(fluid.data("x", [None, 2]), 3,
        ...                 param_attr=fluid.initializer.TruncatedNormal(0.0, 0.01)).shape
        (-1, 3)
    """
    def __init__(self, loc: float = ..., scale: float = ..., seed: int = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class XavierInitializer(_FanInitializer):
    """Random numbers scaled by inputs and outputs, so that signals keep their size.

    Args:
        uniform (bool): Whether numbers are uniform, and not normal. Default: True.
        fan_in (int, optional): Inputs of a unit; None: by the shape. Default: None.
        fan_out (int, optional): Outputs of a unit; None: by the shape. Default: None.
        seed (int): Of random numbers; 0: one for the whole program. Default: 0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.layers.fc(fluid.data("x", [None, 2]), 3, param_attr=fluid.initializer.Xavier()).shape
        (-1, 3)
    """
    def __init__(self, uniform: bool = ..., fan_in: Optional[int] = ..., fan_out: Optional[int] = ..., seed: int = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class BilinearInitializer(Initializer):
    """Weights with which a transposed convolution enlarges an image.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 1, 8, 8])
        >>> attr = fluid.ParamAttr(initializer=fluid.initializer.Bilinear(), trainable=False)
        >>> fluid.layers.conv2d_transpose(image, num_filters=1, filter_size=4, stride=2, padding=1,
        ...                               param_attr=attr).shape
        (-1, 1, 16, 16)
    """
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class MSRAInitializer(_FanInitializer):
    """Random numbers scaled by inputs, for layers with a relu.

    Args:
        uniform (bool): Whether numbers are uniform, and not normal. Default: True.
        fan_in (int, optional): Inputs of a unit; None: by the shape. Default: None.
        seed (int): Of random numbers; 0: one for the whole program. Default: 0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.layers.fc(fluid.data("x", [None, 2]), 3, param_attr=fluid.initializer.MSRA()).shape
        (-1, 3)
    """
    def __init__(self, uniform: bool = ..., fan_in: Optional[int] = ..., seed: int = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class NumpyArrayInitializer(Initializer):
    """The elements of an array.

    Args:
        value (array): The elements.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> start = fluid.initializer.NumpyArrayInitializer(numpy.eye(2, dtype="float32"))
        >>> fluid.layers.fc(fluid.data("x", [None, 2]), 2, param_attr=start).shape
        (-1, 2)
    """
    def __init__(self, value: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Initializer:
    """"""
    def __init__(self) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class _FanInitializer(Initializer):
    """Uniform in +-limit, or normal, by the number of units."""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

Constant = ConstantInitializer

Uniform = UniformInitializer

Normal = NormalInitializer

TruncatedNormal = TruncatedNormalInitializer

Xavier = XavierInitializer

Bilinear = BilinearInitializer

MSRA = MSRAInitializer
