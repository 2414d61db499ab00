# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class CacheType(_Names):
    """Whether samples are kept for the next pass.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> CacheType.CACHE_PASS_IN_MEM
        1
    """
    NO_CACHE: Any
    CACHE_PASS_IN_MEM: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class CheckInputTypeWrapper:
    """Before the first sample: are the input types what they should be?

    Args:
        generator (callable): Gives samples.
        input_types (dict or list): What each slot holds.
        logger (Logger): Where problems are told.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> @provider(input_types=[dense_vector(2)], check=True)
        ... def process(settings, filename):
        ...     yield [0.5, 0.1]
        ...
    """
    def __init__(self, generator: Callable[..., Any], input_types: Union[Dict[Any, Any], Sequence[Any]], logger: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class CheckWrapper:
    """Each sample is held against the input types: `check=True`.

    Args:
        generator (callable): Gives samples.
        input_types (dict or list): What each slot holds.
        check_fail_continue (bool): Whether samples that do not fit are left out.
        logger (Logger): Where problems are told.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> @provider(input_types=[dense_vector(2)], check=True)
        ... def process(settings, filename):
        ...     yield [0.5, 0.1]
        ...
    """
    def __init__(self, generator: Callable[..., Any], input_types: Union[Dict[Any, Any], Sequence[Any]], check_fail_continue: bool, logger: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class DataType(_Names):
    """Dense, sparse, or a number.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> DataType.Dense
        0
    """
    Dense: Any
    SparseNonValue: Any
    SparseValue: Any
    Index: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class InputOrderWrapper:
    """Samples that are dicts, as lists in the order of the network's inputs.

    Args:
        generator (callable): Gives samples.
        input_order (list of str): The network's inputs in their order.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> @provider(input_types=[dense_vector(2)], check=True)
        ... def process(settings, filename):
        ...     yield [0.5, 0.1]
        ...
    """
    def __init__(self, generator: Callable[..., Any], input_order: Sequence[Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class InputType:
    """What one input of a network is: its size, whether it is a sequence, and of what kind.

    Args:
        dim (int): How many elements.
        seq_type (int): SequenceType: no sequence, a sequence or a nested one.
        tp (int): DataType.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = InputType(13, SequenceType.NO_SEQUENCE, DataType.Dense)
    """
    dim: Any
    seq_type: Any
    type: Any
    def __init__(self, dim: int, seq_type: int, tp: int) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class ProviderError(Exception):
    """A provider that raised, or that yields what does not fit its input types.

    Args:
        *args (tuple): What the message is made of.
        **kwargs (dict): Further settings, by name.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> issubclass(ProviderError, Exception)
        True
    """
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class SequenceType(_Names):
    """No sequence, a sequence or a nested one.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> SequenceType.SEQUENCE
        1
    """
    NO_SEQUENCE: Any
    SEQUENCE: Any
    SUB_SEQUENCE: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class SingleSlotWrapper:
    """A provider of one slot may yield the value alone, and not a sequence of one.

    Args:
        generator (callable): Gives samples.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> @provider(input_types=[dense_vector(2)], check=True)
        ... def process(settings, filename):
        ...     yield [0.5, 0.1]
        ...
    """
    def __init__(self, generator: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def dense_slot(dim: int, seq_type: int = ...) -> Any:
    """dim floats.

    Args:
        dim (int): How many elements.
        seq_type (int): SequenceType: no sequence, a sequence or a nested one. Default: 0.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = dense_array(13)
    """
    ...

def dense_vector_sequence(dim: int) -> Any:
    """Sequences of dim floats.

    Args:
        dim (int): How many elements.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = dense_vector_sequence(13)
    """
    ...

def dense_vector_sub_sequence(dim: int) -> Any:
    """Nested sequences of dim floats.

    Args:
        dim (int): How many elements.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = dense_vector_sub_sequence(13)
    """
    ...

def deserialize_args(args: bytes) -> Dict[Any, Any]:
    """The arguments of a data source, as v1's trainer handed them over: a pickled dict.

    Args:
        args (bytes): A pickled dict.

    Returns:
        dict: the arguments.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> import pickle
        >>> deserialize_args(pickle.dumps({"dict_dim": 1000}))
        {'dict_dim': 1000}
    """
    ...

def index_slot(value_range: int, seq_type: int = ...) -> Any:
    """An integer from 0 to value_range - 1.

    Args:
        value_range (int): How many different numbers there are.
        seq_type (int): SequenceType: no sequence, a sequence or a nested one. Default: 0.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = index_slot(10)
    """
    ...

def integer_value_sequence(value_range: int) -> Any:
    """Sequences of integers from 0 to value_range - 1.

    Args:
        value_range (int): How many different numbers there are.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = integer_sequence(1000)
    """
    ...

def integer_value_sub_sequence(dim: int) -> Any:
    """Nested sequences of integers.

    Args:
        dim (int): How many elements.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = integer_value_sub_sequence(1000)
    """
    ...

def provider(input_types: Optional[Union[Dict[Any, Any], Sequence[Any]]] = ..., should_shuffle: Optional[bool] = ..., pool_size: int = ..., min_pool_size: int = ..., can_over_batch_size: bool = ..., calc_batch_size: Optional[Callable[..., Any]] = ..., cache: int = ..., check: bool = ..., check_fail_continue: bool = ..., init_hook: Optional[Callable[..., Any]] = ..., **outter_kwargs: Any) -> Callable[..., Any]:
    """What a provider function yields, and how the trainer takes it.

    input_types: a list of types in the order of the samples' values, or a dict by the names of
    data layers. should_shuffle: None shuffles in training alone. pool_size: how many samples are
    shuffled at a time, -1 for all, and never fewer than min_pool_size. A sample counts
    calc_batch_size(sample), and a batch may go over the batch size by its last sample if
    can_over_batch_size. cache: CACHE_PASS_IN_MEM calls the function in the first pass alone.
    check: hold each sample against the types; check_fail_continue leaves wrong ones out.
    init_hook(settings, file_list=, is_train=, input_order=, **args) is called once.

    Args:
        input_types (dict or list): What each slot holds. Default: None.
        should_shuffle (bool, optional): Whether the order is random; None: in training. Default:
            None.
        pool_size (int): Samples among which it is; -1: all. Default: -1.
        min_pool_size (int): How many are there before the first is taken; -1: all. Default: -1.
        can_over_batch_size (bool): Whether a batch may be larger than asked for. Default: True.
        calc_batch_size (callable, optional): Of a sample: how many it counts for. Default: None.
        cache (int): CacheType: whether samples are kept for the next pass. Default: 0.
        check (bool): Whether each sample is held against input_types. Default: False.
        check_fail_continue (bool): Whether samples that do not fit are left out. Default: False.
        init_hook (callable, optional): Called first, with the settings and the source's arguments.
            Default: None.
        **outter_kwargs (dict): As v1's had them.

    Returns:
        callable: a decorator.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> @provider(input_types={"x": dense_vector(2), "label": integer_value(3)})
        ... def process(settings, filename):
        ...     with open(filename) as lines:
        ...         for line in lines:
        ...             a, b, label = line.split()
        ...             yield {"x": [float(a), float(b)], "label": int(label)}
        ...
    """
    ...

def sparse_non_value_slot(dim: int, seq_type: int = ...) -> Any:
    """Zeros and ones: a sample is the list of the places of its ones.

    Args:
        dim (int): How many elements.
        seq_type (int): SequenceType: no sequence, a sequence or a nested one. Default: 0.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = sparse_binary_vector(1000)
    """
    ...

def sparse_binary_vector_sequence(dim: int) -> Any:
    """Sequences of zeros and ones.

    Args:
        dim (int): How many elements.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = sparse_binary_vector_sequence(1000)
    """
    ...

def sparse_binary_vector_sub_sequence(dim: int) -> Any:
    """Nested sequences of zeros and ones.

    Args:
        dim (int): How many elements.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = sparse_binary_vector_sub_sequence(1000)
    """
    ...

def sparse_value_slot(dim: int, seq_type: int = ...) -> Any:
    """Mostly zeros: a sample is the list of (place, value) of what is not zero.

    Args:
        dim (int): How many elements.
        seq_type (int): SequenceType: no sequence, a sequence or a nested one. Default: 0.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = sparse_float_vector(1000)
    """
    ...

def sparse_vector_sequence(dim: int) -> Any:
    """Sequences of mostly zeros.

    Args:
        dim (int): How many elements.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = sparse_float_vector_sequence(1000)
    """
    ...

def sparse_vector_sub_sequence(dim: int) -> Any:
    """Nested sequences of mostly zeros.

    Args:
        dim (int): How many elements.

    Returns:
        InputType: the type.

    Examples:
        >>> from paddle.trainer.PyDataProvider2 import *
        >>> out = sparse_float_vector_sub_sequence(1000)
    """
    ...

class _Names:
    """"""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    @classmethod
    def tostring(cls, value: float) -> Any:
        """The name of a value.

        Args:
            value (float): What it is set to.

        Returns:
            InputType: the type.
        """
        ...

dense_array = dense_slot

dense_vector = dense_slot

integer_sequence = integer_value_sequence

integer_value = index_slot

sparse_binary_vector = sparse_non_value_slot

sparse_float_vector = sparse_value_slot

sparse_float_vector_sequence = sparse_vector_sequence

sparse_float_vector_sub_sequence = sparse_vector_sub_sequence

sparse_vector = sparse_value_slot
