"""backend: MPI: a server and a worker on each node, by start_mpi_train.sh of paddle.scripts under
mpirun, or under srun of Slurm; with fleet_mode collective a worker alone. All nodes see the submission folder, or, with root_dir, mpirun's hosts
are sent it over SSH first."""
import io
import os
import shlex
import shutil
import subprocess
import sys
import tarfile

from paddlerec.backends import job as keys, ssh

CLUSTER_TYPE = "mpi"
LAUNCHERS = ("mpirun", "srun")
_START = "start_mpi_train.sh"
# Nodes that see the same folder have logs and data in folders of their own below it.
_OWN = """own=node.${OMPI_COMM_WORLD_RANK:-${SLURM_PROCID:?mpirun or srun starts this}}
mkdir -p "$own" && find . -maxdepth 1 -type f -exec cp -p {} "$own" \\; && cd "$own" || exit 1
"""
# mpirun's ranks meet by MPI, those of srun at the first one's port.
_BY_SLURM = """export PADDLE_TRAINER_ID=$SLURM_PROCID
PADDLE_TRAINER_ENDPOINTS=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed 's/$/:%d/' | paste -sd,)
export PADDLE_TRAINER_ENDPOINTS TRAINING_ROLE=TRAINER
"""


def uses(job):
    return keys.OF_MPI[:3] + keys.OF_K8S[:1] + keys.OF_MPIRUN + ("nodes",)


def check(job):
    job.trains()
    # mpirun is told its hosts, and srun finds them.
    order = LAUNCHERS if job.get("hosts") else LAUNCHERS[::-1]
    launcher = job.get("launcher") or next((w for w in order if shutil.which(w)), LAUNCHERS[0])
    job.launcher = launcher
    if launcher not in LAUNCHERS:
        job.problem("launcher", "launcher is %r, wanted mpirun or srun" % launcher)
    if launcher == "srun":
        job.need("nodes", why=": srun is told how many")
        for key in ("hosts", "root_dir"):
            if job.get(key):
                job.problem(key, "%s is for mpirun: Slurm chooses the nodes, and all of them see "
                                 "the folder that the job is submitted from" % key)
        return
    ssh.check_hosts(job)
    for host in job.hosts:
        if "@" in host or ":" in host:
            job.problem("hosts", "hosts: %s: mpirun takes names alone; user and port of a host "
                                 "belong into ~/.ssh/config" % host)


def _write(job):
    from paddle import scripts
    ssh.write_folder(job, REGATTA_JOB_ID=os.urandom(6).hex(), REGATTA_JOB_KEY=os.urandom(32).hex())
    source = os.path.join(os.path.dirname(scripts.__file__), "cluster_train_v2", "openmpi", _START)
    shutil.copy(source, os.path.join(job.folder, _START))
    os.chmod(os.path.join(job.folder, _START), 0o700)
    if job.launcher == "mpirun":
        job.write("machines", "".join("%s slots=1\n" % host for host in job.hosts))
    if job.is_collective():
        job.write("start.sh", """#!/bin/sh
# What mpirun or srun starts on each node: one worker.
cd "$(dirname "$0")" || exit 1
%s%sexec paddle python %s
""" % ("" if job.get("root_dir") else _OWN,
       _BY_SLURM % job.get("port", ssh.PORT) if job.launcher == "srun" else "", ssh.SCRIPT), 0o700)
        return
    job.write("start.sh", """#!/bin/sh
# What mpirun or srun starts on each node.
cd "$(dirname "$0")" || exit 1
%sexport PADDLE_SERVER_SCRIPT=%s PADDLE_INIT_PORT=%d PADDLE_INIT_PORTS_NUM=1
export PADDLE_INIT_PORTS_NUM_FOR_SPARSE=0%s
exec bash ./%s %s
""" % ("" if job.get("root_dir") else _OWN, ssh.SCRIPT, job.get("port", ssh.PORT),
       " NICS=" + shlex.quote(job.get("nic")) if job.get("nic") else "", _START, ssh.SCRIPT), 0o700)


def _send(job, target):
    """The folder to every host, where only this user can look into it."""
    from paddle.scripts.ssh_node import Node, NodeError
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in sorted(os.listdir(job.folder)):
            if name != "backend.yaml":
                tar.add(os.path.join(job.folder, name), name)
    line = "umask 077 && mkdir %s && tar -xf - -C %s" % ((shlex.quote(target),) * 2)
    for i, host in enumerate(job.hosts):
        one = Node(i, host, lambda text: None)
        try:
            one.open()
            status, said = one.command(line, [packed.getvalue()])
            if status != 0:
                raise NodeError("cannot take the folder %s: %s" % (target, said.strip()))
        except NodeError as error:
            sys.stderr.write("paddlerec: host %s %s\n" % (host, error))
            return False
        finally:
            one.close()
    return True


def _words(job, folder):
    start = os.path.join(folder, "start.sh")
    if job.launcher == "srun":
        count = str(job.get("nodes"))
        return ["srun", "-N", count, "-n", count, "--ntasks-per-node=1", "sh", start]
    return ["mpirun", "-hostfile", os.path.join(job.folder, "machines"), "-n",
            str(len(job.hosts)), "--map-by", "node", "sh", start]


def submit(job):
    if shutil.which(job.launcher) is None:
        sys.stderr.write("paddlerec: there is no command %s on PATH: install it, or name the other "
                         "as submit.launcher (%s)\n" % (job.launcher, " or ".join(LAUNCHERS)))
        return 1
    _write(job)
    folder = job.folder
    if job.get("root_dir"):
        folder = os.path.join(job.get("root_dir"), os.path.basename(job.folder))
        if not _send(job, folder):
            return 1
        print("The folder is %s on %d hosts" % (folder, len(job.hosts)), flush=True)
    words = _words(job, folder)
    print(" ".join(map(shlex.quote, words)), flush=True)
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    while True:
        try:
            status = child.wait()
            break
        except KeyboardInterrupt:  # it got the signal too, and ends its ranks
            pass
    if status == 0:
        print("all workers already completed; each node's logs are in %s%s/logs"
              % (folder, "" if job.get("root_dir") else "/node.RANK"))
    return 128 - status if status < 0 else status
