"""A thousand connections that say nothing, or a byte now and then, beside a job that trains."""
import os
import resource
import selectors
import socket
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "e2e_ps")]
from client import seal  # noqa: E402
from cluster import cluster  # noqa: E402,F401
from test_network import KEY, LEDGER, expected, resident  # noqa: E402

MANY = 1000
CLOSED_WITHIN = 5 + 5  # seconds: those of the protocol, and some for a busy machine
BYTES_EACH = 64 << 10


@pytest.mark.promise(27)
def test_a_crowd_of_strangers(cluster, tmp_path):  # noqa: F811
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 12000), hard))  # the server's, too
    go = str(tmp_path / "go")
    try:
        cluster.fleet(1, 1, ["--steps", "40", "--wait-for", go], script=LEDGER,
                      env=dict(KEY, FLAGS_rpc_lease_ms="3000"))
        server, worker = cluster.named("server0"), cluster.named("worker0")
        worker.wait_for("step 20\n")
        host, port = server.env["PADDLE_PSERVERS_IP_PORT_LIST"].split(":")
        before = resident(server)
        waiting = {}
        hello = seal("HELLO", b"n" * 300)
        begun = time.monotonic()
        for i in range(MANY):
            sock = socket.create_connection((host, int(port)), timeout=20)
            sock.setblocking(False)
            waiting[sock] = i % 2 * len(hello)  # every other one drips
        came = time.monotonic()
        most = 0
        while waiting and time.monotonic() < came + CLOSED_WITHIN:
            most = max(most, resident(server))
            drip(waiting, hello)
            time.sleep(0.2)
        assert not waiting, "%d of them are still there after %.1f s" % (
            len(waiting), time.monotonic() - begun)
        assert most - before < MANY * BYTES_EACH, (before, most)
        assert worker.status is None and "breaking" not in worker.text(), worker.text()
        open(go, "w").close()
        cluster.finish(60)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    line = [each for each in worker.text().splitlines() if each.startswith("ledger ")][-1]
    assert [float(x) for x in line.split()[1:]] == expected("sync", 40, 1)


def drip(waiting, hello):
    """A byte of each that drips; those that the server has closed are dropped."""
    with selectors.DefaultSelector() as selector:
        for sock in waiting:
            selector.register(sock, selectors.EVENT_READ)
        for key, _ in selector.select(0):
            try:
                ended = not key.fileobj.recv(4096)
            except OSError:
                ended = True
            if ended:
                waiting.pop(key.fileobj)
                key.fileobj.close()
    for sock, left in waiting.items():
        try:
            if left:
                sock.send(hello[-left:][:1])
                waiting[sock] = left - 1
        except OSError:
            pass  # it is closed, and read next time
