"""What `paddle k8s` writes is what Kubernetes and the training operator take, and says what a job
needs."""
import glob
import json
import os
import stat
import subprocess
import sys

import pytest
import yaml

from built import ROOT
from k8s_kubelet import documents_of, of_kind, pods_of, run_k8s, secrets_of
from k8s_schemas import check, check_file, versions
from terminal import on_a_terminal

JOB = ["--name", "w2v", "--servers", "2", "--trainers", "3", "--image", "registry.local/w2v:1",
       "--cmd", "python train.py"]
FULL = JOB + ["--namespace", "team", "--cpu", "2", "--memory", "4Gi", "--server-cpu", "500m",
              "--server-memory", "512Mi", "--env", "CPU_NUM=2", "--env", "WHERE=$(POD_NAME)",
              "--volume", "models:/models", "--volume", "logs:/logs:ro", "--data", "shards",
              "--pull-secret", "registry"]
FEW = JOB + ["--key-secret", "mine"]
V2 = ["--kind", "v2"]
V2_PORTS = ["--kind", "v2", "--port", "8000", "--ports-num", "2", "--ports-num-for-sparse", "2"]
FLUID = ["--kind", "fluid"]
OPERATOR = ["--kind", "paddlejob"]


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("kind", [V2, V2_PORTS, FLUID], ids=["v2", "v2-ports", "fluid"])
@pytest.mark.parametrize("job", [JOB, FULL, FEW], ids=["plain", "full", "own-key"])
def test_kubernetes_takes_it(version, kind, job):
    for document in documents_of(*job + kind):
        check(document, version)


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("job", [JOB, FULL], ids=["plain", "full"])
def test_pods_of_a_paddle_job_are_pods(version, job):
    for pod in pods_of(documents_of(*job + OPERATOR)):
        check(dict(pod.template, apiVersion="v1", kind="Pod"), version)


@pytest.mark.parametrize("job", [JOB, FULL], ids=["plain", "full"])
def test_the_operator_takes_it(job):
    """Its own models read the object, and nothing of it is lost on the way: no field is unknown."""
    training = pytest.importorskip("kubeflow.training")
    document = of_kind(documents_of(*job + OPERATOR), "PaddleJob")

    class Answer(object):
        data = json.dumps(document)
    client = training.ApiClient()
    model = client.deserialize(Answer, "KubeflowOrgV1PaddleJob")
    assert client.sanitize_for_serialization(model) == document
    for part in ("Master", "Worker"):
        container, = document["spec"]["paddleReplicaSpecs"][part]["template"]["spec"]["containers"]
        assert container["name"] == "paddle"  # the operator looks for it


def test_a_wrong_object_is_found():
    """That the checks above see something."""
    job = of_kind(documents_of(*JOB), "Job")
    job["spec"]["backOffLimit"] = job["spec"].pop("backoffLimit")
    with pytest.raises(pytest.fail.Exception, match="backOffLimit"):
        check(job, versions()[-1])


@pytest.mark.parametrize("version", versions())
def test_every_yaml_file_that_is_shipped(version):
    for path in sorted(glob.glob(os.path.join(ROOT, "python", "paddle", "scripts", "**", "*.yaml"),
                                 recursive=True)):
        check_file(path, version)


# ---- what is in it ----

@pytest.mark.parametrize("kind", [V2, FLUID], ids=["v2", "fluid"])
def test_trainers_fail_once_and_stay(kind):
    job = of_kind(documents_of(*JOB + kind), "Job")
    assert job["spec"]["backoffLimit"] == 0
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert (job["spec"]["completionMode"], job["spec"]["completions"]) == ("Indexed", 3)
    assert "ttlSecondsAfterFinished" not in job["spec"]


def test_pods_of_a_failed_paddle_job_stay():
    spec = of_kind(documents_of(*JOB + OPERATOR), "PaddleJob")["spec"]
    assert spec["runPolicy"] == {"backoffLimit": 0, "cleanPodPolicy": "Running"}
    assert {r["restartPolicy"] for r in spec["paddleReplicaSpecs"].values()} == {"Never"}


@pytest.mark.parametrize("kind", [V2, FLUID, OPERATOR], ids=["v2", "fluid", "paddlejob"])
def test_selectors_find_their_pods(kind):
    """Servers, and no trainers; and all that belongs to the job has the labels it is deleted by."""
    documents = documents_of(*JOB + kind)
    for document in documents:
        labels = document["metadata"]["labels"]
        assert labels["app.kubernetes.io/instance"] == "w2v"
        assert labels["app.kubernetes.io/managed-by"] == "paddle-k8s"
        selector = document.get("spec", {}).get("selector")
        if selector is not None:
            wanted = selector.get("matchLabels", selector).items()
            parts = {p.part for p in pods_of(documents) if wanted <= p.labels.items()}
            assert parts == {"pserver"}


@pytest.mark.parametrize("kind", [V2, FLUID, OPERATOR], ids=["v2", "fluid", "paddlejob"])
def test_the_key_is_in_the_secret_alone(kind):
    documents = documents_of(*JOB + kind)
    secret = of_kind(documents, "Secret")
    key = secret["stringData"]["key"]
    assert len(key) == 64 and int(key, 16)
    assert key not in yaml.safe_dump([d for d in documents if d is not secret])
    assert key != secrets_of(documents_of(*JOB + kind))["w2v-key"]["key"]  # one for each job
    for pod in pods_of(documents):
        pod.address = "10.0.0.1"
        assert pod.environment(secrets_of(documents))["REGATTA_JOB_KEY"] == key


