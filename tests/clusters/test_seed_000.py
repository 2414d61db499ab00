"""The commands of the v2 text that are typed by hand, on hosts: a server on one, a trainer on it and
on another."""
import time

from hosts import NODES, cluster  # noqa: F401
from mpi_job import WORD2VEC

SERVER = ("stdbuf -oL /usr/bin/nohup paddle pserver --port=7164 --ports_num=1 "
          "--ports_num_for_sparse=1 --num_gradient_servers=%d &> pserver.log")
TRAINER = """export PADDLE_INIT_USE_GPU=False
export PADDLE_INIT_TRAINER_COUNT=1
export PADDLE_INIT_PORT=7164
export PADDLE_INIT_PORTS_NUM=1
export PADDLE_INIT_PORTS_NUM_FOR_SPARSE=1
export PADDLE_INIT_NUM_GRADIENT_SERVERS=%d
export PADDLE_INIT_TRAINER_ID=%d
export PADDLE_INIT_PSERVERS=%s
python train.py
"""


def prepare(cluster):  # noqa: F811
    for node in cluster.nodes[:2]:
        node.run("cp %s/api_train_v2_cluster.py train.py; python %s/prepare.py --lines=300"
                 % (WORD2VEC, WORD2VEC), PADDLE_DATASET="synthetic")


def test_the_version_is_told_as_in_the_text(cluster):  # noqa: F811
    lines = cluster.nodes[0].run("paddle version").splitlines()
    assert lines[0].startswith("PaddlePaddle ") and lines[0].endswith(", compiled with")
    for name in ("with_avx", "with_gpu", "with_double", "with_python", "with_rdma", "with_timer"):
        assert any(line in ("    %s: ON" % name, "    %s: OFF" % name) for line in lines)


def test_a_server_and_trainers_by_hand(cluster):  # noqa: F811
    """First all on one host, then the second trainer on another; each ends by itself."""
    prepare(cluster)
    one, other = cluster.nodes[:2]
    for trainers, address in ((1, "127.0.0.1"), (2, NODES[0])):
        server = one.start(SERVER % trainers)
        jobs = [host.start(TRAINER % (trainers, i, address), NUM_PASSES="1")
                for i, host in enumerate((one, other)[:trainers])]
        for job in jobs:
            text = job.communicate(timeout=120)[0].decode()
            assert job.returncode == 0, text
            assert "Pass 0, Batch 0, Cost " in text
        assert server.wait(timeout=60) == 0
        assert one.run("ls output").split() == ["pass-00000.tar.gz"]
        assert "Waiting parameterServer[0]" in one.read("/home/tutorial/pserver.log")
        end = time.monotonic() + 10
        while one.processes() or other.processes():
            assert time.monotonic() < end
            time.sleep(0.1)
    assert "output" not in other.run("ls").split()
