"""`sh run.sh` of both SSH launchers, as shipped, on hosts that have the addresses of conf.py:
demo/recommendation from preprocess.sh to a model that predicts."""
import os

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
    ("cluster_train", "/home/paddle", 2, 10), ("cluster_train_v2/fabric", "/root", 3, 5)])
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
