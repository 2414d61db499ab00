"""`paddle pserver`: servers that know no model, with real processes."""
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time

import numpy
import pytest

from built import BUILD, PADDLE
from cluster import clean_env, cluster  # noqa: F401
from ports import free_ports

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "pserver_script.py")


def pserver(cluster, port, *options, **env):  # noqa: F811
    return cluster.run("pserver", [PADDLE, "pserver", "--port=%d" % port, *options], **env)


def listening(port, dense=1, sparse=1, host="127.0.0.1"):
    ends = ["%s:%d" % (host, p) for p in range(port, port + dense + sparse)]
    return ["--pservers", ",".join(ends[:dense]), "--sparse", ",".join(ends[dense:])]


def trainer(cluster, number, trainers, where, *options, **env):  # noqa: F811
    return cluster.start("trainer%d" % number,
                         [SCRIPT, "--trainer", str(number), "--trainers", str(trainers)] +
                         where + list(options), **env)


def run(*options, **env):
    """A call that ends by itself: (status, what it said)."""
    done = subprocess.run([PADDLE, "pserver", *options], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=clean_env(**env), timeout=60)
    return done.returncode, done.stdout.decode()


def ports_of(pid):
    """{(address, port)} that the process listens on by TCP."""
    mine = {os.readlink("/proc/%d/fd/%s" % (pid, fd)) for fd in os.listdir("/proc/%d/fd" % pid)}
    found = set()
    for table in ("tcp", "tcp6"):
        if not os.path.exists("/proc/net/" + table):
            continue
        with open("/proc/net/" + table) as file:
            for line in list(file)[1:]:
                field = line.split()
                if field[3] == "0A" and "socket:[%s]" % field[9] in mine:
                    address, port = field[1].split(":")
                    found.add((address, int(port, 16)))
    return found


def alone(tmp_path, trainers, steps=5, *options):
    out = str(tmp_path / "alone.json")
    subprocess.run([sys.executable, SCRIPT, "--trainers", str(trainers), "--steps", str(steps),
                    "--out", out, *options], check=True, stdout=subprocess.DEVNULL,
                   env=clean_env(), timeout=60)
    with open(out) as file:
        return json.load(file)


def assert_same(a, b, names):
    for name in names:
        numpy.testing.assert_allclose(a[name], b[name], rtol=1e-5, atol=1e-7, err_msg=name)


# ---- training ----

@pytest.mark.parametrize("first", ["servers", "trainers"])
def test_two_trainers_learn_what_one_does_on_both_batches(cluster, tmp_path, first):  # noqa: F811
    port, out = free_ports(2), str(tmp_path / "out.json")
    start = [lambda: pserver(cluster, port, "--num_gradient_servers=2"),
             lambda: [trainer(cluster, i, 2, listening(port), *(["--out", out] if i == 0 else []))
                      for i in (1, 0)]]
    for each in start if first == "servers" else reversed(start):
        each()
        time.sleep(0.5 if first == "trainers" else 0)
    cluster.finish()
    with open(out) as file:
        assert_same(json.load(file), alone(tmp_path, 2), ["w0", "w1", "b", "w_out", "b_out",
                                                          "table"])
    log = cluster.named("pserver").text()
    for line in ("number of parameterServer instances: 2", "Starting parameterServer[1]",
                 "Waiting parameterServer[0]", "all trainers have finished"):
        assert line in log
    assert log.index("commandline: paddle pserver --port") < log.index("number of parameterServer")


def test_one_that_is_asked_to_end_and_has_time_comes_back(cluster, tmp_path):  # noqa: F811
    """Each port writes a snapshot, and no trainer hears a word of it."""
    port, out = free_ports(2), str(tmp_path / "out.json")
    env = {"FLAGS_ps_journal": "everysec", "FLAGS_ps_journal_dir": str(tmp_path / "journal"),
           "FLAGS_ps_return_seconds": "60"}
    first = pserver(cluster, port, FLAGS_ps_grace_seconds="60", RG_FAULT="snapshot.sync:3:delay",
                    **env)
    one = trainer(cluster, 0, 1, listening(port), "--steps", "30", "--pause", "0.05", "--out", out,
                  **env)
    one.wait_for("cost")
    first.signal(signal.SIGTERM)
    assert first.wait(60) == -signal.SIGTERM, first.text()
    assert len(re.findall(r'"a snapshot is on the disk" MiB', first.text())) == 2, first.text()
    cluster.processes.remove(first)
    pserver(cluster, port, **env)
    cluster.finish()
    assert cluster.named("pserver").text().count("has what it had: ") == 2
    with open(out) as file:
        assert_same(json.load(file), alone(tmp_path, 1, 30), ["w0", "w1", "w_out", "table"])


