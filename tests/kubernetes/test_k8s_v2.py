"""A v2 job is run as its YAML says: `paddle pserver`s and trainers that PADDLE_INIT_* tell who they
are, each pod in a network of its own."""
import os
import signal
import sys

from k8s_nodes import nodes, wait_until  # noqa: F401

V2_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "k8s_v2_script.py")


def v2_job(path, *more):
    return ["--name", "words", "--image", "none", "--servers", "2", "--trainers", "3",
            "--ports-num", "2", "--ports-num-for-sparse", "2", "--cmd",
            "exec %s %s %s" % (sys.executable, V2_SCRIPT, path)] + list(more)


def test_v2_job_trains(nodes, tmp_path):  # noqa: F811
    """Servers are ready with no program yet, are on the ports that the YAML has, and all is learnt
    that was in any trainer's data."""
    path = tmp_path / "model.tar"
    pods = nodes(*v2_job(path), known=False)
    trainers = pods.start_all("trainer")
    servers = pods.start_all("pserver")  # they need no name of their own
    for server in pods.of("pserver"):
        wait_until(lambda: pods.is_ready(server))
        assert pods.is_alive(server)
        for port in server.container["ports"]:
            status, text = pods.execute(server, ["paddle", "status", "127.0.0.1:%d" %
                                                 port["containerPort"]])
            assert status == 0 and "waits for the first trainer" in text
    pods.tell_dns()
    pods.finish()
    assert "right: 50 of 50" in trainers[0].text(), pods.logs()
    assert path.stat().st_size > 0
    assert all("looked in" not in s.text() for s in servers)


def test_v2_trainer_that_fails_ends_the_job(nodes, tmp_path):  # noqa: F811
    pods = nodes(*v2_job(tmp_path / "model.tar", "--env", "FLAGS_rpc_lease_ms=2000"))
    servers = pods.start_all("pserver")
    trainers = [pods.start(pod) for pod in pods.of("trainer")[:2]]  # the third never starts
    first = pods.of("pserver")[0]

    def told(*texts):
        said = pods.execute(first, ["paddle", "status", "127.0.0.1:7164"])[1]
        return all(text in said for text in texts)
    wait_until(lambda: told("trainer 2, which was never seen", "trainer 0 (pid", "trainer 1 (pid"))
    trainers[1].signal(signal.SIGKILL)
    for process in servers + trainers:
        assert process.wait(60) != 0, pods.logs()
    assert "trainer 1" in servers[0].text()
