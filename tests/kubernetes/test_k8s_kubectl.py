"""The real kubectl makes and removes a job, at a server that knows as much of the API as it needs."""
import json
import shutil
import subprocess

import pytest

from k8s_api_server import ApiServer
from k8s_kubelet import PATH, run_k8s
from k8s_schemas import versions

JOB = ["--name", "fit", "--servers", "2", "--trainers", "3", "--image", "local/fit:1", "--cmd",
       "python train.py"]
ALL = [("secrets", "fit-key"), ("services", "fit-pserver"), ("statefulsets", "fit-pserver"),
       ("jobs", "fit-trainer")]
OPERATOR = [("secrets", "fit-key"), ("paddlejobs", "fit")]


def kubectl_minor():
    if shutil.which("kubectl") is None:
        return -1
    done = subprocess.run(["kubectl", "version", "--client", "-o", "json"], stdout=subprocess.PIPE,
                          check=True, timeout=60)
    return int(json.loads(done.stdout)["clientVersion"]["minor"].strip("+"))


@pytest.fixture
def api(tmp_path, monkeypatch):
    if kubectl_minor() < 27:  # which check objects themselves, by descriptions we have not got
        pytest.skip("there is no kubectl of version 1.27 or later")
    pytest.importorskip("kubernetes_validate")
    server = ApiServer(versions()[-1])
    config = tmp_path / "config"
    config.write_text("""apiVersion: v1
kind: Config
clusters: [{name: here, cluster: {server: "%s"}}]
contexts: [{name: here, context: {cluster: here, user: me, namespace: team}}]
users: [{name: me, user: {}}]
current-context: here
""" % server.url)
    monkeypatch.setenv("KUBECONFIG", str(config))
    monkeypatch.setenv("HOME", str(tmp_path))  # it keeps what it has heard there
    yield server
    server.close()


def k8s(*arguments):
    return run_k8s(*arguments, path=PATH + ":" + shutil.which("kubectl").rpartition("/")[0])


@pytest.mark.parametrize("kind, made", [("v2", ALL), ("fluid", ALL), ("paddlejob", OPERATOR)])
def test_apply_and_delete(api, kind, made):
    api.objects["team", "services", "another"] = {"kind": "Service", "apiVersion": "v1",
                                                  "metadata": {"name": "another", "labels": {
                                                      "app.kubernetes.io/instance": "fit"}}}
    done = k8s("--kind", kind, "--apply", *JOB)
    assert done.returncode == 0, (done.stderr, api.requests)
    assert done.stdout.count(" created\n") == len(made)
    assert set(api.objects) == {("team",) + one for one in made} | {("team", "services", "another")}
    # A second one of that name is refused whole, and says what to do.
    before = str(api.objects)
    done = k8s("--kind", kind, "--apply", *JOB)
    assert done.returncode != 0 and "already exists" in done.stderr
    assert "--name fit --delete" in done.stderr
    assert str(api.objects) == before
    done = k8s("--name", "fit", "--delete")  # whatever kind it was
    assert done.returncode == 0, (done.stderr, api.requests)
    assert list(api.objects) == [("team", "services", "another")]


def test_in_a_namespace(api):
    assert k8s("--apply", "--namespace", "other", *JOB).returncode == 0
    assert {namespace for namespace, _, _ in api.objects} == {"other"}
    assert k8s("--name", "fit", "--namespace", "other", "--delete").returncode == 0
    assert not api.objects


def test_files_as_the_guide_has_it(api, tmp_path):
    path = str(tmp_path / "fit.yaml")
    assert k8s("--output", path, *JOB).returncode == 0
    for verb in ("create", "delete"):
        done = subprocess.run(["kubectl", verb, "-f", path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60)
        assert done.returncode == 0, (done.stdout, api.requests)
        assert len(api.objects) == (4 if verb == "create" else 0)
