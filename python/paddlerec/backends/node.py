"""A process of a job on a cluster: python -m paddlerec.backends.node, in the job's folder.

job.json there says what to run. The environment says who we are, as launch_ps says it. A worker
brings its data first; the first one sends what was saved when it is done."""
import json
import os
import re
import signal
import subprocess
import sys

from paddle import _core
from paddlerec.backends import data

NAME = "job.json"


def describe(job, shared, cluster_type):
    """What job.json says of a Job. shared: workers divide what is in ./train_data among themselves; else
    each brings files of its own."""
    folders = {"train_data": "train_data_path", "test_data": "test_data_path",
               "thirdparty": "thirdparty_path", "afs": "afs_remote_mount_point"}
    uses = job.module.uses(job)
    saved = [runner.get(key) for _, runner in job.runners for key in (
        "save_checkpoint_path", "save_inference_path", "save_step_path")]
    results = sorted({os.path.normpath(path) for path in saved if path and not os.path.isabs(path)
                      and not path.startswith(("afs:", "hdfs:"))})
    environment = dict({name: str(value) for name, value in job.flags.items()},
                       CPU_NUM=str(job.threads), PADDLE_PADDLEREC_ROLE="WORKER",
                       PADDLEREC_CLUSTER_TYPE=cluster_type)
    return {"start_cmd": job.start_cmd, "environment": environment, "shared": shared,
            "fs_name": job.get("fs_name", ""), "fs_ugi": job.get("fs_ugi", ""),
            "bring": {folder: job.get(key) for folder, key in folders.items()
                      if job.get(key) and key in uses},
            "output_path": job.get("output_path", ""), "results": results}


def write(job, told):
    """job.json into the folder; it may hold a password."""
    job.write(NAME, json.dumps(told, indent=1) + "\n")


def _words(command):
    """The shell's. A plain command takes the shell's place, so that signals reach it."""
    plain = not re.search(r"[;&|()<>\n]", command) and not re.match(r"\s*\w+=", command)
    return ["sh", "-c", "exec " + command if plain else command]


def _run(command):
    """The command's status; what we are told to end, it is told too."""
    child = subprocess.Popen(_words(command))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda got, _: child.send_signal(got))
    status = child.wait()
    return 128 - status if status < 0 else status


def main():
    with open(NAME) as file:
        job = json.load(file)
    os.environ.update(job["environment"])
    # `python` of start_cmd is the one that has Regatta.
    os.environ["PATH"] = os.path.dirname(sys.executable) + ":" + os.environ.get("PATH", "")
    if os.environ.get("TRAINING_ROLE", "").upper() == "PSERVER":
        os.execvp("sh", _words(job["start_cmd"]))
    env = _core.job_env()
    index = env["trainer_id"] or 0
    try:
        data.bring(job, index, env["trainers"] or 1)
    except (OSError, ValueError) as e:
        sys.stderr.write("paddlerec: the data cannot be brought here: %s\n" % e)
        return 1
    try:
        if index == 0:
            data.can_send(job)
    except ValueError as e:
        sys.stderr.write("paddlerec: %s\n" % e)
        return 1
    status = _run(job["start_cmd"])
    return send(job) if status == 0 and index == 0 else status


def send(job):
    """What was saved, to output_path: a status, and where it is if it cannot be sent."""
    try:
        data.send(job)
    except (OSError, ValueError) as e:
        sys.stderr.write("paddlerec: training is done, and what it saved could not be sent to "
                         "output_path: %s; it is in %s\n" % (e, os.getcwd()))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
