"""What networks do to a job: answers are lost, connections break anywhere, stall one way, double and
delay; someone reads too slowly, or sends again what he has recorded. Nothing is applied twice,
nothing is lost, nobody waits for ever."""
import os
import struct
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "e2e_ps")]
from client import Client  # noqa: E402
from cluster import cluster  # noqa: E402,F401
from proxy import Proxy, frames_in, replay  # noqa: E402

LEDGER = os.path.join(HERE, "ledger_script.py")
ENDS_WITHIN = 30  # seconds
MODES = ["sync", "async", "half_async", "geo"]
DENIED = "does not have the job key"


@pytest.fixture
def job(cluster):  # noqa: F811
    """job(workers, arguments, rules) starts a server and workers, which reach it through
    job.proxy."""
    class Job(object):
        proxy = None

        def __call__(self, workers, arguments, rules=(), servers=1, env=None, record=False):
            def through(endpoint):
                self.proxy = Proxy(endpoint, rules, record=record)
                proxies.append(self.proxy)
                return self.proxy.endpoint
            proxies = self.proxies
            cluster.fleet(servers, workers, arguments, script=LEDGER, env=env, through=through)
            return cluster

        def ledger(self, worker="worker0"):
            """The numbers that the servers have in the end."""
            cluster.finish()
            line = [each for each in cluster.named(worker).text().splitlines()
                    if each.startswith("ledger ")][-1]
            return [float(x) for x in line.split()[1:]]

    one = Job()
    one.proxies = []
    yield one
    for proxy in one.proxies:
        proxy.close()


def expected(mode, steps, workers, large=False):
    """Of w, of the row that all have, of the row of each worker, of what is large."""
    if mode == "sync":
        every, own = -steps, -steps / workers
    else:
        every, own = -steps * workers, -steps
    numbers = [every] * 4 + [own] * 2 * workers + [every] * 2 * large
    return [float(x) for x in numbers]


# ---- answers that are lost ----

@pytest.mark.parametrize("mode", MODES)
@pytest.mark.promise(10)
def test_lost_answers_change_nothing(job, mode):
    """Of every kind of request of the job; the first one of LEAVE is lost, too."""
    workers = 1 if mode == "geo" else 2  # of one alone it can be said what comes out
    job(workers, ["--mode", mode, "--steps", "30", "--meet", "5"],
        ["down PUSH every=3 lose", "down BARRIER every=2 lose", "down REDUCE every=2 lose",
         "down ROWS every=7 lose", "down GET every=2 lose", "down PROGRAM nth=1 lose",
         "down SCHEMA nth=1 lose", "down LEAVE nth=1 lose"])
    assert job.ledger() == expected(mode, 30, workers)


def test_a_request_outlives_many_breaks(job):
    """How often its answer is lost says nothing: it is given up after a time."""
    job(1, ["--steps", "10"], ["down PUSH nth=%d lose" % n for n in range(3, 11)])
    assert job.ledger() == expected("sync", 10, 1)


def test_in_geo_each_push_says_whether_the_answer_before_it_came(job):
    """So that a server knows which rows it has to tell again."""
    job(2, ["--mode", "geo", "--steps", "30"], ["down PUSH every=4 lose"], record=True)
    job.ledger()
    for trainer in range(2):
        pushes = [frame.body for frame in job.proxy.frames if frame.kind == "REQUEST" and
                  frame.method_name == "PUSH" and frame.connection.trainer == trainer]
        said = [struct.unpack_from("<Q12xHH", body) for body in pushes]  # step, thread, taken
        assert len(set(said)) == 6 <= len(said)  # some were sent twice
        assert sorted(set(said)) == [(step, 0, int(step > 0)) for step in range(6)]


def test_a_server_stays_for_who_does_not_hear_that_it_has_left(job):
    """All have left, and one of them loses the answer for longer than a moment."""
    job(1, ["--steps", "3"])
    job.proxy.add("down LEAVE lose").wait()
    time.sleep(3)
    job.proxy.heal()
    assert job.ledger() == expected("sync", 3, 1)


@pytest.mark.parametrize("mode", ["sync", "geo"])
@pytest.mark.parametrize("way", ["up", "down"])
@pytest.mark.promise(11)
def test_a_connection_breaks_at_each_byte_of_a_push(job, mode, way):
    """Every push, or the answer to it, at another place; the frame has some 150 bytes."""
    count = "fresh nth=%d" if way == "up" else "nth=%d"
    rules = ["%s PUSH %s cut=%d" % (way, count % (n if way == "up" else 2 * n), n - 1)
             for n in range(1, 160)]
    steps = 160 * (5 if mode == "geo" else 1)
    job(1, ["--mode", mode, "--steps", str(steps)], rules)
    assert job.ledger() == expected(mode, steps, 1)


# ---- slow, late and doubled ----

@pytest.mark.parametrize("rules", [
    ["REQUEST delay=50", "REPLY delay=50", "HELLO delay=50", "PING delay=50"],
    ["REQUEST dup", "REPLY dup", "PING dup", "PONG dup"],
    ["rate=125000"],
    ["up PUSH every=3 flip=-1", "down PUSH every=4 flip=-1", "down PULL nth=1 flip=20"],
], ids=["late", "doubled", "1Mbit", "turned"])
@pytest.mark.promise(10)
def test_a_bad_line_makes_it_slower_and_nothing_else(job, rules):
    job(2, ["--steps", "8", "--large", "4000"], rules)
    assert job.ledger() == expected("sync", 8, 2, large=True)


