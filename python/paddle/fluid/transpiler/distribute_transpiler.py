"""DistributeTranspiler: a training program made into those of trainers and servers.

The work is done in the core."""
import copy
import os

from ... import _core
from ..core import VarDesc
from ..dist_io import Layout, persistables
from ..framework import (Program, default_main_program, default_startup_program,
                         set_flags)
from .collective import GradAllReduce, LocalSGD
from .details import wait_server_ready
from .ps_dispatcher import HashName, RoundRobin

__all__ = ["DistributeTranspiler", "DistributeTranspilerConfig", "DistributedMode",
           "ServerRuntimeConfig"]

_ENDPOINT = "127.0.0.1:6174"


class DistributeTranspilerConfig:
    """How a program is distributed. A field that does not exist cannot be set."""
    slice_var_up = True
    split_method = None
    min_block_size = 8192
    enable_dc_asgd = False
    mode = "pserver"
    print_log = False
    wait_port = True
    half_async = False
    completely_not_async = False
    geo_sgd_mode = False
    geo_sgd_need_push_nums = 100
    nccl_comm_num = 1
    use_hierarchical_allreduce = False
    hierarchical_allreduce_inter_nranks = 0
    collective_mode = None
    _sync_mode = True
    _runtime_split_send_recv = False

    def __setattr__(self, name, value):
        if not hasattr(type(self), name):
            raise AttributeError("DistributeTranspilerConfig has no field %r" % name)
        object.__setattr__(self, name, value)

    @property
    def sync_mode(self):
        return self._sync_mode

    @sync_mode.setter
    def sync_mode(self, value):
        if value and self._runtime_split_send_recv:
            raise ValueError("sync_mode=True needs runtime_split_send_recv=False, which must be "
                             "set first")
        self._sync_mode = value

    @property
    def runtime_split_send_recv(self):
        return self._runtime_split_send_recv

    @runtime_split_send_recv.setter
    def runtime_split_send_recv(self, value):
        if value and self._sync_mode:
            raise ValueError("runtime_split_send_recv=True needs sync_mode=False, which must be "
                             "set first")
        self._runtime_split_send_recv = value


class ServerRuntimeConfig:
    """Threads of a server for gradients, reads and look-ups; memory of its tables, which is as
    FLAGS_ps_table_memory, _evict and _disk say where it is None."""
    table_memory = table_evict = table_disk = None

    def __init__(self):
        for name in ("send", "get", "prefetch"):
            setattr(self, "_rpc_%s_thread_num" % name,
                    int(os.environ.get("FLAGS_rpc_%s_thread_num" % name, "12")))

    def _set_flags(self):
        for name in ("table_memory", "table_evict", "table_disk"):
            if getattr(self, name) is not None:
                set_flags({"FLAGS_ps_" + name: str(getattr(self, name))})


class DistributedMode:
    SYNC, ASYNC, HALF_ASYNC, GEO = range(4)


def _update_mode(config, sync_mode):
    if config.geo_sgd_mode:
        return DistributedMode.GEO
    if config.completely_not_async:
        return DistributedMode.SYNC
    if config.sync_mode:
        if config.half_async:
            raise ValueError("config.half_async needs config.sync_mode = False")
        return DistributedMode.SYNC if sync_mode else DistributedMode.ASYNC
    if config.half_async or not config.runtime_split_send_recv:
        return DistributedMode.HALF_ASYNC
    return DistributedMode.ASYNC


_COLLECTIVE_MODES = {"grad_allreduce": GradAllReduce, "local_sgd": LocalSGD}


