"""python -m paddlerec.run -b backend.yaml with backend: Kubernetes: what kubectl gets, and that it
trains when its pods run."""
import base64
import os
import re
import stat

import pytest
import yaml

import backend_job
import k8s_schemas
from k8s_nodes import nodes  # noqa: F401

BACKEND = '''backend: Kubernetes
cluster_type: k8s
config:
  train_data_path: "%s"
  output_path: "%s"
submit:
  job_name: "PaddleRec_CTR"
  start_cmd: "python -m paddlerec.run -m ./config.yaml"
  files: ./*.py ./*.yaml
  image: registry/regatta:1
  k8s_trainers: 2
  k8s-cpu-cores: 4
  k8s_ps_num: 1
  k8s_ps_cores: 3
'''
KUBECTL = '#!/bin/sh\necho "$*" > "$SEEN.words"\ncat > "$SEEN"\nexit ${KUBECTL_STATUS:-0}\n'


def submit(tmp_path, change=("", ""), config=backend_job.CONFIG, **environ):
    """(status, output, documents that kubectl got)."""
    text = BACKEND % (tmp_path / "job" / "data", tmp_path / "out")
    folder = backend_job.make(tmp_path / "job", text.replace(*change), config)
    bin_folder = backend_job.client(tmp_path / "bin")
    path = os.path.join(bin_folder, "kubectl")
    with open(path, "w") as file:
        file.write(KUBECTL)
    os.chmod(path, 0o755)
    status, said = backend_job.submit(folder, bin_folder, **environ)
    seen = os.path.join(bin_folder, "seen")
    return status, said, open(seen).read() if os.path.exists(seen) else ""