# ---- lines that stand still ----

LEASE = {"FLAGS_rpc_lease_ms": "1500"}


@pytest.mark.parametrize("way", ["up stall", "down stall", "stall=both"])
@pytest.mark.promise(9)
def test_a_line_that_is_dead_one_way_is_found_out(job, way):
    """The sockets stay open, as after a peer's machine is switched off: only the lease tells."""
    cluster = job(2, ["--steps", "100000", "--pause", "0.01"], env=LEASE)  # noqa: F811
    for i in range(2):
        cluster.named("worker%d" % i).wait_for("step 5\n")
    job.proxy.add("trainer=0 " + way).wait()
    for process in cluster.processes:
        assert process.wait(ENDS_WITHIN) != 0, process.name
    for name in ("server0", "worker1"):
        assert "trainer 0" in cluster.named(name).text(), cluster.logs()
    assert "no heartbeat" in cluster.named("worker0").text(), cluster.logs()


@pytest.mark.promise(9)
def test_a_line_that_stands_still_for_less_than_the_lease_changes_nothing(job):
    cluster = job(2, ["--steps", "40", "--pause", "0.01"])  # noqa: F811
    cluster.named("worker0").wait_for("step 5\n")
    for rule in ("up stall", "down stall", "stall=both"):
        job.proxy.add(rule).wait()
        time.sleep(0.3)
        job.proxy.heal()
        time.sleep(0.1)
    job.proxy.shut()  # and no line at all
    time.sleep(0.3)
    job.proxy.heal()
    assert job.ledger() == expected("sync", 40, 2)


# ---- someone who reads slowly ----

def resident(process):
    """Bytes of memory of a process."""
    with open("/proc/%d/status" % process.pid) as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def sockets(process):
    """How many a process has open."""
    folder = "/proc/%d/fd" % process.pid
    links = [os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)]
    return len([link for link in links if link.startswith("socket:")])


@pytest.mark.parametrize("bytes_a_second", [1000, 40000], ids=["dropped", "tolerated"])
@pytest.mark.promise(12)
def test_who_reads_slowly_holds_nobody_up_and_costs_a_bounded_memory(job, tmp_path,
                                                                     bytes_a_second):
    """It asks for 400 MB and takes little of it; its heartbeats are in order."""
    go = str(tmp_path / "go")
    cluster = job(1, ["--steps", "100", "--large", "250000", "--wait-for", go],  # noqa: F811
                  env=LEASE)
    server = cluster.named("server0")
    cluster.named("worker0").wait_for("step 1\n")
    before, open_before = resident(server), sockets(server)
    slow = Client("%s:%d" % job.proxy.target, receive_bytes=4096)
    for _ in range(400):
        slow.get("large")
    most, end = 0, time.monotonic() + 4
    while time.monotonic() < end:
        most = max(most, resident(server))
        slow.sock.recv(bytes_a_second // 20)
        time.sleep(0.05)
    assert most - before < 150 << 20, (before, most)  # the limit is 64 MiB of answers
    cluster.named("worker0").wait_for("step 98\n", ENDS_WITHIN)  # all the while
    if bytes_a_second < 4096:
        assert "takes its answers at less than" in server.text()
    more = 1 if bytes_a_second < 4096 else 2  # its heartbeats, and what it asked on
    end = time.monotonic() + 10
    while sockets(server) != open_before + more and time.monotonic() < end:
        time.sleep(0.05)
    assert sockets(server) == open_before + more
    slow.close()
    open(go, "w").close()
    assert job.ledger()[-1] == -100


# ---- what was recorded ----

KEY = {"REGATTA_JOB_KEY": "5e" * 32, "REGATTA_JOB_ID": "the job"}


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.promise(24)
def test_what_was_recorded_and_comes_again_changes_nothing(job, tmp_path, key):
    go = str(tmp_path / "go")
    cluster = job(1, ["--mode", "half_async", "--steps", "10", "--wait-for", go],  # noqa: F811
                  env=KEY if key else None, record=True)
    cluster.named("worker0").wait_for("step 8\n")
    sent = [frame for frame in job.proxy.frames if frame.way == "up"]
    requests = [frame for frame in sent if frame.connection.purpose == "requests"]
    pushes = [frame for frame in requests if frame.method_name == "PUSH"]
    assert len(pushes) == 9 and pushes[0].kind == "REQUEST"
    for frame in pushes[3:6] + pushes[:1]:  # on the connection they came on
        job.proxy.again(frame)
    server = "%s:%d" % job.proxy.target
    assert replay(server, pushes[3].bytes) == b""  # on one that is nobody's
    session = b"".join(frame.bytes for frame in requests)
    answers = frames_in(replay(server, session))
    assert answers[0].kind == "CHALLENGE"
    if key:  # the proof in it was for another challenge
        assert [answer.kind for answer in answers] == ["CHALLENGE", "REFUSE"]
        assert DENIED in answers[1].body.decode()
        assert "turned away" in cluster.named("server0").text()
    pulse = b"".join(frame.bytes for frame in sent if frame.connection.purpose == "pulse")
    answers = frames_in(replay(server, pulse))
    assert [answer.kind for answer in answers[:2]] == ["CHALLENGE", "REFUSE" if key else "WELCOME"]
    open(go, "w").close()
    assert job.ledger() == expected("half_async", 10, 1)
