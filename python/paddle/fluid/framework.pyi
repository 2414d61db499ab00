# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class Program:
    """A program: what layers build and an Executor runs.

    Examples:
        >>> import paddle.fluid as fluid
        >>> main, startup = fluid.Program(), fluid.Program()
        >>> with fluid.program_guard(main, startup):
        ...     x = fluid.data("x", [None, 8])
        ...     y = fluid.layers.fc(x, 1)
        ...
        >>> [op.type for op in main.global_block().ops]
        ['mul', 'elementwise_add']
    """
    blocks: Any
    desc: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def block(self, index: int) -> Any:
        """The block of that number.

        Args:
            index (int): Of the block; 0 is the outermost.
        """
        ...

    def global_block(self) -> Any:
        """The outermost block."""
        ...

    def current_block(self) -> Any:
        """The block that layers append to now."""
        ...

    def clone(self, for_test: bool = ...) -> Any:
        """A copy. for_test: without backward and optimizer ops, and with is_test set.

        Args:
            for_test (bool): Whether the copy is without dropout, and batch norms use what they have
                learned. Default: False.
        """
        ...

    @staticmethod
    def parse_from_string(binary_str: bytes) -> Any:
        """A program of the bytes that serialize_to_string() gave.

        Args:
            binary_str (bytes): A program as serialize_to_string() gives it.
        """
        ...

    def serialize_to_string(self) -> Any:
        """ProgramDesc bytes, as program.desc.serialize_to_string() of real Paddle."""
        ...

    def list_vars(self) -> Any:
        """All variables of all blocks, one after the other."""
        ...

    def all_parameters(self) -> Any:
        """All parameters."""
        ...

    def global_seed(self, seed: int = ...) -> Any:
        """The random_seed of this program and of those that are made from now on.

        Args:
            seed (int): Of the random numbers of the program; 0: any. Default: 0.
        """
        ...

    def to_string(self, throw_on_error: bool = ..., with_details: bool = ...) -> Any:
        """The program as text.

        Args:
            throw_on_error (bool): Whether an incomplete program is an error. Default: True.
            with_details (bool): Whether variables are shown whole. Default: False.
        """
        ...

def default_startup_program() -> Program:
    """The program that layers append the making of start values to.

    Returns:
        Program: the program.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
    """
    ...

def default_main_program() -> Program:
    """The program that layers append their ops to.

    Returns:
        Program: the program.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> [p.name for p in fluid.default_main_program().all_parameters()]
        ['fc_0.w_0', 'fc_0.b_0']
    """
    ...

def program_guard(main_program: Optional[Program], startup_program: Optional[Program] = ...) -> Any:
    """Layers inside the with block go to these programs.

    Args:
        main_program (Program, optional): The program that is meant; None: the default main program.
        startup_program (Program, optional): The program that makes the start values; None: the
            default one. Default: None.

    Returns:
        context manager: for a with block.

    Examples:
        >>> import paddle.fluid as fluid
        >>> main, startup = fluid.Program(), fluid.Program()
        >>> with fluid.program_guard(main, startup):
        ...     x = fluid.data("x", [None, 8])
        ...     y = fluid.layers.fc(x, 1)
        ...
        >>> [op.type for op in main.global_block().ops]
        ['mul', 'elementwise_add']
    """
    ...

def name_scope(prefix: Optional[str] = ...) -> Any:
    """Ops inside the with block are shown under this name.

    Args:
        prefix (str, optional): The name of the scope; None: none. Default: None.

    Returns:
        context manager: for a with block.

    Examples:
        >>> import paddle.fluid as fluid
        >>> with fluid.name_scope("tower"):
        ...     y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        ...
        >>> y.shape
        (-1, 1)
    """
    ...

def cuda_places(device_ids: Optional[Sequence[Any]] = ...) -> Sequence[Any]:
    """The GPUs of that number; without, those of FLAGS_selected_gpus, or all.

    Args:
        device_ids (list of int, optional): The numbers of the GPUs; None: all. Default: None.

    Returns:
        list: the places.

    Examples:
        >>> import paddle.fluid as fluid
        >>> places = fluid.cuda_places() if fluid.is_compiled_with_cuda() else fluid.cpu_places()
    """
    ...

def cpu_places(device_count: Optional[int] = ...) -> Sequence[Any]:
    """So many places on the CPU, for programs that run in parallel.

    Args:
        device_count (int, optional): How many; None: CPU_NUM of them. Default: None.

    Returns:
        list: the places.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.cpu_places(2)
        [CPUPlace, CPUPlace]
    """
    ...

def cuda_pinned_places(device_count: Optional[int] = ...) -> Sequence[Any]:
    """So many places in memory from which GPUs copy quickly.

    Args:
        device_count (int, optional): How many; None: CPU_NUM of them. Default: None.

    Returns:
        list: the places.

    Examples:
        >>> import paddle.fluid as fluid
        >>> places = fluid.cuda_pinned_places(1) if fluid.is_compiled_with_cuda() else fluid.cpu_places(1)
    """
    ...

def in_dygraph_mode() -> bool:
    """Always False: Regatta runs programs. fluid.dygraph says so too.

    Returns:
        bool: whether.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.in_dygraph_mode()
        False
    """
    ...

