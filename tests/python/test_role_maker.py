"""Role makers and the base of fleets, as 1.8.5 has them."""
import sys
import types

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle import _core
from paddle.fluid.incubate.fleet.base import role_maker as R
from paddle.fluid.incubate.fleet.base.fleet_base import DistributedOptimizer, Fleet, Mode

SERVERS = "127.0.0.1:6170,127.0.0.1:6171"


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in _core.job_env_names():
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cloud(monkeypatch):
    def make(collective=False, **env):
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        role = R.PaddleCloudRoleMaker(is_collective=collective)
        role.generate_role()
        return role
    return make


def test_names():
    assert R.__all__ == ["Role", "RoleMakerBase", "MPISymetricRoleMaker", "UserDefinedRoleMaker",
                         "UserDefinedCollectiveRoleMaker", "PaddleCloudRoleMaker",
                         "GeneralRoleMaker"]
    assert (R.Role.WORKER, R.Role.SERVER) == (1, 2)
    assert (Mode.TRANSPILER, Mode.PSLIB, Mode.COLLECTIVE) == (1, 2, 3)


# ---- PaddleCloudRoleMaker ----

def test_cloud_trainer(cloud):
    role = cloud(PADDLE_PSERVERS_IP_PORT_LIST=SERVERS, PADDLE_TRAINERS_NUM="2",
                 TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="1")
    assert (role.is_worker(), role.is_server(), role.is_first_worker()) == (True, False, False)
    assert (role.worker_index(), role.worker_num()) == (1, 2)
    assert role.get_pserver_endpoints() == SERVERS.split(",")
    assert role.to_string() == ("role: 1, current_id: 1, worker_endpoints: [], server_endpoints: "
                                "['127.0.0.1:6170', '127.0.0.1:6171']")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_cloud_server_by_address_or_name(cloud, host):
    role = cloud(PADDLE_PSERVERS_IP_PORT_LIST=SERVERS, PADDLE_TRAINERS_NUM="2",
                 TRAINING_ROLE="PSERVER", POD_IP=host, PADDLE_PORT="6171")
    assert (role.is_worker(), role.is_server(), role.server_index()) == (False, True, 1)


def test_cloud_reads_the_other_generation(cloud):
    role = cloud(PADDLE_TRAINING_ROLE="PSERVER", PADDLE_PSERVER_IPS="127.0.0.1,127.0.0.2",
                 PADDLE_PSERVER_PORT="6174", PADDLE_TRAINERS="2", PADDLE_CURRENT_IP="127.0.0.2")
    assert (role.is_server(), role.server_index(), role.worker_num()) == (True, 1, 2)


def test_cloud_generates_when_it_is_asked(monkeypatch):
    for name, value in dict(PADDLE_PSERVERS_IP_PORT_LIST=SERVERS, PADDLE_TRAINERS_NUM="2",
                            TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="0").items():
        monkeypatch.setenv(name, value)
    assert R.PaddleCloudRoleMaker().is_first_worker()
    assert R.PaddleCloudRoleMaker().get_pserver_endpoints() == SERVERS.split(",")


def test_cloud_missing_variables_are_named(cloud):
    with pytest.raises(KeyError, match="the role is not set: the environment has none of "
                                       "TRAINING_ROLE"):
        cloud()
    with pytest.raises(KeyError, match="PADDLE_TRAINERS_NUM, PADDLE_TRAINERS"):
        cloud(TRAINING_ROLE="TRAINER", PADDLE_PSERVERS_IP_PORT_LIST=SERVERS)
    with pytest.raises(KeyError, match="this trainer's number"):
        cloud(PADDLE_TRAINERS_NUM="2")


def test_cloud_refuses_what_does_not_fit(cloud):
    with pytest.raises(ValueError, match="TRAINING_ROLE=X"):
        cloud(TRAINING_ROLE="X")
    with pytest.raises(ValueError, match="is not among the servers"):
        cloud(PADDLE_PSERVERS_IP_PORT_LIST=SERVERS, PADDLE_TRAINERS_NUM="2",
              TRAINING_ROLE="PSERVER", POD_IP="127.0.0.1", PADDLE_PORT="9")


