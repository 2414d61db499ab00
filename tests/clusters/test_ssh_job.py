"""Jobs of the SSH launcher on real hosts: what is sent, and that nothing is left, however they end.
The trainers are scripts that only wait or fail; test_seed_002.py trains."""
import os
import signal
import time

import pytest

from hosts import NODES, cluster  # noqa: F401
from ssh_job import Launcher

FAIL = """import os, sys, time
print("I am", os.environ["PADDLE_INIT_TRAINER_ID"], "of", os.environ["PADDLE_INIT_NUM_GRADIENT_SERVERS"],
      os.environ["PADDLE_INIT_PSERVERS"], os.environ.get("PADDLE_INIT_TRAINER_COUNT"), flush=True)
if open("nodefile").read() == "1\\n":
    sys.exit("the disk of node 1 is gone")
time.sleep(1000)
"""
LONG = """import os, time
if os.fork() == 0:
    time.sleep(1000)
print("begun", flush=True)
time.sleep(1000)
"""
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + LONG


@pytest.fixture
def launcher(cluster):  # noqa: F811
    made = Launcher(cluster, "cluster_train_v2/fabric")
    made.workspace("data.txt", "my\\ lib.py", "empty", "tool.sh")
    made.conf(HOSTS=["root@" + NODES[0], "paddle@%s:9090" % NODES[1], "tutorial@node2"],
              ROOT_DIR="/tmp")
    yield made
    for node in cluster.nodes:
        node.run("rm -rf /tmp/JOB*", "root")


def script(launcher, text):
    launcher.head.write(launcher.folder + "/workspace/train.py", text)


def job_folder(node):
    return node.run("ls -d /tmp/JOB* | tail -n 1").strip()


def nothing_runs(cluster, seconds=30):  # noqa: F811
    end = time.monotonic() + seconds
    while any(node.processes() for node in cluster.nodes):
        assert time.monotonic() < end, [node.processes() for node in cluster.nodes]
        time.sleep(0.1)


def wait_until_all_train(cluster, job):  # noqa: F811
    end = time.monotonic() + 60
    for node in cluster.nodes:
        while "begun" not in node.run("cat /tmp/JOB*/log/train.log 2>/dev/null || true"):
            assert job.poll() is None and time.monotonic() < end, job.stdout.read()
            time.sleep(0.1)
        assert sum("paddle pserver" in w for w in node.processes().values() if "node.sh" not in w) == 1


def test_a_node_that_fails_is_named_with_its_log(launcher, cluster):  # noqa: F811
    script(launcher, FAIL)
    status, text = launcher.run("--trainer_count=2")
    assert status == 1
    assert "failure: the trainer of node 1 (paddle@192.168.100.18:9090): ended with status 1" in text
    assert "    I am 1 of 3 %s 2\n    the disk of node 1 is gone" % ",".join(NODES) in text
    nothing_runs(cluster, 2)
    for i, node in enumerate(cluster.nodes):
        folder = job_folder(node)
        assert node.read(folder + "/nodefile") == "%d\n" % i
        logs = node.run("ls %s/log" % folder).split()
        assert {"server.log", "train.log", "paddle_pserver2.INFO"} <= set(logs), logs


def test_only_what_changed_is_sent(launcher, cluster):  # noqa: F811
    script(launcher, FAIL)
    launcher.head.run("chmod +x tool.sh; head -c 3000000 /dev/urandom > data.txt; mkdir -p a/b; ln -s "
                      "../../data.txt a/b/link", "root", cwd=launcher.folder + "/workspace")
    text = launcher.run("")[1]
    for i in range(3):
        assert "node %d (%s): 6 files sent (6.0 MB), 0 were there" % (i, (
            "root@192.168.100.17", "paddle@192.168.100.18:9090", "tutorial@node2")[i]) in text
    script(launcher, FAIL + "# changed\n")
    cluster.nodes[2].run("echo more >> %s/data.txt" % job_folder(cluster.nodes[2]))
    text = launcher.run("")[1]
    assert "node 0 (root@192.168.100.17): 1 files sent" in text
    assert "node 1 (paddle@192.168.100.18:9090): 1 files sent" in text
    assert "node 2 (tutorial@node2): 2 files sent (3.0 MB), 4 were there" in text  # it had changed there
    for node in cluster.nodes:
        assert node.run("ls -d /tmp/JOB* | wc -l").strip() == "2"
        there = node.run("cd %s && sha256sum data.txt a/b/link train.py 'my lib.py' empty tool.sh && "
                         "ls -l tool.sh | cut -c 4" % job_folder(node))
        here = launcher.head.run("sha256sum data.txt a/b/link train.py 'my lib.py' empty tool.sh; "
                                 "ls -l tool.sh | cut -c 4", "root", cwd=launcher.folder + "/workspace")
        assert there == here