def is_compiled_with_cuda() -> bool:
    """Whether CUDAPlace(0) can be had: there are GPU kernels, and a GPU.

    Returns:
        bool: whether.

    Examples:
        >>> import paddle.fluid as fluid
        >>> place = fluid.CUDAPlace(0) if fluid.is_compiled_with_cuda() else fluid.CPUPlace()
        >>> exe = fluid.Executor(place)
    """
    ...

class Variable:
    """A variable of a block: made by layers and by Block.create_var().

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> isinstance(x, fluid.Variable), x.name, x.shape
        (True, 'x', (-1, 8))
        >>> (2.0 * x + 1.0).shape
        (-1, 8)
    """
    shape: Any
    dtype: Any
    type: Any
    block: Any
    desc: Any
    grad_name: Any
    error_clip: Any
    belong_to_optimizer: Any
    is_distributed: Any
    capacity: Any
    def __add__(self, other: Any) -> Variable: ...
    def __radd__(self, other: Any) -> Variable: ...
    def __sub__(self, other: Any) -> Variable: ...
    def __rsub__(self, other: Any) -> Variable: ...
    def __mul__(self, other: Any) -> Variable: ...
    def __rmul__(self, other: Any) -> Variable: ...
    def __truediv__(self, other: Any) -> Variable: ...
    def __rtruediv__(self, other: Any) -> Variable: ...
    def __pow__(self, other: Any) -> Variable: ...
    def __rpow__(self, other: Any) -> Variable: ...
    def __mod__(self, other: Any) -> Variable: ...
    def __floordiv__(self, other: Any) -> Variable: ...
    def __matmul__(self, other: Any) -> Variable: ...
    def __lt__(self, other: Any) -> Variable: ...
    def __le__(self, other: Any) -> Variable: ...
    def __gt__(self, other: Any) -> Variable: ...
    def __ge__(self, other: Any) -> Variable: ...
    def __init__(self) -> None: ...
    def __getitem__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __iter__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_error_clip(self, error_clip: Any) -> Any:
        """Clip the gradient that passes this variable.

        Args:
            error_clip (ErrorClipByValue): How the gradient of this variable is clipped.
        """
        ...

    def to_string(self, throw_on_error: bool = ..., with_details: bool = ...) -> Any:
        """The variable as text.

        Args:
            throw_on_error (bool): Whether an incomplete program is an error. Default: True.
            with_details (bool): Whether variables are shown whole. Default: False.
        """
        ...

    def numpy(self) -> Any:
        """Refused: a variable of a program has no value; fetch it with Executor.run."""
        ...

    def detach(self) -> Any:
        """Refused: there is no dygraph."""
        ...

    def gradient(self) -> Any:
        """Refused: there is no dygraph; fetch the gradient's variable, NAME@GRAD."""
        ...

    def clear_gradient(self) -> Any:
        """Refused: there is no dygraph."""
        ...

    def backward(self) -> Any:
        """Refused: there is no dygraph; an optimizer's minimize() adds the gradients."""
        ...

    def set_value(self, value: Any) -> Any:
        """Set what the variable holds in the scope.

        Args:
            value (array): The new elements.
        """
        ...

    def astype(self, dtype: str) -> Any:
        """x in another type: the op cast.

        Args:
            dtype (str): The type that is wanted.
        """
        ...

def load_op_library(lib_filename: str) -> Any:
    """Refused: custom C++ ops are not loaded; an op is one C file (docs/adding-an-op.md)."""
    ...

def require_version(min_version: str, max_version: Optional[str] = ...) -> None:
    """Scripts ask for a Paddle release: the one whose behaviour is reproduced is 1.8.5.

    Args:
        min_version (str): The first release that will do.
        max_version (str, optional): The last one that will do. Default: None.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.require_version("1.8.0")
    """
    ...

def device_guard(device: Optional[int] = ...) -> Any:
    """Ops built inside are labelled with the device. Those of device_guard("cpu") run on the CPU in a
    program that runs on a GPU; those of "gpu" on the GPU where it has a kernel for them.

    Args:
        device (int): The number of the GPU. Default: None.

    Returns:
        context manager: for a with block.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> with fluid.device_guard("cpu"):
        ...     y = fluid.layers.fc(x, 1)
        ...
        >>> y.shape
        (-1, 1)
    """
    ...

def set_flags(flags: Union[Dict[Any, Any], Sequence[Any], str]) -> None:
    """Set FLAGS_* settings of this process.

    Args:
        flags (dict, list or str): Values by name, or the names.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.set_flags({"FLAGS_check_nan_inf": True})
        >>> fluid.get_flags("FLAGS_check_nan_inf")
        {'FLAGS_check_nan_inf': True}
        >>> fluid.set_flags({"FLAGS_check_nan_inf": False})
    """
    ...

def get_flags(flags: Union[Dict[Any, Any], Sequence[Any], str]) -> Dict[Any, Any]:
    """The present values of FLAGS_* settings.

    Args:
        flags (dict, list or str): Values by name, or the names.

    Returns:
        dict: values by name.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.get_flags("FLAGS_check_nan_inf")
        {'FLAGS_check_nan_inf': False}
    """
    ...