def test_kubectl_gets_the_job(tmp_path):
    status, said, text = submit(tmp_path)
    assert status == 0, said
    assert (tmp_path / "bin" / "seen.words").read_text() == "create -f -\n"
    documents = list(yaml.safe_load_all(text))
    assert [d["kind"] for d in documents] == ["Secret", "Secret", "Service", "StatefulSet", "Job"]
    names = {d["metadata"]["labels"]["app.kubernetes.io/instance"] for d in documents}
    assert len(names) == 1 and re.match(r"paddlerec-ctr-\d{12}$", names.pop())
    files, job, servers = documents[0]["data"], documents[4]["spec"], documents[3]["spec"]
    assert sorted(files) == ["config.yaml", "job.json", "model.py"]
    assert base64.b64decode(files["config.yaml"]).decode() == backend_job.CONFIG
    assert job["completions"] == 2 and servers["replicas"] == 1
    container = job["template"]["spec"]["containers"][0]
    assert container["resources"]["requests"]["cpu"] == "4"
    assert servers["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "3"
    made = backend_job.made(tmp_path / "job")
    assert stat.S_IMODE(os.stat(os.path.join(made, "k8s.yaml")).st_mode) == 0o600
    assert said.splitlines()[-1] == "end submit"
    for version in k8s_schemas.versions():
        for document in documents:
            k8s_schemas.check(document, version)


def test_what_its_pods_run_trains(nodes, tmp_path):  # noqa: F811
    """Each pod has a folder of its own in the place of its /tmp/paddlerec."""
    status, said, text = submit(tmp_path)
    assert status == 0, said
    secret = next(yaml.safe_load_all(text))
    (tmp_path / "files").mkdir()
    for name, content in secret["data"].items():
        (tmp_path / "files" / name).write_bytes(base64.b64decode(content))
    text = text.replace("/paddlerec-files", str(tmp_path / "files")).replace(
        "/tmp/paddlerec", str(tmp_path / "own") + "/$POD_NAME")
    pods = nodes(list(yaml.safe_load_all(text)))
    pods.start_all()
    pods.finish()
    assert sorted(os.listdir(tmp_path / "out" / "saved")) == ["0", "1"]
    shown = [re.findall(r"epoch \d done, .*Ins number=([0-9.]+)", p.text()) for p in pods.processes]
    assert shown[1:] == [["120.0", "240.0"]] * 2  # each example once: workers divide the files


@pytest.mark.parametrize("change, what", [
    (("  image: registry/regatta:1\n", ""), r"backend.yaml:6: image is missing"),
    (("type: k8s", "type: mpi"), r"backend.yaml:2: cluster_type is mpi, and Kubernetes is k8s"),
    (("k8s_ps_num: 1", "k8s_ps_num: 0"), r"backend.yaml:13: k8s_ps_num is 0"),
])
def test_what_cannot_run_is_refused(change, what, tmp_path):
    status, said, text = submit(tmp_path, change)
    assert status == 2 and text == ""
    assert re.search(what, said), said


COLLECTIVE = backend_job.CONFIG.replace("fleet_mode: ps", "fleet_mode: collective")
CARDS = ("  k8s_ps_num: 1\n  k8s_ps_cores: 3\n", "  k8s_gpu_card: 2\n")


def test_trainers_with_cards_are_a_pod_each(tmp_path):
    status, said, text = submit(tmp_path, CARDS, config=backend_job.GPU)
    assert status == 0, said
    documents = list(yaml.safe_load_all(text))
    assert [d["kind"] for d in documents] == ["Secret", "Secret", "Service", "Job"]
    service, job = documents[2], documents[3]["spec"]
    assert job["completions"] == job["parallelism"] == 2
    pod = job["template"]["spec"]
    container = pod["containers"][0]
    assert container["resources"] == {"requests": {"cpu": "4"}, "limits": {"nvidia.com/gpu": 2}}
    assert pod["subdomain"] == service["metadata"]["name"]
    env = {e["name"]: e.get("value") for e in container["env"]}
    assert env["TRAINER_GPU_CARD_COUNT"] == "2" and env["TRAINING_ROLE"] == "TRAINER"
    name = documents[3]["metadata"]["name"]
    assert env["PADDLE_TRAINER_ENDPOINTS"] == ",".join(
        "%s-%d.%s:6170" % (name, i, name) for i in (0, 1))
    assert [p["port"] for p in service["spec"]["ports"]] == [6170, 6171]  # for each card
    for version in k8s_schemas.versions():
        for document in documents:
            k8s_schemas.check(document, version)


def test_trainers_without_servers_train(nodes, tmp_path):  # noqa: F811
    change = ("  k8s_ps_num: 1\n  k8s_ps_cores: 3\n", "")
    status, said, text = submit(tmp_path, change, COLLECTIVE)
    assert status == 0, said
    secret = next(yaml.safe_load_all(text))
    (tmp_path / "files").mkdir()
    for name, content in secret["data"].items():
        (tmp_path / "files" / name).write_bytes(base64.b64decode(content))
    text = text.replace("/paddlerec-files", str(tmp_path / "files")).replace(
        "/tmp/paddlerec", str(tmp_path / "own") + "/$POD_NAME")
    pods = nodes(list(yaml.safe_load_all(text)))
    for pod in pods.pods:
        for first in pods.start_first(pod):
            assert first.wait(30) == 0, pods.logs()
    pods.start_all()
    pods.finish()
    assert sorted(os.listdir(tmp_path / "out" / "saved")) == ["0", "1"]
    shown = [re.findall(r"epoch \d done, .*Ins number=([0-9.]+)", p.text()) for p in pods.processes]
    assert shown[2:] == [["120.0", "240.0"]] * 2


def test_a_card_that_a_pod_lacks_is_refused_where_it_trains(tmp_path):
    status, said, _ = submit(tmp_path, CARDS, config=backend_job.GPU)
    assert status == 0, said
    status, said = backend_job.submit(tmp_path / "job", None, PADDLE_PADDLEREC_ROLE="WORKER")
    assert status == 2 and "device gpu is asked for" in said


@pytest.mark.parametrize("change, config, what", [
    (("", ""), backend_job.CONFIG.replace("device: cpu", "device: gpu"),
     r"parameter servers train on CPUs: device gpu is for fleet_mode collective"),
])
def test_cards_without_collective_are_refused(change, config, what, tmp_path):
    status, said, text = submit(tmp_path, change, config)
    assert status == 2 and text == ""
    assert re.search(r"config.yaml:\d+: runner train_it: " + what, said), said


def test_kubectl_that_fails_fails_the_submission(tmp_path):
    status, said, _ = submit(tmp_path, KUBECTL_STATUS="3")
    assert status == 3 and "end submit" not in said
