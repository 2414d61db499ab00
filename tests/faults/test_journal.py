"""A server that has a journal is killed and started again: the job goes on to the same end."""
import filecmp
import os
import signal
import sys
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "e2e_ps"))
from cluster import cluster  # noqa: E402,F401

HERE = os.path.dirname(os.path.abspath(__file__))
LEDGER = os.path.join(HERE, "ledger_script.py")
# Where a server dies: nothing is written yet, it is written and not applied, it is applied and not
# answered.
POINTS = ["rpc.request", "journal.appended", "rpc.reply"]


def journal(tmp_path, mode="everysec", **more):
    return dict({"FLAGS_ps_journal": mode, "FLAGS_ps_journal_dir": str(tmp_path / "journal"),
                 "FLAGS_ps_return_seconds": "30"}, **more)


def come_back(cluster, name, seconds=60):  # noqa: F811
    """It dies by itself, and is started again as it was, but for the fault."""
    process = cluster.named(name)
    assert process.wait(seconds) == -signal.SIGKILL, process.text()
    return start_again(cluster, name)


def start_again(cluster, name):  # noqa: F811
    process = cluster.named(name)
    cluster.processes.remove(process)
    process.env.pop("RG_FAULT", None)
    cluster.processes.append(process)
    again = cluster.again(name)
    cluster.processes.remove(process)
    return again


def kill(cluster, *names):  # noqa: F811
    for name in names:
        cluster.named(name).signal(signal.SIGKILL)
    for name in names:
        assert cluster.named(name).wait(10) == -signal.SIGKILL
    return [start_again(cluster, name) for name in names]


def same(one, other):
    names = sorted(os.listdir(str(one)))
    assert names == sorted(os.listdir(str(other))) and names
    for name in names:
        assert filecmp.cmp(str(one / name), str(other / name), shallow=False), name


# ---- sync: not a bit is another ----

SYNC = ["--steps", "24", "--pause", "0.01"]


def calm(cluster, tmp_path, arguments, env=None):  # noqa: F811
    cluster.fleet(2, 2, arguments + ["--save", "calm"], env=env).finish()
    del cluster.processes[:]


@pytest.mark.promise(4)
@pytest.mark.parametrize("optimizer, more", [
    ("SGD", {}), ("Momentum", {"FLAGS_ps_loops": "3"}), ("Adam", {"FLAGS_ps_journal": "always"})])
def test_sync_is_exact_whenever_a_server_is_killed(cluster, tmp_path, optimizer, more):  # noqa: F811
    arguments = SYNC + ["--optimizer", optimizer]
    calm(cluster, tmp_path, arguments)
    own = {"server%d" % (i % 2): {"RG_FAULT": "%s:%d:kill" % (point, 9 + 8 * i)}
           for i, point in enumerate(POINTS[:2])}
    cluster.fleet(2, 2, arguments + ["--save", "faults"], env=journal(tmp_path, **more), own=own)
    for name in sorted(own):
        come_back(cluster, name)
    cluster.finish()
    same(tmp_path / "calm", tmp_path / "faults")


@pytest.mark.promise(4, 5)
def test_sync_is_exact_when_both_servers_are_killed(cluster, tmp_path):  # noqa: F811
    arguments = SYNC + ["--optimizer", "Adam"]
    calm(cluster, tmp_path, arguments)
    own = {"server0": {"RG_FAULT": "rpc.reply:21:kill"}}
    cluster.fleet(2, 2, arguments + ["--save", "faults"], env=journal(tmp_path), own=own)
    come_back(cluster, "server0")
    cluster.named("worker1").wait_for("step 12 ")
    kill(cluster, "server0-again", "server1")
    cluster.finish()
    same(tmp_path / "calm", tmp_path / "faults")