@pytest.mark.parametrize("name", ["adam", "momentum", "rmsprop", "ftrl"])
def test_optimizers_and_schedules_are_sent(cluster, tmp_path, name):  # noqa: F811
    port, out = free_ports(2), str(tmp_path / "out.json")
    pserver(cluster, port)
    trainer(cluster, 0, 1, listening(port), "--optimizer", name, "--out", out)
    cluster.finish()
    with open(out) as file:
        assert_same(json.load(file), alone(tmp_path, 1, 5, "--optimizer", name),
                    ["w0", "w_out", "table"])


def test_async_trainers_learn(cluster):  # noqa: F811
    port = free_ports(2)
    pserver(cluster, port, "--num_gradient_servers", "2")
    for i in (0, 1):
        trainer(cluster, i, 2, listening(port), "--mode", "async", "--steps", "60")
    cluster.finish()
    costs = [float(c) for c in re.findall(r"cost ([\d.]+)", cluster.named("trainer0").text())]
    assert sum(costs[-10:]) < 0.7 * sum(costs[:10])


def test_servers_without_variables_take_part(cluster):  # noqa: F811
    """No table: the sparse ports have nothing to keep, and end with the rest."""
    port = free_ports(4)
    pserver(cluster, port, "--ports_num=2", "--ports_num_for_sparse=2", "--num_gradient_servers=2")
    for i in (0, 1):
        trainer(cluster, i, 2, listening(port, 2, 2), "--dense-only")
    cluster.finish()


def test_each_port_has_its_share_of_the_traffic(cluster, tmp_path):  # noqa: F811
    port, out = free_ports(4), str(tmp_path / "out.json")
    server = pserver(cluster, port, "--ports_num=2", "--ports_num_for_sparse=2",
                     "--num_gradient_servers=1")
    server.wait_for("Server listening on 0.0.0.0:%d\n" % (port + 3))
    for i in range(4):
        server.wait_for("Server listening on 0.0.0.0:%d\n" % (port + i))
    assert {p for _, p in ports_of(server.pid)} == set(range(port, port + 4))
    trainer(cluster, 0, 1, listening(port, 2, 2), "--steps", "20", "--out", out)
    cluster.finish()
    ended = dict(re.findall(r'server=(\d) "[^"]* has ended" (.*)', server.text()))
    assert sorted(ended) == list("0123")
    pushes = {i: int(re.search(r"pushes=(\d+)", text).group(1)) for i, text in ended.items()}
    assert pushes["0"] == pushes["1"] == 20  # dense
    assert pushes["2"] == 20                 # the table, which is small and stays whole
    with open(out) as file:
        assert_same(json.load(file), alone(tmp_path, 1, 20), ["w0", "table"])


# ---- where it listens ----

def test_it_listens_on_the_addresses_of_its_interfaces_alone(cluster):  # noqa: F811
    port = free_ports(2)
    server = pserver(cluster, port, "--nics=lo")
    server.wait_for("Server listening on 127.0.0.1:%d\n" % (port + 1))
    server.wait_for("Server listening on 127.0.0.1:%d\n" % port)
    loopback = {"0100007F", "00000000000000000000000001000000"}
    there = ports_of(server.pid)
    assert {a for a, _ in there} <= loopback and ("0100007F", port) in there
    trainer(cluster, 0, 1, listening(port))
    cluster.finish()


def test_an_interface_that_is_not_there(cluster):  # noqa: F811
    status, text = run("--nics=lo,nic7")
    assert status == 1
    assert re.search(r"no network interface 'nic7' here; there are: .*\blo\b", text)


def test_a_port_that_is_taken_ends_all(cluster):  # noqa: F811
    port = free_ports(2)
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", port + 1))
        taken.listen(1)
        status, text = run("--port=%d" % port)
    assert status == 1
    assert "paddle pserver: cannot listen on 0.0.0.0:%d: address already in use" % (port + 1) in text


# ---- who is waited for ----

