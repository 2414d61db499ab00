"""Role makers: who this process is in a job, and who the others are.

What the environment says is read in one place, paddle._core.job_env(), which knows the variables
of every generation and refuses those that contradict each other."""
import sys

from paddle import _core

__all__ = ["Role", "RoleMakerBase", "MPISymetricRoleMaker", "UserDefinedRoleMaker",
           "UserDefinedCollectiveRoleMaker", "PaddleCloudRoleMaker", "GeneralRoleMaker"]


class Role(object):
    WORKER = 1
    SERVER = 2


class _Missing(KeyError):
    """A variable that is not set; KeyError would show its message in quotes."""

    def __str__(self):
        return self.args[0]


class RoleMakerBase(object):
    """Role, number and endpoints. Barriers and reductions over workers go through `_group`, which
    the fleet gives when workers are connected: barrier(), all_reduce(array, mode) -> array and
    all_gather(object) -> list."""

    def __init__(self):
        self._worker_endpoints = []
        self._server_endpoints = []
        self._role_is_generated = False
        self._role = None
        self._current_id = -1
        self._group = None

    def is_worker(self):
        raise NotImplementedError("is_worker() is for a subclass to define")

    def is_server(self):
        raise NotImplementedError("is_server() is for a subclass to define")

    def is_first_worker(self):
        raise NotImplementedError("is_first_worker() is for a subclass to define")

    def worker_num(self):
        raise NotImplementedError("worker_num() is for a subclass to define")

    def worker_index(self):
        raise NotImplementedError("worker_index() is for a subclass to define")

    def server_index(self):
        raise NotImplementedError("server_index() is for a subclass to define")

    def get_trainer_endpoints(self):
        return self._worker_endpoints

    def get_pserver_endpoints(self):
        return self._server_endpoints

    def to_string(self):
        return "role: %s, current_id: %s, worker_endpoints: %s, server_endpoints: %s" % (
            self._role, self._current_id, self._worker_endpoints, self._server_endpoints)

    def _alone(self):
        try:
            return self.worker_num() == 1
        except NotImplementedError:
            return False

    def _refuse_alone(self, what):
        raise RuntimeError("%s of %s needs the other workers, and they are not connected: call "
                           "fleet.init_worker() first" % (what, type(self).__name__))

    def barrier_worker(self):
        """Wait for all workers; before they are connected there is nothing to wait with."""
        if self._group is not None:
            self._group.barrier()
        elif not self._alone():
            sys.stderr.write("warning: %s does not have barrier worker before workers are "
                             "connected.\n" % type(self).__name__)

    def barrier_all(self):
        self.barrier_worker()

    def all_gather(self, input):
        """The list of what every worker gave, in the order of workers."""
        if self._group is not None:
            return self._group.all_gather(input)
        if not self._alone():
            self._refuse_alone("all_gather")
        return [input]

    def all_reduce_worker(self, input, output, mode="sum"):
        """output[...] = the sum (max, min) of input over all workers."""
        if mode not in ("sum", "max", "min"):
            raise ValueError("mode is %r, and must be sum, max or min" % (mode,))
        if self._group is not None:
            output[...] = self._group.all_reduce(input, mode)
        elif self._alone():
            output[...] = input
        else:
            self._refuse_alone("all_reduce_worker")

    # Names that scripts of the time call.
    def _barrier_worker(self):
        self.barrier_worker()

    def _barrier_all(self):
        self.barrier_all()

    def _all_gather(self, obj):
        return self.all_gather(obj)

    def _all_reduce(self, input, output, mode="sum"):
        self.all_reduce_worker(input, output, mode)

    def generate_role(self):
        self._role_is_generated = True


