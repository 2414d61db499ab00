"""Trainers of a sync job over leased data that stand still for longer than their lease, so that the
others make steps without them: what they read, and what was read of them, is of one step."""
import os
import signal
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e_ps"))
sys.path.insert(0, HERE)
from cluster import cluster  # noqa: E402,F401
from leased_script import write  # noqa: E402

SCRIPT = os.path.join(HERE, "still_script.py")


def begin(cluster, stand, **env):  # noqa: F811
    write(os.path.join(cluster.folder, "data"), [40] * 5)
    return cluster.fleet(1, 2, ["--stand"] + stand, script=SCRIPT, env=dict(
        FLAGS_rpc_lease_ms="1000", FLAGS_log_level="I", **env))


def touch(cluster, name):  # noqa: F811
    open(os.path.join(cluster.folder, name), "w").close()


@pytest.mark.parametrize("flag, value, said", [
    ("FLAGS_ps_return_seconds", "60", "it may be started again, and is waited for"),
    ("FLAGS_ps_elastic", "2", "the others go on")])
def test_one_that_stood_still_has_read_one_step(cluster, flag, value, said):  # noqa: F811
    """It stands still in the middle of a step, and the other makes some meanwhile, all of its first
    range: what the sleeper had of the data has not been given away then. Where it may come back its
    push counts; where it may not another server may not have missed it."""
    begin(cluster, ["1:3", "0:8"], **{flag: value})
    other, sleeper = cluster.named("worker0"), cluster.named("worker1")
    sleeper.wait_for("stands still")
    sleeper.signal(signal.SIGSTOP)
    other.wait_for("stands still")
    assert said in cluster.named("server0").text()
    touch(cluster, "on1")
    sleeper.signal(signal.SIGCONT)
    sleeper.wait_for("forward pass 3")
    touch(cluster, "on0")
    sleeper.wait_for("step 4:")
    assert "torn" not in sleeper.text(), sleeper.text()


def test_a_push_that_waits_is_what_it_was_though_its_trainer_is_gone(cluster):  # noqa: F811
    """It is frozen after its push, is thought dead, hears so, and goes on by itself; the step that
    its push waited for is made after that."""
    begin(cluster, ["0:3"], FLAGS_ps_elastic="2")
    first, sleeper = cluster.named("worker0"), cluster.named("worker1")
    first.wait_for("stands still")
    sleeper.wait_for("step 3:")
    time.sleep(0.5)  # it has pushed; if it has not, there is nothing to be seen
    sleeper.signal(signal.SIGSTOP)
    cluster.named("server0").wait_for("the others go on")
    sleeper.signal(signal.SIGCONT)
    sleeper.wait_for("went on")
    touch(cluster, "on0")
    touch(cluster, "end")
    assert [first.wait(60), sleeper.wait(60), cluster.named("server0").wait(60)] == [0, 3, 0]
    values = [float(line.split()[2]) for line in first.text().splitlines()
              if line.startswith("step ")]
    assert {before - after for before, after in zip(values, values[1:])} == {4}, values