def test_fewer_trainers_than_it_was_told_of(cluster):  # noqa: F811
    """The one that has come hears whom all wait for; so does whoever asks the server. Beside it
    is a server that nobody comes to, and says so."""
    idle = cluster.run("idle", [PADDLE, "pserver", "--port=%d" % free_ports(2)])
    port = free_ports(2)
    server = pserver(cluster, port, "--num_gradient_servers=2")
    one = trainer(cluster, 0, 2, listening(port))
    one.wait_for("waits for trainer 1, which was never seen", 40)
    assert "waits for trainer 1, which was never seen" in server.text()
    status = subprocess.run([PADDLE, "status", "127.0.0.1:%d" % port], stdout=subprocess.PIPE,
                            env=clean_env(), timeout=30).stdout.decode()
    assert "waits for trainer 1, which was never seen" in status
    server.signal(signal.SIGTERM)
    assert server.wait(30) == 1 and one.wait(30) != 0
    assert "was stopped" in one.text()
    idle.wait_for("waits for the first trainer to come, of 1", 30)
    idle.signal(signal.SIGTERM)
    assert idle.wait(30) == 0


def test_a_port_that_trainers_were_not_told_of_ends_with_the_others(cluster):  # noqa: F811
    port = free_ports(3)
    server = pserver(cluster, port, "--ports_num=2")
    one = trainer(cluster, 0, 1, listening(port))
    assert one.wait(60) == 0 and server.wait(30) == 0
    assert "pserver 2 (port %d) ends: the job is over at the other ports" % (port + 2) \
        in server.text()
    assert "another ports_num or ports_num_for_sparse" in server.text()


def test_trainer_0_never_comes(cluster):  # noqa: F811
    port = free_ports(2)
    server = pserver(cluster, port, "--num_gradient_servers=2", FLAGS_ps_join_seconds="2")
    other = trainer(cluster, 1, 2, listening(port))
    assert server.wait(60) == 1 and other.wait(30) != 0
    for text in (server.text(), other.text()):
        assert "waits for trainer 0 to send the program, which was never seen; 1 of 2" in text


def test_trainers_that_are_told_another_number(cluster):  # noqa: F811
    port = free_ports(2)
    server = pserver(cluster, port, "--num_gradient_servers=3")
    wrong = trainer(cluster, 0, 2, listening(port))
    assert wrong.wait(60) != 0
    assert "there are 2 trainers, and this server was told 3 (--num_gradient_servers)" \
        in wrong.text()
    assert server.status is None  # it was someone else's
    server.signal(signal.SIGTERM)
    assert server.wait(30) == 0


def test_a_trainer_that_dies_ends_all_ports(cluster):  # noqa: F811
    port = free_ports(2)
    server = pserver(cluster, port, "--num_gradient_servers=2", FLAGS_rpc_lease_ms="1000")
    both = [trainer(cluster, i, 2, listening(port), "--steps", "500", "--pause", "0.02",
                    FLAGS_rpc_lease_ms="1000") for i in (0, 1)]
    both[1].wait_for("step 3 ")
    both[1].signal(signal.SIGKILL)
    assert server.wait(60) == 1 and both[0].wait(60) != 0
    assert re.search(r"paddle pserver: trainer 1 \(pid %d on .*\) died" % both[1].pid,
                     server.text())


# ---- signals and output ----

@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_cleanly_while_nobody_has_come(cluster, number):  # noqa: F811
    server = pserver(cluster, free_ports(2))
    server.wait_for("Waiting parameterServer[0]")
    server.signal(number)
    assert server.wait(30) == 0
    assert "stopped by %s" % number.name in server.text()


def test_trainers_hear_that_it_is_stopped(cluster):  # noqa: F811
    port = free_ports(2)
    server = pserver(cluster, port)
    one = trainer(cluster, 0, 1, listening(port), "--steps", "500", "--pause", "0.02")
    one.wait_for("step 3 ")
    server.signal(signal.SIGTERM)
    assert server.wait(30) == 1 and one.wait(30) != 0
    assert "was stopped" in one.text()


def test_the_line_of_the_guide(cluster, tmp_path):  # noqa: F811
    """stdbuf, nohup and a redirection, in the background of a shell that goes."""
    port = free_ports(2)
    line = ("stdbuf -oL nohup %s pserver --port=%d --ports_num=1 --ports_num_for_sparse=1 "
            "--num_gradient_servers=1 > pserver.log 2>&1 & echo $!" % (PADDLE, port))
    pid = int(subprocess.run(["bash", "-c", line], cwd=str(tmp_path), stdout=subprocess.PIPE,
                             env=clean_env(), timeout=30).stdout)
    try:
        end = time.monotonic() + 30
        log = tmp_path / "pserver.log"
        while "Server listening on 0.0.0.0:%d" % port not in log.read_text():
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.02)
        os.kill(pid, signal.SIGHUP)  # as a terminal does that is closed
        trainer(cluster, 0, 1, listening(port))
        cluster.finish()
        while "all trainers have finished" not in log.read_text():
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.02)
    finally:
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            pass


