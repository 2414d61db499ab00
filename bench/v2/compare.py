"""The bars of paddle.v2 on this machine. Figures are per CPU-second, runs alternate, and the best of
each side is compared.

    python compare.py PADDLE_COMMAND [local|cluster|pserver]...     peer: $P185 (empty: left out)"""
import json
import os
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = int(os.environ.get("ROUNDS", 3))
SCRIPT = os.path.join(HERE, "word2vec.py")
TICK = float(os.sysconf("SC_CLK_TCK"))
TRAINERS = 2


def show(title, value, bar, figures, most=False):
    met = value <= bar if most else value >= bar
    print("%s: %s: %.2f (bar %s %s)%s" % (title, figures, value, "at most" if most else "at least",
                                          bar, "" if met else "  MISSED"), flush=True)


def measured(command):
    """The line of JSON of a run."""
    out = subprocess.check_output(command, stderr=subprocess.DEVNULL, universal_newlines=True)
    return json.loads([line for line in out.splitlines() if line.startswith("{")][-1])


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / TICK


class Server:
    """`paddle pserver` with two ports, until it serves; seconds: how long that took."""

    def __init__(self, paddle, trainers):
        self.port = free_port()
        began = time.perf_counter()
        self.child = subprocess.Popen(
            [paddle, "pserver", "--port=%d" % self.port, "--ports_num=1",
             "--ports_num_for_sparse=1", "--num_gradient_servers=%d" % trainers],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for port in (self.port, self.port + 1):
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    if self.child.poll() is not None:
                        sys.exit("paddle pserver ended with %d" % self.child.returncode)
                    time.sleep(0.0005)
        self.seconds = time.perf_counter() - began
        self.samples = []  # (when, CPU seconds)

    def __enter__(self):
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look)
        self._watch.start()
        return self

    def _look(self):
        while not self._over.wait(0.02):
            try:
                self.samples.append((time.time(), cpu_seconds(self.child.pid)))
            except (OSError, IndexError):
                return

    def __exit__(self, *error):
        self._over.set()
        self._watch.join()
        if self.child.poll() is None:
            self.child.terminate()
        self.child.wait(10)

    def spent(self, began, ended):
        """CPU seconds between two moments."""
        before = [cpu for when, cpu in self.samples if when <= began][-1:]
        after = [cpu for when, cpu in self.samples if when <= ended][-1:]
        return after[0] - (before[0] if before else 0.0)

    def rss_mb(self):
        with open("/proc/%d/status" % self.child.pid) as f:
            return int(next(line for line in f if line.startswith("VmRSS")).split()[1]) / 1024.0


def local_rate():
    return measured([sys.executable, SCRIPT])["best"]


def local(paddle):
    peer = os.environ.get("P185")
    ours, theirs = [], []
    for _ in range(ROUNDS):
        if peer:
            theirs.append(measured([peer, os.path.join(HERE, "..", "word2vec.py"), "fluid", "32",
                                    "2"])["best"])
        ours.append(local_rate())
    if not peer:
        print("word2vec v2: ours %.0f examples/s; no Paddle 1.8.5 to compare with" % max(ours))
        return
    show("word2vec v2, batch 32", max(ours) / max(theirs), 4, "ours %.0f, Fluid of Paddle 1.8.5 "
         "%.0f examples/s" % (max(ours), max(theirs)))


def cluster_rate(paddle):
    """Examples per CPU-second over two trainers and their server."""
    with Server(paddle, TRAINERS) as server:
        command = [sys.executable, SCRIPT, "--port", str(server.port), "--trainers", str(TRAINERS)]
        children = [subprocess.Popen(command + ["--trainer_id", str(i)], stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, universal_newlines=True)
                    for i in range(TRAINERS)]
        runs = [json.loads([line for line in child.communicate(timeout=600)[0].splitlines()
                            if line.startswith("{")][-1]) for child in children]
        served = server.spent(min(run["began"] for run in runs), max(run["ended"] for run in runs))
    trained = sum(run["cpu"] for run in runs)
    examples = sum(run["examples"] for run in runs)
    return examples / (trained + served), served / (trained + served)


def cluster(paddle):
    alone, together = [], []
    for _ in range(ROUNDS):
        together.append(cluster_rate(paddle))
        alone.append(local_rate())
    rate, served = max(together)
    show("word2vec v2, 2 trainers and a server", rate / max(alone), 0.75,
         "%.0f examples a CPU-second (%.0f %% of it the server's), %.0f alone"
         % (rate, 100 * served, max(alone)))


def pserver(paddle):
    took, used = [], []
    for _ in range(10):
        with Server(paddle, 1) as server:
            took.append(server.seconds * 1e3)
            time.sleep(0.2)
            used.append(server.rss_mb())
    took.sort()
    show("paddle pserver, from start to service", took[len(took) // 2], 100,
         "median of %d: %.1f ms, slowest %.1f ms" % (len(took), took[len(took) // 2], took[-1]),
         most=True)
    show("paddle pserver, idle", max(used), 15, "resident %.1f MB" % max(used), most=True)


def main():
    cases = {"local": local, "cluster": cluster, "pserver": pserver}
    for name in sys.argv[2:] or cases:
        if name not in cases:
            sys.exit("compare.py: no case %s; they are %s" % (name, ", ".join(cases)))
        cases[name](sys.argv[1])


if __name__ == "__main__":
    main()
