"""The bars of CTR-DNN on one machine: pairs of runs, one after the other, and the median of their
ratios. Machines are shared and noisy; CPU-seconds of the whole process tree are counted, but for
two threads against PyTorch's, where waiting is part of the answer.

    python compare.py DATA BARE_GEMMS [CASE...]     peers: $P185, $PT (empty: left out)"""
import json
import os
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS = int(os.environ.get("ROUNDS", 3))
BATCH = 512


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


class Runs:
    """Runs of scripts, their figures remembered by command."""

    def __init__(self, data):
        self.data = os.path.abspath(data)

    def one(self, python, script, options, **env):
        """The median repeat of a run: a dict of figures."""
        command = [python, os.path.join(HERE, script), "--data", self.data] + options
        with tempfile.TemporaryDirectory() as folder:  # Paddle leaves files where it runs
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env=dict(os.environ, **env))
        reps = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if not reps:
            raise RuntimeError("%s %s: %s" % (script, " ".join(options), done.stderr[-2000:]))
        return {key: median([rep[key] for rep in reps]) for key in reps[0]}

    def together(self, start, times, options):
        """Examples per CPU-second of all processes of `times` such commands at once. They write
        their lines to a file: mpirun mixes those of its ranks."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines")
            command = start + [os.path.join(HERE, "ctr_fluid.py"), "--data", self.data, "--out",
                               path] + options
            running = [subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True) for _ in range(times)]
            errors = [process.communicate()[1] for process in running]
            if not os.path.exists(path):
                raise RuntimeError("%s: %s" % (" ".join(command), errors[0][-2000:]))
            with open(path) as lines:
                reps = [json.loads(line) for line in lines]
        return sum(r["rows"] for r in reps) / sum(r["rows"] / r["per_cpu"] for r in reps)

    def fluid(self, python, text, **env):
        return self.one(python, "ctr_fluid.py", text.split(), **env)

    def torch(self, python, text):
        return self.one(python, "ctr_torch.py", text.split())


class Gemms:
    """The bare products of a step, in processes that wait to be asked."""

    def __init__(self, path, count):
        command = [path, "--input", str(BATCH), "273", "400", "400", "400", "2"]
        self.processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           text=True) for _ in range(count)]

    def ask(self, count):
        """Milliseconds of CPU for a step, `count` processes at once; their mean."""
        times = []

        def ask(process):
            process.stdin.write("go\n")
            process.stdin.flush()
            times.append(float(process.stdout.readline()))
        threads = [threading.Thread(target=ask, args=(p,)) for p in self.processes[:count]]
        [t.start() for t in threads]
        [t.join() for t in threads]
        return sum(times) / len(times)

    def close(self):
        for process in self.processes:
            process.stdin.close()
            process.wait()


def show(title, ratio, bar, figures, unit="x"):
    print("%s: %s: %.2f%s (bar %s%s)%s" % (title, figures, ratio, unit, bar, unit,
                                           "" if ratio >= bar else "  MISSED"), flush=True)


def pairs(title, bar, ours, theirs, names=("ours", "Paddle 1.8.5"), key="per_cpu",
          unit="examples per CPU-second"):
    """Both sides PAIRS times, alternating."""
    seen = [(ours(), theirs()) for _ in range(PAIRS)]
    ratio = median([a[key] / b[key] for a, b in seen])
    figures = "%s %.0f, %s %.0f %s" % (names[0], median([a[key] for a, _ in seen]), names[1],
                                       median([b[key] for _, b in seen]), unit)
    show(title, ratio, bar, figures)
    return seen


def bound(runs, gemms, us):
    seen = []
    for _ in range(PAIRS * 2 + 1):
        limit = BATCH / gemms.ask(1) * 1e3
        seen.append((runs.fluid(us, "--reps 1")["per_cpu"], limit))
    show("memory, SGD, of the GEMM bound", median([a / b for a, b in seen]), 0.85,
         "ours %.0f, bare GEMMs %.0f examples per CPU-second"
         % (median([a for a, _ in seen]), median([b for _, b in seen])), "")


def scaling(runs, gemms, us):
    seen = []
    for _ in range(PAIRS * 2 + 1):
        bare = 2 * gemms.ask(1) / gemms.ask(2)
        one, two = [runs.fluid(us, "--reps 1 --parts 8 --threads %d" % n)["per_cpu"]
                    for n in (1, 2)]
        seen.append((2 * two / one, bare))
    show("memory, SGD, 2 threads: scaling of the bare GEMMs'", median([a / b for a, b in seen]),
         0.95, "ours %.2f, bare %.2f" % (median([a for a, _ in seen]),
                                         median([b for _, b in seen])), "")


def ranks(runs, us):
    """Two ranks over MPI, sums of gradients while backward goes on, against one rank: what a
    CPU-second is good for. Two processes that do not know each other share the machine, too: what
    they lose is the machine's, and is shown beside it."""
    seen = []
    for _ in range(PAIRS * 2 + 1):
        one = runs.fluid(us, "--reps 2")["per_cpu"]
        two = runs.together([us], 2, ["--reps", "2"])
        joined = runs.together(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", us],
                               1, ["--reps", "2", "--ranks"])
        seen.append((joined / one, joined / two, joined, one))
    show("2 ranks over MPI, of 1 rank", median([r[0] for r in seen]), 0.9,
         "2 ranks %.0f, 1 rank %.0f examples per CPU-second; of 2 processes at once %.2f"
         % (median([r[2] for r in seen]), median([r[3] for r in seen]),
            median([r[1] for r in seen])), "")


