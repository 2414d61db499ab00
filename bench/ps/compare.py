"""The bars of the parameter server: 2 servers and 2 workers on this machine, one thread each.
Figures are examples per CPU-second over all processes of a job; both sides run one after the
other, and medians are compared.

    python compare.py DATA SPARSE_TABLE [CASE...]     peers: $P185, $P26 (empty: left out)"""
import os
import re
import subprocess
import sys

import numpy as np

import jobs

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "ctr", "ctr_fluid.py")
ROUNDS = int(os.environ.get("ROUNDS", 2))
BATCH, SLOTS, WIDTH, WORKERS, PARTS = 512, 26, 10, 2, 4
DENSE_FLOATS = (273 + 1) * 400 + 2 * (400 + 1) * 400 + (400 + 1) * 2
BARS = {"sync": 2.7, "async": 3.5, "half_async": 2.5, "geo": 1.8}
CASES = ("sync", "async", "half_async", "geo", "adam", "p26", "bytes", "fp16", "int8", "step",
         "memory", "journal")
JOURNAL_BARS = [("sync", "everysec", 0.95), ("async", "everysec", 0.92), ("sync", "always", 0.7)]


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def show(title, value, bar, figures, most=False):
    met = value <= bar if most else value >= bar
    print("%s: %s: %.2f (bar %s %s)%s" % (title, figures, value, "at most" if most else "at least",
                                          bar, "" if met else "  MISSED"))
    sys.stdout.flush()


