# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class Role:
    """Worker or server.

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import role_maker
        >>> role = role_maker.UserDefinedRoleMaker(current_id=0, role=role_maker.Role.WORKER,
        ...                                        worker_num=2, server_endpoints=["127.0.0.1:6174"])
        >>> role.is_worker(), role.worker_num(), role.get_pserver_endpoints()
        (True, 2, ['127.0.0.1:6174'])
    """
    WORKER: Any
    SERVER: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class RoleMakerBase:
    """Role, number and endpoints. Barriers and reductions over workers go through `_group`, which the
    fleet gives when workers are connected: barrier(), all_reduce(array, mode) -> array and
    all_gather(object) -> list.

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import role_maker
        >>> import os
        >>> os.environ.update(TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="0", PADDLE_TRAINERS_NUM="2",
        ...                   PADDLE_PSERVERS_IP_PORT_LIST="127.0.0.1:6174")
        >>> role = role_maker.PaddleCloudRoleMaker()
        >>> role.generate_role()
        >>> role.is_worker(), role.worker_index(), role.worker_num()
        (True, 0, 2)
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def is_worker(self) -> Any:
        """Whether this process is a worker."""
        ...

    def is_server(self) -> Any:
        """Whether this process is a server."""
        ...

    def is_first_worker(self) -> Any:
        """Whether this process is worker 0."""
        ...

    def worker_num(self) -> Any:
        """How many workers there are."""
        ...

    def worker_index(self) -> Any:
        """The number of this worker."""
        ...

    def server_index(self) -> Any:
        """The number of this server."""
        ...

    def get_trainer_endpoints(self) -> Any:
        """The addresses of the workers."""
        ...

    def get_pserver_endpoints(self) -> Any:
        """The addresses of the servers."""
        ...

    def to_string(self) -> Any:
        """Who this process is, as text."""
        ...

    def barrier_worker(self) -> Any:
        """Wait for all workers; before they are connected there is nothing to wait with."""
        ...

    def barrier_all(self) -> Any:
        """Wait until all processes are here."""
        ...

    def all_gather(self, input: Any) -> Any:
        """The list of what every worker gave, in the order of workers.

        Args:
            input (array): The values of this worker.
        """
        ...

    def all_reduce_worker(self, input: Any, output: Any, mode: str = ...) -> Any:
        """output[...] = the sum (max, min) of input over all workers.

        Args:
            input (array): The values of this worker.
            output (array): Where the result goes.
            mode (str): "sum", "max" or "min". Default: 'sum'.
        """
        ...

    def generate_role(self) -> Any:
        """Find out who this process is."""
        ...

class MPISymetricRoleMaker(MPIRoleMaker):
    """Two processes on each node: even ranks are servers, odd ranks workers.

    Examples:
        # it is for processes that mpirun starts
        >>> from paddle.fluid.incubate.fleet.base import role_maker  # doctest: +SKIP
        >>> role = role_maker.MPISymetricRoleMaker()  # doctest: +SKIP
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def generate_role(self) -> Any:
        """Find out who this process is."""
        ...

    def is_worker(self) -> Any:
        """Whether this process is a worker."""
        ...

    def is_server(self) -> Any:
        """Whether this process is a server."""
        ...

    def is_first_worker(self) -> Any:
        """Whether this process is worker 0."""
        ...

    def worker_index(self) -> Any:
        """The number of this worker."""
        ...

    def server_index(self) -> Any:
        """The number of this server."""
        ...

    def worker_num(self) -> Any:
        """How many workers there are."""
        ...

    def get_pserver_endpoints(self) -> Any:
        """The addresses of the servers."""
        ...

    def all_reduce_worker(self, input: Any, output: Any, mode: str = ...) -> Any:
        """output[...] = the sum (max, min) of input over all workers.

        Args:
            input (array): The values of this worker.
            output (array): Where the result goes.
            mode (str): "sum", "max" or "min". Default: 'sum'.
        """
        ...

    def all_gather(self, input: Any) -> Any:
        """The list of what every worker gave, in the order of workers.

        Args:
            input (array): The values of this worker.
        """
        ...

    def barrier_worker(self) -> Any:
        """Wait for all workers; before they are connected there is nothing to wait with."""
        ...

    def barrier_all(self) -> Any:
        """Wait until all processes are here."""
        ...

