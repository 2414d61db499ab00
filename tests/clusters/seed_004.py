"""The cluster_train configuration of the documents, byte for byte, as a job of the hosts of hosts.py:
clicks enough that an AUC means something, and what a job has saved judged on clicks that none has seen."""
import math
import os
import random
import re

from built import ROOT
from hosts import NODES

LINE = "exec python -m paddlerec.run -m config.yaml -b backend.yaml"
HOMES = {"Local": ("root", "/root"), "SSH": ("root", "/root"),
         "MPI": ("tutorial", "/home/tutorial")}
BACKEND = """backend: %s
config:
  output_path: "%s/out"
  train_data_path: "%s/data"
submit:
  job_name: "PaddleRec_CTR"
  start_cmd: "python -m paddlerec.run -m ./config.yaml"
  files: ./*.py ./*.yaml
  nodes: 3
  hosts: %s
  root_dir: "%s"
"""
VALUES = 4  # of each slot


def _read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


CONFIG = _read("tests", "rec", "seed_004_cluster.yaml")
# The package's own model, smaller: it takes the sizes that the configuration does not say.
MODEL = _read("python", "paddlerec", "models", "rank", "dnn", "model.py").replace(
    "[512, 256, 128, 32]", "[16]").replace("1000001", "3000")
JUDGE = CONFIG.replace("class: cluster_train", "class: infer").replace(
    'init_model_path: ""', 'init_model_path: "out/increment_dnn"').replace(
    "/train_data", "/unseen").replace("batch_size: 2", "batch_size: 100")


def clicks(count, seed):
    """Slot lines whose click is drawn by a logistic model over all slots: an AUC of 0.993 at best."""
    world, draw = random.Random(7), random.Random(seed)
    weights = [[world.gauss(0, 3.6) for _ in range(VALUES)] for _ in range(26)]
    dense_weights = [world.gauss(0, 4) for _ in range(13)]
    lines = []
    for _ in range(count):
        ids = [draw.randrange(VALUES) for _ in weights]
        dense = [round(draw.random(), 3) for _ in dense_weights]
        logit = sum(w[i] for w, i in zip(weights, ids)) + \
            sum(w * (d - 0.5) for w, d in zip(dense_weights, dense))
        lines.append("click:%d %s %s\n" % (
            draw.random() < 1 / (1 + math.exp(-logit)),
            " ".join("dense_var:%s" % d for d in dense),
            " ".join("%d:%d" % (i + 1, i * 100 + n) for i, n in enumerate(ids))))
    return "".join(lines)


def config(strategy):
    return CONFIG.replace("strategy: async", "strategy: " + strategy)


def _own_files(host, user, folder, files):
    host.run("rm -rf %s && mkdir -p %s" % (folder, folder), user)
    for name, text in files.items():
        host.write("%s/%s" % (folder, name), text, user)


class Jobs(object):
    """rows: for each of three workers."""

    def __init__(self, cluster, rows):
        self._cluster = cluster
        parts = {"part-%d" % i: clicks(rows, i) for i in range(3)}
        for user, home in set(HOMES.values()):
            for host in cluster.hosts:
                _own_files(host, user, home + "/data", parts)
                _own_files(host, user, home + "/unseen", {"part": clicks(4000, 99)})

    def run(self, kind, strategy):
        """What the command said; asserts that it trained."""
        (user, home), head = HOMES[kind], self._cluster.head
        hosts = NODES if kind == "MPI" else ["root@" + n for n in NODES]
        for host in self._cluster.hosts:
            host.run("rm -rf out JOB* PaddleRec_CTR_*", user)
        _own_files(head, user, home + "/job", {
            "model.py": MODEL, "config.yaml": config(strategy),
            "backend.yaml": BACKEND % (kind, home, home, "[%s]" % ", ".join(hosts), home)})
        status, said = head.run(LINE, user, cwd=home + "/job", check=False, timeout=400)
        assert status == 0, said
        return said

    def judge(self, kind):
        """{epoch: AUC} of what was saved, where it was sent to."""
        user, home = HOMES[kind]
        host = self._cluster.head if kind == "Local" else self._cluster.nodes[0]
        host.write(home + "/judge.yaml", JUDGE, user)
        host.write(home + "/model.py", MODEL, user)
        said = host.run("python -m paddlerec.run -m judge.yaml", user)
        found = re.findall(r"Infer phase1 of epoch (\d) done, .*AUC=([0-9.]+) .*Ins number=4000", said)
        return {int(epoch): float(auc) for epoch, auc in found}
