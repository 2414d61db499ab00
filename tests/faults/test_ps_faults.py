"""Someone dies, stops or is cut off: the job ends everywhere and says who, or nothing happens."""
import os
import signal
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "e2e_ps"))
from cluster import cluster  # noqa: E402,F401

LEASE = {"FLAGS_rpc_lease_ms": "3000"}
ENDS_WITHIN = 20  # seconds: what is promised
LONG = ["--steps", "100000", "--pause", "0.01"]


def start(cluster, mode="sync", arguments=LONG, env=None):  # noqa: F811
    cluster.fleet(2, 2, ["--mode", mode] + arguments, env=dict(LEASE, **(env or {})))
    for i in range(2):
        cluster.named("worker%d" % i).wait_for("step 5 ")
    return cluster


def all_end(cluster, but, names):  # noqa: F811
    """Everybody else ends with a failure, and tells the name of who was lost."""
    for process in cluster.processes:
        if process.name == but:
            continue
        assert process.wait(ENDS_WITHIN) != 0, process.name
        assert any(name in process.text() for name in names), process.text()


def is_gone(cluster, server):  # noqa: F811
    """What everybody else says, the other servers among them."""
    for line in cluster.named(server).text().splitlines():
        if line.startswith("Server listening on "):
            return "the server at %s is gone" % line.split()[-1]
    raise AssertionError(cluster.named(server).text())


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
@pytest.mark.parametrize("victim", ["server0", "server1"])
def test_a_server_is_killed(cluster, mode, victim):  # noqa: F811
    start(cluster, mode)
    cluster.named(victim).signal(signal.SIGKILL)
    all_end(cluster, victim, [is_gone(cluster, victim)])


@pytest.mark.parametrize("mode, servers", [("sync", 1), ("sync", 2), ("async", 2),
                                           ("half_async", 2), ("geo", 2)])
def test_a_server_is_killed_and_started_again(cluster, mode, servers):  # noqa: F811
    """Within the lease, on the same port: it has nothing of what was learned, and nobody goes on as
    if it had."""
    victim = "server%d" % (servers - 1)
    cluster.fleet(servers, 2, ["--mode", mode] + LONG)
    for i in range(2):
        cluster.named("worker%d" % i).wait_for("step 5 ")
    gone = is_gone(cluster, victim)
    cluster.named(victim).signal(signal.SIGKILL)
    cluster.named(victim).wait(10)
    cluster.again(victim)
    for process in cluster.processes:
        assert process.wait(ENDS_WITHIN) != 0, process.name
        if process.name == victim:
            continue
        text = process.text()
        assert "was started again while" in text and "start it again from" in text, text
        assert gone in text or process.name == victim + "-again", text


@pytest.mark.parametrize("victim", ["worker0", "worker1"])
@pytest.mark.promise(2)
def test_a_worker_is_killed_in_sync_mode(cluster, victim):  # noqa: F811
    start(cluster)
    cluster.named(victim).signal(signal.SIGKILL)
    all_end(cluster, victim, ["trainer %s" % victim[-1]])


@pytest.mark.parametrize("victim", ["worker1", "server1"])
@pytest.mark.promise(3)
def test_one_that_is_stopped_longer_than_the_lease_is_dead(cluster, victim):  # noqa: F811
    start(cluster)
    cluster.named(victim).signal(signal.SIGSTOP)
    all_end(cluster, victim,
            ["trainer 1" if victim == "worker1" else is_gone(cluster, victim)])


@pytest.mark.parametrize("victim", ["worker1", "server1"])
@pytest.mark.promise(6)
def test_a_shorter_pause_changes_not_a_bit(cluster, victim, tmp_path):  # noqa: F811
    import filecmp
    import time
    arguments = ["--steps", "60", "--pause", "0.01"]
    cluster.fleet(2, 2, arguments + ["--save", "calm"]).finish()
    del cluster.processes[:]
    start(cluster, arguments=arguments + ["--save", "paused"])
    cluster.named(victim).signal(signal.SIGSTOP)
    time.sleep(1.0)  # a third of the lease
    cluster.named(victim).signal(signal.SIGCONT)
    cluster.finish()
    for name in os.listdir(str(tmp_path / "calm")):
        assert filecmp.cmp(str(tmp_path / "calm" / name), str(tmp_path / "paused" / name),
                           shallow=False), name


def test_a_worker_that_ends_early_counts_as_closed(cluster):  # noqa: F811
    """It exits with status 0 and never says that it is done; the other goes on alone."""
    cluster.fleet(2, 2, ["--style", "transpiler", "--no-close"],
                  own={"worker1": {"EARLY": "1"}})
    cluster.finish()


def test_an_exception_is_no_normal_end(cluster):  # noqa: F811
    cluster.fleet(2, 2, ["--optimizer", "SGD"] + LONG, env=LEASE,
                  own={"worker1": {"FAIL_AT": "5"}})
    all_end(cluster, "worker1", ["trainer 1"])
    assert cluster.named("worker1").wait(ENDS_WITHIN) != 0


def test_the_deadline_does_not_count_waiting_for_a_live_peer(cluster):  # noqa: F811
    """One worker pauses for longer than the deadline of a request at every step."""
    cluster.fleet(2, 2, ["--steps", "3"], env={"FLAGS_rpc_deadline": "1000"},
                  own={"worker1": {"SLOW": "2.5"}})
    cluster.finish()
