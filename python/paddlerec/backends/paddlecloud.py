"""backend: PaddleCloud: the folder of a submission, and `sh job.sh` in it, which calls the
platform's client. cluster_type mpi (servers and workers on CPUs), k8s (the same, or GPUs)."""
import os
import shlex
import shutil
import subprocess
import sys

from paddlerec.backends import job as keys

CLUSTER_TYPE = None  # must be said
_ROLES = {"mpi": "MPI", "k8s": "K8S"}
_VERSION = "paddle-fluid-v1.7.1"  # of the platform's own image
_AFS = "/root/paddlejob/workspace/env_run/afs/"


def uses(job):
    return keys.OF_CLOUD + (keys.OF_MPI if job.type == "mpi" else
                            tuple(k for k in keys.OF_K8S if k not in _other_k8s(job)))


def _other_k8s(job):
    return ("k8s_ps_num", "k8s_ps_cores") if is_gpu(job) else ("k8s_gpu_card",)


def is_gpu(job):
    return any(str(r.get("device") or "cpu").lower() == "gpu" for _, r in job.runners)


# ---- checks ----

def check(job):
    job.need("ak", "sk", why=": the platform knows you by it (its personal page shows it)")
    job.need("fs_name", "fs_ugi", "output_path")
    if "group" in job.values:
        job.need("group", why=": the group whose machines are used")
    if job.type == "mpi":
        job.need("train_data_path", why=": cluster_type mpi fetches the data from there")
        for key in ("test_data_path", "thirdparty_path"):
            if not job.get(key):
                job.backend.note(("config", key), "%s is empty: ./%s is not fetched"
                                 % (key, key[:-len("_path")]))
    else:
        job.need("afs_remote_mount_point", why=": cluster_type k8s mounts it at ./afs")
    if not any(name == "PaddleRec.tar.gz" or name.startswith("regatta-") and name.endswith(".whl")
               for name in job.files):
        job.backend.note(("submit", "files"), "files has neither regatta-*.whl nor "
                         "PaddleRec.tar.gz: the nodes must have Regatta already")
    for i, runner in job.runners:
        _check_runner(job, i, runner)


def _check_runner(job, i, runner):
    what = "runner %s: " % runner.get("name")
    kind = str(runner.get("class")).lower()
    device = str(runner.get("device") or "cpu").lower()
    mode = str(runner.get("fleet_mode") or "ps").lower()

    def say(key, text):
        job.config.problem(("runner", i, key), what + text)
    if kind == "train":
        if job.type != "k8s" or device != "gpu":
            say("class", "class train goes to a cluster only with cluster_type k8s and device gpu, "
                         "on one card; else it is cluster_train")
        elif job.get("k8s_trainers", 1) != 1 or job.get("k8s_gpu_card", 1) != 1:
            say("class", "class train runs on one trainer with one card, and backend.yaml asks for "
                         "%d with %d" % (job.get("k8s_trainers", 1), job.get("k8s_gpu_card", 1)))
    elif kind != "cluster_train":
        say("class", "class is %s; a job for a cluster is of class cluster_train"
            % runner.get("class"))
    elif job.type == "mpi" and (device, mode) != ("cpu", "ps"):
        say("fleet_mode", "cluster_type mpi of PaddleCloud trains with device cpu and fleet_mode ps, "
                          "not %s and %s" % (device, mode))
    elif job.type == "k8s" and (device, mode) not in (("cpu", "ps"), ("gpu", "collective")):
        say("fleet_mode", "cluster_type k8s trains with device cpu and fleet_mode ps, or gpu and "
                          "collective, not %s and %s" % (device, mode))


# ---- the files ----

def before_hook(job):
    """Regatta comes with the job, or is on the nodes. It is never asked of a package index: what has
    its name there is somebody else's."""
    return """#!/bin/sh
# Runs on each node before the training: installs Regatta, which runs what is written for
# Paddle %s, from what submit.files brought: regatta-*.whl, or PaddleRec.tar.gz.
echo "Run before_hook.sh ..."
set -e
if ls ./regatta-*.whl > /dev/null 2>&1; then
    python -m pip install ./regatta-*.whl # and what it needs
    python -m pip install --force-reinstall --no-deps ./regatta-*.whl
elif [ -f PaddleRec.tar.gz ]; then
    tar -xf PaddleRec.tar.gz
    (cd PaddleRec && python setup.py install)
elif ! python -c 'import paddle._core, paddlerec'; then
    echo "before_hook.sh: Regatta is not on this node: add its wheel to submit.files" >&2
    exit 1
fi
echo "End before_hook.sh ..."
""" % job.get("paddle_version", "1.7.2")


