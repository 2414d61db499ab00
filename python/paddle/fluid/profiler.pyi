# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def cuda_profiler(output_file: str, output_mode: Optional[str] = ..., config: Optional[Sequence[Any]] = ...) -> Any:
    """Refused: use the profilers of NVIDIA with the process."""
    ...

def reset_profiler() -> None:
    """Forget the times so far.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fill_constant([1], "float32", 1.0)
        >>> fluid.profiler.start_profiler("CPU")
        >>> out = fluid.Executor().run(fetch_list=[y])
        >>> fluid.profiler.reset_profiler()
    """
    ...

def profiler(state: str, sorted_key: Optional[str] = ..., profile_path: str = ..., tracer_option: str = ...) -> None:
    """Time the ops that run inside the with block; see stop_profiler().

    Args:
        state (str): "CPU", "GPU" or "All": what is timed.
        sorted_key (str, optional): "calls", "total", "max", "min" or "ave"; None: in the order of
            first calls. Default: None.
        profile_path (str): Where the profile is written. Default: '/tmp/profile'.
        tracer_option (str): "Default", "OpDetail" or "AllOpDetail". Default: 'Default'.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fill_constant([1], "float32", 1.0)
        >>> fluid.profiler.start_profiler("CPU")
        >>> out = fluid.Executor().run(fetch_list=[y])
        >>> fluid.profiler.reset_profiler()
    """
    ...

def start_profiler(state: str, tracer_option: str = ...) -> None:
    """Time ops from now on, until stop_profiler().

    Args:
        state (str): "CPU", "GPU" or "All": what is timed.
        tracer_option (str): "Default", "OpDetail" or "AllOpDetail". Default: 'Default'.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fill_constant([1], "float32", 1.0)
        >>> fluid.profiler.start_profiler("CPU")
        >>> out = fluid.Executor().run(fetch_list=[y])
        >>> fluid.profiler.reset_profiler()
    """
    ...

def stop_profiler(sorted_key: Optional[str] = ..., profile_path: str = ...) -> None:
    """Stop, print the table (sorted by calls, total, max, min or ave; None: in the order of first use)
    and write the trace to profile_path (None: no trace).

    Args:
        sorted_key (str, optional): "calls", "total", "max", "min" or "ave"; None: in the order of
            first calls. Default: None.
        profile_path (str): Where the profile is written. Default: '/tmp/profile'.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fill_constant([1], "float32", 1.0)
        >>> fluid.profiler.start_profiler("CPU")
        >>> out = fluid.Executor().run(fetch_list=[y])
        >>> fluid.profiler.reset_profiler()
    """
    ...
