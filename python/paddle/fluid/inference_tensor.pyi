# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class PaddleBuf:
    """Bytes, or the numbers that they are.

    Args:
        data (list, array or bytes): The elements.

    Examples:
        >>> import paddle.fluid as fluid
        >>> buffer = fluid.core.PaddleBuf([1.0, 2.0])
        >>> buffer.float_data()
        [1.0, 2.0]
    """
    def __init__(self, data: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def reset(self, data: Any) -> Any:
        """From an array; from a list of floats, float32.

        Args:
            data (list, array or bytes): The elements.
        """
        ...

    def resize(self, length: int) -> Any:
        """That many bytes, which are zero.

        Args:
            length (int): Bytes.
        """
        ...

    def length(self) -> Any:
        """How many bytes."""
        ...

    def empty(self) -> Any:
        """Whether there are none."""
        ...

    def float_data(self) -> Any:
        """The bytes as float32 numbers."""
        ...

    def int32_data(self) -> Any:
        """The bytes as int32 numbers."""
        ...

    def int64_data(self) -> Any:
        """The bytes as int64 numbers."""
        ...

    def tolist(self, dtype: Any) -> Any:
        """The bytes as numbers of a type.

        Args:
            dtype (PaddleDType): A type of elements.
        """
        ...

class PaddleDType:
    """Types of elements.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.paddle_dtype_size(fluid.core.PaddleDType.FLOAT32)
        4
    """
    FLOAT32: Any
    INT64: Any
    INT32: Any
    UINT8: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class PaddlePlace:
    """Where tensors are.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.PaddlePlace.CPU
        PaddlePlace.CPU
    """
    UNK: Any
    CPU: Any
    GPU: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class PaddleTensor:
    """An array with a name and a LoD. Not copied, it is the array as it is when it is used.

    Args:
        data (list, array or bytes): The elements. Default: None.
        name (str): The name of the input or output. Default: ''.
        lod (list of list of int): Offsets of the sequences. Default: ().
        copy (bool): Whether the array is copied. Default: True.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> config = fluid.core.AnalysisConfig("model")
        >>> predictor = fluid.core.create_paddle_predictor(config)
        >>> out, = predictor.run([fluid.core.PaddleTensor(numpy.ones((3, 8), "float32"))])
        >>> out.as_ndarray().shape
        (3, 1)
    """
    def __init__(self, data: Any = ..., name: str = ..., lod: Sequence[Any] = ..., copy: bool = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def as_ndarray(self) -> Any:
        """The elements as an array."""
        ...

class ZeroCopyTensor:
    """An input or output of a predictor, whatever it holds at the time.

    Args:
        name (str): The name of the input or output.
        held (object): What the predictor holds.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> config = fluid.core.AnalysisConfig("model")
        >>> config.switch_use_feed_fetch_ops(False)
        >>> predictor = fluid.core.create_paddle_predictor(config)
        >>> predictor.get_input_tensor("x").copy_from_cpu(numpy.ones((3, 8), "float32"))
        >>> _ = predictor.zero_copy_run()
        >>> predictor.get_output_tensor(predictor.get_output_names()[0]).copy_to_cpu().shape
        (3, 1)
    """
    def __init__(self, name: str, held: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def name(self) -> Any:
        """Its name."""
        ...

    def reshape(self, shape: Sequence[Any]) -> Any:
        """The shape of what comes; copy_from_cpu() takes that of its array.

        Args:
            shape (list of int): The sizes of the dimensions.
        """
        ...

    def copy_from_cpu(self, array: Any) -> Any:
        """Set it to an array.

        Args:
            array (array): The elements.
        """
        ...

    def copy_to_cpu(self) -> Any:
        """The elements as an array."""
        ...

    def shape(self) -> Any:
        """The sizes of its dimensions."""
        ...

    def lod(self) -> Any:
        """Offsets of its sequences."""
        ...

    def set_lod(self, lod: Sequence[Any]) -> Any:
        """Set the offsets of its sequences.

        Args:
            lod (list of list of int): Offsets of the sequences.
        """
        ...

    def type(self) -> Any:
        """The type of its elements."""
        ...

def paddle_dtype_size(dtype: Any) -> int:
    """Bytes of an element.

    Args:
        dtype (PaddleDType): A type of elements.

    Returns:
        int: how many.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.paddle_dtype_size(fluid.core.PaddleDType.FLOAT32)
        4
    """
    ...
