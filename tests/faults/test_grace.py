"""A job that is asked to end, and has some time for it: what it leaves can be gone on with at once."""
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from test_journal import LEDGER, journal, pid_of_server  # noqa: E402
from test_rejoin import SCRIPT, calm, clean_env, cluster, digest, free_endpoints  # noqa: E402,F401
from test_resume import go_on  # noqa: E402

STEPS = ("--optimizer", "Adam", "--steps", "30")
LAUNCH = [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0", "--log_dir",
          "logs"]


def begin(folder, flags, arguments, script=SCRIPT, under=(), **env):
    """A job of 3 workers and 2 servers that is still running when it has made some steps. under: what
    the command begins with."""
    command = list(under) + LAUNCH + ["--worker_num", "3", "--server_num", "2", "--start_port",
                        free_endpoints(1)[0].split(":")[1]] + flags + [script] + arguments
    # What a test is run under may ignore SIGHUP (nohup), and so would the job.
    with open(str(folder / "said"), "w") as said:
        return subprocess.Popen(command, cwd=str(folder), stdout=said, stderr=subprocess.STDOUT,
                                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
                                env=clean_env(FLAGS_log_level="I", **env))


def wait_for(folder, log, text, seconds=60):
    end = time.monotonic() + seconds
    path = folder / "logs" / log
    while not (path.exists() and text in path.read_text()):
        assert "the job failed" not in (folder / "said").read_text(), (folder / "said").read_text()
        assert time.monotonic() < end, (folder / "said").read_text()
        time.sleep(0.02)


def logs(folder):
    return [(folder / "logs" / ("serverlog.%d" % i)).read_text() for i in (0, 1)]


def records_read(log):
    """How many records of a journal a server did again when it was started."""
    return int(re.search(r"has what it had: (\d+) records", log).group(1))


@pytest.mark.promise(4, 5)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_goes_on_reads_a_snapshot(tmp_path, calm, number):  # noqa: F811
    arguments = ["--save", "model"] + list(STEPS)
    job = begin(tmp_path, ["--journal", "everysec", "--grace", "30"], arguments + ["--pause", "0.1"])
    wait_for(tmp_path, "workerlog.1", "step 8")
    job.send_signal(number)
    assert job.wait(40) == 128 + number
    said = (tmp_path / "said").read_text()
    assert "had to be killed" not in said and "launch_ps --resume" in said, said
    assert all("a snapshot is on the disk" in log for log in logs(tmp_path)), logs(tmp_path)
    out = go_on(tmp_path, SCRIPT, arguments, FLAGS_log_level="I")
    assert out.returncode == 0, out.stdout
    assert max(records_read(log) for log in logs(tmp_path)) < 10, logs(tmp_path)
    assert digest(tmp_path / "model") == calm(*STEPS)


@pytest.mark.promise(4)
def test_a_server_that_others_ask_to_end(tmp_path, calm):  # noqa: F811
    """As Kubernetes does it: a snapshot, then the end by the signal; it is started again, and the
    workers go on."""
    job = begin(tmp_path, ["--journal", "everysec", "--grace", "30", "--restarts", "2"],
                ["--save", "model", "--pause", "0.05"] + list(STEPS))
    wait_for(tmp_path, "workerlog.1", "step 8")
    os.kill(pid_of_server(tmp_path / "logs" / "journal", "PADDLE_PSERVER_ID=1"), signal.SIGTERM)
    assert job.wait(60) == 0, (tmp_path / "said").read_text()
    said = (tmp_path / "said").read_text()
    assert re.search(r"server 1 \(pid \d+\) died: .*SIGTERM", said), said
    assert "a snapshot is on the disk" in logs(tmp_path)[1]
    assert digest(tmp_path / "model") == calm(*STEPS)


