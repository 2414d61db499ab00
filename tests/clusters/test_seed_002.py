"""`sh run.sh` of both SSH launchers, as shipped, on hosts that have the addresses of conf.py:
demo/recommendation from preprocess.sh to a model that predicts."""
import os
import signal
import time

import pytest

from built import ROOT
from hosts import cluster  # noqa: F401
from ssh_job import SCRIPTS

DEMO = os.path.join(ROOT, "demo", "recommendation")
LOGS = {"train.log", "server.log", "paddle_trainer.INFO", "paddle_pserver2.INFO",
        "paddle_pserver_main.INFO"}


@pytest.fixture(scope="module")
def prepared(cluster):  # noqa: F811
    """The workspace of the text, on the head."""
    cluster.head.run("./preprocess.sh", "root", cwd=DEMO, PADDLE_DATASET="synthetic",
                     MAX_RATINGS="2000")
    return cluster


@pytest.mark.parametrize("launcher, root, hosts, passes", [
    ("cluster_train", "/home/paddle", 2, 10),
    pytest.param("cluster_train_v2/fabric", "/root", 3, 5, marks=pytest.mark.full)])
def test_recommendation_is_trained_as_the_text_says(prepared, launcher, root, hosts, passes):
    text = prepared.head.run("sh run.sh", "root",
                             cwd=os.path.join(SCRIPTS, launcher), timeout=400)
    assert "done: all %d trainers have ended well" % hosts in text
    last = "pass-%05d" % (passes - 1)
    for i, node in enumerate(prepared.nodes[:hosts]):
        assert node.processes() == {}
        folder = node.run("ls -d %s/JOB*" % root, "root").strip()
        assert "%s/output of node 0 (root@192.168.100.17)" % folder in text
        assert node.read(folder + "/nodefile") == "%d\n" % i
        assert LOGS <= set(node.run("ls %s/log" % folder, "root").split())
        assert "Pass=%d Batch=" % (passes - 1) in node.read(folder + "/log/paddle_trainer.INFO")
        saved = node.run("ls %s/output 2>/dev/null || true" % folder, "root").split()
        assert (last in saved) == (i == 0), saved
    stars = prepared.nodes[0].run("printf '1\\n1\\n' | python prediction.py output/" + last, "root",
                                  cwd=prepared.nodes[0].run("ls -d %s/JOB*" % root, "root").strip())
    assert "Prediction Score is " in stars


def test_a_script_of_v2_is_trained_too(cluster):  # noqa: F811
    """word2vec, as the guide says: its train.py is run where there is no --config."""
    word2vec = os.path.join(ROOT, "demo", "word2vec")
    cluster.head.run("python prepare.py --lines=300 && cp api_train_v2_cluster.py train.py", "root",
                     cwd=word2vec, PADDLE_DATASET="synthetic")
    text = cluster.head.run(
        "python paddle.py --job_dispatch_package=../../../../../demo/word2vec --num_passes=2 "
        "--save_dir=./output --trainer_count=1", "root",
        cwd=os.path.join(SCRIPTS, "cluster_train_v2", "fabric"))
    assert "done: all 3 trainers have ended well" in text
    for i, node in enumerate(cluster.nodes):
        folder = node.run("ls -d /root/JOB* | tail -n 1", "root").strip()
        assert "train.txt-%05d\n" % i in node.read(folder + "/log/train.log")
        saved = node.run("ls %s/output 2>/dev/null || true" % folder, "root").split()
        assert ("pass-00001.tar.gz" in saved) == (i == 0), saved


def begin(prepared, *edit):
    """A job of many passes, in a copy of the workspace; when all nodes train."""
    cluster = prepared  # noqa: F811
    for node in cluster.nodes:
        node.run("rm -rf /home/paddle/JOB*", "root")
    cluster.head.run("rm -rf /root/mine && cp -r %s /root/mine" % DEMO, "root")
    for line in edit:
        cluster.head.run(line, "root", cwd="/root/mine")
    job = cluster.head.start("exec sh run.sh --num_passes=100000 --log_period=1", "root",
                             cwd=os.path.join(SCRIPTS, "cluster_train"),
                             PATH_TO_LOCAL_WORKSPACE="/root/mine")
    end = time.monotonic() + 120
    for node in cluster.nodes[:2]:
        while "Pass=1 " not in node.run("cat /home/paddle/JOB*/log/"
                                        "paddle_trainer.INFO 2>/dev/null || true", "root"):
            if job.poll() is not None:
                break
            assert time.monotonic() < end
            time.sleep(0.2)
    return job


def ends(prepared, job):
    text = job.communicate(timeout=120)[0].decode()
    end = time.monotonic() + 5
    while any(node.processes() for node in prepared.nodes):
        assert time.monotonic() < end, [node.processes() for node in prepared.nodes]
        time.sleep(0.1)
    return text


def kill(node, what):
    pids = [str(pid) for pid, words in node.processes().items()
            if what in words and "node.sh" not in words]
    assert len(pids) == 1, node.processes()
    node.run("kill -9 " + pids[0], "root")


def test_ctrl_c_in_the_middle_leaves_no_process(prepared):
    job = begin(prepared)
    assert job.poll() is None
    os.killpg(job.pid, signal.SIGINT)
    assert "stopped by SIGINT: 4 processes on 2 hosts were ended" in ends(prepared, job)


def test_a_provider_that_raises_is_shown(prepared):
    job = begin(prepared, "sed -i 's/^def process(.*/&\\n    if open(\"nodefile\").read()[0] == \"1\": "
                          "raise ValueError(\"line 7 has no stars\")/' dataprovider.py")
    text = ends(prepared, job)
    assert job.returncode == 1
    assert "failure: the trainer of node 1 (root@192.168.100.18): ended with status 1" in text
    assert "line 7 has no stars" in text


@pytest.mark.full
@pytest.mark.parametrize("what, who", [("paddle pserver", "server"), ("paddle.trainer.main", "trainer")])
def test_who_was_killed_is_named(prepared, what, who):
    """All others fail too, because of it."""
    job = begin(prepared)
    kill(prepared.nodes[1], what)
    text = ends(prepared, job)
    assert job.returncode == 1
    assert "failure: the %s of node 1 (root@192.168.100.18): was ended by signal 9" % who in text
