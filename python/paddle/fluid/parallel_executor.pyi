# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (Scope as Scope)
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

class ParallelExecutor:
    """Runs a program by several threads or GPUs at once: the old form of CompiledProgram.

    Args:
        use_cuda (bool): Whether it runs on GPUs.
        loss_name (str, optional): The loss, where the program is trained. Default: None.
        main_program (Program, optional): The program that is meant; None: the default main program.
            Default: None.
        share_vars_from (CompiledProgram, optional): Whose variables it uses. Default: None.
        exec_strategy (ExecutionStrategy, optional): How it runs. Default: None.
        build_strategy (BuildStrategy, optional): How the program is rewritten. Default: None.
        num_trainers (int): How many processes train together. Default: 1.
        trainer_id (int): The number of this trainer, from 0 on. Default: 0.
        scope (Scope, optional): Where variables live; None: the global scope. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, 1))
        >>> fluid.Executor().run(fluid.default_startup_program())
        []
        >>> exe = fluid.ParallelExecutor(use_cuda=False, loss_name=loss.name)
        >>> out, = exe.run(feed={"x": numpy.ones((4, 2), "float32")}, fetch_list=[loss.name])
    """
    device_count: Any
    def __init__(self, use_cuda: bool, loss_name: Optional[str] = ..., main_program: Optional[Program] = ..., share_vars_from: Any = ..., exec_strategy: Any = ..., build_strategy: Any = ..., num_trainers: int = ..., trainer_id: int = ..., scope: Optional[Scope] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def run(self, fetch_list: Optional[Union[Sequence[Any], str]], feed: Optional[Dict[Any, Any]] = ..., feed_dict: Optional[Dict[Any, Any]] = ..., return_numpy: bool = ...) -> Any:
        """Run the program once and fetch values.

        Args:
            fetch_list (list of Variable or str, optional): What comes back.
            feed (dict, optional): Arrays by the name of the variable that gets them. Default: None.
            feed_dict (dict, optional): The old name of feed. Default: None.
            return_numpy (bool): Whether arrays come back, and not LoDTensors. Default: True.
        """
        ...

    def drop_local_exe_scopes(self) -> Any:
        """Temporaries belong to plans and are used again; there is nothing to drop."""
        ...
