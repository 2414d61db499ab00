"""Slurm on the hosts of hosts.py: slurmctld on the head, slurmd on every node, munge between them."""
import os
import shutil
import time

import pytest

CONF = """ClusterName=test
SlurmctldHost=head
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
KillWait=5
NodeName=node[0-2] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""
MUNGE = """set -e
mkdir -p /run/munge /etc/munge /var/log/munge /var/lib/munge /etc/slurm /var/spool/slurmctld \
    /var/spool/slurmd /var/log/slurm
chown munge: /run/munge /etc/munge /var/log/munge /var/lib/munge /etc/munge/munge.key
chmod 400 /etc/munge/munge.key
setpriv --reuid munge --regid munge --init-groups /usr/sbin/munged
"""


def start_slurm(cluster):
    for command in ("munged", "slurmctld", "slurmd", "srun"):
        if shutil.which(command) is None:
            pytest.skip("there is no %s (Debian: slurm-wlm, munge)" % command)
    key = os.urandom(64).hex()
    for host in cluster.hosts:
        host.run("mkdir -p /etc/munge /etc/slurm", "root")
        host.write("/etc/munge/munge.key", key)
        host.write("/etc/slurm/slurm.conf", CONF)
        host.write("/etc/slurm/cgroup.conf", "CgroupPlugin=cgroup/v1\n")  # else it looks for v2's mount
        host.run(MUNGE + "exec %s" % ("slurmctld" if host is cluster.head else "slurmd"), "root")
    end = time.monotonic() + 60
    while "idle" not in (seen := cluster.head.run("sinfo -h -o '%D %t'", check=False)[1]) or \
            not seen.startswith("3 idle"):
        assert time.monotonic() < end, seen
        time.sleep(0.2)
