"""backend: MPI where nodes see one folder: here the one node is this machine. On three hosts:
tests/clusters/test_rec_backend_hosts.py."""
import os
import re
import shutil
import sys

import pytest

import backend_job as job
from built import BUILD
from ports import free_ports

MPI = '''backend: MPI
config:
  train_data_path: "%s"
submit:
  job_name: "clicks"
  files: ./*.py ./*.yaml
  port: %d
  nic: lo
'''
# As much of Slurm as one node needs.
SRUN = '''#!/bin/sh
echo "$*" > "$SEEN"
while [ "$1" != sh ]; do shift; done
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_STEP_NUM_NODES=1 SLURM_STEP_NODELIST=here exec "$@"
'''


def make(tmp_path, more):
    return job.make(tmp_path / "job", MPI % (tmp_path / "job" / "data", free_ports(1)) + more)


@pytest.fixture(autouse=True)
def has_paddle(monkeypatch):
    monkeypatch.setenv("PATH", os.pathsep.join([BUILD, os.path.dirname(sys.executable),
                                                os.environ["PATH"]]))


def has_trained(folder):
    with open(os.path.join(job.made(folder), "node.0", "logs", "train.log")) as file:
        text = file.read()
    assert re.findall(r"Ins number=([0-9.]+)", text) == ["120.0", "240.0"], text
    assert os.listdir(os.path.join(job.made(folder), "node.0", "saved"))


def test_mpirun_on_a_folder_that_nodes_share(tmp_path):
    if shutil.which("mpirun") is None or shutil.which("ip") is None:
        pytest.skip("there is no mpirun (Debian: openmpi-bin)")
    folder = make(tmp_path, "  hosts: [localhost]\n  launcher: mpirun\n")
    status, said = job.submit(folder, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    assert status == 0, said
    has_trained(folder)


def test_mpirun_starts_workers_without_servers(tmp_path):
    text = MPI % (tmp_path / "job" / "data", free_ports(1))
    folder = job.make(tmp_path / "job", text + "  hosts: [localhost]\n  launcher: mpirun\n",
                      job.CONFIG.replace("fleet_mode: ps", "fleet_mode: collective"))
    status, said = job.submit(folder, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    assert status == 0, said
    assert re.findall(r"Ins number=([0-9.]+)", said) == ["120.0", "240.0"], said
    assert os.listdir(os.path.join(job.made(folder), "node.0", "saved"))


def test_srun_gets_as_many_tasks_as_nodes(tmp_path):
    bin_folder = job.client(tmp_path / "bin")
    for name, text in (("srun", SRUN), ("scontrol", "#!/bin/sh\necho localhost\n")):
        with open(os.path.join(bin_folder, name), "w") as file:
            file.write(text)
        os.chmod(os.path.join(bin_folder, name), 0o755)
    folder = make(tmp_path, "  launcher: srun\n  nodes: 1\n")
    status, said = job.submit(folder, bin_folder)
    assert status == 0, said
    with open(os.path.join(bin_folder, "seen")) as file:
        assert file.read().startswith("-N 1 -n 1 --ntasks-per-node=1 sh %s/" % folder)
    has_trained(folder)


@pytest.mark.parametrize("more, what", [
    ("  launcher: yarn\n", r":9: launcher is 'yarn', wanted mpirun or srun"),
    ("  launcher: mpirun\n", r":4: hosts is missing: wanted the hosts"),
    ("  launcher: mpirun\n  hosts: [me@a]\n", r":10: hosts: me@a: mpirun takes names alone"),
    ("  launcher: mpirun\n  hosts: a a\n", r":10: hosts: one is there twice"),
    ("  launcher: mpirun\n  hosts: [a]\n  root_dir: x\n", r":11: root_dir is x, wanted the full"),
    ("  launcher: srun\n", r":4: nodes is missing: srun is told how many"),
    ("  launcher: srun\n  nodes: 2\n  hosts: [a]\n", r":11: hosts is for mpirun"),
])
def test_what_cannot_be_started_is_refused(more, what, tmp_path):
    status, said = job.submit(make(tmp_path, more))
    assert status == 2, said
    assert re.search("backend.yaml" + what, said), said
