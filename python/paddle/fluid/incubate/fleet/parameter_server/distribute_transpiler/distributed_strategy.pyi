# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class AsyncStrategy(DistributedStrategy):
    """Gradients are applied when they come; parameters are fetched in the background.

    Examples:
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> strategy = StrategyFactory.create_geo_strategy(update_frequency=100)
        >>> type(strategy).__name__
        'GeoStrategy'
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def check_program_config(self) -> Any:
        """Whether the settings of programs fit this strategy."""
        ...

class DistributedStrategy:
    """Settings of programs, trainers, servers and threads. Each is set by an object of its class or a
    dict of what changes; check_*() puts right what the strategy itself decides.

    Examples:
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> strategy = StrategyFactory.create_geo_strategy(update_frequency=100)
        >>> type(strategy).__name__
        'GeoStrategy'
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_program_config(self) -> Any:
        """The settings of programs."""
        ...

    def set_program_config(self, config: Any) -> Any:
        """Set them.

        Args:
            config (object): The settings.
        """
        ...

    def check_program_config(self) -> Any:
        """Whether the settings of programs fit this strategy."""
        ...

    def get_trainer_runtime_config(self) -> Any:
        """The settings of trainers."""
        ...

    def set_trainer_runtime_config(self, config: Any) -> Any:
        """Set them.

        Args:
            config (object): The settings.
        """
        ...

    def check_trainer_runtime_config(self) -> Any:
        """Whether they fit this strategy."""
        ...

    def get_server_runtime_config(self) -> Any:
        """The settings of servers."""
        ...

    def set_server_runtime_config(self, config: Any) -> Any:
        """Set them.

        Args:
            config (object): The settings.
        """
        ...

    def check_server_runtime_config(self) -> Any:
        """Whether they fit this strategy."""
        ...

    def get_execute_strategy(self) -> Any:
        """How programs run."""
        ...

    def set_execute_strategy(self, config: Any) -> Any:
        """Set it.

        Args:
            config (object): The settings.
        """
        ...

    def check_execute_strategy(self) -> Any:
        """Whether it fits this strategy."""
        ...

    def get_build_strategy(self) -> Any:
        """How programs are rewritten."""
        ...

    def set_build_strategy(self, config: Any) -> Any:
        """Set it.

        Args:
            config (object): The settings.
        """
        ...

    def check_build_strategy(self) -> Any:
        """Whether it fits this strategy."""
        ...

    def get_debug_opt(self) -> Any:
        """Settings for finding errors."""
        ...

    def set_debug_opt(self, opt_info: Dict[Any, Any]) -> Any:
        """Of variables that are written to files while a model trains: nothing but "none" is implemented.

        Args:
            opt_info (dict): Not looked at.
        """
        ...

class GeoStrategy(DistributedStrategy):
    """Each trainer trains a model of its own, and every update_frequency steps sends how far it has
    come and takes what the others have learned.

    Args:
        update_frequency (int): Steps between two exchanges. Default: 100.

    Examples:
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> strategy = StrategyFactory.create_geo_strategy(update_frequency=100)
        >>> type(strategy).__name__
        'GeoStrategy'
    """
    def __init__(self, update_frequency: int = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def check_program_config(self) -> Any:
        """Whether the settings of programs fit this strategy."""
        ...

class HalfAsyncStrategy(DistributedStrategy):
    """As async, but a trainer's own threads make each step together.

    Examples:
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> strategy = StrategyFactory.create_geo_strategy(update_frequency=100)
        >>> type(strategy).__name__
        'GeoStrategy'
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def check_program_config(self) -> Any:
        """Whether the settings of programs fit this strategy."""
        ...

class StrategyFactory:
    """Makes strategies.

    Examples:
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> strategy = StrategyFactory.create_geo_strategy(update_frequency=100)
        >>> type(strategy).__name__
        'GeoStrategy'
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    @staticmethod
    def create_sync_strategy() -> Any:
        """Every step waits for the gradients of all trainers."""
        ...

    @staticmethod
    def create_half_async_strategy() -> Any:
        """As async, but a trainer's own threads make each step together."""
        ...

    @staticmethod
    def create_async_strategy() -> Any:
        """Gradients are applied when they come."""
        ...

    @staticmethod
    def create_geo_strategy(update_frequency: int = ...) -> Any:
        """Each trainer trains a model of its own and sends differences.

        Args:
            update_frequency (int): Steps between two exchanges. Default: 100.
        """
        ...

class SyncStrategy(DistributedStrategy):
    """Every step waits for the gradients of all trainers, and takes their mean.

    Examples:
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> strategy = StrategyFactory.create_geo_strategy(update_frequency=100)
        >>> type(strategy).__name__
        'GeoStrategy'
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def check_program_config(self) -> Any:
        """Whether the settings of programs fit this strategy."""
        ...

class TrainerRuntimeConfig:
    """How a trainer talks to servers. A setting starts as its FLAGS_ variable says.

    Examples:
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> config = TrainerRuntimeConfig()
        >>> strategy = StrategyFactory.create_async_strategy()
        >>> strategy.set_trainer_runtime_config(config)
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_communicator_flags(self) -> Any:
        """The settings that mean something in this mode."""
        ...

    def display(self, configs: Dict[Any, Any]) -> Any:
        """The settings as a table.

        Args:
            configs (dict): Settings by name.
        """
        ...

def of_config(config: Any) -> Any:
    """The strategy that a DistributeTranspilerConfig asks for. sync_mode = False alone is async, as
    the text says that tells scripts to set it; half_async is asked for by its flag.

    Args:
        config (object): The settings.

    Returns:
        DistributedStrategy: the strategy.

    Examples:
        >>> import paddle.fluid as fluid
        >>> from paddle.fluid.incubate.fleet.parameter_server import distribute_transpiler
        >>> from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import *
        >>> config = fluid.DistributeTranspilerConfig()
        >>> config.sync_mode = True
        >>> type(distribute_transpiler.of_config(config)).__name__
        'SyncStrategy'
    """
    ...