def _check_mode(config):
    if config.mode not in ("pserver", "nccl2", "collective"):
        raise ValueError("config.mode = %r: it must be 'pserver', 'nccl2' or 'collective'"
                         % (config.mode,))
    if config.use_hierarchical_allreduce and config.mode != "pserver":
        raise NotImplementedError("config.use_hierarchical_allreduce = True: MPI and NCCL choose "
                                  "by themselves how a sum goes over hosts")
    if config.mode == "collective" and config.collective_mode not in _COLLECTIVE_MODES:
        raise ValueError("invalid collective_mode: %s: it must be one of %s"
                         % (config.collective_mode, ", ".join(sorted(_COLLECTIVE_MODES))))
    if config.nccl_comm_num < 1:
        raise ValueError("config.nccl_comm_num = %d" % config.nccl_comm_num)
    if config.mode != "pserver":
        return
    for name in ("nccl_comm_num", "use_hierarchical_allreduce",
                 "hierarchical_allreduce_inter_nranks", "collective_mode"):
        if getattr(config, name) != getattr(DistributeTranspilerConfig, name):
            raise ValueError("config.%s = %r has no meaning with config.mode = 'pserver'"
                             % (name, getattr(config, name)))


def _by_hash(split_method):
    name = getattr(split_method, "__name__", split_method)
    if split_method in (None, RoundRobin) or name == "round_robin":
        return False
    if split_method is HashName or name == "hash_name":
        return True
    raise NotImplementedError("split_method %r: RoundRobin and HashName are implemented"
                              % (name,))


def _forget_removed(program):
    """Variables that the core has renamed or removed, in the blocks' tables of known ones."""
    for block in program.blocks:
        known = list(block._known.values())
        block._known = {v.name: v for v in known if program._has_var(block.idx, v.name)}


def _trainer_id():
    """Of calls from before there was the argument: from the environment, else the servers
    number the trainers as they come."""
    for name in ("PADDLE_TRAINER_ID", "PADDLE_INIT_TRAINER_ID"):
        if os.environ.get(name):
            return int(os.environ[name])
    return -1


def _old_call(optimize_ops, params_grads, trainer_id=None, program=None, pservers=_ENDPOINT,
              trainers=1, split_method=None, sync_mode=True, startup_program=None):
    """transpile() as it was in 0.11 and 0.12; optimize_ops and params_grads are in the
    program too."""
    return dict(trainer_id=_trainer_id() if trainer_id is None else trainer_id, program=program,
                pservers=pservers, trainers=trainers, sync_mode=sync_mode,
                startup_program=startup_program), split_method