class Bench(object):
    def __init__(self, data, table):
        self.data, self.table = os.path.abspath(data), table
        self.ours, self.paddle = sys.executable, os.environ.get("P185")

    def job(self, python, mode, *options, **env):
        """The median repeat of a job."""
        lines, watch = jobs.run(python, SCRIPT, ["--data", self.data, "--ps", mode, "--parts",
                                                 str(PARTS)] + list(options), **env)
        return {key: median([rep[key] for rep in jobs.repeats(lines, watch)])
                for key in ("rows", "bytes", "cpu", "per_cpu", "per_second")}

    def alone(self, *options):
        command = [self.ours, SCRIPT, "--data", self.data, "--reps", "3"] + list(options)
        out = subprocess.check_output(command, universal_newlines=True)
        return median([float(x) for x in re.findall(r'"per_cpu": ([0-9.]+)', out)])

    def mode(self, mode):
        ours, theirs, alone = [], [], []
        for _ in range(ROUNDS):
            if self.paddle:
                theirs.append(self.job(self.paddle, mode, "--reps", "1"))
            ours.append(self.job(self.ours, mode, "--passes", "4"))
            alone.append(self.alone())
        figure = median([o["per_cpu"] for o in ours])
        if theirs:
            them = median([t["per_cpu"] for t in theirs])
            show("%s, against Paddle 1.8.5" % mode, figure / them, BARS[mode],
                 "ours %.0f, theirs %.0f examples per CPU-second (by the clock %.0f and %.0f)"
                 % (figure, them, median([o["per_second"] for o in ours]),
                    median([t["per_second"] for t in theirs])))
        show("%s, of one machine" % mode, figure / median(alone), 0.9 if mode == "geo" else 0.6,
             "%.0f of %.0f examples per CPU-second" % (figure, median(alone)))

    def journal(self):
        """What a journal costs, in the same job without one, in turn."""
        for mode, kind, bar in JOURNAL_BARS:
            off, on = [], []
            for _ in range(ROUNDS):
                off.append(self.job(self.ours, mode, "--passes", "2")["per_cpu"])
                on.append(self.job(self.ours, mode, "--passes", "2",
                                   FLAGS_ps_journal=kind)["per_cpu"])
            show("%s, journal %s" % (mode, kind), median(on) / median(off), bar,
                 "%.0f of %.0f examples per CPU-second" % (median(on), median(off)))

    def adam(self):
        if not self.paddle:
            return
        theirs = self.job(self.paddle, "async", "--opt", "adam", "--reps", "1", "--parts", "1")
        ours = self.job(self.ours, "async", "--opt", "adam")
        show("async, Adam, against Paddle 1.8.5", ours["per_cpu"] / theirs["per_cpu"], 6,
             "ours %.0f, theirs %.0f examples per CPU-second" % (ours["per_cpu"],
                                                                 theirs["per_cpu"]))

    def p26(self):
        python = os.environ.get("P26")
        if not python:
            print("async, against Paddle 2.6.2: no Paddle 2.6.2 to compare with (WITH_P26=1)")
            return
        launcher = ["paddle.distributed.launch", "--server_num", "2", "--trainer_num", "2",
                    "--log_dir", "logs"]
        lines, watch = jobs.run(python, os.path.join(HERE, "ctr26.py"),
                                ["--data", self.data, "--reps", "2"], launcher=launcher,
                                PADDLE_WITH_GLOO="1")
        theirs = median([rep["per_cpu"] for rep in jobs.repeats(lines, watch)])
        ours = self.job(self.ours, "async", "--passes", "4")["per_cpu"]
        show("async, against Paddle 2.6.2", ours / theirs, 2,
             "ours %.0f, theirs %.0f examples per CPU-second" % (ours, theirs))

    def needed(self):
        """Bytes that must travel in one epoch of a sync job in fp32: dense gradients and parameters
        once each, each row of a batch once each way with its id."""
        ids, total = np.load(self.data + "/train.npz")["ids"], 0
        with open(self.data + "/rows") as count:
            each = int(count.read())
        for worker in range(WORKERS):
            parts = range(worker, len(ids) // each, WORKERS)[:PARTS]
            mine = np.concatenate([ids[p * each:(p + 1) * each] for p in parts])
            for at in range(0, len(mine), BATCH):
                rows = len(np.unique(mine[at:at + BATCH]))
                total += 2 * 4 * DENSE_FLOATS + 2 * rows * (4 * WIDTH + 8)
        return total

    def traffic(self, title, mode, bar, needed, **env):
        job = self.job(self.ours, mode, FLAGS_rpc_transport="tcp", **env)
        show(title, job["bytes"] / float(needed), bar,
             "%.0f bytes an example, %.0f needed in fp32" % (job["bytes"] / job["rows"],
                                                             needed / float(job["rows"])), True)

    def bytes(self):
        needed = self.needed()
        self.traffic("sync, bytes over TCP", "sync", 1.05, needed)
        self.traffic("async, bytes over TCP", "async", 1, needed)

    def fp16(self):
        self.traffic("sync with fp16 payloads, bytes over TCP", "sync", 0.55, self.needed(),
                     FLAGS_rpc_payload="fp16")

    def int8(self):
        self.traffic("sync with int8 payloads, bytes over TCP", "sync", 0.45, self.needed(),
                     FLAGS_rpc_payload="int8")

    def step(self):
        def one(python, steps, *options):
            lines, watch = jobs.run(python, os.path.join(HERE, "tiny.py"),
                                    ["--steps", str(steps)] + list(options))
            return 1e6 * median([line["seconds"] / line["steps"] for line in lines]), lines, watch
        ours = min(one(self.ours, 3000)[0] for _ in range(ROUNDS))
        if self.paddle:
            theirs = min(one(self.paddle, 300)[0] for _ in range(ROUNDS))
            show("an empty sync step, against Paddle 1.8.5", theirs / ours, 10,
                 "ours %.0f us, theirs %.0f us" % (ours, theirs))
        _, lines, watch = one(self.ours, 10, "--idle", "6")
        began = max(line["idle_began"] for line in lines) + 0.5
        busiest = max(watch.spent(began, began + 5).values()) / 5
        show("CPU of the busiest process while a job waits", busiest, 0.02, "share of a core", True)

    def memory(self):
        for title, states, bar in ("SGD", "0", 72), ("Adam", "2", 160):
            out = subprocess.check_output([self.table, str(WIDTH), states, "8"],
                                          universal_newlines=True)
            worst = float(re.search(r"worst ([0-9.]+)", out).group(1))
            show("bytes of a server's row of %d, %s" % (WIDTH, title), worst, bar,
                 "growth of RSS / rows at the worst moment", True)


def main(data, table, *cases):
    bench = Bench(data, table)
    for case in cases or CASES:
        if case in BARS:
            bench.mode(case)
        else:
            getattr(bench, case)()


if __name__ == "__main__":
    main(*sys.argv[1:])
