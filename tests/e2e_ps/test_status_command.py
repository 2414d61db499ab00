"""`paddle status`: how servers are, asked by someone who is no part of the job."""
import socket
import subprocess

import pytest

from built import PADDLE
from cluster import SCRIPT, clean_env, cluster, free_endpoints  # noqa: F401


def status(*arguments, **env):
    done = subprocess.run([PADDLE, "status"] + list(arguments), env=clean_env(**env), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_whom_servers_wait_for(cluster):  # noqa: F811
    """The server of a job of two trainers is asked before, between and after they come, and the job
    goes on as if nobody had asked."""
    endpoint, = free_endpoints(1)
    host, port = endpoint.split(":")
    env = dict(PADDLE_PSERVERS_IP_PORT_LIST=endpoint, PADDLE_TRAINERS_NUM="2")
    arguments = [SCRIPT, "--steps", "200", "--pause", "0.01"]
    server = cluster.start("server", arguments, TRAINING_ROLE="PSERVER", POD_IP=host,
                           PADDLE_PORT=port, **env)
    server.wait_for("Server listening")
    assert status(endpoint) == (0, "%s: pserver 0 waits for trainer 0, which was never seen, "
                                "trainer 1, which was never seen; ready: nobody\n" % endpoint, "")
    cluster.start("worker0", arguments, TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="0", **env)
    code, out, _ = status(endpoint)
    while "ready: trainer 0" not in out:
        code, out, _ = status(endpoint)
        assert code == 0
    assert "trainer 1, which was never seen" in out
    last = cluster.start("worker1", arguments, TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="1",
                         **env)
    last.wait_for("step 5 ")
    for _ in range(5):
        code, out, _ = status("--timeout", "10", endpoint)
        assert code == 0 and out.startswith(endpoint + ": pserver 0 ")
    # Who has the variables of the job needs no endpoint.
    assert status(TRAINING_ROLE="PSERVER", POD_IP=host, PADDLE_PORT=port, **env)[0] == 0
    assert status(TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="0", **env)[0] == 0
    cluster.finish()
    assert status("--timeout=1", endpoint)[0] == 1


def test_nobody_there():
    endpoints = free_endpoints(2)
    code, out, err = status("--timeout=1", *endpoints)
    assert (code, out) == (1, "")
    lines = err.splitlines()
    assert len(lines) == 2
    for line, endpoint in zip(lines, endpoints):
        assert line.startswith("paddle status: ") and endpoint in line
        assert "connection refused" in line


def test_someone_who_does_not_answer():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        code, out, err = status("--timeout", "1", "127.0.0.1:%d" % silent.getsockname()[1])
    assert (code, out) == (1, "") and "1.0 s" in err


@pytest.mark.parametrize("arguments, tells", [
    ([], "usage: paddle status"),
    (["--tiemout", "3", "127.0.0.1:1"], "usage: paddle status"),
    (["--timeout", "soon"], "from 1 to 3600"),
    (["--timeout=0", "127.0.0.1:1"], "from 1 to 3600"),
    (["--timeout"], "from 1 to 3600"),
])
def test_misuse(arguments, tells):
    code, out, err = status(*arguments)
    assert (code, out) == (2, "") and tells in err


def test_no_endpoint():
    code, out, err = status("--timeout=1", "nonsense")
    assert code == 1 and "nonsense" in err and out == ""
