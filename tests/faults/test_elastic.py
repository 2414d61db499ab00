"""Leased data, and trainers that come and go: each example counts once."""
import os
import signal
import subprocess
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e_ps"))
sys.path.insert(0, HERE)
from cluster import clean_env, cluster, free_endpoints, launch_ps  # noqa: E402,F401
from leased_script import write  # noqa: E402

FAULTY, LEASED = os.path.join(HERE, "rejoin_script.py"), os.path.join(HERE, "leased_script.py")
FILES = [100, 37, 0, 63]
RANGES = {"FLAGS_data_range_bytes": "120", "FLAGS_rpc_lease_ms": "2000", "FLAGS_log_level": "I"}
ONCE = "each of %d examples was trained on once"


def full(*values):
    return pytest.param(*values, marks=pytest.mark.full)


def run(folder, flags, arguments, victim="", fault="", workers=2, **env):
    rows = write(folder / "data", FILES)
    return launch_ps(folder, list(flags) + [FAULTY, LEASED, "--rows", str(rows)] + list(arguments),
                     workers=workers, FAULT_OF=victim, FAULT=fault, **dict(RANGES, **env))


def counted(folder, worker=0):
    """What the worker has found on the servers: the least and the most an example counted, all."""
    text = (folder / "logs" / ("workerlog.%d" % worker)).read_text()
    lines = [line for line in text.splitlines() if line.startswith("counted")]
    assert lines, text
    return [float(x) for x in lines[-1].split()[1:]]


@pytest.mark.promise(2)
@pytest.mark.parametrize("mode, threads, fault", [
    ("async", 3, "push.between:5:kill"), full("async", 1, "push.sent:9:late"),
    full("half_async", 1, "push.answered:4:kill"), full("async", 2, "lease.given:4:kill"),
    full("async", 1, "lease.ask:3:kill")])
def test_what_a_dead_trainer_had_goes_to_the_others(tmp_path, mode, threads, fault):
    """Killed for good in the middle of a range, with a push at one of two servers."""
    out = run(tmp_path, ["--elastic", "1:2"],
              ["--mode", mode, "--threads", str(threads), "--pause", "0.02", "--save", "model"],
              "TRAINER1", fault)
    assert out.returncode == 0, out.stdout
    assert "worker 1 is lost for good" in out.stdout and ONCE % 200 in out.stdout, out.stdout
    assert "given back)" in out.stdout, out.stdout
    assert counted(tmp_path) == [1, 1, 200]
    assert (tmp_path / "model" / "table_a").exists()


def start(folder, arguments, flags=("--elastic", "1:3"), **env):
    """A job of launch_ps that goes on; its output in `out`."""
    rows = write(folder / "data", FILES)
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
               "--log_dir", "logs", "--start_port", free_endpoints(1)[0].split(":")[1], *flags, LEASED,
               "--rows", str(rows)] + arguments
    with open(str(folder / "out"), "w") as out:
        return subprocess.Popen(command, cwd=str(folder), env=clean_env(**dict(RANGES, **env)),
                                stdout=out, stderr=subprocess.STDOUT)


def wait_for(path, text, seconds=60):
    end = time.monotonic() + seconds
    while not (path.exists() and text in path.read_text()):
        assert time.monotonic() < end, path.read_text() if path.exists() else str(path)
        time.sleep(0.02)


def join(folder, count=1):
    return subprocess.run(
        [sys.executable, "-m", "paddle.distributed.launch_ps", "--join", "logs", "--worker_num",
         str(count)], cwd=str(folder), env=clean_env(), capture_output=True, text=True, timeout=60)


def pid_of(folder, worker):
    lines = (folder / "logs" / "serverlog.0").read_text().splitlines()
    came = [line for line in lines if "trainer %d (pid " % worker in line and "has come" in line]
    return int(came[-1].split("(pid ")[1].split()[0])


