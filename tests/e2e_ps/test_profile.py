"""`paddle profile` over a job, and debug=True of train_from_dataset."""
import os
import re
import signal
import subprocess
import sys
import time

from built import ROOT
from ports import free_ports

sys.path.insert(0, os.path.join(ROOT, "tests", "python"))
from trace_rules import read_trace  # noqa: E402

PADDLE = os.path.join(os.path.dirname(sys.executable), "paddle")  # it runs the Python beside it
SCRIPT = os.path.join(ROOT, "tests", "cli", "failing_job.py")


def profile(folder, *arguments, **env):
    done = subprocess.run([PADDLE, "profile", *arguments], cwd=str(folder), text=True,
                          capture_output=True, timeout=100, env=dict(os.environ, **env))
    return done.returncode, done.stdout, done.stderr


def test_a_job_on_one_clock(tmp_path):
    """Though worker 1 is on a host whose clock is 70 s behind."""
    code, out, err = profile(
        tmp_path, "--out", "where", "-m", "paddle.distributed.launch_ps", "--worker_num=2",
        "--server_num=1", "--start_port=%d" % free_ports(1), "--print_config=False", SCRIPT, "well",
        LATE_MS="70000")
    assert code == 0, err
    said = re.search(r"trace of server.0, worker.0, worker.1 \(whose clock was ([\d.]+) s behind\): "
                     r"where/trace.json", out)
    assert said and abs(float(said.group(1)) - 70) < 5, out
    table = dict(re.findall(r"^(\w+) +(\d+) ", out, re.M))
    assert table["sequence_pool"] == "60" and table["send_barrier"] == "60" and table["sgd"] == "60"
    steps = dict(re.findall(r"^  (\w+) +([\d.]+) %", out, re.M))
    assert "Where 60 steps went" in out  # of workers; a server's updates are no steps
    assert set(steps) == {"read", "pull", "compute", "push", "wait"}
    assert abs(sum(map(float, steps.values())) - 100) < 1
    events = read_trace(str(tmp_path / "where" / "trace.json"))
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert sorted(name.split(" ")[0] for name in processes.values()) == ["server.0", "worker.0",
                                                                         "worker.1"]

    def times(process, **fields):
        pid, = [p for p, name in processes.items() if name.startswith(process)]
        return [e for e in events if e["pid"] == pid and
                all(e.get(k) == v for k, v in fields.items())]

    # reads, ops, runs, pulls and pushes of a worker
    assert len(times("worker.0", cat="run")) == 31 and len(times("worker.1", name="next batch")) == 30
    assert len(times("worker.0", cat="request", ph="b", name="PUSH")) == 30
    assert len(times("worker.0", cat="request", ph="b", name="ROWS")) == 30
    # One clock: a push is answered by the server while the worker's request is open.
    asked = times("worker.0", cat="request", ph="b", name="PUSH")[0]["ts"]
    served = [e["ts"] for e in times("server.0", cat="serve", name="PUSH")]
    assert len(served) == 60 and asked < max(served)
    for worker in ("worker.0", "worker.1"):
        asked = times(worker, cat="request", ph="b", name="PUSH")[0]["ts"]
        last = max(e["ts"] for e in times(worker, cat="request", ph="e"))
        assert 0 < asked < max(served) and min(served) < last < 60e6  # since the command began
    # Again from the files alone; and where there are none.
    again = profile(tmp_path, "--job", "where", "--sorted", "calls")
    assert again[0] == 0 and "trace of server.0" in again[1]
    assert read_trace(str(tmp_path / "where" / "trace.json")) == events
    code, _, err = profile(tmp_path, "--job", ".")
    assert code == 1 and "has no trace" in err


DEBUG = """
import sys
import paddle.fluid as fluid
x = fluid.data("x", [None, 1])
loss = fluid.layers.mean(fluid.layers.fc(x, 1))
fluid.optimizer.SGD(0.1).minimize(loss)
dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
dataset.set_use_var([x])
dataset.set_batch_size(2)
with open("part", "w") as file:
    file.write("1 0.5\\n" * 20)
dataset.set_filelist(["part"])
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
exe.train_from_dataset(fluid.default_main_program(), dataset, debug=True)
exe.train_from_dataset(fluid.default_main_program(), dataset)
sys.exit(3)
"""


def test_debug_shows_where_steps_went_and_the_status_is_the_script_s(tmp_path):
    (tmp_path / "train.py").write_text(DEBUG)
    code, out, err = profile(tmp_path, "train.py")
    assert code == 3, err
    first, second = out.split("Where ")[1:]
    assert first.startswith("10 steps went:\n") and "  read " in first and "  compute " in first
    assert second.startswith("20 steps went:\n")  # of the whole process, whatever was reset
    name, = [n for n in os.listdir(str(tmp_path / "profile")) if n != "trace.json"]
    assert re.fullmatch(r"process-\d+\.json", name)
    events = read_trace(str(tmp_path / "profile" / "trace.json"))
    assert sum(e["name"] == "read lines" for e in events) == 20


def test_misuse(tmp_path):
    for arguments, says in (([], "is needed"), (["--job", "x", "train.py"], "one of them alone"),
                            (["--sorted", "size", "x.py"], "invalid choice")):
        code, out, err = profile(tmp_path, *arguments)
        assert code == 2 and says in err
    code, _, err = profile(tmp_path, "no_such.py")
    assert code == 2 and "no_such.py" in err and "has no trace" in err


LONG = """
import time
import numpy as np
import paddle.fluid as fluid
x = fluid.data("x", [None, 3])
y = fluid.layers.fc(x, 1)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
while True:
    exe.run(feed={"x": np.ones((4, 3), "float32")}, fetch_list=[y])
    open("runs", "w").close()
    time.sleep(0.01)
"""


def test_ctrl_c_ends_the_script_and_shows_what_there_is(tmp_path):
    (tmp_path / "long.py").write_text(LONG)
    process = subprocess.Popen([PADDLE, "profile", "long.py"], cwd=str(tmp_path), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    end = time.monotonic() + 60
    while not (tmp_path / "runs").exists() and time.monotonic() < end:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "trace of process-" in out and "Profiling Report" in out, err
    assert (tmp_path / "profile" / "trace.json").exists()


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").touch()
    code, _, err = profile(tmp_path, "--out", "file/traces", "long.py")
    assert code == 2 and "paddle profile: --out=file/traces: " in err and "Traceback" not in err
