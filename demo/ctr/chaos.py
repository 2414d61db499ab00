"""`make demo-chaos`: a job on 3 workers and 2 servers of which a random process is killed every few
seconds, and the same job in peace: both end with the same model, bit by bit.

    python chaos.py [--rows N] [--every SECONDS] [--seconds N] [--seed N] [--output FOLDER]"""
import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import demo

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = 12


def start(args, raw, name):
    """The job's launcher. Its own lines tell who died and was started again."""
    folder = os.path.join(args.output, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
               "--worker_num", "3", "--server_num", "2", "--restarts", "1000", "--log_dir",
               os.path.join(folder, "logs"), os.path.join(HERE, "dist_train.py"), "--train",
               os.path.join(raw, "part-*"), "--mode", "sync", "--points", "4", "--buckets", "100001",
               "--model", os.path.join(folder, "model"),
               "--checkpoint", os.path.join(folder, "checkpoint")]
    env = dict(os.environ, FLAGS_ps_journal="everysec", FLAGS_progress="off",
               FLAGS_ps_journal_dir=os.path.join(os.path.abspath(folder), "journal"))
    return subprocess.Popen(command, env=env)


def processes(launcher):
    """{pid: role} of the job's servers and workers that run now."""
    found = {}
    try:
        with open("/proc/%d/task/%d/children" % (launcher, launcher)) as children:
            pids = [int(pid) for pid in children.read().split()]
    except OSError:  # it has ended
        return found
    for pid in pids:
        try:
            with open("/proc/%d/environ" % pid, "rb") as environ:
                for item in environ.read().split(b"\0"):
                    if item.startswith(b"TRAINING_ROLE="):
                        found[pid] = item.decode().split("=")[1]
        except OSError:  # it has ended meanwhile
            pass
    return found


def kill_some(job, every, seconds, seed):
    """For so long, or until the job ends; how many."""
    chance, kills, due = random.Random(seed), 0, time.monotonic() + every
    until = time.monotonic() + seconds
    while job.poll() is None:
        time.sleep(0.05)
        if not due <= time.monotonic() < until:
            continue
        due = time.monotonic() + every
        alive = processes(job.pid)
        if alive:
            os.kill(chance.choice(sorted(alive)), signal.SIGKILL)
            kills += 1
    return kills


def digest(folder):
    """SHA-256 of what was saved, but for the AUC's counters, which each worker has for itself."""
    whole, names = hashlib.sha256(), sorted(os.listdir(folder))
    for name in names:
        if not name.startswith(("_generated_var", "MANIFEST")):
            whole.update(name.encode())
            with open(os.path.join(folder, name), "rb") as file:
                whole.update(file.read())
    return whole.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=600000)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two kills")
    parser.add_argument("--seconds", type=float, default=60.0, help="for so long")
    parser.add_argument("--seed", type=int, default=1, help="of who is killed")
    parser.add_argument("--output", default="output/chaos")
    args = parser.parse_args()
    raw = os.path.join(args.output, "raw_data")
    shutil.rmtree(raw, ignore_errors=True)
    os.makedirs(raw)
    print("generating %d lines of click logs ..." % args.rows, flush=True)
    for part in range(PARTS):
        demo.generate(args.rows // PARTS, 100 + part, os.path.join(raw, "part-%02d" % part))
    print("training in peace ...", flush=True)
    began = time.monotonic()
    if start(args, raw, "calm").wait() != 0:
        return 1
    calm = time.monotonic() - began
    print("the same, and every %g s a process is killed (kill -9) ..." % args.every, flush=True)
    began = time.monotonic()
    job = start(args, raw, "chaos")
    kills = kill_some(job, args.every, args.seconds, args.seed)
    if job.wait() != 0:
        return 1
    models = [digest(os.path.join(args.output, name, "checkpoint")) for name in ("calm", "chaos")]
    print("in peace:      %5.1f s  SHA-256 of the model %s" % (calm, models[0]))
    print("with %2d kills: %5.1f s  SHA-256 of the model %s"
          % (kills, time.monotonic() - began, models[1]))
    same = models[0] == models[1]
    print("the models are the same, bit by bit" if same else "THE MODELS DIFFER")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
