"""A rank's script under Open MPI: what it refuses, and how jobs end."""
import os
import signal
import time

import pytest

from hosts import NODES, cluster  # noqa: F401
from mpi_job import machines, make_cluster, need_mpi, send

LINE = "mpirun -hostfile machines -n 3 /home/tutorial/start_mpi_train.sh"
TELLS = """import os, sys
print(sorted((k, v) for k, v in os.environ.items() if k.startswith("PADDLE_")))
sys.exit(3 if os.path.exists("fail") else 0)
"""
LONG = """import os, time
if os.fork() == 0:
    time.sleep(1000)
print("begun", flush=True)
time.sleep(1000)
"""


@pytest.fixture(scope="module")
def mpi(cluster):  # noqa: F811
    need_mpi()
    make_cluster(cluster)
    return cluster


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def test_two_ranks_on_a_host_are_refused(mpi):
    send(mpi, TELLS)
    mpi.head.write("/home/tutorial/crowd", NODES[0] + " slots=2\n" + NODES[1] + " slots=1\n")
    status, text = mpi.head.run(LINE.replace("machines", "crowd --map-by slot"), check=False)
    assert status == 2
    assert "there is more than one rank on a host" in text
    assert "--map-by node" in text


def test_other_ranks_than_hosts_are_refused(mpi):
    send(mpi, TELLS)
    status, text = mpi.head.run(LINE.replace("-n 3", "-n 2"), check=False)
    assert status == 2
    assert "3 hosts are listed, but there are 2 ranks" in text


def test_a_trainer_that_fails_is_shown_and_ends_the_job(mpi):
    send(mpi, TELLS)
    mpi.nodes[1].run("touch fail")
    try:
        status, text = mpi.head.run(LINE, check=False)
    finally:
        mpi.nodes[1].run("rm fail")
    assert status == 3
    assert "rank 1 on node1: the trainer ended with status 3" in text
    assert "('PADDLE_INIT_PSERVERS', '%s')" % ",".join(NODES) in text
    assert "('PADDLE_INIT_TRAINER_ID', '1')" in text
    assert "('PADDLE_INIT_NUM_GRADIENT_SERVERS', '3')" in text
    wait_for(lambda: not any(node.processes() for node in mpi.nodes), "the end of all")


def test_ctrl_c_leaves_no_process(mpi):
    send(mpi, LONG)
    job = mpi.head.start(LINE)
    for node in mpi.nodes:
        log = node.path("/home/tutorial/logs/train.log")
        wait_for(lambda: os.path.exists(log) and "begun" in open(log).read(), "a trainer")
        assert any("paddle pserver" in words for words in node.processes().values())
    os.killpg(job.pid, signal.SIGINT)
    job.communicate(timeout=60)
    wait_for(lambda: not any(node.processes() for node in mpi.nodes), "the end of all")


def test_it_is_not_for_a_shell(mpi):
    status, text = mpi.nodes[0].run("./start_mpi_train.sh", check=False)
    assert status == 2
    assert "start this with mpirun or srun" in text
    machines(mpi)
