# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (Scope as Scope)
from paddle.fluid.executor import (Executor as Executor)
from paddle.fluid.framework import (Program as Program, Variable as Variable)
from paddle.fluid.incubate.fleet.base.fleet_base import (Fleet as Fleet, ProgramOptimizer as ProgramOptimizer)
from . import (distributed_strategy as distributed_strategy)
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import (AsyncStrategy as AsyncStrategy, DistributedStrategy as DistributedStrategy, GeoStrategy as GeoStrategy, HalfAsyncStrategy as HalfAsyncStrategy, StrategyFactory as StrategyFactory, SyncStrategy as SyncStrategy, TrainerRuntimeConfig as TrainerRuntimeConfig, of_config as of_config)

def __getattr__(name: str) -> Any: ...

class DistributedTranspiler(Fleet):
    """The fleet. main_program and startup_program are what this process runs.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> from paddle.fluid.incubate.fleet.base import role_maker
        >>> fleet.init(role_maker.UserDefinedRoleMaker(current_id=0, role=role_maker.Role.SERVER, worker_num=1, server_endpoints=["127.0.0.1:6174"]))
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> strategy = StrategyFactory.create_async_strategy()
        >>> optimizer = fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy)
        >>> _ = optimizer.minimize(loss)
        >>> fleet.is_server(), fleet.worker_num()
        (True, 1)
    """
    metrics: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def init(self, role_maker: Any = ...) -> Any:
        """role_maker: None for what the environment says.

        Args:
            role_maker (RoleMakerBase): Who this process is. Default: None.
        """
        ...

    def distributed_optimizer(self, optimizer: Any, strategy: Any = ...) -> Any:
        """strategy: one of StrategyFactory's, or a DistributeTranspilerConfig; None is sync.

        Args:
            optimizer (Optimizer): The optimizer that is wrapped.
            strategy (DistributedStrategy, optional): How parameters are exchanged; None: as the class
                says. Default: None.
        """
        ...

    def init_worker(self) -> Any:
        """Join the job; with wait_port=False of the program's config it is joined when a program first
        talks to the servers. Calls after the first do nothing.
        """
        ...

    def stop_worker(self) -> Any:
        """Send what is left and tell the servers that this worker is done."""
        ...

    def init_server(self, model_dir: Optional[str] = ...) -> Any:
        """Start the parameters, or load this server's part of a folder that save_persistables or
        save_inference_model has written, here or in real Paddle, or of a snapshot of any number of
        servers (paddle export_snapshot --snapshot): with states of optimizers.

        Args:
            model_dir (str, optional): What the server loads first. Default: None.
        """
        ...

    def run_server(self) -> Any:
        """Serve until the last worker has stopped."""
        ...

    def save_inference_model(self, executor: Executor, dirname: str, feeded_var_names: Sequence[Any], target_vars: Sequence[Any], main_program: Optional[Program] = ..., export_for_deployment: bool = ...) -> Any:
        """As fluid.io.save_inference_model, with what servers keep; whoever calls it writes.

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
        """As fluid.io.save_persistables, with what servers keep; whoever calls it writes.

        Args:
            executor (Executor): Runs what has to be run.
            dirname (str): A folder.
            main_program (Program, optional): The program that is meant; None: the default main program.
                Default: None.
        """
        ...

    def load(self, executor: Executor, dirname: str, main_program: Optional[Program] = ...) -> Any:
        """What save_persistables has written: on a server its part, on a worker its own variables, and
        worker 0 sets those of servers. Follow it with barrier_worker().

        Args:
            executor (Executor): Runs what has to be run.
            dirname (str): A folder.
            main_program (Program, optional): The program that is meant; None: the default main program.
                Default: None.

        Returns:
            None: nothing.
        """
        ...

    def shrink(self, threshold: Optional[float] = ..., unseen: int = ...) -> Any:
        """Drop rows of tables that nobody used since so many calls of this; worker 0 does. threshold, as
        in Paddle 2.x, counts this call too: 1 drops all rows, 2 those that were not used since the call
        before. unseen: the same without this call. How many were dropped; None on other workers.

        Args:
            threshold (float): Rows whose score is below it go. Default: None.
            unseen (int): Passes after which a row goes. Default: 1.
        """
        ...

class TranspilerOptimizer(ProgramOptimizer):
    """minimize() makes the program and transpiles it at once.

    Args:
        optimizer (Optimizer): The optimizer that is wrapped.
        strategy (DistributedStrategy, optional): How parameters are exchanged; None: as the class
            says. Default: None.
        owner (Fleet, optional): Whose optimizer it is. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> from paddle.fluid.incubate.fleet.base import role_maker
        >>> fleet.init(role_maker.UserDefinedRoleMaker(current_id=0, role=role_maker.Role.SERVER, worker_num=1, server_endpoints=["127.0.0.1:6174"]))
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> strategy = StrategyFactory.create_async_strategy()
        >>> optimizer = fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy)
        >>> _ = optimizer.minimize(loss)
        >>> fleet.is_server(), fleet.worker_num()
        (True, 1)
    """
    def __init__(self, optimizer: Any, strategy: Any = ..., owner: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def minimize(self, loss: Variable, scopes: Optional[Scope] = ..., startup_program: Optional[Program] = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ...) -> Any:
        """Append gradients and updates, and make the program this process runs.

        Args:
            loss (Variable): What is to become small.
            scopes (Scope, optional): Where variables live. Default: None.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
            parameter_list (list of Variable or str, optional): What is learned; None: all trainable
                parameters. Default: None.
            no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
                None.
        """
        ...

fleet: Any