class _ByRole(RoleMakerBase):
    """Those that know a role, a number and how many workers there are."""

    def _make_sure(self):
        if not self._role_is_generated:
            self.generate_role()

    def is_worker(self):
        self._make_sure()
        return self._role == Role.WORKER

    def is_server(self):
        self._make_sure()
        return self._role == Role.SERVER

    def is_first_worker(self):
        self._make_sure()
        return self._role == Role.WORKER and self._current_id == 0

    def worker_index(self):
        self._make_sure()
        return self._current_id

    def server_index(self):
        self._make_sure()
        return self._current_id

    def worker_num(self):
        self._make_sure()
        return self._worker_num

    def server_num(self):
        self._make_sure()
        return len(self._server_endpoints)

    def get_trainer_endpoints(self):
        self._make_sure()
        return self._worker_endpoints

    def get_pserver_endpoints(self):
        self._make_sure()
        return self._server_endpoints

    def to_string(self):
        self._make_sure()
        return super(_ByRole, self).to_string()


def _endpoint_list(name, endpoints):
    if not isinstance(endpoints, list):
        raise TypeError("%s must be as string list" % name)
    if len(endpoints) <= 0:
        raise ValueError("the length of %s list must be greater than 0" % name)
    for endpoint in endpoints:
        if not isinstance(endpoint, str):
            raise TypeError("every element in %s list must be as string" % name)
    if len(set(endpoints)) != len(endpoints):
        raise ValueError("%s can't have duplicate elements" % name)


def _number(name, value, least):
    if not isinstance(value, int):
        raise TypeError("%s must be as int" % name)
    if value < least:
        raise ValueError("%s must be greater than %s" % (name, "or equal to 0" if least == 0
                                                         else "0"))


class PaddleCloudRoleMaker(_ByRole):
    """What the environment says. In a job of servers: the role, the servers, the number of
    workers, and either our number (worker) or our own endpoint (server), host names allowed."""

    def __init__(self, is_collective=False):
        super(PaddleCloudRoleMaker, self).__init__()
        self._is_collective = is_collective
        self._worker_num = None

    def generate_role(self):
        if self._role_is_generated:
            return
        env = _core.job_env()
        if self._is_collective:
            self._generate_collective(env)
        else:
            self._generate(env)
        self._role_is_generated = True

    @staticmethod
    def _need(env, name, what, variables):
        if env[name] is None or env[name] == []:
            raise _Missing("%s is not set: the environment has none of %s (paddle env shows what "
                           "it says)" % (what, ", ".join(variables)))
        return env[name]

    def _generate(self, env):
        role = self._need(env, "role", "the role", ("TRAINING_ROLE", "PADDLE_TRAINING_ROLE"))
        servers = self._need(env, "servers", "the list of servers",
                             ("PADDLE_PSERVERS_IP_PORT_LIST", "PADDLE_PSERVER_IPS", "PSERVERS"))
        trainers = self._need(env, "trainers", "the number of trainers",
                              ("PADDLE_TRAINERS_NUM", "PADDLE_TRAINERS"))
        if role == "TRAINER":
            number = self._need(env, "trainer_id", "this trainer's number",
                                ("PADDLE_TRAINER_ID",))
        else:
            number = self._need(env, "server_index", "this server's endpoint",
                                ("POD_IP with PADDLE_PORT", "PADDLE_CURRENT_IP", "SERVER_ENDPOINT",
                                 "PADDLE_PSERVER_ID"))
        self._role = Role.WORKER if role == "TRAINER" else Role.SERVER
        self._current_id = number
        self._server_endpoints = servers
        self._worker_endpoints = env["workers"]
        self._worker_num = trainers

    def _generate_collective(self, env):
        if env["role"] == "PSERVER":
            raise ValueError("%s=PSERVER: a collective job has no servers" % env["from"]["role"])
        if not env["workers"] and (env["from"]["trainer_id"] or "").startswith("OMPI_"):
            # Ranks of mpirun find each other without addresses; these are names.
            env["workers"] = ["mpi-rank-%d:1" % i for i in range(env["trainers"])]
        self._worker_endpoints = self._need(env, "workers", "the list of trainers",
                                            ("PADDLE_TRAINER_ENDPOINTS", "OMPI_COMM_WORLD_SIZE"))
        self._role = Role.WORKER
        self._current_id = env["trainer_id"] or 0
        self._worker_num = len(self._worker_endpoints)


