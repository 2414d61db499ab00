"""Programs of collective training against real Paddle's, and what is refused."""
import json
import os

import pytest

import collective_programs
import paddle.fluid as fluid

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "golden", "collective.json")) as f:
    GOLDEN = json.load(f)
ENDPOINTS = ",".join(collective_programs.ENDPOINTS)


def _lines(program):
    """Without the ops that start groups, which were not there to be recorded."""
    return [line for line in program
            if not line.startswith(("c_gen_nccl_id ", "c_comm_init "))]


@pytest.fixture(scope="module")
def made():
    return collective_programs.programs()


def _collective(lines):
    """The order of gradients and of what is done over ranks, without how layers are built."""
    keep = ("c_", "sgd", "adam", "scale", "assign", "elementwise_sub ")
    return [line for line in lines if line.startswith(keep)]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_programs_are_real_paddles(made, name):
    for part in "main", "startup":
        wanted, got = GOLDEN[name][part], _lines(made[name][part])
        assert _collective(got) == _collective(wanted)
        assert [line.split()[0] for line in got] == [line.split()[0] for line in wanted]


def test_the_startup_program_starts_each_ring_before_it_broadcasts(made):
    types = [line.split()[0] for line in made["grad_allreduce sgd 2"]["startup"]]
    first = types.index("c_broadcast")
    assert types[first - 4:first] == ["c_gen_nccl_id", "c_comm_init"] * 2


def transpile(trainer_id=0, trainers=ENDPOINTS, current_endpoint=None, **fields):
    config = fluid.DistributeTranspilerConfig()
    for field, value in fields.items():
        setattr(config, field, value)
    main, startup = collective_programs.build(lambda: fluid.optimizer.SGD(0.1))
    t = fluid.DistributeTranspiler(config=config)
    t.transpile(trainer_id, program=main, startup_program=startup, trainers=trainers,
                current_endpoint=current_endpoint or trainers.split(",")[trainer_id])
    return t, main, startup


def test_nccl2_leaves_the_program_and_starts_the_group():
    t, main, startup = transpile(1, mode="nccl2")
    assert not any(op.type.startswith("c_") for op in main.global_block().ops)
    start = startup.global_block().ops[-1]
    assert start.type == "gen_nccl_id" and start.attr("trainer_id") == 1
    assert list(start.attr("trainers")) == collective_programs.ENDPOINTS
    assert t.get_trainer_program() is main
    assert main._trainers_endpoints == collective_programs.ENDPOINTS
    with pytest.raises(RuntimeError, match="'nccl2' has no servers"):
        t.get_pserver_program("127.0.0.1:6170")


@pytest.mark.parametrize("fields, error, message", [
    (dict(mode="horse"), ValueError, "'pserver', 'nccl2' or 'collective'"),
    (dict(mode="collective"), ValueError, "invalid collective_mode: None"),
    (dict(mode="collective", collective_mode="horse"), ValueError, "grad_allreduce, local_sgd"),
    (dict(mode="nccl2", use_hierarchical_allreduce=True), NotImplementedError, "by themselves"),
    (dict(mode="nccl2", trainers="127.0.0.1:6170", trainer_id=1,
          current_endpoint="127.0.0.1:1"), ValueError, "trainer_id is 1"),
    (dict(mode="nccl2", current_endpoint="127.0.0.1:1"), ValueError, "current_endpoint is"),
    (dict(mode="collective", collective_mode="grad_allreduce", trainers="127.0.0.1:6170"),
     ValueError, "invalid trainer number in distributed: 1"),
    (dict(mode="collective", collective_mode="grad_allreduce", trainer_id=1,
          current_endpoint="127.0.0.1:6170"), ValueError, "rank 1 has the endpoint"),
])
def test_refusals(fields, error, message):
    with pytest.raises(error, match=message):
        transpile(**fields)


def test_trainers_of_a_collective_job_are_endpoints():
    config = fluid.DistributeTranspilerConfig()
    config.mode = "nccl2"
    with pytest.raises(TypeError, match="the endpoints of all trainers"):
        fluid.DistributeTranspiler(config=config).transpile(0, trainers=2)
