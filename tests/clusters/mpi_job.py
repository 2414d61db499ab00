"""The demo MPI cluster of the guides, on the hosts of hosts.py: what kubectl would have made."""
import os
import shutil

import pytest

from built import ROOT
from hosts import NODES

OPENMPI = os.path.join(ROOT, "paddle", "scripts", "cluster_train_v2", "openmpi")
WORD2VEC = os.path.join(ROOT, "demo", "word2vec")
# There is no Kubernetes here: our hosts are the pods. It shows them, and takes the files it is given.
KUBECTL = """#!/bin/sh
case "$*" in
    "get po -o wide")
        echo "NAME READY STATUS RESTARTS AGE IP NODE NOMINATED READINESS"
        echo "mpi-header-7d9-x1 1/1 Running 0 1m 192.168.100.10 machine <none> <none>"
        for i in 17 18 19; do
            echo "mpi-nodes-5f4-x$i 1/1 Running 0 1m 192.168.100.$i machine <none> <none>"
        done ;;
    "create -f "*) [ -f "$3" ] && echo "deployment.apps/$(basename "$3" .yaml) created" ;;
    "create secret generic "*) echo "secret/$4 created" ;;
    *) echo "error: unknown command: $*" >&2; exit 1 ;;
esac
"""
WORKSHOP = "/root/workshop"  # on the head, for the one who sits at the machine


def need_mpi():
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun (Debian: openmpi-bin)")


def make_cluster(cluster):
    """Keys by make_keys.sh; each host does what its container would (Dockerfile, start_node.sh)."""
    head = cluster.head
    head.write("/usr/local/bin/kubectl", KUBECTL, mode=0o755)
    head.run("mkdir -p %s; cp -r %s/docker_cluster %s" % (WORKSHOP, OPENMPI, WORKSHOP), "root")
    folder = WORKSHOP + "/docker_cluster"
    head.run("sh make_keys.sh && kubectl create -f head.yaml && kubectl create -f mpi-nodes.yaml",
             "root", cwd=folder)
    for host in cluster.hosts:
        host.run("mkdir -p /etc/mpi-ssh-key /home/tutorial/.openmpi && rm -rf /home/tutorial/.ssh && "
                 "cp %s/docker_cluster/mca-params.conf /home/tutorial/.openmpi/" % OPENMPI, "root")
        for name in ("id_rsa.mpi", "id_rsa.mpi.pub"):  # a secret that is mounted
            host.write("/etc/mpi-ssh-key/" + name, head.read("%s/ssh/%s" % (folder, name)), mode=0o400)
        host.run("%s/docker_cluster/start_node.sh true" % OPENMPI, "root")


def small(cluster, **env):
    """Settings that every login of tutorial has, so that a job is short."""
    for host in cluster.hosts:
        host.write("/home/tutorial/.bashrc", "".join(
            "export %s=%s\n" % pair for pair in env.items()), "tutorial")


def machines(cluster):
    cluster.head.write("/home/tutorial/machines", "".join(a + "\n" for a in NODES), "tutorial")


def send(cluster, text, name="train.py"):
    """A script of a test's own as every node's train.py."""
    for node in cluster.nodes:
        node.run("cp %s/start_mpi_train.sh ." % OPENMPI)
        node.write("/home/tutorial/machines", "".join(a + "\n" for a in NODES), "tutorial")
        node.write("/home/tutorial/" + name, text, "tutorial")
    machines(cluster)
