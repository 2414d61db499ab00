# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def train() -> Callable[..., Any]:
    """A reader of (13 features, 1 price).

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> features, price = next(paddle.dataset.uci_housing.train()())
        >>> features.shape, price.shape
        ((13,), (1,))
    """
    ...

def test() -> Callable[..., Any]:
    """The part of the set for tests: a reader like that of train().

    Returns:
        callable: a reader: its call gives an iterator over samples.

    Examples:
        >>> import paddle
        >>> features, price = next(paddle.dataset.uci_housing.test()())
        >>> features.shape, price.shape
        ((13,), (1,))
    """
    ...
