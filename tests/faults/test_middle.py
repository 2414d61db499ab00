"""Someone between two hosts of a job who knows the protocol, has not the key, and changes, adds,
repeats and drops frames: he can break connections, and nothing else."""
import os
import struct
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "e2e_ps")]
from cluster import cluster  # noqa: E402,F401
from namespaces import three_hosts  # noqa: E402,F401
from proxy import crc32c, forged  # noqa: E402
from test_network import KEY, LEDGER, expected, job  # noqa: E402,F401

SEALED = dict(KEY, FLAGS_rpc_mac="always")  # loopback, too
GRADIENT = 36 + 48 + 2  # in a push of the ledger: the byte of w's gradient that has an exponent
STEPS = 24


@pytest.mark.promise(24)
@pytest.mark.parametrize("rules", [
    ["up PUSH every=3 forge=%d:4" % GRADIENT],
    ["down PUSH every=3 forge=38:4"],
    ["up PUSH every=3 forge=16:4", "down PUSH every=4 forge=16:4"],  # the number of a request
    ["up PUSH every=3 forge=24:4", "down PUSH every=4 forge=25:4"],  # the length of a body
    ["up PUSH every=3 dup", "down PUSH every=4 dup"],
    ["up PUSH every=3 lose", "down PUSH every=4 lose"],
], ids=["gradients", "values", "numbers", "lengths", "twice", "lost"])
def test_whatever_is_done_on_the_way_changes_nothing(job, rules):  # noqa: F811
    job(1, ["--mode", "half_async", "--steps", str(STEPS)], rules, env=SEALED)
    assert job.ledger() == expected("half_async", STEPS, 1)
    assert all(rule.hits for rule in job.proxy._rules), [rule.hits for rule in job.proxy._rules]


@pytest.mark.promise(24)
@pytest.mark.parametrize("rule, says", [
    ("down CHALLENGE nth=1 forge=68:1", "the server has no job key"),
    ("up HELLO nth=1 forge=140:1", "does not have the job key"),
    ("down WELCOME nth=1 forge=104:1", "the server does not have the job key"),
], ids=["no key here", "I seal nothing", "nor do I"])
def test_nobody_is_talked_out_of_it(job, rule, says):  # noqa: F811
    """What the two say of keys and seals is in what they prove."""
    cluster = job(1, ["--steps", "3"], [rule], env=SEALED)  # noqa: F811
    worker = cluster.named("worker0")
    assert worker.wait(60) != 0
    assert says in worker.text() and "step 0" not in worker.text(), cluster.logs()


def test_without_the_seal_it_would_change_much(job):  # noqa: F811
    """So the rules of the test above are no empty ones."""
    job(1, ["--mode", "half_async", "--steps", str(STEPS)],
        ["up PUSH every=3 forge=%d:4" % GRADIENT], env=dict(KEY, FLAGS_rpc_mac="off"))
    assert job.ledger() != expected("half_async", STEPS, 1)


@pytest.mark.promise(24)
def test_frames_of_his_own_are_not_taken(job, tmp_path):  # noqa: F811
    """A recorded push comes again, as it was and with another number, and one of another
    connection."""
    go = str(tmp_path / "go")
    cluster = job(1, ["--mode", "half_async", "--steps", "10", "--wait-for", go],  # noqa: F811
                  env=SEALED, record=True)
    cluster.named("worker0").wait_for("step 8\n")

    def pushes():
        return [f for f in job.proxy.frames if f.way == "up" and f.method_name == "PUSH"]

    first = pushes()
    assert len(first) == 9 and first[0].sealed
    job.proxy.again(first[-1])  # the connection is cut, and made again
    renumbered = first[2]
    data = bytearray(renumbered.bytes)
    struct.pack_into("<Q", data, 16, first[-1].id + 1)
    struct.pack_into("<I", data, 32, crc32c(data[:32]))
    renumbered.bytes = bytes(data)
    for frame in (first[0], renumbered):
        frame.connection = last_connection(job.proxy)
        job.proxy.again(frame)
    open(go, "w").close()
    assert job.ledger() == expected("half_async", 10, 1)


def last_connection(proxy):
    """Of requests, after the one before it was cut."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for connection in list(proxy._connections):
            if connection.purpose == "requests" and connection.sealed and len(connection.ways) == 2:
                return connection
        time.sleep(0.02)
    raise AssertionError("nobody came again")


@pytest.mark.promise(24)
def test_between_hosts_it_needs_no_flag(cluster, three_hosts):  # noqa: F811
    """The worker is on the first host, the server on the third, and the second is in between."""
    net = three_hosts
    server, middle = ("%s:6174" % net.addresses[i] for i in (2, 1))
    script = [LEDGER, "--mode", "half_async", "--steps", str(STEPS)]
    common = dict(KEY, PADDLE_TRAINERS_NUM="1")
    cluster.start("server0", script, net.on(2), TRAINING_ROLE="PSERVER", POD_IP=net.addresses[2],
                  PADDLE_PORT="6174", PADDLE_PSERVERS_IP_PORT_LIST=server, **common)
    cluster.named("server0").wait_for("Server listening")
    proxy = cluster.start("proxy", [os.path.join(HERE, "proxy.py"), "--listen", middle, server,
                                    "up PUSH every=3 forge=%d:4" % GRADIENT], net.on(1))
    proxy.wait_for("Proxy listening")
    worker = cluster.start("worker0", script, net.on(0), TRAINING_ROLE="TRAINER",
                           PADDLE_TRAINER_ID="0", PADDLE_PSERVERS_IP_PORT_LIST=middle, **common)
    assert worker.wait(60) == 0, cluster.logs()
    line = [each for each in worker.text().splitlines() if each.startswith("ledger ")][-1]
    assert [float(x) for x in line.split()[1:]] == expected("half_async", STEPS, 1)


def test_a_forged_frame_is_what_it_says():
    """The proxy's own: only that byte and the checksums differ."""
    from client import seal
    from proxy import HEADER, Frame
    data = seal("REQUEST", b"some bytes of a body", method="PUSH", number=7)
    frame = Frame(data[:HEADER.size], None, "up")
    frame.bytes = data
    assert bytes(forged(frame, 36, 4)) == seal("REQUEST", b"wome bytes of a body", method="PUSH",
                                            number=7)