@pytest.mark.full
@pytest.mark.parametrize("number, text", [(signal.SIGINT, DEAF), (signal.SIGTERM, LONG),
                                          (signal.SIGKILL, LONG)])
def test_however_the_launcher_ends_no_process_is_left(launcher, cluster, number, text):  # noqa: F811
    """A trainer that does not listen to SIGTERM, and what it has started, are ended too."""
    script(launcher, text)
    job = launcher.start("")
    wait_until_all_train(cluster, job)
    os.killpg(job.pid, number)
    text = job.communicate(timeout=60)[0].decode()
    if number != signal.SIGKILL:
        assert "stopped by %s: 6 processes on 3 hosts were ended" % number.name in text
        nothing_runs(cluster, 2)
    nothing_runs(cluster)


@pytest.mark.full
def test_what_was_left_is_ended_by_the_next_job(launcher, cluster):  # noqa: F811
    """Where those that watch on a node were killed, and so nobody ended what they watched."""
    script(launcher, LONG)
    job = launcher.start("")
    wait_until_all_train(cluster, job)
    node = cluster.nodes[0]
    watchers = [pid for pid, words in node.processes().items() if "node.sh run" in words]
    pids = " ".join(map(str, watchers))
    node.run("kill -STOP %s; kill -9 %s" % (pids, pids), "root")  # none sees the others' end
    text = job.communicate(timeout=60)[0].decode()
    assert "failure: the " in text and "of node 0 (root@192.168.100.17): the connection to it was lost" in text
    assert len(node.processes()) == 3  # a server, a trainer, what it started
    script(launcher, FAIL)
    text = launcher.run("")[1]
    assert "node 0 (root@192.168.100.17): ended the server that an earlier job left (/tmp/JOB" in text
    assert "node 0 (root@192.168.100.17): ended the train that an earlier job left (/tmp/JOB" in text
    assert "the disk of node 1 is gone" in text
    nothing_runs(cluster, 2)


@pytest.mark.full
def test_a_workspace_that_is_there_is_used(launcher, cluster):  # noqa: F811
    for node in cluster.nodes:
        node.run("mkdir /tmp/JOBmine; chmod 777 /tmp/JOBmine")
        node.write("/tmp/JOBmine/train.py", FAIL)
    launcher.forget_workspace()
    text = launcher.run("--job_workspace=/tmp/JOBmine/ --trainer_count=1")[1]
    assert "dispatch" not in text
    assert "the disk of node 1 is gone" in text
    assert [node.read("/tmp/JOBmine/nodefile") for node in cluster.nodes] == ["0\n", "1\n", "2\n"]


@pytest.mark.full
def test_a_second_job_on_the_same_ports_is_refused_while_the_first_runs(launcher, cluster):  # noqa: F811
    script(launcher, LONG)
    job = launcher.start("")
    wait_until_all_train(cluster, job)
    folder = job_folder(cluster.nodes[0])
    status, text = launcher.run("")
    assert status == 2
    assert "port 7164 is taken; the job %s runs there" % folder in text
    assert job.poll() is None
    os.killpg(job.pid, signal.SIGINT)
    job.communicate(timeout=60)
    nothing_runs(cluster)


@pytest.mark.full
def test_a_second_job_in_the_same_workspace_ends_the_first(launcher, cluster):  # noqa: F811
    script(launcher, LONG)
    job = launcher.start("")
    wait_until_all_train(cluster, job)
    folder = job_folder(cluster.nodes[0])
    launcher.forget_workspace()
    for node in cluster.nodes:
        node.write(folder + "/train.py", FAIL)
    text = launcher.run("--job_workspace=" + folder)[1]
    # Its own launcher ends the rest, when the first process has ended.
    assert "that an earlier job left (%s)" % folder in text
    assert "the disk of node 1 is gone" in text
    assert "failure: " in job.communicate(timeout=60)[0].decode()
    nothing_runs(cluster, 2)


@pytest.mark.full  # two minutes
def test_a_host_that_is_cut_off_ends_the_job(launcher, cluster):  # noqa: F811
    script(launcher, LONG)
    job = launcher.start("")
    wait_until_all_train(cluster, job)
    cluster.plug(2, False)
    try:
        text = job.communicate(timeout=120)[0].decode()
    finally:
        cluster.plug(2, True)
    assert job.returncode != 0
    assert "of node 2 (tutorial@node2): the connection to it was lost" in text
    assert "cannot tell whether all has ended on node 2 (tutorial@node2)" in text
    assert cluster.nodes[0].processes() == cluster.nodes[1].processes() == {}
    script(launcher, FAIL)
    time.sleep(65)  # its first launcher may have lost the line for a moment only, and is waited for
    assert "node 2 (tutorial@node2): ended the train that an earlier job left" in launcher.run("")[1]
    nothing_runs(cluster)
