"""The same script under Slurm: three slurmd, and srun on the head."""
import os
import signal
import time

import pytest

from hosts import NODES, cluster  # noqa: F401
from mpi_job import OPENMPI, WORD2VEC, send
from slurm import start_slurm
from test_mpi import LONG, wait_for

LINE = "srun -N 3 -n 3 /home/tutorial/start_mpi_train.sh"


@pytest.fixture(scope="module")
def slurm(cluster):  # noqa: F811
    start_slurm(cluster)
    return cluster


def rest(node):
    """What runs there but Slurm's own."""
    return [words for words in node.processes().values()
            if not words.startswith(("/usr/sbin/munged", "slurmd"))]


def test_word2vec_with_srun(slurm):
    head = slurm.head
    head.run("python %s/prepare.py --lines=600" % WORD2VEC, PADDLE_DATASET="synthetic")
    for i, address in enumerate(NODES):
        head.run("scp word_dict.pickle train.txt-%05d test.txt-%05d %s/start_mpi_train.sh %s:" % (
            i, i, OPENMPI, address))
        head.run("scp %s/api_train_v2_cluster.py %s:train.py" % (WORD2VEC, address))
    head.run(LINE, NUM_PASSES="1")
    for i, node in enumerate(slurm.nodes):
        assert rest(node) == []
        log = node.read("/home/tutorial/logs/train.log")
        assert "trainer %d of 3: /home/tutorial/train.txt-%05d" % (i, i) in log
        assert "Pass 0, Batch 0, Cost " in log
        models = node.run("ls output 2>/dev/null || true").split()
        assert ("pass-00000.tar.gz" in models) == (i == 0), models


def test_two_tasks_on_a_node_are_refused(slurm):
    send(slurm, LONG)
    status, text = slurm.head.run(LINE.replace("-N 3", "-N 2 --overcommit"), check=False)
    assert status == 2
    assert "there is more than one rank on a host" in text
    assert "--ntasks-per-node=1" in text


def test_cancelling_leaves_no_process(slurm):
    send(slurm, LONG)
    job = slurm.head.start(LINE)
    for node in slurm.nodes:
        log = node.path("/home/tutorial/logs/train.log")
        wait_for(lambda: os.path.exists(log) and "begun" in open(log).read(), "a trainer")
    os.killpg(job.pid, signal.SIGINT)
    time.sleep(0.4)  # srun asks for a second one within a second
    os.killpg(job.pid, signal.SIGINT)
    job.communicate(timeout=60)
    wait_for(lambda: not any(rest(node) for node in slurm.nodes), "the end of all")
