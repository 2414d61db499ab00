"""The demo clusters for the SSH and MPI launchers: their YAML, and that no key is in the tree."""
import os
import shutil
import subprocess

import pytest
import yaml

from built import ROOT
from k8s_schemas import check_file, versions

V2 = os.path.join(ROOT, "python", "paddle", "scripts", "cluster_train_v2")
FILES = ["fabric/docker_cluster/ssh_servers.yaml", "openmpi/docker_cluster/head.yaml",
         "openmpi/docker_cluster/mpi-nodes.yaml"]


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("name", FILES)
def test_kubernetes_takes_them(name, version):
    check_file(os.path.join(V2, name), version)


@pytest.mark.parametrize("name, pods", list(zip(FILES, (3, 1, 3))))
def test_as_many_hosts_as_the_texts_have(name, pods):
    with open(os.path.join(V2, name)) as file:
        spec = yaml.safe_load(file)["spec"]
    assert spec["replicas"] == pods
    pod = spec["template"]["spec"]
    # The key is a secret that make_keys.sh makes, mounted where start_node.sh looks for it.
    folder = os.path.dirname(os.path.join(V2, name))
    with open(os.path.join(folder, "make_keys.sh")) as file:
        assert "secret generic %s " % pod["volumes"][0]["secret"]["secretName"] in file.read()
    with open(os.path.join(folder, "start_node.sh")) as file:
        assert "KEY_FOLDER:-%s}" % pod["containers"][0]["volumeMounts"][0]["mountPath"] in file.read()


def test_keys_are_made_and_not_shipped(tmp_path):
    """make_keys.sh, in a copy of its folder; what it makes is ignored by git."""
    tools = tmp_path / "bin"  # no kubectl among them: there is no cluster
    tools.mkdir()
    for tool in ("sh", "dirname", "mkdir", "ssh-keygen"):
        os.symlink(shutil.which(tool), str(tools / tool))
    for name, key in (("fabric", "id_rsa"), ("openmpi", "id_rsa.mpi")):
        source = os.path.join(V2, name, "docker_cluster")
        assert not os.path.exists(os.path.join(source, "ssh"))
        folder = str(tmp_path / name)
        subprocess.run(["cp", "-r", source, folder], check=True)
        subprocess.run(["sh", os.path.join(folder, "make_keys.sh")], check=True,
                       env={"PATH": str(tools)}, stderr=subprocess.DEVNULL)
        assert os.stat(os.path.join(folder, "ssh", key)).st_mode & 0o077 == 0
        ignored = subprocess.run(["git", "check-ignore", "-q", os.path.join(source, "ssh", key)],
                                 cwd=ROOT)
        assert ignored.returncode in (0, 128)  # 128: not in a repository