def test_glog_variables_name_a_log_file(cluster, tmp_path):  # noqa: F811
    port = free_ports(2)
    server = pserver(cluster, port, GLOG_logtostderr="0", GLOG_log_dir="./log")
    trainer(cluster, 0, 1, listening(port))
    cluster.finish()
    logs = tmp_path / "log"
    for name in ("paddle_pserver2.INFO", "paddle_pserver_main.INFO"):
        assert os.path.islink(str(logs / name))
        text = (logs / name).read_text()
        assert "number of parameterServer instances: 2" in text
        assert "trainer 0" in text and "all trainers have finished" in text
    assert "number of parameterServer" not in server.text()
    files = [f for f in os.listdir(str(logs)) if ".log.INFO." in f]
    assert len(files) == 1 and files[0].endswith(".%d" % server.pid)


def test_a_log_folder_alone_has_a_copy(cluster, tmp_path):  # noqa: F811
    server = pserver(cluster, free_ports(2), GLOG_log_dir="log")
    server.wait_for("number of parameterServer instances")
    server.signal(signal.SIGTERM)
    assert server.wait(30) == 0
    assert "number of parameterServer" in (tmp_path / "log/paddle_pserver2.INFO").read_text()


def test_logtostderr_wins_over_the_folder(cluster, tmp_path):  # noqa: F811
    server = pserver(cluster, free_ports(2), GLOG_logtostderr="1", GLOG_log_dir="./log")
    server.wait_for("number of parameterServer instances")
    server.signal(signal.SIGTERM)
    assert server.wait(30) == 0
    assert not os.path.exists(str(tmp_path / "log"))


# ---- options ----

@pytest.mark.parametrize("options, status, text", [
    (["--prot=1"], 2, "there is no option --prot; did you mean --port?"),
    (["--ports_num_sparse=1"], 2, "did you mean --ports_num_for_sparse?"),
    (["--port=abc"], 2, "--port takes a whole number, and not 'abc'"),
    (["--port=70000"], 2, "--port is 70000, and goes from 1 to 65535"),
    (["--port=65535"], 1, "2 ports from 65535 on"),
    (["--ports_num=0"], 2, "--ports_num is 0"),
    (["--use_gpu=True"], 2, "--use_gpu=true cannot be had: servers compute on CPUs"),
    (["--rdma_tcp=rdma"], 2, "there is no RDMA transport"),
    (["7164"], 2, "'7164' is no option"),
    (["--port"], 2, "--port has no value"),
])
def test_wrong_options(options, status, text):
    got, said = run(*options)
    assert got == status and text in said


def test_options_of_old_jobs_may_have_their_defaults(cluster):  # noqa: F811
    server = pserver(cluster, free_ports(2), "--nouse_gpu", "--rdma_tcp=tcp", "-trainer_id", "0",
                     "--small_messages=False", "--comment=paddle_process_by_paddle")
    server.wait_for("Waiting parameterServer[0]")
    with open("/proc/%d/cmdline" % server.pid) as file:
        assert "paddle_process_by_paddle" in file.read()  # by which launchers find it
    server.signal(signal.SIGTERM)
    assert server.wait(30) == 0


def test_help():
    status, text = run("--help")
    assert status == 0
    for name in ("--port ", "--ports_num_for_sparse", "--num_gradient_servers", "--nics", "7164"):
        assert name in text


# ---- what it costs ----

@pytest.mark.skipif("san" in os.path.basename(BUILD), reason="sanitizers are neither")
def test_it_is_small_and_quick_to_start(cluster):  # noqa: F811
    began = time.monotonic()
    port = free_ports(2)
    server = pserver(cluster, port)
    server.wait_for("Server listening on 0.0.0.0:%d\n" % port)
    server.wait_for("Server listening on 0.0.0.0:%d\n" % (port + 1))
    assert time.monotonic() - began < 5  # 10 to 20 ms, on a machine that has nothing else to do
    with open("/proc/%d/statm" % server.pid) as file:
        pages = int(file.read().split()[1])
    assert pages * resource.getpagesize() < 15 << 20
    server.signal(signal.SIGTERM)
    assert server.wait(30) == 0
