"""python -m paddlerec.run -b backend.yaml with backend MPI where Slurm has the nodes: three slurmd, a
folder that all of them see, and srun on the head."""
import os
import re
import signal
import time

import pytest

import backend_job
from hosts import cluster  # noqa: F401
from slurm import start_slurm
from test_slurm import rest

HOME = "/shared/job"
BACKEND = '''backend: MPI
config:
  output_path: "/shared/out"
  train_data_path: "/shared/data"
submit:
  job_name: "clicks"
  start_cmd: "python -m paddlerec.run -m ./config.yaml"
  files: ./*.py ./*.yaml
  nodes: 3
'''
LINE = "exec python -m paddlerec.run -m config.yaml -b backend.yaml"


@pytest.fixture(scope="module")
def slurm(cluster):  # noqa: F811
    start_slurm(cluster)
    return cluster


def make(slurm, tmp_path, config=backend_job.CONFIG, more=""):
    here = backend_job.make(tmp_path / "job", BACKEND + more, config)
    head = slurm.head
    head.run("rm -rf %s /shared/data /shared/out; mkdir %s /shared/data" % (HOME, HOME))
    files = {"/shared/data/part-%d" % i: "data/part-%d" % (i % 2) for i in range(3)}
    files.update({"%s/%s" % (HOME, n): n for n in ("model.py", "config.yaml", "backend.yaml")})
    for target, name in files.items():
        with open(os.path.join(here, name)) as file:
            head.write(target, file.read(), "tutorial")
    return head


@pytest.mark.parametrize("mode", ["sync", pytest.param("async", marks=pytest.mark.full),
                                  pytest.param("half_async", marks=pytest.mark.full),
                                  pytest.param("geo", marks=pytest.mark.full)])
def test_a_job_trains_on_nodes_that_slurm_chooses(slurm, mode, tmp_path):
    head = make(slurm, tmp_path, backend_job.CONFIG.replace("strategy: sync", "strategy: " + mode),
                "  launcher: srun\n" if mode == "sync" else "")  # it is there, and no hosts are given
    status, said = head.run(LINE, cwd=HOME, check=False)
    assert status == 0, said
    assert re.search(r"^srun -N 3 -n 3 --ntasks-per-node=1 sh /shared/job/clicks_\d+/start.sh$",
                     said, re.M)
    folder = head.run("ls -d %s/clicks_*" % HOME).strip()
    for i in range(3):
        log = head.read("%s/node.%d/logs/train.log" % (folder, i))
        assert re.findall(r"epoch (\d) done, .*Ins number=([0-9.]+)", log) == [
            ("0", "180.0"), ("1", "360.0")], log
        assert "paddlerec: 1 files of /shared/data are in ./train_data" in log
    assert head.run("ls /shared/out/saved").split() == ["0", "1"]
    assert [rest(node) for node in slurm.nodes] == [[], [], []]


def test_a_node_that_fails_is_named_and_nothing_is_left(slurm, tmp_path):
    head = make(slurm, tmp_path, more="  launcher: srun\n")
    head.run("echo 'click:1 a:x' >> /shared/data/part-1")
    status, said = head.run(LINE, cwd=HOME, check=False)
    assert status != 0
    assert "part-1:61" in said, said  # the last lines of that node's log
    assert "all workers already completed" not in said
    end = time.monotonic() + 30
    while any(rest(node) for node in slurm.nodes):
        assert time.monotonic() < end, [rest(node) for node in slurm.nodes]
        time.sleep(0.2)
    assert head.run("ls /shared/out 2>/dev/null || true") == ""


@pytest.mark.full
def test_ctrl_c_ends_the_job_on_all_nodes(slurm, tmp_path):
    head = make(slurm, tmp_path, backend_job.CONFIG.replace("epochs: 2", "epochs: 100000"),
                "  launcher: srun\n")
    job = head.start(LINE, cwd=HOME)
    end = time.monotonic() + 60
    while head.run("cat clicks_*/node.*/logs/train.log 2>/dev/null | grep -c 'epoch 0 done' || true",
                   cwd=HOME).strip() != "3":
        assert job.poll() is None and time.monotonic() < end, job.stdout.read()
        time.sleep(0.2)
    os.killpg(job.pid, signal.SIGINT)
    time.sleep(0.4)  # srun asks for a second one within a second
    os.killpg(job.pid, signal.SIGINT)
    job.communicate(timeout=60)
    assert job.returncode != 0
    while any(rest(node) for node in slurm.nodes):
        assert time.monotonic() < end, [rest(node) for node in slurm.nodes]
        time.sleep(0.2)
