"""The commands of docs/guide-kubernetes.md, as they stand there."""
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from built import ROOT
from k8s_kubelet import run_k8s
from k8s_nodes import nodes  # noqa: F401
from k8s_schemas import check, versions


def commands():
    """Lines of code that begin with `paddle k8s`, up to a pipe."""
    with open(os.path.join(ROOT, "docs", "guide-kubernetes.md")) as file:
        text = file.read().replace("\\\n", " ")
    return [shlex.split(line)[2:] for line in re.findall(r"^(paddle k8s [^|\n]*)", text, re.M)]


def test_there_are_some():
    assert len(commands()) >= 5


@pytest.mark.parametrize("words", [w for w in commands() if "--delete" not in w],
                         ids=lambda w: "-".join(w[:4]).replace("--", ""))
def test_each_makes_a_job(words, tmp_path):
    done = run_k8s(*words, cwd=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout or (tmp_path / "fit.yaml").read_text()
    kinds = []
    for document in yaml.safe_load_all(text):
        kinds.append(document["kind"])
        if document["kind"] != "PaddleJob":
            check(document, versions()[-1])
    assert kinds[-1] in ("Job", "PaddleJob")


@pytest.mark.parametrize("kind", ["fluid", "paddlejob"])
def test_fit_a_line_trains(kind, nodes, tmp_path):  # noqa: F811
    """The guide's own job, with a folder of this host as the volume."""
    words = [w for w in commands() if kind in w and "--servers" in w][0]
    words = [w.replace("--model /models", "--epochs 3 --model %s" % tmp_path) for w in words
             if w not in ("--output", "fit.yaml")]
    pods = nodes(*words, workspace=os.path.join(ROOT, "demo", "fit_a_line"),
                 PADDLE_DATASET="synthetic")
    pods.start_all()
    pods.finish()
    assert "__model__" in os.listdir(str(tmp_path / "fit"))
    first = pods.of("trainer")[0].name
    assert "epoch   2" in [p for p in pods.processes if p.name == first][0].text()


def test_word2vec_trains(nodes, tmp_path):  # noqa: F811
    """The same of the v2 job, with an image as the guide makes it, but for the size of the data."""
    words = [w for w in commands() if "word2vec" in w][0]
    words = [w.replace("/models", str(tmp_path)) if w.startswith("python") else w for w in words]
    image = str(tmp_path / "image")
    shutil.copytree(os.path.join(ROOT, "demo", "word2vec"), image)
    subprocess.run([sys.executable, "prepare.py", "--split_count", "3", "--lines", "3000"],
                   cwd=image, env=dict(os.environ, PADDLE_DATASET="synthetic"), check=True,
                   stdout=subprocess.DEVNULL, timeout=60)
    pods = nodes(*words, workspace=image, NUM_PASSES="1")
    pods.start_all()
    pods.finish()
    assert os.listdir(str(tmp_path / "word2vec")) == ["pass-00000.tar.gz"]
