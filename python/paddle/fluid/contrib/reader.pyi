# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def distributed_batch_reader(batch_reader: Callable[..., Any]) -> Callable[..., Any]:
    """Of every PADDLE_TRAINERS_NUM batches the one that is this trainer's. The batches at the end that
    do not suffice for all trainers are left out, so that all see as many.

    Args:
        batch_reader (callable): Gives batches.

    Returns:
        callable: a reader.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.contrib.distributed_batch_reader(lambda: iter([[1], [2]]))
    """
    ...