@pytest.mark.promise(2)
@pytest.mark.parametrize("mode", ["async", full("sync")])
def test_trainers_come_and_go(tmp_path, mode):
    """One is added, one killed for good, and the first, which is replaced; two passes."""
    job = start(tmp_path, ["--mode", mode, "--passes", "2", "--pause", "0.1", "--save", "model"])
    log = tmp_path / "logs" / "serverlog.0"
    wait_for(log, "trainer 1 (pid ")
    added = join(tmp_path)
    assert added.returncode == 0 and "started: worker 2" in added.stderr, added.stderr
    wait_for(log, "trainer 2 (pid ")
    more = join(tmp_path)
    assert more.returncode == 1 and "as many workers as --elastic allows" in more.stderr
    os.kill(pid_of(tmp_path, 1), signal.SIGKILL)
    wait_for(tmp_path / "out", "worker 1 is lost for good")
    os.kill(pid_of(tmp_path, 0), signal.SIGKILL)
    wait_for(tmp_path / "out", "the first worker is never done without")
    assert job.wait(120) == 0, (tmp_path / "out").read_text()
    out = (tmp_path / "out").read_text()
    assert ONCE % 400 in out and "started again: worker 0" in out and "lost: worker 1" in out, out
    least, most, total = counted(tmp_path)
    assert (least, most) == ((2, 2) if mode == "async" else (1, 1))
    assert total == 400 if mode == "async" else 0 < total < 400
    assert "saved" in (tmp_path / "logs" / "workerlog.0").read_text()
    late = join(tmp_path)
    assert late.returncode == 2 and "no elastic job runs" in late.stderr


@pytest.mark.promise(4)
@pytest.mark.parametrize("victim, fault", [
    ("PSERVER0", "ps.leased:7:kill"), full("PSERVER0", "ps.lease:5:kill"), full("PSERVER0", "ps.apply:30:kill"),
    full("PSERVER1", "ps.applied:20:kill")])
def test_a_server_that_comes_back_knows_the_deal(tmp_path, victim, fault):
    """And a trainer that dies in such a job and is started again has other ranges than before."""
    out = run(tmp_path, ["--restarts", "3", "--journal", "everysec"],
              ["--passes", "2", "--threads", "2"], victim, fault, FLAGS_ps_snapshot_seconds="1")
    assert out.returncode == 0, out.stdout
    assert "launch: server %s (pid " % victim[-1] in out.stdout and ONCE % 400 in out.stdout
    assert counted(tmp_path) == [2, 2, 400]


@pytest.mark.promise(1)
@pytest.mark.parametrize("mode, fault", [("sync", "push.between:6:late"),
                                         full("async", "push.between:6:late")])
def test_one_that_is_started_again_gets_other_ranges(tmp_path, mode, fault):
    out = run(tmp_path, ["--restarts", "3"], ["--mode", mode, "--pause", "0.01"], "TRAINER1", fault)
    assert out.returncode == 0, out.stdout
    assert "it is started again (1 of 3)" in out.stdout and ONCE % 200 in out.stdout, out.stdout
    least, most, _ = counted(tmp_path)
    assert (least, most) == (1, 1)


@pytest.mark.full
def test_what_cannot_be_is_refused_by_name(tmp_path):
    def refused(flags, arguments, workers=1, **env):
        out = run(tmp_path, flags, arguments, workers=workers, **env)
        assert out.returncode != 0, out.stdout
        return out.stdout + (tmp_path / "logs" / "workerlog.0").read_text()
    assert "leased data in geo mode" in refused([], ["--mode", "geo"])
    assert "with 2 threads in half_async" in refused([], ["--mode", "half_async", "--threads", "2"])
    assert "an InMemoryDataset cannot lease" in refused([], ["--kind", "InMemoryDataset"])
    assert "the job is elastic" in refused(["--elastic", "1:1"], ["--no-lease"])
    assert "--elastic=2: it is MIN:MAX" in launch_ps(tmp_path, ["--elastic", "2", "x.py"]).stdout
    assert "begins with 3 to 4" in launch_ps(tmp_path, ["--elastic", "3:4", "x.py"]).stdout
