"""`paddle doctor LOG_DIR` names the cause of jobs that have really failed."""
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from built import BUILD, PADDLE
from ports import free_ports

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "failing_job.py")


def start(folder, how, *options, **env):
    return subprocess.Popen(
        [sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num=2", "--server_num=1",
         "--start_port=%d" % free_ports(1), "--print_config=False", *options, SCRIPT, how],
        cwd=str(folder), env=dict(os.environ, **env), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)


def run(folder, how, **env):
    with start(folder, how, **env) as job:
        out, _ = job.communicate(timeout=60)
    return job.returncode, out


def doctor(folder, *options):
    done = subprocess.run([PADDLE, "doctor", "logs", *options], cwd=str(folder), text=True,
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout or done.stderr


def verdict(folder):
    code, out = doctor(folder, "--json")
    return code, json.loads(out)


@pytest.mark.parametrize("how, kind, first, says", [
    ("module", "module", "worker 1", "No module named 'no_such_module'"),
    ("killed", "killed", "worker 1", "SIGKILL"),
    ("disk", "disk", "worker 1", "No space left on device"),
    pytest.param("memory", "memory", "worker 1", "MemoryError", marks=pytest.mark.skipif(
        "san" in os.path.basename(BUILD), reason="a sanitizer has taken more addresses already")),
    ("server", "crash", "server 0", "SIGSEGV"),
    pytest.param("port", "port", "server 0", "address already in use", marks=pytest.mark.full),
    ("data", "data", "worker 1", "bad data at part-1:124: "),
    pytest.param("nan", "nan", "worker", "made a NaN", marks=pytest.mark.full),
    pytest.param("user", "exception", "worker 1", "ValueError: the model is wrong",
                 marks=pytest.mark.full),
])
def test_causes(tmp_path, how, kind, first, says):
    status, out = run(tmp_path, how, FLAGS_check_nan_inf="1" if how == "nan" else "0",
                      # AddressSanitizer would answer the signal by itself.
                      ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0")
    assert status != 0, out
    code, found = verdict(tmp_path)
    assert code == 1 and found["kind"] == kind, found
    assert found["first"].startswith(first) and says in found["cause"] and found["do"], found
    for line in found["evidence"]:  # file:line is where that text is
        with open(str(tmp_path / line["file"])) as file:
            assert file.read().splitlines()[line["line"] - 1].startswith(line["text"][:100])
    text = doctor(tmp_path)[1]
    assert text.startswith("cause: ") and "\nfirst: " + found["first"] in text and "\ndo: " in text
    assert "events, since the start:\n" in text and found["events"][-1]["event"] == "error"
    if how == "data":
        assert "sed -n 124p part-1" in found["do"] and len(found["evidence"]) == 3
        os.remove(str(tmp_path / "logs" / "job.end"))  # logs alone, as another launcher leaves them
        code, again = verdict(tmp_path)
        assert code == 1 and again["kind"] == "data" and again["first"] == "worker 1"


def test_jobs_that_have_not_failed(tmp_path):
    status, out = run(tmp_path, "well")
    assert status == 0, out
    assert verdict(tmp_path)[0] == 0 and verdict(tmp_path)[1]["kind"] == "finished"
    # One that runs, one that is interrupted, and one whose launcher is killed.
    for sent, kind in ((signal.SIGTERM, "interrupted"), (signal.SIGKILL, "launcher")):
        logs = tmp_path / "logs" / "workerlog.1"
        os.remove(str(logs))
        with start(tmp_path, "wait") as job:
            while not logs.exists():
                time.sleep(0.01)
            assert verdict(tmp_path)[1]["kind"] == "running"
            job.send_signal(sent)
            job.communicate(timeout=60)
        code, found = verdict(tmp_path)
        assert code == 1 and found["kind"] == kind, found


def test_what_is_no_folder_of_logs(tmp_path):
    code, out = doctor(tmp_path)
    assert code == 2 and "logs" in out
    (tmp_path / "logs").mkdir()
    assert doctor(tmp_path) == (2, "paddle doctor: logs has no log of a job (workerlog.N, "
                                "serverlog.N)\n")