class DistributeTranspiler:
    def __init__(self, config=None):
        if config is not None and not isinstance(config, DistributeTranspilerConfig):
            raise TypeError("DistributeTranspiler: config is %s, and must be a "
                            "DistributeTranspilerConfig" % type(config))
        self.config = config or DistributeTranspilerConfig()
        self._core = self._server_config = None
        self._waited = False
        if self.config.split_method is None:
            self.config.split_method = RoundRobin
        _check_mode(self.config)

    def transpile(self, *args, **kwargs):
        """transpile(trainer_id, program=None, pservers="127.0.0.1:6174", trainers=1,
        sync_mode=True, startup_program=None, current_endpoint="127.0.0.1:6174"), or with
        (optimize_ops, params_grads[, trainer_id]) first, as releases before 1.0 had it. Theirs are
        slice_var_up and split_method too, which are the config's now."""
        kwargs = self._configured(kwargs)
        first = args[0] if args else kwargs.get("optimize_ops", kwargs.get("params_grads"))
        if isinstance(first, (list, tuple)):
            if len(args) > 2 and (args[2] is None or isinstance(args[2], Program)):
                args = args[:2] + (None,) + args[2:]  # the oldest form has no trainer_id
            kwargs, split_method = _old_call(*args, **kwargs)
            return self._transpile(split_method=split_method, **kwargs)
        return self._new_call(*args, **kwargs)

    def _configured(self, kwargs):
        """What arguments of 0.13 to 1.4 say for the config, in a config of this transpiler's own."""
        given = {name: kwargs[name] for name in ("slice_var_up", "split_method")
                 if kwargs.get(name) is not None}
        if given:
            self.config = copy.copy(self.config)
            for name, value in given.items():
                setattr(self.config, name, value)
        return {name: value for name, value in kwargs.items()
                if name not in ("slice_var_up", "split_method")}

    def _new_call(self, trainer_id, program=None, pservers=_ENDPOINT, trainers=1, sync_mode=True,
                  startup_program=None, current_endpoint=_ENDPOINT):
        if self.config.mode != "pserver":
            return self._transpile_collective(trainer_id, program, trainers, startup_program,
                                              current_endpoint)
        return self._transpile(trainer_id, program, pservers, trainers, sync_mode,
                               startup_program)

    transpile.__wrapped__ = _new_call  # what inspect.signature() shows

    def _transpile_collective(self, trainer_id, program, trainers, startup_program,
                              current_endpoint):
        """trainers: the endpoints of all ranks. nccl2: the startup program starts their group,
        and a CompiledProgram with_data_parallel of the program trains with it; collective: the
        program itself has the ops that do."""
        _check_mode(self.config)
        if not isinstance(trainers, str):
            raise TypeError("transpile: trainers is %r; with config.mode = %r it is the endpoints "
                            "of all trainers, with commas" % (trainers, self.config.mode))
        program = default_main_program() if program is None else program
        startup = default_startup_program() if startup_program is None else startup_program
        endpoints = [e.strip() for e in trainers.split(",")]
        if self.config.mode == "collective":
            kind = _COLLECTIVE_MODES[self.config.collective_mode]
            kind(self.config.nccl_comm_num).transpile(startup, program, trainer_id, endpoints,
                                                      current_endpoint, self.config.wait_port)
        else:
            self._transpile_nccl2(startup, trainer_id, endpoints, current_endpoint)
            program._trainers_endpoints = endpoints
            program._nccl_comm_num = self.config.nccl_comm_num
        self._program, self._waited = program, True
        self._endpoints = []

    def _transpile_nccl2(self, startup, trainer_id, endpoints, current_endpoint):
        if not 0 <= trainer_id < len(endpoints):
            raise ValueError("transpile: trainer_id is %d, and there are %d trainers"
                             % (trainer_id, len(endpoints)))
        if endpoints[trainer_id] != current_endpoint:
            raise ValueError("transpile: trainer %d has the endpoint %s, and current_endpoint is "
                             "%s" % (trainer_id, endpoints[trainer_id], current_endpoint))
        block = startup.global_block()
        block.append_op(
            type="gen_nccl_id", inputs={},
            outputs={"NCCLID": block.create_var(name="NCCLID", persistable=True,
                                                type=VarDesc.VarType.RAW)},
            attrs={"trainers": endpoints, "trainer_id": trainer_id,
                   "nccl_comm_num": self.config.nccl_comm_num})

    def _transpile(self, trainer_id, program, pservers, trainers, sync_mode, startup_program,
                   split_method=None, sparse_endpoints=(), sum_gradients=False):
        """sparse_endpoints: further servers, for tables that are looked up by rows, and for
        these alone. sum_gradients: servers add up the gradients of trainers (as v1 and v2 did),
        and do not take their mean."""
        config = self.config
        program = default_main_program() if program is None else program
        startup = default_startup_program() if startup_program is None else startup_program
        for name, value in (("program", program), ("startup_program", startup)):
            if not isinstance(value, Program):
                raise TypeError("transpile: %s is %s, and must be a Program" % (name, type(value)))
        if isinstance(trainers, str):
            raise TypeError("transpile: trainers is %r; with config.mode = 'pserver' it is how "
                            "many there are" % trainers)
        if program._is_distributed:
            raise RuntimeError("transpile: the program has been transpiled already")
        _check_mode(config)
        endpoints = [e.strip() for e in pservers.split(",")] + list(sparse_endpoints)
        mode = _update_mode(config, sync_mode)
        before = persistables(program)
        self._core = _core.Transpiler(
            program, startup, endpoints, trainer_id, trainers, mode,
            config.runtime_split_send_recv, config.half_async and mode != DistributedMode.GEO,
            config.slice_var_up, _by_hash(split_method or config.split_method),
            config.enable_dc_asgd, config.min_block_size, config.geo_sgd_need_push_nums,
            len(sparse_endpoints), sum_gradients)
        self._core.trainer(program, startup)
        self._startup = startup
        self._program, self._endpoints, self._waited = program, endpoints, False
        self._trainers = trainers
        for each in (program, startup):
            _forget_removed(each)
        self._layout = Layout(self._core.slices(), before, program)
        self._mark(program, trainer_id)
        if config.print_log:
            self._print_slices()

    def _set_server_config(self, server_config=None):
        if server_config is not None and not isinstance(server_config, ServerRuntimeConfig):
            raise TypeError("server_config is %s, and must be a ServerRuntimeConfig"
                            % type(server_config))
        self._server_config = server_config
        if server_config is not None:
            server_config._set_flags()

    def _mark(self, program, trainer_id):
        program._is_distributed = True
        program._is_chief = trainer_id == 0
        program._trainer_id = trainer_id
        program._endpoints = self._endpoints
        program._parameters_on_pservers = self._layout

    def _print_slices(self):
        for param, name, _, endpoint, begin, rows, height, _, _ in self._core.slices():
            print("%s: rows %d to %d of %d as %s at %s" % (param, begin, begin + rows, height,
                                                           name, endpoint))

    def _made(self):
        if self.config.mode != "pserver":
            raise RuntimeError("DistributeTranspiler: config.mode = %r has no servers"
                               % self.config.mode)
        if self._core is None:
            raise RuntimeError("DistributeTranspiler: call transpile() first")
        return self._core

    def get_trainer_program(self, wait_port=True):
        """The trainer's program: the one that was transpiled, always the same object. The
        first call waits until all servers listen."""
        if self.config.mode == "pserver":
            self._made()
        if wait_port and self.config.wait_port and not self._waited:
            wait_server_ready(self._endpoints)
            self._waited = True
        return self._program

    def get_pserver_program(self, endpoint):
        program = self._made().server(endpoint, Program)
        program.__init__()
        program._endpoints, program._ps_endpoint = self._endpoints, endpoint
        program._parameters_on_pservers = self._layout
        if self._server_config is not None:
            serve = [op for op in program.global_block().ops if op.type == "listen_and_serv"][0]
            for name in ("send", "get", "prefetch"):
                serve._set_attr("rpc_%s_thread_num" % name,
                                getattr(self._server_config, "_rpc_%s_thread_num" % name))
        return program

    def send_programs(self):
        """Hands every server its programs, where servers were started without (`paddle
        pserver`): trainer 0 does, before it runs its own startup program. The other trainers
        just run theirs: servers let them wait."""
        self._made()
        if self._program._trainer_id != 0:
            raise ValueError("send_programs: this is trainer %d, and trainer 0 alone sends the "
                             "servers their programs" % self._program._trainer_id)
        loads = [(each, self.get_startup_program(each), self.get_pserver_program(each))
                 for each in self._endpoints]
        _core.job_load(loads, 0, self._trainers)

    def get_pserver_programs(self, endpoint):
        return self.get_pserver_program(endpoint), self.get_startup_program(endpoint)

    def get_startup_program(self, endpoint, pserver_program=None, startup_program=None):
        """Initialisers of what the server keeps. startup_program: that of transpile(), or
        another one that has them."""
        made_for = getattr(pserver_program, "_ps_endpoint", endpoint)
        if made_for != endpoint:
            raise ValueError("get_startup_program: the pserver_program is that of %s, not of %s"
                             % (made_for, endpoint))
        made = self._made()
        if startup_program is self._startup:
            startup_program = None  # transpile() made the trainer's of it, and kept what it was
        program = made.server_startup(endpoint, Program, startup_program)
        program.__init__()
        program._endpoints, program._ps_endpoint = self._endpoints, endpoint
        return program
