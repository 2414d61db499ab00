# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def batch(reader: Callable[..., Any], batch_size: int, drop_last: bool = ...) -> Callable[..., Any]:
    """A reader of lists of batch_size samples; the last may be shorter, or is dropped.

    Args:
        reader (callable): A function whose call gives an iterator over samples.
        batch_size (int): Samples in a batch.
        drop_last (bool): Whether a last batch that is too small is left out. Default: False.

    Returns:
        callable: a reader of batches.

    Examples:
        >>> import paddle
        >>> reader = paddle.batch(lambda: iter(range(5)), batch_size=2)
        >>> list(reader())
        [[0, 1], [2, 3], [4]]
    """
    ...
