# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

class Communicator:
    """Sends gradients while a trainer computes, in the modes that do not wait: the core does so by
    itself. start() makes its settings, and stop() waits until all has been sent.

    mode: a DistributedMode. envs: settings by the name of their flag.

    Args:
        program (Program): A trainer's program, transpiled.
        mode (DistributedMode): How it exchanges gradients.
        kwargs (dict, optional): What geo needs. Default: None.
        envs (dict): Settings by their flags. Default: {}.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, 1))
        >>> _ = fluid.optimizer.SGD(0.1).minimize(loss)
        >>> config = fluid.DistributeTranspilerConfig()
        >>> config.sync_mode = False
        >>> transpiler = fluid.DistributeTranspiler(config)
        >>> transpiler.transpile(0, pservers="127.0.0.1:6174", trainers=1, sync_mode=False)
        >>> program = transpiler.get_trainer_program(wait_port=False)
        >>> communicator = fluid.communicator.Communicator(program,
        ...                                                mode=fluid.core.DistributedMode.ASYNC) if hasattr(fluid.core,
        ...                                                "DistributedMode") else None
    """
    def __init__(self, program: Program, mode: Any, kwargs: Optional[Dict[Any, Any]] = ..., envs: Dict[Any, Any] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def start(self) -> Any:
        """Begin to send."""
        ...

    def stop(self) -> Any:
        """Send what is left, and stop."""
        ...

    def is_running(self) -> Any:
        """Whether it sends."""
        ...
