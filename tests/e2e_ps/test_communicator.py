"""FLAGS_communicator_* of async training: how many steps wait, how they are put together, and when
parameters come back."""
import os
import re
import signal
import time

import pytest

from cluster import cluster  # noqa: F401

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "communicator_script.py")


def start(cluster, steps, **flags):  # noqa: F811
    """(server, worker), which waits for the file `go`. A server that is stopped is not dead."""
    env = {"FLAGS_communicator_" + name: str(value) for name, value in flags.items()}
    cluster.fleet(1, 1, [str(steps)], script=SCRIPT, env=dict(env, FLAGS_rpc_lease_ms="120000"))
    server, worker = cluster.processes
    worker.wait_for("ready")
    return server, worker


def go(cluster):  # noqa: F811
    open(os.path.join(str(cluster.folder), "go"), "w").close()


def servers_have(worker):
    return float(re.search(r"servers have (\S+)", worker.text()).group(1))


@pytest.mark.parametrize("most, is_sgd, left", [(3, 1, 96), (3, 0, 98), (1, 1, None)])
def test_steps_are_put_together_while_one_is_sent(cluster, most, is_sgd, left):  # noqa: F811
    """Of a gradient of 1: what is on its way is 1, and of the three behind it the sum or the mean."""
    server, worker = start(cluster, 1 + most, max_merge_var_num=most, is_sgd_optimizer=is_sgd)
    server.signal(signal.SIGSTOP)
    go(cluster)
    worker.wait_for("step %d " % most)
    time.sleep(0.3)
    assert "step %d " % (1 + most) not in worker.text()  # it waits with as many as may be
    server.signal(signal.SIGCONT)
    cluster.finish()
    assert servers_have(worker) == (left or 99 - most)


@pytest.mark.parametrize("flags, every", [
    ({}, 2), ({"min_send_grad_num_before_recv": 0}, 1), ({"min_send_grad_num_before_recv": 3}, 4),
    ({"max_send_grad_num_before_recv": 0}, 1), ({"max_send_grad_num_before_recv": 5}, 2),
    ({"min_send_grad_num_before_recv": 9, "max_send_grad_num_before_recv": 2}, 3)])
def test_parameters_come_back_after_so_many_steps(cluster, flags, every):  # noqa: F811
    worker = start(cluster, 13, **flags)[1]
    go(cluster)
    cluster.finish()
    had = [float(x) for x in re.findall(r"step \d+ had (\S+)", worker.text())]
    assert servers_have(worker) == 87  # nothing is lost
    changes = [i for i in range(1, len(had)) if had[i] != had[i - 1]]
    assert changes and {b - a for a, b in zip(changes, changes[1:])} == {every}, had


def test_what_has_no_effect_is_said_and_changes_nothing(cluster):  # noqa: F811
    worker = start(cluster, 5, send_queue_size=9, thread_pool_size=7, send_wait_times=2,
                   independent_recv_thread=0, fake_rpc=1)[1]
    go(cluster)
    cluster.finish()
    assert servers_have(worker) == 95
    for flag in ("send_queue_size=9", "thread_pool_size=7", "send_wait_times=2",
                 "independent_recv_thread=0", "fake_rpc=1"):
        assert "FLAGS_communicator_%s \"has no effect: " % flag in worker.text()