class GeneralRoleMaker(PaddleCloudRoleMaker):
    """As PaddleCloudRoleMaker, of a job whose workers have endpoints too. The settings are those
    of the rendezvous that Gloo needs; workers here meet through the servers they are connected
    to, so a file system or a web server for it is not needed. init_timeout_seconds is how long
    those that have come wait for the others to begin (FLAGS_ps_join_seconds), run_timeout_seconds
    how long a worker waits for them at a barrier or a sum (FLAGS_ps_meet_seconds)."""

    _SETTINGS = ("hdfs_name", "hdfs_ugi", "path", "http_ip_port", "init_timeout_seconds",
                 "run_timeout_seconds", "iface", "prefix")

    def __init__(self, **kwargs):
        super(GeneralRoleMaker, self).__init__()
        for name in kwargs:
            if name not in self._SETTINGS:
                raise TypeError("GeneralRoleMaker() has no setting %r" % name)
        self._init_timeout_seconds = kwargs.get("init_timeout_seconds", 3600)
        if "init_timeout_seconds" in kwargs:
            _core.set_flag("ps_join_seconds", str(int(self._init_timeout_seconds)))
        self._run_timeout_seconds = kwargs.get("run_timeout_seconds", 9999999)
        if "run_timeout_seconds" in kwargs:
            _core.set_flag("ps_meet_seconds", str(int(self._run_timeout_seconds)))

    def _generate(self, env):
        self._need(env, "workers", "the list of trainers", ("PADDLE_TRAINER_ENDPOINTS",))
        super(GeneralRoleMaker, self)._generate(env)

    def get_local_endpoint(self):
        self._make_sure()
        return (self._worker_endpoints if self.is_worker()
                else self._server_endpoints)[self._current_id]

    def _get_rank(self):
        """Workers first, then servers."""
        self._make_sure()
        return self._current_id + (self._worker_num if self.is_server() else 0)

    def _get_size(self):
        return self.worker_num() + self.server_num()

    def _server_num(self):
        return self.server_num()

    def _worker_gather(self, obj):
        return self.all_gather(obj)


class UserDefinedRoleMaker(_ByRole):
    """What the arguments say."""

    def __init__(self, current_id=0, role=Role.WORKER, worker_num=0, server_endpoints=None):
        super(UserDefinedRoleMaker, self).__init__()
        _endpoint_list("server_endpoints", server_endpoints)
        if role not in (Role.WORKER, Role.SERVER):
            raise TypeError("role must be as Role")
        _number("current_id", current_id, 0)
        if role == Role.SERVER and current_id >= len(server_endpoints):
            raise ValueError("if role is Role.SERVER, current_id must be less than or equal to "
                             "len(server_endpoints) - 1")
        _number("worker_num", worker_num, 1)
        if role == Role.WORKER and current_id >= worker_num:
            raise ValueError("if role is Role.WORKER, current_id must be less than worker_num: "
                             "they are %d and %d" % (current_id, worker_num))
        self._server_endpoints = server_endpoints
        self._role = role
        self._current_id = current_id
        self._worker_num = worker_num


class UserDefinedCollectiveRoleMaker(_ByRole):
    """What the arguments say, in a job without servers."""

    def __init__(self, current_id=0, worker_endpoints=None):
        super(UserDefinedCollectiveRoleMaker, self).__init__()
        _endpoint_list("worker_endpoints", worker_endpoints)
        _number("current_id", current_id, 0)
        if current_id >= len(worker_endpoints):
            raise ValueError("current_id must be less than or equal to len(worker_endpoints) - 1")
        self._worker_endpoints = worker_endpoints
        self._role = Role.WORKER
        self._current_id = current_id
        self._worker_num = len(worker_endpoints)


