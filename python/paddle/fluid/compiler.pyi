# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

class BuildStrategy(_Strategy):
    """How a program is rewritten before it runs. Regatta's plans always fuse and share memory, with
    equal numbers, so most settings are accepted and change nothing.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, 1))
        >>> strategy = fluid.BuildStrategy()
        >>> threads = fluid.ExecutionStrategy()
        >>> program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(loss_name=loss.name,
        ...                                 build_strategy=strategy, exec_strategy=threads,
        ...                                 places=fluid.cpu_places(2))
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> out, = exe.run(program, feed={"x": numpy.ones((4, 2), "float32")}, fetch_list=[loss])
        >>> out.shape
        (2,)
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class CompiledProgram:
    """A program to be run by several threads or GPUs at once.

    Args:
        program_or_graph (Program): What is run.
        build_strategy (BuildStrategy, optional): How the program is rewritten. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, 1))
        >>> strategy = fluid.BuildStrategy()
        >>> threads = fluid.ExecutionStrategy()
        >>> program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(loss_name=loss.name,
        ...                                 build_strategy=strategy, exec_strategy=threads,
        ...                                 places=fluid.cpu_places(2))
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> out, = exe.run(program, feed={"x": numpy.ones((4, 2), "float32")}, fetch_list=[loss])
        >>> out.shape
        (2,)
    """
    def __init__(self, program_or_graph: Program, build_strategy: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def with_data_parallel(self, loss_name: Optional[str] = ..., build_strategy: Any = ..., exec_strategy: Any = ..., share_vars_from: Any = ..., places: Optional[Sequence[Any]] = ...) -> Any:
        """Run on several threads, each with a part of the batch.

        Args:
            loss_name (str, optional): The loss, where the program is trained. Default: None.
            build_strategy (BuildStrategy, optional): How the program is rewritten. Default: None.
            exec_strategy (ExecutionStrategy, optional): How it runs. Default: None.
            share_vars_from (CompiledProgram, optional): Whose variables it uses. Default: None.
            places (list of places, optional): Where the parts of a batch run; None: CPU_NUM CPUs, or
                all GPUs. Default: None.
        """
        ...

class ExecutionStrategy(_Strategy):
    """How a program runs. The number of threads is that of the places (CPU_NUM).

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, 1))
        >>> strategy = fluid.BuildStrategy()
        >>> threads = fluid.ExecutionStrategy()
        >>> program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(loss_name=loss.name,
        ...                                 build_strategy=strategy, exec_strategy=threads,
        ...                                 places=fluid.cpu_places(2))
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> out, = exe.run(program, feed={"x": numpy.ones((4, 2), "float32")}, fetch_list=[loss])
        >>> out.shape
        (2,)
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class _Strategy:
    """Settings with defaults; one that does not exist is refused, one that asks for something this
    build does not do is refused when it is set.
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
