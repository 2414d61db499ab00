# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def init(**kwargs: Any) -> None:
    """Say how this process trains: init(use_gpu=False, trainer_count=1, pservers=...).

    Args:
        **kwargs (dict): Use_gpu, trainer_count, pservers, trainer_id, seed and others (docs/v2.md).

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.v2 as paddle
        >>> paddle.init(use_gpu=False, trainer_count=1)
    """
    ...
