# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (Scope as Scope)
from paddle.fluid.executor import (Executor as Executor)
from paddle.fluid.framework import (Program as Program, Variable as Variable)
from paddle.fluid.incubate.fleet.base.mode import (Mode as Mode)

def __getattr__(name: str) -> Any: ...

class Fleet:
    """The base of the transpiler's, the collective and the pslib fleet.

    Args:
        mode (str): "sum", "max" or "min".

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import fleet_base
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
        >>> isinstance(fleet, fleet_base.Fleet), fleet._mode == fleet_base.Mode.TRANSPILER
        (True, True)
    """
    def __init__(self, mode: str) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def is_first_worker(self) -> Any:
        """Whether this process is worker 0."""
        ...

    def worker_index(self) -> Any:
        """The number of this worker."""
        ...

    def worker_num(self) -> Any:
        """How many workers there are."""
        ...

    def is_worker(self) -> Any:
        """Whether this process is a worker."""
        ...

    def worker_endpoints(self, to_string: bool = ...) -> Any:
        """The addresses of the workers.

        Args:
            to_string (bool): Whether they come as one text with commas. Default: False.
        """
        ...

    def server_num(self) -> Any:
        """How many servers there are."""
        ...

    def server_index(self) -> Any:
        """The number of this server."""
        ...

    def server_endpoints(self, to_string: bool = ...) -> Any:
        """The addresses of the servers.

        Args:
            to_string (bool): Whether they come as one text with commas. Default: False.
        """
        ...

    def is_server(self) -> Any:
        """Whether this process is a server."""
        ...

    def split_files(self, files: Sequence[Any]) -> Any:
        """This worker's block of `files`: all blocks have the same length, or one more for the first
        workers where it does not come out even.

        Args:
            files (list of str): All files.
        """
        ...

    def init(self, role_maker: Any = ...) -> Any:
        """role_maker: None for what the environment says.

        Args:
            role_maker (RoleMakerBase): Who this process is. Default: None.
        """
        ...

    def all_reduce_worker(self, input: Any, output: Any) -> Any:
        """The sum, or another reduction, over all workers.

        Args:
            input (array): The values of this worker.
            output (array): Where the result goes.
        """
        ...

    def barrier_worker(self) -> Any:
        """Wait until all workers are here."""
        ...

    def init_worker(self) -> Any:
        """Begin to work with the servers."""
        ...

    def init_server(self, model_dir: Optional[str] = ...) -> Any:
        """Make the server's start values, or load a model.

        Args:
            model_dir (str, optional): What the server loads first. Default: None.
        """
        ...

    def run_server(self) -> Any:
        """Serve until all workers have ended."""
        ...

    def stop_worker(self) -> Any:
        """Tell the servers that this worker is done."""
        ...

    def distributed_optimizer(self, optimizer: Any, strategy: Any = ...) -> Any:
        """An optimizer that trains with the fleet.

        Args:
            optimizer (Optimizer): The optimizer that is wrapped.
            strategy (DistributedStrategy, optional): How parameters are exchanged; None: as the class
                says. Default: None.
        """
        ...

    def save_inference_model(self, executor: Executor, dirname: str, feeded_var_names: Sequence[Any], target_vars: Sequence[Any], main_program: Optional[Program] = ..., export_for_deployment: bool = ...) -> Any:
        """Save a model for inference; worker 0 does it for all.

        Args:
            executor (Executor): Runs what has to be run.
            dirname (str): A folder.
            feeded_var_names (list of str): The variables that will be fed.
            target_vars (list of Variable): What the saved program computes.
            main_program (Program, optional): The program that is meant; None: the default main program.
                Default: None.
            export_for_deployment (bool): Whether the program is pruned to what the targets need.
                Default: True.
        """
        ...

    def save_persistables(self, executor: Executor, dirname: str, main_program: Optional[Program] = ...) -> Any:
        """Save parameters and optimizer state, those of the servers too.

        Args:
            executor (Executor): Runs what has to be run.
            dirname (str): A folder.
            main_program (Program, optional): The program that is meant; None: the default main program.
                Default: None.
        """
        ...

class DistributedOptimizer:
    """An optimizer that trains with a fleet; what it does is for each kind of fleet to define.

    Args:
        optimizer (Optimizer): The optimizer that is wrapped.
        strategy (DistributedStrategy, optional): How parameters are exchanged; None: as the class
            says. Default: None.

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import fleet_base
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
        >>> isinstance(fleet, fleet_base.Fleet), fleet._mode == fleet_base.Mode.TRANSPILER
        (True, True)
    """
    def __init__(self, optimizer: Any, strategy: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def backward(self, loss: Variable, startup_program: Optional[Program] = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ..., callbacks: Optional[Sequence[Any]] = ...) -> Any:
        """Append the gradients to the program.

        Args:
            loss (Variable): What is to become small.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
            parameter_list (list of Variable or str, optional): What is learned; None: all trainable
                parameters. Default: None.
            no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
                None.
            callbacks (list, optional): Called when a gradient op is added. Default: None.
        """
        ...

    def apply_gradients(self, params_grads: Sequence[Any]) -> Any:
        """Append the updates to the program.

        Args:
            params_grads (list of tuple): Parameters with their gradients.
        """
        ...

    def minimize(self, losses: Sequence[Any], scopes: Optional[Scope] = ..., startup_programs: Optional[Program] = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ...) -> Any:
        """Append gradients and updates, and make the program this process runs.

        Args:
            losses (list of Variable): What is to become small.
            scopes (Scope, optional): Where variables live. Default: None.
            startup_programs (Program, optional): The program that makes the start values. Default:
                None.
            parameter_list (list of Variable or str, optional): What is learned; None: all trainable
                parameters. Default: None.
            no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
                None.
        """
        ...

class ProgramOptimizer(DistributedOptimizer):
    """Backward and update are the optimizer's own; minimize() is for each kind of fleet.

    Args:
        optimizer (Optimizer): The optimizer that is wrapped.
        strategy (DistributedStrategy, optional): How parameters are exchanged; None: as the class
            says. Default: None.
    """
    def __init__(self, optimizer: Any, strategy: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def backward(self, loss: Variable, startup_program: Optional[Program] = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ..., callbacks: Optional[Sequence[Any]] = ...) -> Any:
        """Append the gradients to the program.

        Args:
            loss (Variable): What is to become small.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
            parameter_list (list of Variable or str, optional): What is learned; None: all trainable
                parameters. Default: None.
            no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
                None.
            callbacks (list, optional): Called when a gradient op is added. Default: None.
        """
        ...

    def apply_gradients(self, params_grads: Sequence[Any]) -> Any:
        """Append the updates to the program.

        Args:
            params_grads (list of tuple): Parameters with their gradients.
        """
        ...
