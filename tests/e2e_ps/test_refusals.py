"""Who does not belong to a job is refused by name on both sides, and the job goes on."""
import os
import socket
import struct
import time

import pytest

from cluster import HERE, SCRIPT, cluster  # noqa: F401

KEY = "5a" * 32
JOB = {"REGATTA_JOB_ID": "job-a", "REGATTA_JOB_KEY": KEY}
BUSY = ["--steps", "150", "--pause", "0.01"]


def start(cluster, style="fleet"):  # noqa: F811
    """A job of two servers and two workers in the middle of its work; the servers' endpoints."""
    cluster.fleet(2, 2, BUSY + ["--style", style], env=JOB)
    for i in range(2):
        cluster.named("worker%d" % i).wait_for("step 3 ")
    return [line.split()[-1] for i in range(2)
            for line in cluster.named("server%d" % i).text().splitlines()
            if line.startswith("Server listening on ")]


def intrude(cluster, endpoints, style="fleet", trainers="2", trainer="1", **env):  # noqa: F811
    """Another worker comes, and ends with a failure; what it said. The job ends well."""
    more = dict(JOB, PADDLE_PSERVERS_IP_PORT_LIST=",".join(endpoints), TRAINING_ROLE="TRAINER",
                PADDLE_TRAINERS_NUM=trainers, PADDLE_TRAINER_ID=trainer)
    more.update(env)
    stranger = cluster.start("stranger", [SCRIPT, "--style", style], **more)
    assert stranger.wait(60) != 0, stranger.text()
    cluster.processes.remove(stranger)
    cluster.finish()
    return stranger.text()


def first_to_end(processes, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for process in processes:
            if process.status is not None:
                return process
        time.sleep(0.02)
    raise AssertionError("all of them still run")


def said_by_servers(cluster, text):  # noqa: F811
    return any(text in cluster.named("server%d" % i).text() for i in range(2))


@pytest.mark.parametrize("style", ["fleet", "transpiler"])
@pytest.mark.promise(25)
def test_a_wrong_key(cluster, style):  # noqa: F811
    said = intrude(cluster, start(cluster, style), style, REGATTA_JOB_KEY="a5" * 32)
    assert "does not have the job key" in said
    assert said_by_servers(cluster, "does not have the job key")
    assert KEY not in said


@pytest.mark.promise(25)
def test_no_key(cluster):  # noqa: F811
    said = intrude(cluster, start(cluster), REGATTA_JOB_KEY="")
    assert "job key" in said


@pytest.mark.parametrize("style", ["fleet", "transpiler"])
@pytest.mark.promise(25)
def test_a_trainer_of_another_job(cluster, style):  # noqa: F811
    said = intrude(cluster, start(cluster, style), style, REGATTA_JOB_ID="job-b")
    for text in ("serves job 'job-a'", "is of job 'job-b'"):
        assert text in said
        assert said_by_servers(cluster, text)


@pytest.mark.parametrize("style", ["fleet", "transpiler"])
@pytest.mark.promise(25)
def test_another_number_of_trainers(cluster, style):  # noqa: F811
    said = intrude(cluster, start(cluster, style), style, trainers="3", trainer="2")
    text = "believes that there are 3 trainers, and this server was told 2"
    assert text in said
    assert said_by_servers(cluster, text)


@pytest.mark.parametrize("style", ["fleet", "transpiler"])
@pytest.mark.promise(25)
def test_a_number_that_is_taken(cluster, style):  # noqa: F811
    said = intrude(cluster, start(cluster, style), style)
    assert "trainer number 1 is taken by trainer 1 (pid " in said
    assert said_by_servers(cluster, "trainer number 1 is taken")


@pytest.mark.parametrize("style", ["fleet", "transpiler"])
@pytest.mark.promise(25)
def test_another_program(cluster, style):  # noqa: F811
    """The second of two workers to come is refused; the first waits for its like."""
    cluster.fleet(2, 2, BUSY + ["--style", style], env=JOB, own={"worker1": {"ANOTHER": "1"}})
    gone = first_to_end([cluster.named("worker%d" % i) for i in range(2)])
    assert gone.status != 0
    assert "another program" in gone.text()
    assert said_by_servers(cluster, "another program")


def test_a_worker_that_fetches_more_runs_the_same_program(cluster):  # noqa: F811
    """What is fetched decides what can be fused, and is no part of the program."""
    cluster.fleet(2, 2, ["--steps", "5"], own={"worker0": {
        "FETCH": "fc_0.tmp_0 fc_0.tmp_1 fc_1.w_0@GRAD sequence_pool_0.tmp_0"}}).finish()


# ---- a client made by hand ----

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in bytearray(data):
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def frame(version, kind, body=b""):
    """As docs/protocol.md has it."""
    head = struct.pack("<IHBBHHIQQ", 0x31544752, version, kind, 0, 0, 0, crc32c(body), 0,
                       len(body))
    return head + struct.pack("<I", crc32c(head)) + body


def converse(endpoint, data):
    """All that the server says until it closes."""
    host, port = endpoint.split(":")
    said = b""
    with socket.create_connection((host, int(port)), timeout=20) as s:
        s.sendall(data)
        while True:
            more = s.recv(4096)
            if not more:
                return said
            said += more


@pytest.mark.parametrize("version", [0, 1, 65535])
@pytest.mark.promise(22)
def test_another_version_of_the_protocol(cluster, version):  # noqa: F811
    endpoints = start(cluster)
    said = converse(endpoints[0], frame(version, 1, b"x" * 100))
    magic, ours, kind = struct.unpack_from("<IHB", said)
    assert (magic, ours, kind) == (0x31544752, 4, 5)  # REFUSE
    text = said[36:].decode()
    assert "protocol version %d, and this side speaks version 4" % version in text
    cluster.finish()
    assert said_by_servers(cluster, "version %d" % version)


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                                  frame(2, 6), frame(2, 10)],
                         ids=["http", "tls", "request", "bye"])
@pytest.mark.promise(22)
def test_whoever_speaks_otherwise_is_hung_up_on(cluster, data):  # noqa: F811
    """A request before the handshake, or another protocol: closed, and the job goes on."""
    converse(start(cluster)[1], data)
    cluster.finish()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_bad_id_in_the_data_names_its_line(cluster, mode):  # noqa: F811
    """Async reads the rows of the next batch while one is computed."""
    cluster.fleet(2, 2, [], script=os.path.join(HERE, "bad_id_script.py"), env={"MODE": mode})
    worker = cluster.named("worker1")
    assert worker.wait(60) != 0
    assert "part-1:1234, slot word: " in worker.text() and "100123" in worker.text()
    assert cluster.named("server0").wait(30) != 0  # and everyone hears what it was
    assert "has failed: EnforceNotMet: part-1:1234" in cluster.named("server0").text()
    for name in ("worker0", "server0", "server1"):
        done_before = mode == "async" and name == "worker0"  # it waits for nobody
        assert cluster.named(name).wait(60) != 0 or done_before, name
