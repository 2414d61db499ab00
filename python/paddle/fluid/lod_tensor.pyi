# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (LoDTensor as LoDTensor)

def __getattr__(name: str) -> Any: ...

def create_lod_tensor(data: Any, recursive_seq_lens: Sequence[Any], place: Any) -> LoDTensor:
    """A LoDTensor of an array, of a list of sequences of ids, or of another LoDTensor.

    Args:
        data (array, list or LoDTensor): The elements.
        recursive_seq_lens (list of list of int): The lengths of the sequences, the outermost level
            first.
        place (CPUPlace or CUDAPlace, optional): Where programs run; None: the CPU.

    Returns:
        LoDTensor: the tensor.

    Examples:
        >>> import paddle.fluid as fluid
        >>> tensor = fluid.create_lod_tensor([[1, 2], [3, 4, 5]], [[2, 3]], fluid.CPUPlace())
        >>> tensor.recursive_sequence_lengths()
        [[2, 3]]
    """
    ...

def create_random_int_lodtensor(recursive_seq_lens: Sequence[Any], base_shape: Sequence[Any], place: Any, low: int, high: int) -> LoDTensor:
    """A LoDTensor of random whole numbers.

    Args:
        recursive_seq_lens (list of list of int): The lengths of the sequences, the outermost level
            first.
        base_shape (list of int): The shape of one element.
        place (CPUPlace or CUDAPlace, optional): Where programs run; None: the CPU.
        low (int): The least number.
        high (int): The largest number.

    Returns:
        LoDTensor: the tensor.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> tensor = fluid.create_random_int_lodtensor([[2, 3]], base_shape=[1], place=fluid.CPUPlace(),
        ...                                            low=0, high=9)
        >>> numpy.array(tensor).shape
        (5, 1)
    """
    ...
