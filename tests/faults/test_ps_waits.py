"""Whoever waits says whom it waits for, hears Ctrl+C, and does not wait for ever."""
import http.server
import os
import signal
import socket
import sys
import threading
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e_ps"))
from cluster import cluster, free_endpoints, launch_ps  # noqa: E402,F401

SCRIPT = os.path.join(HERE, "wait_script.py")
ENDS_WITHIN = 40  # seconds: against a hang, not a promise


def job(cluster, servers, workers, arguments, **more):  # noqa: F811
    return cluster.fleet(servers, workers, arguments, script=SCRIPT, **more)


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
@pytest.mark.parametrize("how", [[], ["--feed"]])
def test_a_thread_that_fails_ends_the_job(cluster, mode, how):  # noqa: F811
    """The other threads of its process wait for it to push: with a dataset, and with CPU_NUM."""
    job(cluster, 1, 2, ["--mode", mode, "--threads", "2"] + how, own={"worker1": {"BAD_LINE": "1"}})
    failed = cluster.named("worker1")
    assert failed.wait(ENDS_WITHIN) != 0
    assert "57" in failed.text() and "50" in failed.text(), failed.text()
    for name in ["server0", "worker0"]:
        assert cluster.named(name).wait(ENDS_WITHIN) != 0 or name == "worker0", cluster.logs()
    assert "trainer 1" in cluster.named("server0").text()


@pytest.mark.parametrize("how", [[], ["--feed"]])
def test_a_trainer_whose_servers_are_all_gone_ends(cluster, how):  # noqa: F811
    job(cluster, 2, 1, ["--lines", "4000000" if how else "300000", "--threads", "2"] + how,
        env={"FLAGS_rpc_lease_ms": "2000"})
    worker = cluster.named("worker0")
    worker.wait_for("step 5" if how else "training")
    time.sleep(0.5)
    for i in range(2):
        cluster.named("server%d" % i).signal(signal.SIGKILL)
    assert worker.wait(ENDS_WITHIN) != 0
    assert "is gone" in worker.text() and "trained" not in worker.text(), worker.text()


def test_ctrl_c_is_heard_while_a_trainer_waits_for_another(cluster):  # noqa: F811
    job(cluster, 1, 2, ["--threads", "2", "--late-worker", "1"])
    worker = cluster.named("worker0")
    worker.wait_for("training")
    time.sleep(1)
    worker.signal(signal.SIGINT)
    assert worker.wait(ENDS_WITHIN) != 0
    assert "KeyboardInterrupt" in worker.text(), worker.text()


def test_who_is_interrupted_says_so_to_the_others(cluster):  # noqa: F811
    """They do not wait for its lease."""
    job(cluster, 1, 2, ["--feed", "--lines", "4000000"], env={"FLAGS_rpc_lease_ms": "60000"})
    cluster.named("worker1").wait_for("step 3\n")
    cluster.named("worker1").signal(signal.SIGINT)
    for name in ("worker0", "server0"):
        assert cluster.named(name).wait(ENDS_WITHIN) != 0
        assert "has failed: it was interrupted (Ctrl+C)" in cluster.named(name).text()


@pytest.mark.parametrize("meeting", ["barrier", "sum"])
def test_who_meets_is_not_waited_for_by_any_server(cluster, meeting):  # noqa: F811
    """One worker is done early; the other trains on, on both servers, and comes then."""
    job(cluster, 2, 2, ["--feed", "--more-steps", "20"], env={"MEET": meeting})
    cluster.finish(ENDS_WITHIN)


# ---- no server, or another one ----

def worker_at(cluster, endpoint, arguments, **env):  # noqa: F811
    return cluster.start("worker0", [SCRIPT] + arguments, TRAINING_ROLE="TRAINER",
                         PADDLE_TRAINER_ID="0", PADDLE_TRAINERS_NUM="1",
                         PADDLE_PSERVERS_IP_PORT_LIST=endpoint, **env)


def test_a_trainer_without_servers_gives_up_and_names_them(cluster):  # noqa: F811
    endpoint = free_endpoints(1)[0]
    worker = worker_at(cluster, endpoint, [], FLAGS_ps_join_seconds="1")
    assert worker.wait(ENDS_WITHIN) != 0
    assert "no server listens at %s" % endpoint in worker.text(), worker.text()


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
def test_a_communicator_without_servers_starts_and_stops(cluster, mode):  # noqa: F811
    """wait_port=False: nobody waits before something is to be said."""
    worker_at(cluster, free_endpoints(1)[0], ["--mode", mode, "--no-wait-port", "--only-start"])
    cluster.finish(ENDS_WITHIN)


def test_a_job_with_wait_port_off_trains(cluster):  # noqa: F811
    job(cluster, 1, 2, ["--no-wait-port"], env={"MEET": "1"}).finish(ENDS_WITHIN)