def test_cloud_with_servers_does_not_count_endpoints_of_trainers(cloud, capfd):
    role = cloud(PADDLE_PSERVERS_IP_PORT_LIST=SERVERS, PADDLE_TRAINERS_NUM="3",
                 TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="2",
                 PADDLE_TRAINER_ENDPOINTS="127.0.0.1:7001,127.0.0.1:7002")
    assert (role.worker_index(), role.worker_num()) == (2, 3)
    assert "PADDLE_TRAINER_ENDPOINTS=127.0.0.1:7001,127.0.0.1:7002" in capfd.readouterr().err


def test_cloud_collective(cloud):
    role = cloud(True, PADDLE_TRAINER_ID="1", PADDLE_TRAINER_ENDPOINTS="10.0.0.1:1,10.0.0.2:2",
                 PADDLE_CURRENT_ENDPOINT="10.0.0.2:2")
    assert (role.is_worker(), role.worker_index(), role.worker_num()) == (True, 1, 2)
    assert role.get_trainer_endpoints() == ["10.0.0.1:1", "10.0.0.2:2"]
    with pytest.raises(ValueError, match="a collective job has no servers"):
        cloud(True, PADDLE_TRAINING_ROLE="PSERVER", PADDLE_TRAINER_ENDPOINTS="10.0.0.1:1",
              PADDLE_TRAINER_ID="0", PADDLE_CURRENT_ENDPOINT="")


def test_collective_needs_endpoints(cloud):
    with pytest.raises(KeyError, match="PADDLE_TRAINER_ENDPOINTS"):
        cloud(True)


def test_general(monkeypatch):
    for name, value in dict(PADDLE_PSERVERS_IP_PORT_LIST=SERVERS, TRAINING_ROLE="PSERVER",
                            PADDLE_TRAINER_ENDPOINTS="127.0.0.1:1,127.0.0.1:2",
                            PADDLE_PSERVER_ID="1").items():
        monkeypatch.setenv(name, value)
    role = R.GeneralRoleMaker(path="/tmp/x", hdfs_name="h", hdfs_ugi="u,p")
    role.generate_role()
    assert (role.is_server(), role.server_index(), role.worker_num(), role.server_num()) == \
        (True, 1, 2, 2)
    assert (role._get_rank(), role._get_size()) == (3, 4)
    assert role.get_local_endpoint() == "127.0.0.1:6171"
    with pytest.raises(TypeError, match="no setting 'paht'"):
        R.GeneralRoleMaker(paht="/tmp/x")


# ---- those by arguments: messages as in 1.8.5 ----

@pytest.mark.parametrize("error,text,args", [
    (TypeError, "server_endpoints must be as string list", {}),
    (TypeError, "server_endpoints must be as string list", dict(server_endpoints="a:1")),
    (ValueError, "the length of server_endpoints list must be greater than 0",
     dict(server_endpoints=[])),
    (ValueError, "server_endpoints can't have duplicate elements",
     dict(server_endpoints=["a:1", "a:1"])),
    (TypeError, "every element in server_endpoints list must be as string",
     dict(server_endpoints=[1])),
    (TypeError, "role must be as Role", dict(role=3, server_endpoints=["a:1"])),
    (ValueError, "current_id must be greater than or equal to 0", dict(current_id=-1)),
    (TypeError, "current_id must be as int", dict(current_id="0")),
    (ValueError, "worker_num must be greater than 0", dict(worker_num=0)),
    (TypeError, "worker_num must be as int", dict(worker_num="1")),
    (ValueError, "if role is Role.SERVER, current_id must be less than or equal to",
     dict(role=2, current_id=1)),
    (ValueError, "they are 5 and 2", dict(current_id=5, worker_num=2)),
])
def test_user_defined_refuses(error, text, args):
    if args and "server_endpoints" not in args:
        args = dict(dict(server_endpoints=["a:1"], worker_num=1), **args)
    with pytest.raises(error, match=text.replace("(", r"\(")):
        R.UserDefinedRoleMaker(**args)


