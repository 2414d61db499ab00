"""What the YAML says is run: every container's command with its environment, each pod in a network
of its own, to a trained model."""
import filecmp
import os
import signal
import sys
import time

import pytest

from cluster import SCRIPT, cluster  # noqa: F401
from k8s_nodes import nodes, wait_until  # noqa: F401

STEPS = ["--optimizer", "Adam", "--rate", "0.01", "--steps", "10"]


def job(kind, arguments, servers=2, trainers=2, *more):
    return ["--name", "ctr", "--kind", kind, "--image", "none", "--servers", str(servers),
            "--trainers", str(trainers), "--cmd",
            " ".join(["exec", sys.executable, SCRIPT] + arguments)] + list(more)


def same(a, b):
    names = sorted(os.listdir(str(a)))
    assert names and names == sorted(os.listdir(str(b)))
    return all(filecmp.cmp(str(a / name), str(b / name), shallow=False) for name in names)


@pytest.mark.parametrize("kind", ["fluid", "paddlejob"])
def test_fleet_job_trains_to_the_bits_of_one_host(cluster, nodes, kind, tmp_path):  # noqa: F811
    """Also where pods come before the cluster's DNS knows their names: all wait."""
    pods = nodes(*job(kind, STEPS + ["--save", str(tmp_path / "apart")]), known=False)
    waiting = pods.start_all("trainer")
    first = [p for pod in pods.of("pserver") for p in pods.start_first(pod)]
    assert len(first) == (2 if kind == "fluid" else 0)
    time.sleep(1)
    assert {p.status for p in waiting + first} == {None}, pods.logs()
    pods.tell_dns()
    for process in first:
        assert process.wait(30) == 0, process.text()
    pods.start_all("pserver")
    pods.finish()
    cluster.fleet(2, 2, STEPS + ["--save", "together"]).finish()
    assert same(tmp_path / "apart", tmp_path / "together")


@pytest.mark.parametrize("kind, name", [("fluid", "ctr-pserver-0.ctr-pserver:6174"),
                                        ("paddlejob", "ctr-master-0:36543")])
def test_probes(nodes, kind, name):  # noqa: F811
    """Alive and ready when it serves, before any trainer came; and a probe is no trainer."""
    pods = nodes(*job(kind, ["--steps", "5"], 1, 1))
    server, = pods.of("pserver")
    trainer, = pods.of("trainer")
    assert not pods.is_alive(server)
    process = pods.start(server)
    wait_until(lambda: pods.is_ready(server))
    assert pods.is_alive(server)
    for _ in range(3):
        status, text = pods.execute(server, ["paddle", "status"])
        assert status == 0 and "waits for trainer 0, which was never seen; ready: nobody" in text
    # From a trainer's pod it asks all servers of the job.
    status, text = pods.execute(trainer, ["paddle", "status"])
    assert status == 0 and text.startswith(name + ": pserver 0 waits")
    # Without the job's key nobody is told anything.
    status, text = pods.execute(trainer, ["paddle", "status"], REGATTA_JOB_KEY="ab" * 32)
    assert status == 1 and "key" in text
    pods.start(trainer)
    pods.finish()
    assert "listening" in process.text() and "looked in" not in process.text()


def test_a_server_that_dies_ends_the_trainers(nodes):  # noqa: F811
    """However long they would have waited for pods to start. And the one in its place is told."""
    pods = nodes(*job("fluid", ["--steps", "1000", "--pause", "0.05"], 2, 2))
    servers, trainers = pods.start_all("pserver"), pods.start_all("trainer")
    for trainer in trainers:
        trainer.wait_for("step 3 ")
    servers[1].signal(signal.SIGKILL)
    servers[1].wait(20)
    pods.start(pods.of("pserver")[1])  # as the StatefulSet does
    for trainer in trainers:
        assert trainer.wait(60) != 0
        assert "ctr-pserver-1.ctr-pserver:6174" in trainer.text()
    assert servers[0].wait(60) != 0


def test_a_trainer_that_fails_ends_the_servers(nodes):  # noqa: F811
    """So that they are started anew; the Job ends the other trainers."""
    pods = nodes(*job("fluid", ["--steps", "1000", "--pause", "0.05"], 1, 2, "--env",
                      "FLAGS_rpc_lease_ms=2000"))
    server, = pods.start_all("pserver")
    trainers = pods.start_all("trainer")
    trainers[0].wait_for("step 3 ")
    trainers[1].signal(signal.SIGTERM)
    assert server.wait(60) != 0
    assert "trainer 1" in server.text()
    assert trainers[0].wait(60) != 0 and trainers[1].wait(60) != 0
    again = pods.start(pods.of("pserver")[0])
    again.wait_for("Server listening")
