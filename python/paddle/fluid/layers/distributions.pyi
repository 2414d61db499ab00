# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)

def __getattr__(name: str) -> Any: ...

class Uniform(_OfTwo):
    """Even between low and high.

    Args:
        low (float or Variable): The lower end.
        high (float or Variable): The upper end.

    Examples:
        >>> import paddle.fluid as fluid
        >>> uniform = fluid.layers.Uniform(low=0.0, high=2.0)
        >>> fluid.Executor().run(fetch_list=[uniform.entropy()])[0].round(4).tolist()
        [0.6930999755859375]
    """
    def __init__(self, low: Union[float, Variable], high: Union[float, Variable]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def sample(self, shape: Sequence[Any], seed: Union[int, Variable] = ...) -> Any:
        """Random numbers of the distribution.

        Args:
            shape (list of int): The sizes of the dimensions.
            seed (int): Of random numbers; 0: one for the whole program. Default: 0.
        """
        ...

    def log_prob(self, value: Variable) -> Any:
        """The logarithm of the density at some values.

        Args:
            value (Variable): Where the density is asked for.
        """
        ...

    def entropy(self) -> Any:
        """The entropy."""
        ...

class Normal(_OfTwo):
    """Of the mean loc and the standard deviation scale.

    Args:
        loc (float or Variable): The mean.
        scale (float or Variable): The standard deviation.

    Examples:
        >>> import paddle.fluid as fluid
        >>> normal = fluid.layers.Normal(loc=0.0, scale=2.0)
        >>> normal.sample([3]).shape
        (3,)
    """
    def __init__(self, loc: Union[float, Variable], scale: Union[float, Variable]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def sample(self, shape: Sequence[Any], seed: Union[int, Variable] = ...) -> Any:
        """Random numbers of the distribution.

        Args:
            shape (list of int): The sizes of the dimensions.
            seed (int): Of random numbers; 0: one for the whole program. Default: 0.
        """
        ...

    def entropy(self) -> Any:
        """The entropy."""
        ...

    def log_prob(self, value: Variable) -> Any:
        """The logarithm of the density at some values.

        Args:
            value (Variable): Where the density is asked for.
        """
        ...

    def kl_divergence(self, other: Any) -> Any:
        """The Kullback-Leibler divergence from this distribution to another.

        Args:
            other (Distribution): The one it is compared with.
        """
        ...

class Categorical(Distribution):
    """Of classes, whose logits (logarithms of chances, up to a constant) stand last.

    Args:
        logits (Variable): A score for each class.

    Examples:
        >>> import paddle.fluid as fluid
        >>> a = fluid.layers.Categorical(fluid.data("logits", [3]))
        >>> a.entropy().shape
        (1,)
    """
    def __init__(self, logits: Variable) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def kl_divergence(self, other: Any) -> Any:
        """The Kullback-Leibler divergence from this distribution to another.

        Args:
            other (Distribution): The one it is compared with.
        """
        ...

    def entropy(self) -> Any:
        """The entropy."""
        ...

class MultivariateNormalDiag(Distribution):
    """Of the means loc, [k], and a diagonal matrix of variances, [k, k].

    Args:
        loc (float or Variable): The mean.
        scale (float or Variable): The standard deviation.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loc = fluid.data("loc", [2])
        >>> scale = fluid.data("scale", [2, 2])
        >>> fluid.layers.MultivariateNormalDiag(loc, scale).entropy().shape
        (1,)
    """
    def __init__(self, loc: Union[float, Variable], scale: Union[float, Variable]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def entropy(self) -> Any:
        """The entropy."""
        ...

    def kl_divergence(self, other: Any) -> Any:
        """The Kullback-Leibler divergence from this distribution to another.

        Args:
            other (Distribution): The one it is compared with.
        """
        ...

class _OfTwo(Distribution):
    """Shared by the distributions that two numbers place and widen."""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Distribution:
    """"""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def sample(self, shape: Sequence[Any], seed: Union[int, Variable] = ...) -> Any:
        """Which words are chosen at this step.

        Args:
            shape (list of int): The sizes of the dimensions.
            seed (int): Of random numbers; 0: one for the whole program. Default: 0.
        """
        ...

    def entropy(self) -> Any:
        """The entropy."""
        ...

    def kl_divergence(self, other: Any) -> Any:
        """The Kullback-Leibler divergence from this distribution to another.

        Args:
            other (Distribution): The one it is compared with.
        """
        ...

    def log_prob(self, value: Union[float, Variable]) -> Any:
        """The logarithm of the density at some values.

        Args:
            value (float): What it is filled with.
        """
        ...
