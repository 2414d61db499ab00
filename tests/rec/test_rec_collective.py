"""fleet_mode collective: workers without servers, on this host and as a cluster's nodes."""
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import backend_job
import rec_job as job

LOCAL = job.CONFIG.replace("class: train", "class: local_cluster_train", 1).replace(
    "fleet_mode: ps", "fleet_mode: collective")


def counted(text):
    return re.findall(r"epoch (\d) done, .*AUC=([0-9.]+) .*Ins number=([0-9.]+)", text)


@pytest.mark.parametrize("kind", ["QueueDataset", "DataLoader"])
def test_workers_train_one_model(kind, tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("type: QueueDataset", "type: " + kind).replace(
        "type: DataLoader", "type: " + kind))
    status, said = job.run(folder)
    assert status == 0, said
    assert sorted(os.listdir(tmp_path / "logs")) == ["job.end", "watch", "worker.0", "worker.1"]
    shown = [counted((tmp_path / "logs" / ("worker.%d" % i)).read_text()) for i in (0, 1)]
    assert shown[0] == shown[1]  # the metric is of both
    assert [n for _, _, n in shown[0]] == ["120.0", "240.0"]
    assert sorted(os.listdir(tmp_path / "saved")) == ["0", "1"]


def test_what_workers_save_one_machine_judges(tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("mode: [train_it]", "mode: [train_it, judge_it]"))
    status, said = job.run(folder)
    assert status == 0, said
    assert re.search(r"Infer phase1 of epoch 1 done, .*Ins number=120", said)


def test_a_gpu_that_is_not_there_is_refused_before_anything_starts(tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("device: cpu", "device: gpu"))
    status, said = job.run(folder)
    assert status == 2
    assert re.search(r"config.yaml:\d+: runner train_it: device gpu is asked for", said), said


BACKEND = '''backend: %s
cluster_type: %s
config:
  train_data_path: "%s"
  output_path: "%s"
submit:
  job_name: "PaddleRec_CTR"
  files: ./*.py ./*.yaml
  %s
'''
COLLECTIVE = backend_job.CONFIG.replace("fleet_mode: ps", "fleet_mode: collective")


def test_the_backend_local_trains_without_servers(tmp_path):
    text = BACKEND % ("Local", "k8s", tmp_path / "job" / "data", tmp_path / "out",
                      "k8s_trainers: 2")
    folder = backend_job.make(tmp_path / "job", text, COLLECTIVE)
    status, said = backend_job.submit(folder, backend_job.client(tmp_path / "bin"))
    assert status == 0, said
    made = backend_job.made(tmp_path / "job")
    assert sorted(os.listdir(os.path.join(made, "logs"))) == ["job.end", "watch", "worker.0", "worker.1"]
    assert sorted(os.listdir(tmp_path / "out" / "saved")) == ["0", "1"]


def test_a_pod_with_two_cards_has_two_workers():
    """What they are told, of pods with a name and a port each."""
    ask = """
import os
os.environ.update(PADDLE_TRAINER_ENDPOINTS="127.0.0.1:6170,127.0.0.2:6170", PADDLE_TRAINER_ID="1",
                  PADDLE_TRAINERS_NUM="2")
from paddlerec.core.engine.local_cluster import LocalClusterEngine
engine = LocalClusterEngine({"fleet_mode": "collective", "selected_gpus": "0,1", "log_dir": "logs"},
                            "config.yaml")
for role, index, words, env, log, append, echo, spare in engine.collective_job().processes:
    env = dict(item.split("=", 1) for item in env)
    print(index, log, env["PADDLE_TRAINER_ENDPOINTS"], env["PADDLE_CURRENT_ENDPOINT"],
          env["FLAGS_selected_gpus"])
"""
    out = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=60)
    assert out.returncode == 0, out.stderr
    every = "127.0.0.1:6170,127.0.0.1:6171,127.0.0.2:6170,127.0.0.2:6171"
    assert out.stdout.splitlines() == [
        "2 logs/worker.0 %s 127.0.0.2:6170 0" % every, "3 logs/worker.1 %s 127.0.0.2:6171 1" % every]