def test_user_defined():
    role = R.UserDefinedRoleMaker(0, R.Role.SERVER, 2, ["a:1"])
    role.generate_role()
    assert (role.is_server(), role.is_worker(), role.is_first_worker()) == (True, False, False)
    assert (role.server_index(), role.worker_num()) == (0, 2)
    assert role.to_string() == \
        "role: 2, current_id: 0, worker_endpoints: [], server_endpoints: ['a:1']"


def test_user_defined_collective():
    role = R.UserDefinedCollectiveRoleMaker(1, ["a:1", "b:1"])
    role.generate_role()
    assert (role.is_worker(), role.is_first_worker(), role.worker_index(), role.worker_num()) == \
        (True, False, 1, 2)
    with pytest.raises(ValueError, match=r"less than or equal to len\(worker_endpoints\) - 1"):
        R.UserDefinedCollectiveRoleMaker(2, ["a:1", "b:1"])
    with pytest.raises(TypeError, match="worker_endpoints must be as string list"):
        R.UserDefinedCollectiveRoleMaker()


def test_base_leaves_roles_to_subclasses():
    base = R.RoleMakerBase()
    for name in ("is_worker", "is_server", "worker_num", "worker_index", "server_index"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(base, name)()
    assert base.get_trainer_endpoints() == base.get_pserver_endpoints() == []


# ---- over all workers ----

class Group(object):
    def __init__(self):
        self.barriers = 0

    def barrier(self):
        self.barriers += 1

    def all_reduce(self, array, mode):
        return array * 2

    def all_gather(self, item):
        return [item, item]


def test_reductions_need_the_other_workers(capsys):
    role = R.UserDefinedRoleMaker(0, R.Role.WORKER, 2, ["a:1"])
    out = np.zeros(2)
    with pytest.raises(RuntimeError, match=r"fleet.init_worker\(\) first"):
        role.all_reduce_worker(np.ones(2), out)
    with pytest.raises(RuntimeError, match="all_gather"):
        role.all_gather(1)
    role.barrier_worker()
    assert "does not have barrier worker" in capsys.readouterr().err
    role._group = Group()
    role.all_reduce_worker(np.ones(2), out)
    assert out.tolist() == [2, 2] and role.all_gather(5) == [5, 5]
    role.barrier_worker()
    role.barrier_all()
    assert role._group.barriers == 2
    with pytest.raises(ValueError, match="sum, max or min"):
        role.all_reduce_worker(np.ones(2), out, "mean")


def test_one_worker_is_all_workers(capsys):
    role = R.UserDefinedRoleMaker(0, R.Role.WORKER, 1, ["a:1"])
    out = np.zeros(2)
    role.all_reduce_worker(np.ones(2), out)
    role.barrier_worker()
    assert out.tolist() == [1, 1] and role.all_gather(5) == [5]
    assert capsys.readouterr().err == ""


# ---- MPI ----

class Comm(object):
    """One process of four, seen from inside."""

    def __init__(self, rank):
        self.rank = rank

    def Get_rank(self):
        return self.rank

    def Get_size(self):
        return 4

    def allgather(self, item):
        return ["10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2"]

    def Split(self, color):
        self.color = color
        return self

    def barrier(self):
        pass

    def Allreduce(self, own, total, op):
        assert op == "sum"
        total[...] = own * 2


@pytest.mark.parametrize("rank", range(4))
def test_mpi_even_ranks_are_servers(monkeypatch, rank):
    mpi = types.ModuleType("mpi4py")
    mpi.MPI = types.SimpleNamespace(COMM_WORLD=Comm(rank), SUM="sum", MAX="max", MIN="min")
    monkeypatch.setitem(sys.modules, "mpi4py", mpi)
    monkeypatch.setattr(R.MPIRoleMaker, "get_local_ip", lambda self: "10.0.0.1")
    role = R.MPISymetricRoleMaker()
    with pytest.raises(NameError, match="generate_role"):
        role.is_worker()
    role.generate_role()
    assert role.is_server() == (rank % 2 == 0) and role.is_worker() == (rank % 2 == 1)
    assert role.is_first_worker() == (rank == 1)
    assert role.worker_num() == 2 and role.worker_index() == rank // 2
    hosts = [e.split(":") for e in role.get_pserver_endpoints()]
    assert [h for h, _ in hosts] == ["10.0.0.1", "10.0.0.2"]
    assert len({p for _, p in hosts}) == 1 and 60001 <= int(hosts[0][1]) <= 64000
    out = np.zeros(1)
    role.all_reduce_worker(np.ones(1), out)
    assert out[0] == (2 if rank % 2 else 0)


def test_mpi_without_mpi4py_is_refused_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(ImportError, match="MPISymetricRoleMaker needs the package mpi4py"):
        R.MPISymetricRoleMaker()


# ---- the base of fleets ----

def make_fleet(index, workers):
    fleet = Fleet(Mode.TRANSPILER)
    fleet.init(R.UserDefinedRoleMaker(index, R.Role.WORKER, workers, ["a:1", "b:2"]))
    return fleet


def test_fleet_asks_its_role_maker():
    fleet = make_fleet(0, 2)
    assert (fleet.is_worker(), fleet.is_server(), fleet.is_first_worker()) == (True, False, True)
    assert (fleet.worker_index(), fleet.worker_num(), fleet.server_num()) == (0, 2, 2)
    assert fleet.server_endpoints() == ["a:1", "b:2"]
    assert fleet.server_endpoints(True) == "a:1,b:2" and fleet.worker_endpoints(True) == ""
    assert isinstance(fleet._executor, fluid.Executor) and fleet._is_initialized


def test_fleet_init_from_the_environment(monkeypatch):
    for name, value in dict(PADDLE_PSERVERS_IP_PORT_LIST=SERVERS, PADDLE_TRAINERS_NUM="3",
                            TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="2").items():
        monkeypatch.setenv(name, value)
    fleet = Fleet(Mode.TRANSPILER)
    fleet.init()
    assert (fleet.worker_index(), fleet.worker_num()) == (2, 3)


def test_fleet_before_init_and_bad_arguments():
    fleet = Fleet(Mode.TRANSPILER)
    with pytest.raises(RuntimeError, match=r"fleet.init\(role_maker\) first"):
        fleet.is_worker()
    with pytest.raises(TypeError, match="instance of RoleMakerBase"):
        fleet.init(3)
    for name in ("init_worker", "run_server", "stop_worker"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(fleet, name)()


@pytest.mark.parametrize("files,workers", [(7, 3), (2, 4), (0, 2), (6, 3), (5, 1)])
def test_files_are_split_into_blocks(files, workers):
    names = ["part-%d" % i for i in range(files)]
    parts = [make_fleet(i, workers).split_files(names) for i in range(workers)]
    assert sum(parts, []) == names
    sizes = [len(p) for p in parts]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] - sizes[-1] <= 1


def test_files_must_be_a_list():
    with pytest.raises(TypeError, match="files should be a list"):
        make_fleet(0, 1).split_files("part-0")


def test_distributed_optimizer():
    own = DistributedOptimizer(fluid.optimizer.SGD(0.1))
    with pytest.raises(NotImplementedError, match="minimize"):
        own.minimize(None)
    with pytest.raises(TypeError, match="instance of Optimizer"):
        DistributedOptimizer(3)


def test_the_timeouts_of_a_rendezvous_are_those_of_joining_and_of_meeting():
    before = {flag: _core.get_flag(flag)[1] for flag in ("ps_join_seconds", "ps_meet_seconds")}
    try:
        R.GeneralRoleMaker(init_timeout_seconds=77)
        assert _core.get_flag("ps_join_seconds")[1] == "77"
        assert _core.get_flag("ps_meet_seconds")[1] == before["ps_meet_seconds"]
        R.GeneralRoleMaker(run_timeout_seconds=88)
        assert _core.get_flag("ps_meet_seconds")[1] == "88"
    finally:
        for flag, value in before.items():
            _core.set_flag(flag, value)
