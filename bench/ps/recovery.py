"""How long a sync job stands still when a process of it is killed: 2 servers, 2 workers, a table with
Adam's states, journal everysec, --restarts.

    python recovery.py [--rows N] [--kills N] [--fetch]

A server is killed after a snapshot, and a worker, each --kills times; from kill -9 to the end of the
next step of worker 0 it is
- server: at most 2 s and the time to read its snapshot, 1 GB/s of it at least, and its journal since,
  which its log says;
- worker: at most 2 s and the start of its script, from its process to its first step."""
import argparse
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, FILL, IDS = 10, 50000, 2000
TICK = float(os.sysconf("SC_CLK_TCK"))


# ---- the job ----

def born():
    """When this process was started, on the wall clock."""
    with open("/proc/self/stat") as file:
        ticks = float(file.read().rpartition(")")[2].split()[19])
    return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / TICK)


def train(args):
    import paddle.fluid as fluid
    import paddle.fluid.incubate.fleet.base.role_maker as role_maker
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
        StrategyFactory, fleet)
    fleet.init(role_maker.PaddleCloudRoleMaker())
    ids = fluid.layers.data("ids", [1], dtype="int64")
    rows = fluid.layers.embedding(ids, [args.rows, WIDTH], is_sparse=True)
    hidden = fluid.layers.fc(rows, 64, act="relu")
    loss = fluid.layers.mean(fluid.layers.fc(hidden, 1))
    fleet.distributed_optimizer(fluid.optimizer.Adam(1e-3),
                                StrategyFactory.create_sync_strategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    fleet.init_worker()
    me, rng = fleet.worker_index(), np.random.RandomState(1)
    out = open("%s.%d" % (args.job, me), "a", 1)
    out.write(json.dumps({"start": time.time() - born()}) + "\n")
    every = np.arange(args.rows, dtype="int64").reshape(-1, 1)
    for first in range(0, args.rows, FILL):
        exe.run(fleet.main_program, feed={"ids": every[first:first + FILL]})
    while not os.path.exists(args.job + ".over"):
        exe.run(fleet.main_program, feed={"ids": rng.randint(0, args.rows, (IDS, 1))},
                fetch_list=[loss] if args.fetch else [])
        out.write(json.dumps({"at": time.time()}) + "\n")
    os._exit(0)  # in the middle of steps: how the job ends is no part of this


# ---- who watches it ----

def lines(path):
    try:
        with open(path) as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except OSError:
        return []


def steps(job):
    return [line["at"] for line in lines(job + ".0") if "at" in line]


def wait_until(true, what, seconds=120):
    end = time.time() + seconds
    while not true():
        if time.time() > end:
            raise RuntimeError("%s: not in %d s" % (what, seconds))
        time.sleep(0.05)


def process_of(folder, name):
    """The pid of the process of this job that has this variable."""
    for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                told = file.read().split(b"\0")
        except OSError:
            continue
        if ("REGATTA_LOG_DIR=%s/logs" % folder).encode() in told and name.encode() in told:
            return int(pid)
    raise RuntimeError("no process has %s" % name)


def kill(folder, job, name):
    """Seconds from the death of it to the end of the first step that began after it."""
    os.kill(process_of(folder, name), signal.SIGKILL)
    died, seen = time.time(), len(steps(job))
    # One that was under way may still end; the next needs all.
    wait_until(lambda: len(steps(job)) >= seen + 2, "the job did not go on")
    after = [at for at in steps(job) if at > died]
    gaps = np.diff([died] + after[:3])
    return died, sum(gaps[:int(np.argmax(gaps)) + 1])


def last_reading(log):
    """Seconds for which the server that was started last read records of its journal, and the snapshot
    before them."""
    with open(log) as file:
        found = re.findall(r"were read in ([\d.]+) s, the snapshot before them in ([\d.]+) s",
                           file.read())
    return float(found[-1][0]), float(found[-1][1])


def snapshot_bytes(folder):
    newest = sorted(p for p in glob.glob(folder + "/logs/journal/server-1/ckpt-*") if "." not in
                    os.path.basename(p))[-1]
    return sum(os.path.getsize(os.path.join(root, name))
               for root, _, names in os.walk(newest) for name in names) or os.path.getsize(newest)


def written(log):
    """Snapshots of a server."""
    with open(log) as file:
        return file.read().count("a snapshot is on the disk")


def kill_servers(args, folder, job):
    log = folder + "/logs/serverlog.1"
    for _ in range(args.kills):
        before = written(log)
        wait_until(lambda: written(log) > before, "no snapshot")
        size = snapshot_bytes(folder)
        _, stood = kill(folder, job, "PADDLE_PSERVER_ID=1")
        journal, snapshot = last_reading(log)
        read = journal + snapshot
        show("server killed: %.2f s to the next step, of them %.2f s read" % (stood, read),
             stood - read, "2 s beside reading", stood - read <= 2)
        show("its snapshot of %.0f MB was read" % (size / 1e6), snapshot, "1 GB/s",
             snapshot <= size / 1e9 + 0.01)


def kill_workers(args, folder, job):
    for _ in range(args.kills):
        had = len(lines(job + ".1"))
        _, stood = kill(folder, job, "PADDLE_TRAINER_ID=1")
        start = [line["start"] for line in lines(job + ".1")[had:] if "start" in line][0]
        show("worker killed: %.2f s to the next step, of them %.2f s its start" % (stood, start),
             stood - start, "2 s beside its start", stood - start <= 2)


def show(what, seconds, bar, met):
    print("%s: %.2f s (bar %s)%s" % (what, seconds, bar, "" if met else "  MISSED"))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--fetch", action="store_true", help="the loss, in every step")
    parser.add_argument("--job", help="this is a process of it: where it says how it goes")
    args = parser.parse_args()
    if args.job:
        train(args)
        return
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        job = os.path.join(folder, "steps")
        launcher = subprocess.Popen(
            [sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num", "2",
             "--server_num", "2", "--restarts", "1000", "--journal", "everysec", "--log_dir",
             "logs", os.path.abspath(__file__), "--rows", str(args.rows), "--job", job]
            + ["--fetch"] * args.fetch,
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, FLAGS_log_level="I", FLAGS_ps_snapshot_seconds="5"))
        try:
            wait_until(lambda: len(steps(job)) > 5, "the job did not begin")
            kill_servers(args, folder, job)
            kill_workers(args, folder, job)
        finally:
            open(job + ".over", "w").close()
            launcher.terminate()
            launcher.wait(60)


main()