def mixed(runs, us, torch):
    """Products of bfloat16 against those of floats, and against PyTorch's."""
    with open("/proc/cpuinfo") as cpu:
        words = set(cpu.read().split())
    if "avx512_bf16" not in words and "amx_bf16" not in words:
        print("bf16: this CPU multiplies no bfloat16 (neither avx512_bf16 nor amx_bf16)",
              flush=True)
        return
    seen = []
    for _ in range(PAIRS):
        seen.append([runs.fluid(us, "")["per_cpu"],
                     runs.fluid(us, "", FLAGS_matmul_precision="bf16")["per_cpu"],
                     runs.torch(torch, "--bf16")["per_cpu"] if torch else None])
    plain, rough, theirs = [median([run[i] for run in seen if run[i]] or [0]) for i in range(3)]
    unit = "examples per CPU-second"
    show("bf16, of float32", median([b / a for a, b, _ in seen]),
         2.5 if "amx_bf16" in words else 1.6, "bf16 %.0f, float32 %.0f %s" % (rough, plain, unit))
    if torch:
        show("bf16", median([b / c for _, b, c in seen]), 1.5,
             "ours %.0f, PyTorch with autocast %.0f %s" % (rough, theirs, unit))


def watched(runs, us):
    """What it costs to be watched, with all that there is: files, /metrics, TensorBoard. Runs with
    and without differ by less than the machine does from run to run; what the thread that
    samples takes is counted by itself."""
    seen, shares = [], []
    for _ in range(PAIRS):
        with tempfile.TemporaryDirectory() as folder:
            on = runs.fluid(us, "--parts 8", FLAGS_watch_dir=folder, FLAGS_metrics_port="auto",
                            FLAGS_tensorboard_dir=folder)
            values = {}
            with open(os.path.join(folder, "worker.0.jsonl")) as lines:
                for line in lines:
                    values.update(json.loads(line).get("m", {}))
        seen.append((on["per_cpu"], runs.fluid(us, "--parts 8")["per_cpu"]))
        shares.append(100 * values["regatta_watch_cpu_seconds_total"] /
                      values["regatta_process_cpu_seconds_total"])
    show("memory, SGD, watched, of unwatched", median([a / b for a, b in seen]), 0.99,
         "watched %.0f, unwatched %.0f examples per CPU-second; the sampler takes %.3f %% (bar 1 %%)"
         % (median([a for a, _ in seen]), median([b for _, b in seen]), median(shares)), "")


def memory(runs, us):
    rss = runs.fluid(us, "--reps 1 --parts 8")["rss_mb"]
    table, layers = 1000001 * 10 * 4 / 2 ** 20, (273 * 400 + 2 * 400 * 400 + 800) * 4 / 2 ** 20
    data = 80000 * (13 * 4 + 26 * 8 + 8) / 2 ** 20
    allowed = table + layers + data + 150
    print("memory: peak RSS %.0f MB, model %.0f + data %.0f + 150 = %.0f MB allowed%s"
          % (rss, table + layers, data, allowed, "" if rss <= allowed else "  MISSED"), flush=True)


def main(data, bare, *cases):
    us, paddle, torch = sys.executable, os.environ.get("P185"), os.environ.get("PT")
    runs = Runs(data)
    cases = cases or ("memory", "torch", "bf16", "bound", "threads", "queue", "raw", "adam",
                      "feed", "ranks", "watch", "rss")

    def ours(text):
        return lambda: runs.fluid(us, text)

    def theirs(text):
        return lambda: runs.fluid(paddle, text)
    if paddle and "memory" in cases:
        pairs("memory, SGD, 1 thread", 1.6, ours(""), theirs(""))
    if torch and "torch" in cases:
        pairs("memory, SGD, 1 thread", 1.35, ours(""), lambda: runs.torch(torch, ""),
              ("ours", "PyTorch eager"))
        pairs("memory, SGD, 2 threads", 1.3, ours("--threads 2 --parts 8"),
              lambda: runs.torch(torch, "--threads 2 --compile --parts 8"),
              ("ours", "PyTorch compiled"), "per_second", "examples/s")
    if "bf16" in cases:
        mixed(runs, us, torch)
    if "bound" in cases or "threads" in cases:
        gemms = Gemms(bare, 2)
        if "bound" in cases:
            bound(runs, gemms, us)
        if "threads" in cases:
            scaling(runs, gemms, us)
        gemms.close()
    if "queue" in cases:
        pairs("QueueDataset, of in memory", 0.85, ours("--input queue"), ours(""),
              ("queue", "memory"))
    if paddle and "raw" in cases:
        python = "--input queue --pipe python --parts 2 --reps 1"
        pairs("raw Criteo, paddle criteo", 6, ours("--input queue --pipe native"), theirs(python),
              ("ours", "Paddle 1.8.5 with a Python pipe"))
        pairs("raw Criteo, criteo_reader.py", 2.5, ours(python), theirs(python))
    if paddle and "adam" in cases:
        pairs("memory, Adam", 8, ours("--opt adam"), theirs("--opt adam --parts 1 --reps 1"))
    if "feed" in cases:
        pairs("exe.run with feed, of in memory", 0.9, ours("--input feed"), ours(""),
              ("feed", "memory"))
    if "ranks" in cases:
        ranks(runs, us)
    if "watch" in cases:
        watched(runs, us)
    if "rss" in cases:
        memory(runs, us)


if __name__ == "__main__":
    main(*sys.argv[1:])
