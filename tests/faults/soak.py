"""`make soak MINUTES=20`: jobs on 3 workers and 2 servers of which a random process is killed (kill -9) every
10 seconds, for so long.

    sync     CTR-DNN from files: the model has the bits of a run in peace
    async    gradient 1 and rate 1: each weight is the number of pushes, and not one more or less

Memory stays flat: the most that a server or a worker takes in the last quarter of a job is not much more than
in the second. What came of it is printed; the status is 0 where all holds."""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CTR = os.path.join(os.path.dirname(os.path.dirname(HERE)), "demo", "ctr")
sys.path.insert(0, CTR)
from chaos import digest, processes  # noqa: E402

WORKERS, SERVERS, PARTS = 3, 2, 6
GROWTH, SLACK = 1.2, 32 << 20  # of memory: so many times, and so many bytes


def launch(folder, script, arguments, **env):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
               "--worker_num", str(WORKERS), "--server_num", str(SERVERS), "--restarts", "100000",
               "--journal", "everysec", "--log_dir", "logs", script] + arguments
    with open(os.path.join(folder, "launcher.log"), "w") as log:
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=dict(
            os.environ, FLAGS_progress="off", FLAGS_ps_snapshot_mb="64", **env))


def resident(pid):
    try:
        with open("/proc/%d/statm" % pid) as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):  # it has ended
        return 0


class Watch(object):
    """Kills, and looks at memory, until the job ends."""

    def __init__(self, job, args, seconds):
        self.job, self.every, self.seconds = job, args.every, seconds
        self.chance, self.kills, self.samples = random.Random(args.seed), {}, []

    def run(self, ceiling):
        begun = time.monotonic()
        due, told = begun + self.every, begun
        while self.job.poll() is None:
            now = time.monotonic()
            alive = processes(self.job.pid)
            self.samples += [(now - begun, role, resident(pid)) for pid, role in alive.items()]
            if due <= now < begun + self.seconds and alive:
                victim = self.chance.choice(sorted(alive))
                self.kills[alive[victim]] = self.kills.get(alive[victim], 0) + 1
                os.kill(victim, signal.SIGKILL)
                due = now + self.every
            if now - told > 60:
                told = now
                print("    %4.0f s, %d kills" % (now - begun, sum(self.kills.values())), flush=True)
            if now - begun > ceiling:
                self.job.send_signal(signal.SIGTERM)
                self.job.wait()
                return "it did not end within %d s" % ceiling
            time.sleep(0.25)
        self.took = time.monotonic() - begun
        return None if self.job.wait() == 0 else "the job failed"

    def peaks(self):
        """{role: most of each quarter, in bytes}."""
        most = {}
        for at, role, size in self.samples:
            quarters = most.setdefault(role, [0] * 4)
            part = min(3, int(4 * at / self.took))
            quarters[part] = max(quarters[part], size)
        return most

    def judge(self):
        wrong = []
        for role, quarters in sorted(self.peaks().items()):
            print("    memory of a %s by quarters of the time, MiB: %s"
                  % (role.lower(), " ".join("%.0f" % (q / 2 ** 20) for q in quarters)), flush=True)
            if self.took > 60 and quarters[3] > GROWTH * quarters[1] + SLACK:
                wrong.append("the memory of a %s grows" % role.lower())
        print("    %.0f s, killed: %s" % (self.took, ", ".join(
            "%d times a %s" % (n, role.lower()) for role, n in sorted(self.kills.items())) or
            "nobody"), flush=True)
        return wrong


def tail(folder):
    with open(os.path.join(folder, "launcher.log"), errors="replace") as log:
        return "".join(log.readlines()[-25:])


def run(name, folder, script, arguments, args, seconds):
    """What is wrong; kills for so long."""
    print("%s ..." % name, flush=True)
    watch = Watch(launch(folder, script, arguments), args, seconds)
    failed = watch.run(10 * seconds + 600)
    if failed:
        return [failed + ":\n" + tail(folder)], watch
    return watch.judge(), watch


def make_data(folder, rows):
    import demo
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for part in range(PARTS):
        demo.generate(rows // PARTS, 100 + part, os.path.join(folder, "part-%02d" % part))
    return os.path.join(folder, "part-*")


def soak_sync(args, seconds):
    """One job in peace, and the same with kills again and again."""
    files = make_data(os.path.join(args.output, "data"), args.rows)

    def job(name, epochs, kills):
        folder = os.path.join(args.output, name)
        wrong, watch = run("sync, %d epochs, %s" % (epochs, "kills" if kills else "in peace"), folder,
                           os.path.join(CTR, "dist_train.py"), [
                               "--train", files, "--mode", "sync", "--buckets", "20001", "--epochs",
                               str(epochs), "--model", "model", "--checkpoint", "checkpoint"],
                           args, kills)
        return wrong, watch, os.path.join(folder, "checkpoint")

    wrong, _, calm = job("calm", args.epochs, 0)
    end = time.monotonic() + seconds
    while not wrong and time.monotonic() < end:
        wrong, _, chaos = job("chaos", args.epochs, seconds)
        if not wrong and digest(calm) != digest(chaos):
            wrong = ["the models of %s and %s differ" % (calm, chaos)]
        args.seed += 1
    return wrong


def soak_async(args, seconds):
    steps, end = 1200, time.monotonic() + seconds
    folder = os.path.join(args.output, "async")
    wanted = [-WORKERS * steps] * 4 + [-steps] * 2 * WORKERS + [-WORKERS * steps] * 2
    while time.monotonic() < end:
        wrong, _ = run("async, %d steps of each worker, kills" % steps, folder,
                       os.path.join(HERE, "ledger_script.py"),
                       ["--mode", "async", "--steps", str(steps), "--pause", "0.05", "--meet", "20",
                        "--large", "100000"], args, seconds)
        if wrong:
            return wrong
        with open(os.path.join(folder, "logs", "workerlog.0")) as log:
            ledger = [line for line in log if line.startswith("ledger")][-1]
        if [float(x) for x in ledger.split()[1:]] != wanted:
            return ["%d pushes of each worker, and the weights are %s" % (steps, ledger.strip())]
        args.seed += 1
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=20, help="of jobs with kills, in all")
    parser.add_argument("--every", type=float, default=10, help="seconds between two")
    parser.add_argument("--seed", type=int, default=1, help="of who is killed")
    parser.add_argument("--epochs", type=int, default=8, help="of a sync job")
    parser.add_argument("--rows", type=int, default=150000, help="examples of an epoch")
    parser.add_argument("--only", choices=["sync", "async"])
    parser.add_argument("--output", default="output/soak")
    args = parser.parse_args()
    args.output = os.path.abspath(args.output)
    wrong, share = [], {"sync": 0.7, "async": 0.3}
    for name, soak in (("sync", soak_sync), ("async", soak_async)):
        if args.only in (None, name):
            wrong += soak(args, 60 * args.minutes * (1 if args.only else share[name]))
    for text in wrong:
        print("soak: FAILED: " + text)
    print("soak: %s" % ("failed" if wrong else "all holds: same bits, exact ledger, flat memory"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
