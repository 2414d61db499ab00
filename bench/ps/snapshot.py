"""What a snapshot costs a job that goes on: a server whose table has 5 million rows of 10 with
Adam's states, a worker that trains on it in sync mode, journal everysec.

    python snapshot.py [--rows N] [--seconds N] [--ids N] [--zipf 0]

Prints three figures of the snapshots that fall into the time, each with its bar: the longest step
while one is written, of the median step outside of them; steps per CPU-second of server and worker
while one is written, of those outside; the most memory of the server while one is written, above
what it had before, of the table. Steps a second, and how long the server held what came in, are
said beside them: where others use the machine, too, these tell more than the longest step."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, FILL, BATCHES = 10, 50000, 200
TICK = float(os.sysconf("SC_CLK_TCK"))
ROW_BYTES = 8 + 4 * 3 * WIDTH + 2 * 4  # an id, value and states, counters


# ---- the job ----

def ids_of(rng, rows, n, zipf):
    """As in logs a few come often; zipf 0: all alike."""
    if not zipf:
        return rng.randint(0, rows, (n, 1)).astype("int64")
    ranks = np.minimum(rng.zipf(zipf, n), rows) - 1
    return ((ranks * 2654435761) % rows).reshape(-1, 1).astype("int64")


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
    for first in range(0, args.rows, FILL):
        every = np.arange(first, min(first + FILL, args.rows), dtype="int64").reshape(-1, 1)
        exe.run(fleet.main_program, feed={"ids": every})
    rng, steps = np.random.RandomState(1), []
    batches = [ids_of(rng, args.rows, args.ids, args.zipf) for _ in range(BATCHES)]
    for batch in batches:  # rows make up for the steps that they missed when they are first read
        exe.run(fleet.main_program, feed={"ids": batch})
    print("filled")
    sys.stdout.flush()
    end = time.time() + args.seconds
    while time.time() < end:
        begin = time.time()
        exe.run(fleet.main_program, feed={"ids": batches[len(steps) % len(batches)]})
        steps.append((begin, time.time()))
    with open(args.job, "w") as file:
        json.dump(steps, file)
    fleet.stop_worker()


# ---- who watches it ----

def processes_of(folder):
    """{role: pid} of the job with this journal."""
    wanted, found = ("FLAGS_ps_journal_dir=%s" % folder).encode(), {}
    for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                told = file.read().split(b"\0")
        except OSError:
            continue
        if wanted in told:
            found.update({role: pid for role in ("PSERVER", "TRAINER")
                          if b"TRAINING_ROLE=" + role.encode() in told})
    return found


def cpu_of(pid):
    with open("/proc/%s/stat" % pid) as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / TICK


class Watch(object):
    """When snapshots are written, the server's memory, and the CPU time of both, every few
    milliseconds."""

    def __init__(self, folder):
        self.samples, self._folder, self._over = [], folder, threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self):
        pids, own = {}, os.path.join(self._folder, "server-0")
        while not self._over.wait(0.01):
            pids = pids if len(pids) == 2 else processes_of(self._folder)
            try:
                with open("/proc/%s/statm" % pids["PSERVER"]) as file:
                    memory = int(file.read().split()[1]) * 4096
                writing = any(name.endswith(".tmp") for name in os.listdir(own))
                cpu = sum(cpu_of(pid) for pid in pids.values())
            except (OSError, KeyError, IndexError):
                continue
            self.samples.append((time.time(), writing, memory, cpu))

    def stop(self):
        self._over.set()
        self._thread.join()

    def cpu_at(self, moment):
        return next(cpu for at, _, _, cpu in self.samples if at >= moment)

    def snapshots(self, since, until):
        """(begin, end, bytes before it, most bytes in it) of each that was written as a whole."""
        found, begin, before, most = [], None, None, 0
        for at, writing, memory, _ in self.samples:
            if writing and begin is None and before is not None:
                begin, most = at, memory
            elif writing and begin is not None:
                most = max(most, memory)
            elif not writing and begin is not None:
                if begin > since and at < until:
                    found.append((begin, at, before, most))
                begin, before = None, memory
            else:
                before = memory
        return found


def median(numbers):
    return float(np.median(numbers))


def say(args, steps, watch, log):
    snapshots = watch.snapshots(steps[0][0], steps[-1][1] - 0.1)
    spans = [(begin, end) for begin, end, _, _ in snapshots]
    inside = [[(b, e) for b, e in steps if e > begin and b < end] for begin, end in spans]
    outside = [(b, e) for b, e in steps if not any(e > begin and b < end for begin, end in spans)]
    if not snapshots or len(outside) < 20:
        sys.exit("no snapshot fell into the time: give it more --seconds")

    def seconds(some):
        return sum(e - b for b, e in some)

    def per_cpu(begin, end):
        n = sum(1 for b, e in steps if e > begin and e <= end)
        return n / (watch.cpu_at(end) - watch.cpu_at(begin))
    usual, table = float(np.median([e - b for b, e in outside])), args.rows * ROW_BYTES
    edges = [steps[0][0]] + [moment for span in spans for moment in span] + [steps[-1][1] - 0.05]
    calm = [per_cpu(b, e) for b, e in zip(edges[::2], edges[1::2]) if e - b > 2]
    held = re.findall(r"held_seconds=([0-9.]+)", log)
    print("rows %d, MiB of them %.0f, ids a step %d, zipf %g" % (args.rows, table / 2.0 ** 20,
                                                                args.ids, args.zipf))
    print("snapshots %d, seconds each %s, held %s" % (
        len(spans), " ".join("%.1f" % (end - begin) for begin, end in spans), " ".join(held)))
    print("median step %.1f ms, longest outside %.1f of it" % (
        usual * 1e3, max(e - b for b, e in outside) / usual))
    print("longest step while one is written, of the median    %.1f  (bar: at most 5)" % (
        max(e - b for some in inside for b, e in some) / usual))
    each = [per_cpu(*span) / float(np.median(calm)) for span in spans]
    print("steps per CPU-second while one is written, of outside  %.2f  (bar: 0.8), each %s" % (
        min(each), " ".join("%.2f" % figure for figure in each)))
    print("steps a second while one is written, of outside     %.2f" % (
        min(len(some) / seconds(some) for some in inside) / (len(outside) / seconds(outside))))
    print("memory above before, of the table                   %.3f  (bar: at most 0.15)" % (
        max(most - before for _, _, before, most in snapshots) / float(table)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=5000000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--every", type=int, default=10, help="seconds between snapshots")
    parser.add_argument("--ids", type=int, default=13000, help="of a step: 512 examples of 26")
    parser.add_argument("--zipf", type=float, default=1.2)
    parser.add_argument("--job", help="where the worker writes its steps: it is one of the job")
    args = parser.parse_args()
    if args.job:
        return train(args)
    with tempfile.TemporaryDirectory() as folder:
        journal, times = os.path.join(folder, "journal"), os.path.join(folder, "steps")
        command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num", "1",
                   "--server_num", "1", "--log_dir", os.path.join(folder, "logs"), "--journal",
                   "everysec", "--journal_dir", journal, os.path.abspath(__file__), "--job", times]
        for name in ("rows", "seconds", "ids", "zipf"):
            command += ["--" + name, str(getattr(args, name))]
        env = dict(os.environ, FLAGS_ps_snapshot_seconds=str(args.every), FLAGS_ps_snapshot_mb="0",
                   FLAGS_log_level="I", OMP_NUM_THREADS="1")
        job = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
        watch = Watch(journal)
        status = job.wait()
        watch.stop()
        with open(os.path.join(folder, "logs", "serverlog.0")) as file:
            log = file.read()
        if status != 0:
            sys.exit(log[-3000:])
        with open(times) as file:
            steps = json.load(file)
        say(args, steps, watch, log)


if __name__ == "__main__":
    main()