SAVES = textwrap.dedent("""\
    import os, re, signal, sys, time
    import paddle.fluid as fluid
    from paddle.fluid.incubate.fleet.base import role_maker
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
        import AsyncStrategy
    fleet.init(role_maker.PaddleCloudRoleMaker())
    x = fluid.data("x", [None, 4], "float32")
    loss = fluid.layers.mean(fluid.layers.fc(x, 1))
    fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), AsyncStrategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        sys.exit(0)
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)

    def others_are_gone(log):
        said = open("logs/" + log).read()
        return all(re.search(r"trainer %d .*(died|finish|ends)" % n, said) for n in (1, 2))

    def save(number, frame):
        if fleet.is_first_worker():
            end = time.monotonic() + 10
            while not all(map(others_are_gone, ("serverlog.0", "serverlog.1"))):
                if time.monotonic() > end:
                    break
                time.sleep(0.1)
            time.sleep(float(sys.argv[2]))
            fleet.save_persistables(exe, "saved")
            print("saved", flush=True)
            os._exit(0)
        sys.exit(int(sys.argv[1]))
    if fleet.is_first_worker() or sys.argv[1] != "killed":
        signal.signal(signal.SIGTERM, save)
    print("step 8", flush=True)
    while True:
        time.sleep(0.1)
    """)


JOURNAL = ["--journal", "everysec"]


@pytest.mark.parametrize("others, more, flags, env", [
    ("killed", 0, [], {}), ("143", 0, [], {}), ("0", 0, [], {}),
    ("killed", 2, JOURNAL, {"FLAGS_ps_return_seconds": "1"}),
    ("143", 0, JOURNAL, {})])
def test_workers_are_told_first(tmp_path, others, more, flags, env):
    """One of them saves what servers have, when these know that the others are gone, which is no
    failure: they have not been told to end yet, and write what they have when they are."""
    (tmp_path / "saves.py").write_text(SAVES)
    job = begin(tmp_path, flags + ["--grace", "60"], [others, str(more)], "saves.py",
                FLAGS_rpc_lease_ms="2000", **env)
    for i in range(3):
        wait_for(tmp_path, "workerlog.%d" % i, "step 8")
    job.send_signal(signal.SIGTERM)
    assert job.wait(70) == 128 + signal.SIGTERM
    assert "saved" in (tmp_path / "logs" / "workerlog.0").read_text(), logs(tmp_path)
    assert sorted(n for n in os.listdir(str(tmp_path / "saved")) if n.startswith("fc")) == [
        "fc_0.b_0", "fc_0.w_0"]
    assert not flags or all("a snapshot is on the disk" in log for log in logs(tmp_path))


@pytest.mark.promise(4, 5)
def test_workers_that_exit_have_not_finished(tmp_path, calm):  # noqa: F811
    """Told to end they end well, without a word to servers, and the job can be gone on with."""
    (tmp_path / "exits.py").write_text(textwrap.dedent("""\
        import os, runpy, signal, sys
        if os.environ["TRAINING_ROLE"] == "TRAINER":
            signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")
        """))
    arguments = [SCRIPT, "--save", "model"] + list(STEPS)
    job = begin(tmp_path, JOURNAL + ["--grace", "30"], arguments + ["--pause", "0.1"], "exits.py")
    wait_for(tmp_path, "workerlog.1", "step 8")
    job.send_signal(signal.SIGTERM)
    assert job.wait(40) == 128 + signal.SIGTERM
    out = go_on(tmp_path, "exits.py", arguments, FLAGS_log_level="I")
    assert out.returncode == 0, out.stdout
    assert max(records_read(log) for log in logs(tmp_path)) < 10, logs(tmp_path)
    assert digest(tmp_path / "model") == calm(*STEPS)


PATIENT = textwrap.dedent("""\
    import os, signal, time

    def end(number, frame):
        time.sleep(2)
        print("in peace", flush=True)
        os._exit(0)
    if os.environ["TRAINING_ROLE"] == "TRAINER":
        signal.signal(signal.SIGTERM, end)
    print("step 8", flush=True)
    while True:
        time.sleep(0.1)
    """)