def test_a_key_that_is_there_is_used():
    documents = documents_of(*FEW)
    assert {d["kind"] for d in documents} == {"Service", "StatefulSet", "Job"}
    for pod in pods_of(documents):
        pod.address = "10.0.0.1"
        assert pod.environment({"mine": {"key": "ab"}})["REGATTA_JOB_KEY"] == "ab"


def test_ports():
    documents = documents_of(*JOB + V2_PORTS)
    wanted = [8000, 8001, 8002, 8003]
    service = of_kind(documents, "Service")
    assert [p["port"] for p in service["spec"]["ports"]] == wanted
    server = pods_of(documents)[0].container
    assert [p["containerPort"] for p in server["ports"]] == wanted
    assert server["livenessProbe"]["tcpSocket"]["port"] == 8000


def test_resources_and_volumes():
    pods = pods_of(documents_of(*FULL))
    for pod in pods:
        cpu, memory = ("500m", "512Mi") if pod.part == "pserver" else ("2", "4Gi")
        assert pod.container["resources"] == {"requests": {"cpu": cpu, "memory": memory},
                                              "limits": {"memory": memory}}
        claims = {v["name"]: v["persistentVolumeClaim"]["claimName"]
                  for v in pod.template["spec"]["volumes"]}
        mounts = {(claims[m["name"]], m["mountPath"], m.get("readOnly", False))
                  for m in pod.container["volumeMounts"]}
        assert mounts == {("models", "/models", False), ("logs", "/logs", True),
                          ("shards", "/data", False)}
        pod.address = "10.0.0.1"
        env = pod.environment({"w2v-key": {"key": "ab"}})
        assert (env["CPU_NUM"], env["WHERE"]) == ("2", pod.name)


def test_env_is_stronger_than_what_we_think_best():
    for pod in pods_of(documents_of(*JOB + ["--env", "FLAGS_rpc_deadline=5000"])):
        values = [e["value"] for e in pod.container["env"] if e["name"] == "FLAGS_rpc_deadline"]
        assert values == ["5000"]


# ---- where it goes ----

def test_a_file_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "job.yaml"
    path.write_text("an older one, for all to read")
    path.chmod(0o644)
    done = run_k8s(*JOB + ["--output", str(path)])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(list(yaml.safe_load_all(path.read_text()))) == 4
    assert os.listdir(str(tmp_path)) == ["job.yaml"]


@pytest.fixture
def kubectl(tmp_path):
    """A program of that name, which keeps what it is given. Its status is that of the file."""
    path = tmp_path / "kubectl"
    path.write_text("#!/bin/sh\necho \"$*\" > '{0}/arguments'\ncat > '{0}/input'\n"
                    "exit $(cat '{0}/status')\n".format(tmp_path))
    path.chmod(0o755)
    (tmp_path / "status").write_text("0")
    return tmp_path


def run_with(kubectl, *arguments):
    return run_k8s(*arguments, path="%s:/usr/bin:/bin" % kubectl, stdin=subprocess.DEVNULL)


def test_apply_hands_it_to_kubectl(kubectl):
    done = run_with(kubectl, *JOB + ["--apply", "--namespace", "team"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (kubectl / "arguments").read_text() == "--namespace team create -f -\n"
    documents = list(yaml.safe_load_all((kubectl / "input").read_text()))
    assert [d["kind"] for d in documents] == ["Secret", "Service", "StatefulSet", "Job"]
    assert {d["metadata"]["namespace"] for d in documents} == {"team"}


def test_what_kubectl_says_is_the_end(kubectl):
    (kubectl / "status").write_text("3")
    done = run_with(kubectl, *JOB + ["--apply"])
    assert done.returncode == 3
    assert "paddle k8s --name w2v --delete" in done.stderr


@pytest.mark.parametrize("kind, kinds", [(V2, "job,statefulset,service,secret"),
                                         (OPERATOR, "paddlejob,job,statefulset,service,secret")])
def test_delete_by_labels(kubectl, kind, kinds):
    """It takes all that was made, whatever else is in the namespace."""
    done = run_with(kubectl, "--name", "w2v", "--delete", *kind)
    assert (done.returncode, done.stderr) == (0, "")
    assert (kubectl / "arguments").read_text() == (
        "delete %s --selector app.kubernetes.io/managed-by=paddle-k8s,"
        "app.kubernetes.io/instance=w2v\n" % kinds)
    made = {d["kind"].lower() for d in documents_of(*JOB + kind)}
    assert made <= set(kinds.split(","))


def test_no_kubectl(tmp_path):
    done = run_k8s(*JOB + ["--apply"], path=str(tmp_path))
    assert done.returncode == 2
    assert "there is no kubectl here" in done.stderr and "--output FILE" in done.stderr


def test_a_terminal_does_not_see_the_key():
    """It would stay in its history, for whoever looks over the shoulder."""
    status, seen = on_a_terminal([sys.executable, "-m", "paddle.scripts.k8s"] + JOB)
    assert status == 0
    assert b"kind: StatefulSet" in seen and b"stringData" not in seen
    assert b"w2v-key with the job's key is not shown" in seen
