"""Jobs over several hosts: network namespaces with addresses of their own, and links that fail."""
import filecmp
import os
import shutil
import time

import pytest

from cluster import SCRIPT, cluster  # noqa: F401
from namespaces import three_hosts  # noqa: F401

ENDS_WITHIN = 20  # seconds: what is promised
PORT = "6174"


def fleet(cluster, net, arguments, by_name=False, **env):  # noqa: F811
    """A server and worker 0 on the first host, a server on the second, worker 1 on the third."""
    hosts = net.names if by_name else net.addresses
    env.update(PADDLE_PSERVERS_IP_PORT_LIST=",".join("%s:%s" % (h, PORT) for h in hosts[:2]),
               PADDLE_TRAINERS_NUM="2")
    for i in range(2):
        cluster.start("server%d" % i, [SCRIPT] + arguments, net.on(i), TRAINING_ROLE="PSERVER",
                      POD_IP=hosts[i], PADDLE_PORT=PORT, **env)
    for i, host in enumerate((0, 2)):
        cluster.start("worker%d" % i, [SCRIPT] + arguments, net.on(host),
                      TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID=str(i), **env)


def same(a, b):
    names = sorted(os.listdir(str(a)))
    assert names and names == sorted(os.listdir(str(b)))
    return all(filecmp.cmp(str(a / name), str(b / name), shallow=False) for name in names)


@pytest.mark.parametrize("style", ["transpiler", "fleet"])
@pytest.mark.parametrize("by_name", [False, True])
def test_hosts_make_no_difference(cluster, three_hosts, style, by_name, tmp_path):  # noqa: F811
    """Over TCP between hosts, by address or by name, the model is that of one host to the bit."""
    arguments = ["--style", style, "--optimizer", "Adam", "--rate", "0.01", "--steps", "20"]
    fleet(cluster, three_hosts, arguments + ["--save", "apart"], by_name)
    cluster.finish()
    del cluster.processes[:]
    cluster.fleet(2, 2, arguments + ["--save", "together"]).finish()
    assert same(tmp_path / "apart", tmp_path / "together")


@pytest.mark.parametrize("mode", ["async", "half_async", "geo"])
def test_other_modes_over_hosts(cluster, three_hosts, mode):  # noqa: F811
    fleet(cluster, three_hosts, ["--mode", mode, "--steps", "20"])
    cluster.finish()


@pytest.mark.parametrize("host", [1, 2], ids=["a server's", "a worker's"])
@pytest.mark.promise(8)
def test_a_short_cut_changes_not_a_bit(cluster, three_hosts, host, tmp_path):  # noqa: F811
    """A link is down for a third of the lease, in the middle of the steps."""
    arguments = ["--steps", "60", "--pause", "0.01"]
    cluster.fleet(2, 2, arguments + ["--save", "calm"]).finish()
    del cluster.processes[:]
    fleet(cluster, three_hosts, arguments + ["--save", "cut"], FLAGS_rpc_lease_ms="6000")
    for name in ("worker0", "worker1"):
        cluster.named(name).wait_for("step 5 ")
    three_hosts.cut(host)
    time.sleep(2)
    three_hosts.mend(host)
    cluster.finish()
    assert same(tmp_path / "calm", tmp_path / "cut")


@pytest.mark.promise(10)
def test_a_line_that_loses_packets_changes_not_a_bit(cluster, three_hosts, tmp_path):  # noqa: F811
    """10 Mbit a second with room for 5 kB: whatever is more is lost."""
    if shutil.which("tc") is None:
        pytest.skip("there is no tc command (Debian: iproute2)")
    arguments = ["--steps", "8"]
    cluster.fleet(2, 2, arguments + ["--save", "calm"]).finish()
    del cluster.processes[:]
    three_hosts.narrow(1, "10mbit", "5kb")
    fleet(cluster, three_hosts, arguments + ["--save", "lossy"])
    cluster.finish()
    assert same(tmp_path / "calm", tmp_path / "lossy")
    assert three_hosts.dropped(1) > 0


@pytest.mark.parametrize("host, lost, says",
                         [(2, "worker1", "trainer 1 "),
                          (1, "server1", "the server at 192.168.1.3:6174 is gone")])
@pytest.mark.promise(9)
def test_a_long_cut_ends_the_job_everywhere(cluster, three_hosts, host, lost,  # noqa: F811
                                            says):
    fleet(cluster, three_hosts, ["--steps", "100000", "--pause", "0.01"],
          FLAGS_rpc_lease_ms="3000")
    for name in ("worker0", "worker1"):
        cluster.named(name).wait_for("step 5 ")
    three_hosts.cut(host)
    for process in cluster.processes:
        assert process.wait(ENDS_WITHIN) != 0, process.name
        if process.name != lost:  # which has lost the others
            assert says in process.text(), process.text()
