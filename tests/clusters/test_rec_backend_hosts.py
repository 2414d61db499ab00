"""python -m paddlerec.run -b backend.yaml on three hosts: backends SSH and MPI."""
import os
import re

import pytest

import backend_job
from hosts import NODES, cluster  # noqa: F401
from mpi_job import make_cluster, need_mpi

BACKEND = '''backend: %s
config:
  output_path: "%s/out"
  train_data_path: "%s/data"
submit:
  job_name: "clicks"
  start_cmd: "python -m paddlerec.run -m ./config.yaml"
  files: ./*.py ./*.yaml
  hosts: %s
  root_dir: "%s"
'''
LINE = "exec python -m paddlerec.run -m config.yaml -b backend.yaml"


def job_of(host, user, home, hosts, mode, kind, tmp_path):
    """A folder `job` in the user's home on the head."""
    here = backend_job.make(tmp_path / "job", BACKEND % (kind, home, home, hosts, home),
                            backend_job.CONFIG.replace("strategy: sync", "strategy: " + mode))
    host.run("rm -rf job clicks_*; mkdir job", user, cwd=home)
    for name in ("model.py", "config.yaml", "backend.yaml"):
        with open(os.path.join(here, name)) as file:
            host.write("%s/job/%s" % (home, name), file.read(), user)
    return here


def data_of(nodes, here, user, home):
    """The same data on all nodes, as a folder that they share would have."""
    for node in nodes:
        node.run("rm -rf data out; mkdir data", user, cwd=home)
        for i in range(3):
            with open(os.path.join(here, "data", "part-%d" % (i % 2))) as file:
                node.write("%s/data/part-%d" % (home, i), file.read(), user)


def examples(text):
    return re.findall(r"epoch (\d) done, .*Ins number=([0-9.]+)", text)


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
def test_a_job_trains_over_ssh(cluster, mode, tmp_path):  # noqa: F811
    home, head = "/root", cluster.head
    here = job_of(head, "root", home, "[%s]" % ", ".join("root@" + n for n in NODES), mode, "SSH",
                  tmp_path)
    data_of(cluster.nodes, here, "root", home)
    status, said = head.run(LINE, "root", cwd=home + "/job", check=False)
    assert status == 0, said
    assert "done: all 3 trainers have ended well" in said
    for node in cluster.nodes:
        folder = node.run("ls -d /root/JOB* | tail -n 1", "root").strip()
        log = node.read(folder + "/log/train.log")
        assert examples(log) == [("0", "180.0"), ("1", "360.0")], log  # of all three
        assert node.run("stat -c %%a %s" % folder, "root").strip() == "700"
        assert node.processes() == {}
    assert cluster.nodes[0].run("ls out/saved", "root").split() == ["0", "1"]


def test_fewer_hosts_than_nodes_are_refused(cluster, tmp_path):  # noqa: F811
    job_of(cluster.head, "root", "/root", "[root@%s]" % NODES[0], "sync", "SSH", tmp_path)
    cluster.head.run("echo '  nodes: 2' >> backend.yaml", "root", cwd="/root/job")
    status, said = cluster.head.run(LINE, "root", cwd="/root/job", check=False)
    assert status == 2
    assert "backend.yaml:11: nodes is 2, and there are 1 hosts" in said


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
def test_a_job_trains_under_mpirun(cluster, mode, tmp_path):  # noqa: F811
    need_mpi()
    if mode == "sync":
        make_cluster(cluster)
    home, head = "/home/tutorial", cluster.head
    here = job_of(head, "tutorial", home, "[%s]" % ", ".join(NODES), mode, "MPI", tmp_path)
    data_of(cluster.nodes, here, "tutorial", home)
    status, said = head.run(LINE, "tutorial", cwd=home + "/job", check=False)
    assert status == 0, said
    for node in cluster.nodes:
        folder = node.run("ls -d clicks_* | tail -n 1").strip()
        log = node.read("%s/%s/logs/train.log" % (home, folder))
        assert examples(log) == [("0", "180.0"), ("1", "360.0")], log
        node.run("rm -rf clicks_*")
    assert cluster.nodes[0].run("ls out/saved").split() == ["0", "1"]