def config_ini(job):
    """Each line is a variable of the processes on the nodes."""
    def line(key, value):
        return '%s="%s"' % (key, value)
    lines = ["# Each line is a variable of the processes on the nodes.",
             line("fs_name", job.get("fs_name")), line("fs_ugi", job.get("fs_ugi")),
             line("output_path", job.get("output_path")), "use_python3=1"]
    if job.type == "mpi":
        lines += ['storage_type="hdfs"', 'force_reuse_output_path="True"']
        lines += [line(key, job.get(key, "")) for key in ("train_data_path", "test_data_path",
                                                          "thirdparty_path")]
        lines.append("FLAGS_rpc_deadline=300000")
    else:
        lines += ['mount_afs="true"',
                  line("afs_remote_mount_point", job.get("afs_remote_mount_point")),
                  line("afs_local_mount_point", _AFS)]
    lines += ["%s=%s" % flag for flag in sorted(job.all_flags().items())] if not is_gpu(job) else []
    lines += ["CPU_NUM=%d" % job.threads, "GLOG_v=0",
              "# Tells PaddleRec that it is on a node: it trains in place.",
              "PADDLE_PADDLEREC_ROLE=WORKER", "PADDLEREC_CLUSTER_TYPE=" + _ROLES[job.type]]
    return "\n".join(lines) + "\n"


def _options(job):
    """What the kind of cluster adds to the client's words."""
    priority = job.get("priority", "high")
    if job.type == "mpi":
        return ["--mpi-priority", priority, "--mpi-wall-time", "2000:00:00",
                "--mpi-nodes", job.get("nodes", 1), "--is-standalone", "0", "--permission", "group"]
    trainers, cards = job.get("k8s_trainers", 1), job.get("k8s_gpu_card", 1)
    words = ["--k8s-priority", priority, "--wall-time", "2000:00:00", "--k8s-trainers", trainers]
    if not is_gpu(job):
        return words + ["--k8s-cpu-cores", job.get("k8s_cpu_cores", 2),
                        "--k8s-ps-num", job.get("k8s_ps_num", 1),
                        "--k8s-ps-cores", job.get("k8s_ps_cores", 2),
                        "--is-standalone", "0", "--distribute-job-type", "PSERVER"]
    words += ["--k8s-cpu-cores", job.get("k8s_cpu_cores", 1), "--k8s-gpu-cards", cards]
    if trainers > 1:
        return words + ["--is-standalone", "0", "--distribute-job-type", "NCCL2"]
    return words + ["--is-standalone", "1", "--job-remark",
                    "single-gpu" if cards == 1 else "single-trainer"]


def job_sh(job):
    words = ["--job-name", job.name, "--group-name", job.get("group", "paddle"),
             "--job-conf", "config.ini", "--start-cmd", job.start_cmd]
    after = ["--job-version", _VERSION] + _options(job) + ["--json"]

    def pairs(words):
        text, line = "", []
        for word in words:
            word = str(word)
            if word.startswith("--") and line:
                text += " ".join(line) + " \\\n    "
                line = []
            line.append(word if word.startswith("--") else shlex.quote(word))
        return text + " ".join(line)
    return """#!/bin/sh
# Submits what is in this folder; may be run again after changes. Keep it to yourself: ak and sk.
cd "$(dirname "$0")" || exit 1
if ! command -v paddlecloud > /dev/null; then
    echo "job.sh: there is no command paddlecloud on PATH: install PaddleCloud's client, then run" \\
        "sh $PWD/job.sh" >&2
    exit 127
fi
paddlecloud job --ak %s --sk %s train \\
    %s \\
    --files ./* \\
    %s
""" % (shlex.quote(job.get("ak")), shlex.quote(job.get("sk")), pairs(words), pairs(after))


# ---- the submission ----

def _write(job):
    kind = "mpi" if job.type == "mpi" else "k8s"

    def gen(shown, name, text):
        print("gen " + shown, flush=True)
        job.write(name, text)
    print("before_submit")
    gen("%s before_hook.sh" % ("gpu" if is_gpu(job) else "cpu"), "before_hook.sh", before_hook(job))
    gen(kind + "_config.ini", "config.ini", config_ini(job))
    gen(kind + "_job.sh", "job.sh", job_sh(job))
    gen("end_hook.sh", "end_hook.sh", '#!/bin/sh\n# Runs on each node after the training.\n'
                                      'echo "Run end_hook.sh ..."\n')


def submit(job):
    job.make_folder()
    _write(job)
    if shutil.which("paddlecloud") is None:
        sys.stderr.write("paddlerec: there is no command paddlecloud on PATH, so nothing was "
                         "submitted. The folder is ready: install PaddleCloud's client, then run\n"
                         "    cd %s && sh job.sh\n" % job.folder)
        return 1
    client = subprocess.Popen(["sh", "job.sh"], cwd=job.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=dict(os.environ, PYTHONUNBUFFERED="1"))
    for line in client.stdout:
        print(job.hide(line), end="", flush=True)
    status = client.wait()
    if status != 0:
        sys.stderr.write("paddlerec: the client ended with status %d: the job was not submitted. "
                         "Once its cause is mended: cd %s && sh job.sh\n" % (status, job.folder))
        return status if status > 0 else 1
    print("end submit")
    return 0