class UserDefinedRoleMaker(_ByRole):
    """What the arguments say.

    Args:
        current_id (int): The number of this process. Default: 0.
        role (Role): Worker or server. Default: 1.
        worker_num (int): How many workers there are. Default: 0.
        server_endpoints (list of str): The addresses of the servers, HOST:PORT. Default: None.

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import role_maker
        >>> role = role_maker.UserDefinedRoleMaker(current_id=0, role=role_maker.Role.WORKER,
        ...                                        worker_num=2, server_endpoints=["127.0.0.1:6174"])
        >>> role.is_worker(), role.worker_num(), role.get_pserver_endpoints()
        (True, 2, ['127.0.0.1:6174'])
    """
    def __init__(self, current_id: int = ..., role: Any = ..., worker_num: int = ..., server_endpoints: Optional[Sequence[Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class UserDefinedCollectiveRoleMaker(_ByRole):
    """What the arguments say, in a job without servers.

    Args:
        current_id (int): The number of this process. Default: 0.
        worker_endpoints (list of str): The addresses of the workers. Default: None.

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import role_maker
        >>> role = role_maker.UserDefinedCollectiveRoleMaker(current_id=0,
        ...                                                  worker_endpoints=["127.0.0.1:6170", "127.0.0.1:6171"])
        >>> role.worker_num()
        2
    """
    def __init__(self, current_id: int = ..., worker_endpoints: Optional[Sequence[Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class PaddleCloudRoleMaker(_ByRole):
    """What the environment says. In a job of servers: the role, the servers, the number of workers,
    and either our number (worker) or our own endpoint (server), host names allowed.

    Args:
        is_collective (bool): Whether the job has no servers. Default: False.

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import role_maker
        >>> import os
        >>> os.environ.update(TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="0", PADDLE_TRAINERS_NUM="2",
        ...                   PADDLE_PSERVERS_IP_PORT_LIST="127.0.0.1:6174")
        >>> role = role_maker.PaddleCloudRoleMaker()
        >>> role.generate_role()
        >>> role.is_worker(), role.worker_index(), role.worker_num()
        (True, 0, 2)
    """
    def __init__(self, is_collective: bool = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def generate_role(self) -> Any:
        """Find out who this process is."""
        ...

class GeneralRoleMaker(PaddleCloudRoleMaker):
    """As PaddleCloudRoleMaker, of a job whose workers have endpoints too. The settings are those of
    the rendezvous that Gloo needs; workers here meet through the servers they are connected to, so
    a file system or a web server for it is not needed. init_timeout_seconds is how long those that
    have come wait for the others to begin (FLAGS_ps_join_seconds), run_timeout_seconds how long a
    worker waits for them at a barrier or a sum (FLAGS_ps_meet_seconds).

    Args:
        **kwargs (dict): Path, http_ip_port and others.

    Examples:
        >>> from paddle.fluid.incubate.fleet.base import role_maker
        >>> role = role_maker.GeneralRoleMaker(path="/tmp")
    """
    def __init__(self, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_local_endpoint(self) -> Any:
        """The address of this process."""
        ...

class MPIRoleMaker(RoleMakerBase):
    """What MPI says: needs mpi4py, and mpirun to start the processes."""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_local_ip(self) -> Any:
        """The address of this machine's own name."""
        ...

class _ByRole(RoleMakerBase):
    """Those that know a role, a number and how many workers there are."""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def is_worker(self) -> Any:
        """Whether this process is a worker."""
        ...

    def is_server(self) -> Any:
        """Whether this process is a server."""
        ...

    def is_first_worker(self) -> Any:
        """Whether this process is worker 0."""
        ...

    def worker_index(self) -> Any:
        """The number of this worker."""
        ...

    def server_index(self) -> Any:
        """The number of this server."""
        ...

    def worker_num(self) -> Any:
        """How many workers there are."""
        ...

    def server_num(self) -> Any:
        """How many servers there are."""
        ...

    def get_trainer_endpoints(self) -> Any:
        """The addresses of the workers."""
        ...

    def get_pserver_endpoints(self) -> Any:
        """The addresses of the servers."""
        ...

    def to_string(self) -> Any:
        """Who this process is, as text."""
        ...