def test_the_port_of_an_http_server(cluster):  # noqa: F811
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    worker = worker_at(cluster, "127.0.0.1:%d" % server.server_port, [])
    try:
        assert worker.wait(ENDS_WITHIN) != 0
        assert "another service's port" in worker.text(), worker.text()
    finally:
        server.shutdown()
        server.server_close()


def test_ctrl_c_is_heard_while_a_server_says_nothing(cluster):  # noqa: F811
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(16)
        worker = worker_at(cluster, "127.0.0.1:%d" % silent.getsockname()[1], [])
        worker.wait_for("has said nothing")
        worker.signal(signal.SIGINT)
        assert worker.wait(ENDS_WITHIN) != 0
    assert "KeyboardInterrupt" in worker.text(), worker.text()


# ---- who never comes, and who never goes on ----

def test_one_trainer_never_comes(tmp_path):
    """Everybody is told of it, ends, and the launcher's last line names it."""
    done = launch_ps(tmp_path, [SCRIPT, "--late-worker", "1"], servers=1, timeout=ENDS_WITHIN,
                     FLAGS_ps_join_seconds="8")
    assert done.returncode != 0
    assert "trainer 1, which was never seen; ready: trainer 0 (pid" in done.stdout, done.stdout
    assert "worker 1" in done.stdout.splitlines()[-1], done.stdout


def test_servers_that_nobody_comes_to_end(cluster):  # noqa: F811
    job(cluster, 1, 0, [], env={"FLAGS_ps_join_seconds": "1", "PADDLE_TRAINERS_NUM": "2"})
    server = cluster.named("server0")
    assert server.wait(ENDS_WITHIN) != 0
    assert "trainer 0, which was never seen, trainer 1, which was never seen; ready: nobody" \
        in server.text(), server.text()


SILENT_PIPE = """
import paddle.fluid as fluid
x = fluid.layers.data("x", [1])
dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
dataset.set_use_var([x])
dataset.set_pipe_command("sleep 1000")
dataset.set_filelist([__import__("sys").executable])
fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(fluid.layers.fc(x, 1)))
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
exe.train_from_dataset(dataset=dataset)
"""


SILENT_READER = """
import time
import paddle.fluid as fluid
x = fluid.layers.data("x", [1])
loader = fluid.io.DataLoader.from_generator(feed_list=[x], capacity=2)
def read():
    time.sleep(1000)
    yield [[1.0]]
for batch in loader.set_batch_generator(read, places=fluid.CPUPlace())():
    pass
"""


def test_waiting_is_said(cluster):  # noqa: F811
    """One trainer is stuck in its own code: by both sides. A pipe command, and a reader, give
    nothing."""
    alone = cluster.start("alone", ["-c", SILENT_PIPE])
    reader = cluster.start("reader", ["-c", SILENT_READER])
    job(cluster, 1, 2, ["--feed"], own={"worker1": {"STUCK": "1"}})
    for name in ["server0", "worker0"]:
        process = cluster.named(name)
        process.wait_for("which lives and last asked for something")
        assert "(to make step 2) for trainer 1 (pid" in process.text(), process.text()
    assert all(p.status is None for p in cluster.processes)
    waiting = cluster.named("worker0")
    waiting.signal(signal.SIGINT)
    assert waiting.wait(ENDS_WITHIN) != 0 and "KeyboardInterrupt" in waiting.text()
    alone.wait_for("waiting for `sleep 1000`: it runs, and has given nothing")
    reader.wait_for("waiting for the data reader: it runs, and has given nothing for 10 s")
    for process in (alone, reader):
        process.signal(signal.SIGINT)
        assert process.wait(ENDS_WITHIN) != 0 and "KeyboardInterrupt" in process.text()


def test_the_last_line_names_a_server_that_is_stopped(tmp_path):
    """It does not end, so that others end first; they are not to blame."""
    done = launch_ps(tmp_path, [SCRIPT, "--feed", "--lines", "400000", "--stop-server", "1"],
                     timeout=ENDS_WITHIN, FLAGS_rpc_lease_ms="2000")
    assert done.returncode != 0
    assert "server 1 was stopped" in done.stdout.splitlines()[-1], done.stdout
    assert "because: server 1" in done.stdout


@pytest.mark.parametrize("threads, hears", [("1", "is taken by trainer 0"), ("2", "was forked")])
def test_a_forked_child_of_a_trainer_ends(cluster, threads, hears):  # noqa: F811
    """It has none of its parent's threads; it neither waits for them nor leaves the job."""
    job(cluster, 1, 1, ["--feed", "--fork", "--threads", threads]).finish(ENDS_WITHIN)
    text = cluster.named("worker0").text()
    assert "the child ended with 0" in text and hears in text and "trained" in text, text
