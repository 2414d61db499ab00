# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

class DistributeTranspiler:
    """Makes of a program those of trainers and parameter servers.

    Args:
        config (object): The settings. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, 1))
        >>> _ = fluid.optimizer.SGD(0.1).minimize(loss)
        >>> transpiler = fluid.DistributeTranspiler()
        >>> transpiler.transpile(trainer_id=0, pservers="10.0.0.1:6174,10.0.0.2:6174", trainers=4)
        >>> program = transpiler.get_trainer_program(wait_port=False)
        >>> server = transpiler.get_pserver_program("10.0.0.1:6174")
        >>> [op.type for op in server.global_block().ops]
        ['listen_and_serv']
    """
    def __init__(self, config: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def transpile(self, trainer_id: int, program: Optional[Program] = ..., pservers: str = ..., trainers: int = ..., sync_mode: bool = ..., startup_program: Optional[Program] = ..., current_endpoint: str = ...) -> Any:
        """transpile(trainer_id, program=None, pservers="127.0.0.1:6174", trainers=1, sync_mode=True,
        startup_program=None, current_endpoint="127.0.0.1:6174"), or with (optimize_ops, params_grads[,
        trainer_id]) first, as releases before 1.0 had it. Theirs are slice_var_up and split_method too,
        which are the config's now.

        Args:
            trainer_id (int): The number of this trainer, from 0 on.
            program (Program, optional): The program that is meant; None: the default main program.
                Default: None.
            pservers (str): The addresses of the servers, HOST:PORT, with commas. Default:
                '127.0.0.1:6174'.
            trainers (int): How many trainers there are. Default: 1.
            sync_mode (bool): Whether every step waits for all trainers. Default: True.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
            current_endpoint (str): The address of this process, in a job without servers. Default:
                '127.0.0.1:6174'.
        """
        ...

    def get_trainer_program(self, wait_port: bool = ...) -> Any:
        """The trainer's program: the one that was transpiled, always the same object. The first call waits
        until all servers listen.

        Args:
            wait_port (bool): Whether to wait until the servers answer. Default: True.
        """
        ...

    def get_pserver_program(self, endpoint: str) -> Any:
        """The program of the server at this address.

        Args:
            endpoint (str): The address of the server, HOST:PORT.
        """
        ...

    def send_programs(self) -> Any:
        """Hands every server its programs, where servers were started without (`paddle pserver`): trainer
        0 does, before it runs its own startup program. The other trainers just run theirs: servers let
        them wait.
        """
        ...

    def get_pserver_programs(self, endpoint: str) -> Any:
        """The program of the server at this address, and the one that makes its start values.

        Args:
            endpoint (str): The address of the server, HOST:PORT.
        """
        ...

    def get_startup_program(self, endpoint: str, pserver_program: Optional[Program] = ..., startup_program: Optional[Program] = ...) -> Any:
        """Initialisers of what the server keeps. startup_program: that of transpile(), or another one that
        has them.

        Args:
            endpoint (str): The address of the server, HOST:PORT.
            pserver_program (Program, optional): Not looked at. Default: None.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
        """
        ...

class DistributeTranspilerConfig:
    """How a program is distributed. A field that does not exist cannot be set.

    Examples:
        >>> import paddle.fluid as fluid
        >>> config = fluid.DistributeTranspilerConfig()
        >>> config.sync_mode = False
        >>> transpiler = fluid.DistributeTranspiler(config=config)
    """
    sync_mode: Any
    runtime_split_send_recv: Any
    slice_var_up: Any
    split_method: Any
    min_block_size: Any
    enable_dc_asgd: Any
    mode: Any
    print_log: Any
    wait_port: Any
    half_async: Any
    completely_not_async: Any
    geo_sgd_mode: Any
    geo_sgd_need_push_nums: Any
    nccl_comm_num: Any
    use_hierarchical_allreduce: Any
    hierarchical_allreduce_inter_nranks: Any
    collective_mode: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