@pytest.mark.parametrize("under, signals", [
    ([], [signal.SIGHUP] * 2), ([], [signal.SIGTERM, signal.SIGHUP]),
    ([], [signal.SIGINT, signal.SIGTERM]), (["timeout", "1000"], [signal.SIGTERM])])
def test_one_request_that_comes_as_several_signals(tmp_path, under, signals):
    """A terminal that closes sends SIGHUP more than once, a session's end SIGTERM with it; timeout(1)
    signals its child, and then its group. None of that is in a hurry."""
    (tmp_path / "patient.py").write_text(PATIENT)
    job = begin(tmp_path, ["--grace", "30"], [], "patient.py", under)
    for i in range(3):
        wait_for(tmp_path, "workerlog.%d" % i, "step 8")
    for i, number in enumerate(signals):
        time.sleep(0.5 * i if number == signal.SIGHUP else 0)
        job.send_signal(number)
    assert job.wait(40) == 128 + signals[0]
    said = (tmp_path / "said").read_text()
    assert "had to be killed" not in said, said
    for i in range(3):
        assert "in peace" in (tmp_path / "logs" / ("workerlog.%d" % i)).read_text()


@pytest.mark.parametrize("grace, signals", [("1", 1), ("1000", 2)])
def test_time_that_is_over_and_a_second_signal(tmp_path, grace, signals):
    """A worker that does not end is killed when the time is over, and at once at a second signal."""
    (tmp_path / "deaf.py").write_text(
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('step 8', flush=True)\nwhile True:\n    time.sleep(1)\n")
    job = begin(tmp_path, ["--grace", grace], [], "deaf.py")
    wait_for(tmp_path, "workerlog.0", "step 8")
    for _ in range(signals):
        job.send_signal(signal.SIGTERM)
        time.sleep(1)
    assert job.wait(30) == 128 + signal.SIGTERM
    assert "some processes had to be killed" in (tmp_path / "said").read_text()


def test_a_snapshot_of_the_last_step_that_is_not_done_is_taken_again(tmp_path, cluster):  # noqa: F811
    """A server is asked to end while it writes one, which it gives up."""
    cluster.fleet(1, 1, ["--steps", "6", "--wait-for", "never"], LEDGER, own={
        "server0": {"RG_FAULT": "snapshot.rows:2:delay"}}, env=journal(
            tmp_path, FLAGS_ps_snapshot_seconds="1", FLAGS_ps_grace_seconds="30",
            FLAGS_log_level="I"))
    server = cluster.named("server0")
    server.wait_for("a snapshot is taken")
    server.signal(signal.SIGTERM)
    assert server.wait(40) == -signal.SIGTERM
    assert "a snapshot is on the disk" in server.text().rpartition("a snapshot is taken")[2]


def test_what_a_server_does_when_it_has_served_ends_by_sigterm(tmp_path, cluster):  # noqa: F811
    (tmp_path / "behind.py").write_text(textwrap.dedent("""\
        import os, runpy, sys, time
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")
        while os.environ["TRAINING_ROLE"] == "PSERVER":
            print("it has served", flush=True)
            time.sleep(0.1)
        """))
    cluster.fleet(1, 1, [SCRIPT, "--steps", "2"], "behind.py", env=journal(
        tmp_path, FLAGS_ps_grace_seconds="30"))
    server = cluster.named("server0")
    server.wait_for("it has served")
    server.signal(signal.SIGTERM)
    assert server.wait(20) == -signal.SIGTERM


@pytest.mark.parametrize("flags, env, text", [
    (["--grace", "-1"], {}, "--grace=-1: 1 to 86400 seconds"),
    ([], {"FLAGS_ps_grace_seconds": "5"}, "FLAGS_ps_journal is off"),
    (["--journal", "everysec"], {"FLAGS_ps_grace_seconds": "99999"}, "0 to 86400 are possible")])
def test_what_cannot_be_is_refused(tmp_path, flags, env, text):
    job = begin(tmp_path, flags, list(STEPS), **env)
    assert job.wait(60) not in (0, None)
    assert text in (tmp_path / "said").read_text(), (tmp_path / "said").read_text()
