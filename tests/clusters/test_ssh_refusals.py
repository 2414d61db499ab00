"""What the launcher over SSH refuses, before anything is sent to any host."""
import pytest

from hosts import NODES, cluster  # noqa: F401
from ssh_job import Launcher

SECONDS = 60


@pytest.fixture
def launcher(cluster):  # noqa: F811
    made = Launcher(cluster, "cluster_train")
    made.workspace("trainer_config.py")
    yield made
    for node in cluster.nodes:  # nothing has been sent
        assert node.run("ls -d /home/paddle/JOB* 2>/dev/null | wc -l") == "0\n"


def refused(launcher, *says, options="--config=./trainer_config.py", status=2):
    got, text = launcher.run(options)
    assert got == status, text
    for words in says:
        assert words in text, text


@pytest.mark.parametrize("host", ["192.168.100.18:9", "no-such-host",
                                  pytest.param("192.168.100.99", marks=pytest.mark.full)])
def test_a_host_that_cannot_be_reached_is_named(launcher, host):
    launcher.conf(HOSTS=["root@" + NODES[0], "root@" + host])
    refused(launcher, "node 1 (root@%s) cannot be reached" % host)


def test_all_hosts_that_are_wrong_are_named(launcher):
    launcher.conf(HOSTS=["nobody@" + NODES[0], "root@%s:9" % NODES[1], "root@" + NODES[2]])
    refused(launcher, "node 0 (nobody@192.168.100.17) lets user nobody not in by key",
            "node 1 (root@192.168.100.18:9) cannot be reached")


def test_a_key_that_has_changed_is_refused(launcher, cluster):  # noqa: F811
    known = cluster.head.read("/root/.ssh/known_hosts")
    lines = known.splitlines()
    swapped = known.replace(lines[1].split()[2], lines[2].split()[2])
    cluster.head.write("/root/.ssh/known_hosts", swapped)
    try:
        refused(launcher, "node 0", "its key is another than that in ~/.ssh/known_hosts",
                "ssh-keygen -R 192.168.100.17")
    finally:
        cluster.head.write("/root/.ssh/known_hosts", known)


def test_a_host_without_paddle_is_named(launcher, cluster):  # noqa: F811
    cluster.nodes[1].write("/root/.ssh/rc", "")
    cluster.nodes[1].write("/root/.bashrc", "PATH=/usr/bin:/bin\n")
    try:
        refused(launcher, "node 1", "has no command paddle on the PATH of an SSH session")
    finally:
        cluster.nodes[1].run("rm /root/.bashrc /root/.ssh/rc", "root")


@pytest.mark.parametrize("conf, says", [
    (dict(PADDLE_NIC="ib0"), "has no network interface ib0, but eth0, lo: set PADDLE_NIC"),
    (dict(ROOT_DIR="/nowhere"), "has no folder /nowhere"),
    (dict(HOSTS=["paddle@" + NODES[0]], ROOT_DIR="/etc"), "user paddle may not write to /etc"),
    (dict(HOSTS=[]), "HOSTS = []"),
    (dict(HOSTS=["a b"]), "'a b' is not a host"),
    (dict(HOSTS=["root@" + NODES[0], "paddle@" + NODES[0]]), "a host is there twice"),
    (dict(PADDLE_PORT="7164"), "PADDLE_PORT = '7164': a number from 1 to 65535 is needed"),
    (dict(PADDLE_PORT=80000), "PADDLE_PORT = 80000: a number from 1 to 65535 is needed"),
    (dict(ROOT_DIR="jobs"), "ROOT_DIR = 'jobs'")])
def test_a_conf_that_is_wrong(launcher, conf, says):
    launcher.conf(**conf)
    refused(launcher, says)


@pytest.mark.parametrize("options, says", [
    ("", "what is to be trained? Give --config"),
    ("--config=c.py --local=1", "a job on a cluster is not local"),
    ("--config=c.py --trainer_id=0", "--trainer_id is set by the launcher"),
    ("--config=c.py --ports_num=many", "--ports_num=many is no number"),
    ("--config=c.py", "--config=c.py: there is no such file in "),
    ("--config=c.py --job_workspace=/tmp", "exclude each other")])
def test_options_that_are_wrong(launcher, options, says):
    refused(launcher, says, options=options)


def test_a_workspace_is_asked_for(cluster):  # noqa: F811
    launcher = Launcher(cluster, "cluster_train")
    status, text = launcher.run("")
    assert status == 2
    assert "--job_workspace or --job_dispatch_package should be set" in text
    status, text = launcher.run("--job_workspace=/home/paddle/mine --config=c.py")
    assert status == 2
    assert "node 1 (root@192.168.100.18) has no folder /home/paddle/mine" in text
    status, text = launcher.run("--job_dispatch_package=/nothing --config=c.py")
    assert status == 2
    assert "--job_dispatch_package=/nothing is no folder here" in text


def test_a_port_that_is_taken(launcher, cluster):  # noqa: F811
    """Another's process is in the way: it is not ended."""
    other = cluster.nodes[1].start(
        "exec python -c 'import socket, time; s = socket.socket(); s.bind((\"\", 7166)); "
        "s.listen(1); print(1, flush=True); time.sleep(1000)'", "paddle")
    assert other.stdout.readline() == b"1\n"
    try:
        refused(launcher, "node 1 (root@192.168.100.18) port 7166 is taken")
        assert len(cluster.nodes[1].processes()) == 1
    finally:
        cluster.nodes[1].run("kill %d" % list(cluster.nodes[1].processes())[0], "root")
        other.wait(timeout=SECONDS)