class MPIRoleMaker(RoleMakerBase):
    """What MPI says: needs mpi4py, and mpirun to start the processes."""

    def __init__(self):
        super(MPIRoleMaker, self).__init__()
        try:
            from mpi4py import MPI
        except ImportError:
            raise ImportError("%s needs the package mpi4py, which is not installed: pip install "
                              "mpi4py, or use PaddleCloudRoleMaker" % type(self).__name__)
        self.MPI = MPI
        self._comm = MPI.COMM_WORLD
        self._ips = None
        self._ip = None

    def _get_rank(self):
        self._rank = self._comm.Get_rank()
        return self._rank

    def _get_size(self):
        self._size = self._comm.Get_size()
        return self._size

    def _all_gather(self, obj):
        return self._comm.allgather(obj)

    def _worker_gather(self, obj):
        if self.is_worker():
            return self._node_type_comm.allgather(obj)
        return None

    def _barrier_all(self):
        self._comm.barrier()

    def _finalize(self):
        self.MPI.Finalize()

    def _get_ips(self):
        self._ips = self._comm.allgather(self.get_local_ip())
        return self._ips

    def get_local_ip(self):
        """The address of this machine's own name."""
        import socket
        self._ip = _core.host_resolve(socket.gethostname())
        return self._ip


class MPISymetricRoleMaker(MPIRoleMaker):
    """Two processes on each node: even ranks are servers, odd ranks workers."""

    def __init__(self):
        super(MPISymetricRoleMaker, self).__init__()
        self._node_type = None
        self._proc_per_node = 2
        self._pserver_rand_port = 0

    def _check_role_generation(self):
        if not self._role_is_generated:
            raise NameError("generate_role() should be called first")
        return True

    def generate_role(self):
        if self._role_is_generated:
            return
        size = self._get_size()
        if size % self._proc_per_node:
            raise ValueError("MPISymetricRoleMaker needs an even number of processes, a server "
                             "and a worker on each node, and mpirun has started %d" % size)
        self._role = Role.SERVER if self._get_rank() % self._proc_per_node == 0 else Role.WORKER
        self._node_type = 0 if self._role == Role.SERVER else 1
        self._current_id = self._get_rank() // self._proc_per_node
        self._worker_num_ = self._server_num_ = size // self._proc_per_node
        self._make_endpoints()
        self._node_type_comm = self._comm.Split(self._node_type)
        self._role_is_generated = True

    def _make_endpoints(self):
        """Every process works out the same port, from the number of servers alone."""
        import random
        self._pserver_rand_port = random.Random(self._server_num_).randint(60001, 64000)
        ips = self._get_ips()
        seen = {}
        for ip in ips[::self._proc_per_node]:
            port = self._pserver_rand_port + seen.get(ip, 0)  # several "nodes" on one host
            seen[ip] = seen.get(ip, 0) + 1
            self._server_endpoints.append("%s:%d" % (ip, port))
        self._worker_endpoints = list(ips[1::self._proc_per_node])

    def is_worker(self):
        return self._check_role_generation() and self._node_type == 1

    def is_server(self):
        return self._check_role_generation() and self._node_type == 0

    def is_first_worker(self):
        return self.is_worker() and self._current_id == 0

    def worker_index(self):
        self._check_role_generation()
        return self._current_id

    def server_index(self):
        self._check_role_generation()
        return self._current_id

    def worker_num(self):
        self._check_role_generation()
        return self._worker_num_

    def _worker_num(self):
        return self.worker_num() if self.is_worker() else 0

    def _server_num(self):
        self._check_role_generation()
        return self._server_num_ if self.is_server() else 0

    def get_pserver_endpoints(self):
        self._check_role_generation()
        return self._server_endpoints

    def _barrier_worker(self):
        if self.is_worker():
            self._node_type_comm.barrier()

    def _barrier_server(self):
        if self.is_server():
            self._node_type_comm.barrier()

    def _all_reduce(self, input, output, mode="sum"):
        operations = {"sum": self.MPI.SUM, "max": self.MPI.MAX, "min": self.MPI.MIN}
        if mode not in operations:
            raise ValueError("mode is %r, and must be sum, max or min" % (mode,))
        if self.is_worker():
            self._node_type_comm.Allreduce(input, output, op=operations[mode])

    def all_reduce_worker(self, input, output, mode="sum"):
        self._check_role_generation()
        self._all_reduce(input, output, mode)

    def all_gather(self, input):
        self._check_role_generation()
        return self._worker_gather(input)

    def barrier_worker(self):
        self._check_role_generation()
        self._barrier_worker()

    def barrier_all(self):
        self._barrier_all()
