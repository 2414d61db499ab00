"""Jobs of several processes, and the CPU time that each of them uses: launch_ps is started, and its
process tree looked at ten times a second in /proc."""
import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

TICK = float(os.sysconf("SC_CLK_TCK"))
PERIOD = 0.1


def processes():
    """{pid: (parent, CPU seconds, those of children that have ended)}"""
    found = {}
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(folder + "/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except (OSError, IOError):
            continue
        own, ended = (sum(map(int, fields[at:at + 2])) / TICK for at in (11, 13))
        found[int(folder[6:])] = (int(fields[1]), own, ended)
    return found


def tree(root):
    """{pid: CPU seconds} of a process and all below it. Pipe commands that have ended count with
    who started them; workers do not with the launcher, since they count by themselves: one that
    ends within a span would count twice there, with all that it did before."""
    every, inside, grew = processes(), {root}, True
    while grew:
        below = {pid for pid, process in every.items() if process[0] in inside} - inside
        inside |= below
        grew = bool(below)
    return {pid: every[pid][1] + (every[pid][2] if pid != root else 0)
            for pid in inside if pid in every}


class Watch(object):
    """The CPU time of a process tree over time."""

    def __init__(self, root):
        self.samples, self._root, self._over = [], root, threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self):
        while not self._over.is_set():
            self.samples.append((time.time(), tree(self._root)))
            self._over.wait(PERIOD)

    def stop(self):
        self._over.set()
        self._thread.join()

    def _at(self, moment, pid):
        """CPU seconds of a process at a moment, between two samples."""
        before = after = None
        for when, cpu in self.samples:
            if pid in cpu and when <= moment:
                before = (when, cpu[pid])
            if pid in cpu and when > moment:
                after = (when, cpu[pid])
                break
        if before is None or after is None:
            return (before or after or (0, 0.0))[1]
        part = (moment - before[0]) / (after[0] - before[0])
        return before[1] + part * (after[1] - before[1])

    def spent(self, began, ended):
        """{pid: CPU seconds between two moments}"""
        pids = {pid for _, cpu in self.samples for pid in cpu}
        return {pid: self._at(ended, pid) - self._at(began, pid) for pid in pids}


def end_tree(root):
    for pid in sorted(tree(root), reverse=True):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def run(python, script, options, workers=2, servers=2, timeout=600, launcher=None, **env):
    """(lines that the workers wrote, the Watch). A job of Paddle's may not end by itself: when
    all workers are done it is ended."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "lines")
        command = [python, "-m"] + (launcher or [
            "paddle.distributed.launch_ps", "--worker_num", str(workers), "--server_num",
            str(servers), "--start_port", str(random.randint(20000, 29000)), "--log_dir", "logs"])
        command += [script, "--out", out] + options
        with open(os.path.join(folder, "log"), "w") as log:
            job = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT,
                                   env=dict(os.environ, **env))
        watch, lines, limit = Watch(job.pid), [], time.time() + timeout
        while job.poll() is None and time.time() < limit:
            time.sleep(0.5)
            lines = read_lines(out)
            if sum("done" in line for line in lines) >= workers:
                break
        watch.stop()
        time.sleep(1)
        end_tree(job.pid)
        job.wait()
        lines = read_lines(out)
        if sum("done" in line for line in lines) < workers:
            for path in [os.path.join(folder, "log")] + glob.glob(folder + "/logs/*"):
                with open(path, errors="replace") as log:
                    sys.stderr.write("---- %s\n%s\n" % (os.path.basename(path), log.read()[-1500:]))
            raise RuntimeError("the job did not end: %s" % " ".join(command))
        return lines, watch


def read_lines(path):
    try:
        with open(path) as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except (OSError, IOError):
        return []


def repeats(lines, watch):
    """Of each repeat: rows, bytes, CPU seconds and seconds over all processes."""
    found = []
    for rep in sorted({line["rep"] for line in lines if "rep" in line}):
        parts = [line for line in lines if line.get("rep") == rep]
        began, ended = min(p["began"] for p in parts), max(p["ended"] for p in parts)
        cpu = sum(watch.spent(began, ended).values())
        rows = sum(p["rows"] for p in parts)
        found.append({"rows": rows, "bytes": sum(p.get("bytes", 0) for p in parts), "cpu": cpu,
                      "per_cpu": rows / cpu, "per_second": rows / (ended - began)})
    return found
