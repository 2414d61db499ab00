"""python -m paddle.distributed.launch_ps and .launch: real processes on this host."""
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from ports import free_ports
from terminal import on_a_terminal
from paddle import _core
from paddle.distributed import cloud_utils, launch, utils

ENVIRONMENT = """
import json, os
names = ("PADDLE", "TRAIN", "POD", "PSERVERS", "SERVER", "REGATTA", "FLAGS", "http")
env = {k: v for k, v in os.environ.items() if k.startswith(names)}
who = env["TRAINING_ROLE"] + env.get("PADDLE_TRAINER_ID", env.get("PADDLE_PSERVER_ID", ""))
with open("env." + who, "w") as f:
    json.dump(env, f)
"""

SHOW = """
from paddle import _core
env = _core.job_env()
print(env["role"], env["trainer_id"], env["trainers"], env["servers"], env["endpoint"],
      env["server_index"], env["has_key"])
"""


def run(folder, script, *flags, module="launch_ps", timeout=60, **env):
    (folder / "train.py").write_text(script)
    flags = list(flags) if "--print_config" in flags else ["--print_config", "0"] + list(flags)
    environ = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH",)}
    environ.update(env)
    return subprocess.run([sys.executable, "-m", "paddle.distributed." + module] + flags +
                          ["train.py"], cwd=str(folder), capture_output=True, text=True,
                          timeout=timeout, env=environ)


def env_of(folder, who):
    return json.loads((folder / ("env." + who)).read_text())


def test_children_get_the_variables_of_both_styles(tmp_path):
    out = run(tmp_path, ENVIRONMENT, "--worker_num", "2", "--server_num", "2",
              "--start_port", "17170", PADDLE_TRAINERS_NUM="77", http_proxy="http://x")
    assert out.returncode == 0, out.stderr
    server, worker = env_of(tmp_path, "PSERVER1"), env_of(tmp_path, "TRAINER1")
    for env in server, worker:
        servers = env["PADDLE_PSERVERS_IP_PORT_LIST"].split(",")
        assert len(servers) == 2 and env["PSERVERS"] == ",".join(servers)
        assert env["PADDLE_TRAINERS_NUM"] == env["PADDLE_TRAINERS"] == "2"
        assert len(env["PADDLE_PSERVER_IPS"].split(",")) == 2
        assert len(env["PADDLE_TRAINER_ENDPOINTS"].split(",")) == 2
        assert env["TRAINING_ROLE"] == env["PADDLE_TRAINING_ROLE"]
        assert "http_proxy" not in env
        assert len(env["REGATTA_JOB_KEY"]) == 64 and env["REGATTA_JOB_ID"]
    assert worker["PADDLE_TRAINER_ID"] == "1"
    assert worker["PADDLE_CURRENT_ENDPOINT"] == worker["PADDLE_TRAINER_ENDPOINTS"].split(",")[1]
    assert "%s:%s" % (server["POD_IP"], server["PADDLE_PORT"]) == servers[1]
    assert server["SERVER_ENDPOINT"] == servers[1]
    # One port, and an address for each server: what a script of that style makes of them.
    ips = server["PADDLE_PSERVER_IPS"].split(",")
    assert server["PADDLE_CURRENT_IP"] == ips[1] and len(set(ips)) == 2
    assert server["REGATTA_JOB_KEY"] == worker["REGATTA_JOB_KEY"]
    assert not os.path.exists(server["REGATTA_RUN_DIR"])  # gone with the job
    logs = "".join(p.read_text() for p in (tmp_path / "logs").rglob("*") if p.is_file())
    assert server["REGATTA_JOB_KEY"] not in logs + out.stdout + out.stderr


def test_children_know_who_they_are(tmp_path):
    out = run(tmp_path, SHOW, "--worker_num", "1", "--server_num", "2", "--start_port", "17180")
    assert out.returncode == 0, out.stderr
    assert out.stdout.startswith("TRAINER 0 1 ['127.0.0.1:17180', '127.0.0.1:17181']")
    log = (tmp_path / "logs" / "serverlog.1").read_text()
    assert log.startswith("PSERVER None 1 [")
    assert log.endswith("127.0.0.1:17181 1 True\n")
    assert sorted(os.listdir(str(tmp_path / "logs"))) == ["job.end", "serverlog.0", "serverlog.1",
                                                          "watch", "workerlog.0"]
    assert (tmp_path / "logs" / "workerlog.0").read_text() == out.stdout


def test_success_says_examples_and_files_read_twice(tmp_path):
    out = run(tmp_path, """
import os
if os.environ["TRAINING_ROLE"] == "TRAINER":
    n = os.environ["PADDLE_TRAINER_ID"]
    with open(os.path.join(os.environ["REGATTA_RUN_DIR"], "worker.%s.report" % n), "w") as f:
        f.write("examples=%d\\nfile=data/part-0\\n" % (100 + int(n)))
""")
    assert out.returncode == 0
    lines = out.stderr.splitlines()
    assert lines[-1].startswith("launch: success: 2 workers, 2 servers, ")
    assert lines[-1].endswith("; examples: worker 0 100, worker 1 101")
    assert "launch: note: data/part-0 was read by workers 0 and 1" in lines


def test_a_failure_gives_a_card_and_its_status(tmp_path):
    out = run(tmp_path, """
import os, time
if os.environ.get("PADDLE_TRAINER_ID") == "1":
    raise RuntimeError("the data is not there")
time.sleep(1000)
""")
    assert out.returncode == 1
    assert "first: worker 1 (pid " in out.stderr
    assert "  | RuntimeError: the data is not there" in out.stderr
    assert "its log: logs/workerlog.1" in out.stderr
    assert out.stderr.splitlines()[-1].startswith("launch: failure: worker 1 ended first")


def test_a_script_that_is_not_there_is_a_failure(tmp_path):
    out = subprocess.run([sys.executable, "-m", "paddle.distributed.launch_ps", "no_such.py"],
                         cwd=str(tmp_path), capture_output=True, text=True, timeout=60)
    assert out.returncode == 2 and "no such script" in out.stderr


def test_a_port_that_is_taken_is_replaced_with_a_note(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        out = run(tmp_path, SHOW, "--worker_num", "1", "--server_num", "1", "--start_port",
                  str(port))
        assert out.returncode == 0, out.stderr
        assert "launch: note: port %d of 127.0.0.1 is taken; server 0 uses " % port in out.stderr
        assert "127.0.0.1:%d'" % port not in out.stdout
        out = run(tmp_path, SHOW, "--endpoints", "127.0.0.1:%d" % port)
        assert out.returncode == 2
        assert "something listens on 127.0.0.1:%d already" % port in out.stderr


def test_two_jobs_that_start_at_once_do_not_take_the_same_port(tmp_path):
    """Though the servers of the first do not listen yet."""
    (tmp_path / "slow.py").write_text(
        "import os, time\n"
        "open('chosen-' + os.environ['TRAINING_ROLE'], 'w').close()\n"
        "while not os.path.exists('done'):\n"
        "    time.sleep(0.02)\n")
    port = str(free_ports(1))
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num", "1",
               "--server_num", "1", "--start_port", port]
    first = subprocess.Popen(command + ["slow.py"], cwd=str(tmp_path),
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not (tmp_path / "chosen-PSERVER").exists() and time.monotonic() < end:
        time.sleep(0.02)
    second = run(tmp_path, SHOW, *command[3:])
    (tmp_path / "done").touch()
    said = first.communicate(timeout=60)[1]
    assert first.returncode == 0 and "taken" not in said, said
    assert second.returncode == 0, second.stderr
    assert "note: port %s of 127.0.0.1 is taken; server 0 uses " % port in second.stderr


@pytest.mark.parametrize("flags,text", [
    (["--cluster_node_ips", "10.0.0.1,10.0.0.2"], "--cluster_node_ips=10.0.0.1,10.0.0.2"),
    (["--node_ip", "192.0.2.1"], "192.0.2.1 is not an address of this host"),
    (["--endpoints", "192.0.2.1:70"], "192.0.2.1:70 is not an address of this host"),
    (["--endpoints", "127.0.0.1"], "'127.0.0.1' is not host:port"),
    (["--endpoints", "127.0.0.1:1,127.0.0.1:1"], "has one twice"),
    (["--endpoints", "127.0.0.1:17190", "--server_num", "2"], "--server_num=2"),
    (["--worker_num", "0"], "--worker_num=0"),
    (["--start_port", "70000"], "--start_port=70000"),
    (["--print_config", "maybe"], "--print_config"),
    (["--no_such_flag", "1"], "no_such_flag"),
    (["--log_dir", ""], "--log_dir="),
    (["--log_dir", "train.py"], "--log_dir=train.py: the folder cannot be made: there is a file"),
    (["--tensorboard", "train.py/x"], "--tensorboard=train.py/x: the folder cannot be made"),
    (["--journal_dir", "elsewhere"], "--journal_dir=elsewhere"),
    (["--no_watch", "--stall_seconds", "5"], "--stall_seconds=5"),
    (["--page", "--page_host", "no.such.host.invalid"], "--page_host"),
])
def test_options_that_cannot_be_honoured_are_refused_by_name(tmp_path, flags, text):
    (tmp_path / "tmp").mkdir()
    out = run(tmp_path, "", *flags, TMPDIR=str(tmp_path / "tmp"))
    assert out.returncode == 2 and text in out.stderr, out.stderr
    assert "logs" not in os.listdir(str(tmp_path)) or "--page" in flags
    assert os.listdir(str(tmp_path / "tmp")) == []


@pytest.mark.parametrize("flags,text", [
    (["--restarts", "3"], "--restarts"), (["--log_dir", "elsewhere"], "--log_dir"),
    (["--worker_num", "0"], "--worker_num=0"), ([], "no elastic job runs")])
def test_who_joins_a_job_has_its_settings(tmp_path, flags, text):
    out = subprocess.run([sys.executable, "-m", "paddle.distributed.launch_ps", "--join", "logs"] + flags,
                         cwd=str(tmp_path), capture_output=True, text=True, timeout=60)
    assert out.returncode == 2 and text in out.stderr, out.stderr


def test_a_mode_of_journals_that_there_is_not_leaves_nothing_to_go_on_with(tmp_path):
    out = run(tmp_path, "", FLAGS_ps_journal="sometimes")
    assert out.returncode == 2 and "FLAGS_ps_journal=sometimes" in out.stderr
    assert not (tmp_path / "logs").exists()


WAITS = """
import os, time
open("up." + os.environ["TRAINING_ROLE"], "w").close()
while not os.path.exists("done"):
    time.sleep(0.02)
"""


@pytest.fixture
def one_that_runs(tmp_path):
    """A job with a journal that has its logs in logs."""
    (tmp_path / "waits.py").write_text(WAITS)
    job = subprocess.Popen([sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
                            "--journal", "everysec", "waits.py"], cwd=str(tmp_path),
                           stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not (tmp_path / "up.TRAINER").exists() and time.monotonic() < end:
        time.sleep(0.02)
    yield job
    (tmp_path / "done").touch()
    job.communicate(timeout=60)
    assert job.returncode == 0


def test_two_jobs_do_not_share_a_folder_of_journals(tmp_path, one_that_runs):
    kept = (tmp_path / "logs" / "journal" / "job.json").read_text()
    for flags in ["--journal", "everysec"], ["--resume", "logs"]:
        out = run(tmp_path, "", *flags)
        assert out.returncode == 2 and "another job that runs has its journals in" in out.stderr
        assert (tmp_path / "logs" / "journal" / "job.json").read_text() == kept
        assert (tmp_path / "logs" / "watch").exists()
        assert not (tmp_path / "logs" / "workerlog.0.1").exists()
    assert run(tmp_path, "", "--journal", "always", "--log_dir", "others").returncode == 0


def test_two_jobs_in_a_folder_of_logs_are_told_so(tmp_path, one_that_runs):
    out = run(tmp_path, "")
    assert out.returncode == 0, out.stderr
    assert "note: another job that runs has its logs in logs too" in out.stderr


def test_a_job_that_was_stopped_is_put_aside_with_a_note(tmp_path):
    script = ("import os, sys\n"
              "own = os.path.join(os.environ['FLAGS_ps_journal_dir'], 'server-0')\n"
              "os.makedirs(own, exist_ok=True)\n"
              "open(os.path.join(own, 'journal-1'), 'w').close()\n"
              "sys.exit(3)\n")
    out = run(tmp_path, script, "--journal", "everysec")
    assert out.returncode == 3 and "launch_ps --resume" in out.stderr, out.stderr
    kept = (tmp_path / "logs" / "journal" / "job.json").read_text()
    out = run(tmp_path, "", "--journal", "everysec")
    assert out.returncode == 0 and "--resume logs would have gone on with" in out.stderr, out.stderr
    assert (tmp_path / "logs" / "journal" / "job.json.previous").read_text() == kept


def test_print_config_shows_and_does_not_decide(tmp_path):
    shown = run(tmp_path, "", "--print_config", "True", "--worker_num", "1")
    hidden = run(tmp_path, "", "--print_config", "", "--worker_num", "1")
    assert "-----------  Configuration Arguments -----------" in shown.stdout
    assert "worker_num: 1" in shown.stdout and hidden.stdout == ""
    assert "success" in shown.stderr and "success" in hidden.stderr


@pytest.mark.promise(32)
def test_shell_characters_in_a_folder_are_characters(tmp_path):
    out = run(tmp_path, "", "--log_dir", "a; touch CANARY", "--worker_num", "1")
    assert out.returncode == 0
    assert (tmp_path / "a; touch CANARY" / "workerlog.0").exists()
    assert not (tmp_path / "CANARY").exists()


HOSTILE = ["; touch CANARY; $(touch CANARY) `touch CANARY` | touch CANARY && touch CANARY",
           "\n touch CANARY\n", "'; touch CANARY; '\"; touch CANARY; \""]


@pytest.mark.promise(32)
@pytest.mark.parametrize("text", HOSTILE, ids=["plain", "lines", "quoted"])
@pytest.mark.parametrize("option", ["--endpoints", "--node_ip", "--cluster_node_ips", "--log_dir",
                                    "script", "argument", "variable"])
def test_no_word_of_a_job_is_read_by_a_shell(tmp_path, option, text):
    """Whatever it is: refused, or taken for what it is."""
    flags, env, script = ["--worker_num", "1", "--server_num", "1"], dict(os.environ), "train.py"
    (tmp_path / "train.py").write_text("import sys; print(sys.argv[1:])")
    more = []
    if option == "script":
        script = "train" + text + ".py"
        (tmp_path / script).write_text("")
    elif option == "argument":
        more = [text]
    elif option == "variable":
        for name in ("REGATTA_JOB_ID", "PADDLE_JOB_ID", "POD_IP", "PADDLE_TRAINING_ROLE"):
            env[name] = "x" + text
    else:
        flags += [option, ("a" if option == "--log_dir" else "127.0.0.1") + text]
    job = subprocess.run([sys.executable, "-m", "paddle.distributed.launch_ps"] + flags +
                         [script] + more, cwd=str(tmp_path), env=env, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=60)
    assert not list(tmp_path.rglob("CANARY")), job.stdout
    assert "Traceback" not in job.stdout, job.stdout


def gone(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("number,status", [(signal.SIGINT, 130), (signal.SIGTERM, 143),
                                           (signal.SIGKILL, -9)])
@pytest.mark.promise(7)
def test_signals_end_every_process(tmp_path, number, status):
    (tmp_path / "train.py").write_text("""
import os, time
open("up.%d" % os.getpid(), "w").close()
time.sleep(1000)
""")
    job = subprocess.Popen([sys.executable, "-m", "paddle.distributed.launch_ps", "train.py"],
                           cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    pids = []
    while len(pids) < 4:
        assert job.poll() is None
        time.sleep(0.05)
        pids = [int(p.name.split(".")[1]) for p in tmp_path.glob("up.*")]
    job.send_signal(number)
    last = job.communicate(timeout=30)[0].splitlines()[-1]
    assert job.returncode == status
    assert number == signal.SIGKILL or last.startswith(b"launch: ended by a signal")
    while not all(gone(pid) for pid in pids):  # a hang here is an orphan
        time.sleep(0.05)


def test_a_terminal_is_passed_on_to_worker_0(tmp_path):
    """Its progress bar is drawn as if it ran alone, and the log has it as lines."""
    (tmp_path / "train.py").write_text("""
import os, sys
if os.environ["TRAINING_ROLE"] == "TRAINER":
    sys.stderr.write("tty=%s\\r50%%\\r     \\rnote\\n\\r100%%\\n" % sys.stderr.isatty())
    sys.stderr.write("end\\r\\n\\rnot ended")
""")
    status, seen = on_a_terminal([sys.executable, "-m", "paddle.distributed.launch_ps",
                                  "--print_config", "0", "train.py"], cwd=str(tmp_path))
    assert status == 0, seen
    assert b"tty=True\r50%\r     \rnote\r\n\r100%\r\n" in seen
    assert (tmp_path / "logs" / "workerlog.0").read_bytes() == (
        b"tty=True\n50%\nnote\n100%\nend\nnot ended\n")
    assert b"tty=False" in (tmp_path / "logs" / "workerlog.1").read_bytes()


def test_logs_of_earlier_runs_are_kept(tmp_path):
    (tmp_path / "train.py").write_text("import sys; print('run', sys.argv[1])")
    for run in "1234567":
        subprocess.run([sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num", "1",
                        "--server_num", "1", "train.py", run], cwd=str(tmp_path), timeout=60,
                       capture_output=True, check=True)
    assert (tmp_path / "logs" / "workerlog.0").read_text() == "run 7\n"
    kept = [(tmp_path / "logs" / ("workerlog.0.%d" % i)).read_text() for i in range(1, 6)]
    assert kept == ["run %d\n" % run for run in (6, 5, 4, 3, 2)]
    assert not (tmp_path / "logs" / "workerlog.0.6").exists()


# ---- launch: collective ----

def test_collective_trainers(tmp_path):
    out = run(tmp_path, ENVIRONMENT, "--selected_gpus", "4,5", "--log_dir", "logs",
              module="launch", CUDA_VISIBLE_DEVICES="3,4,5")
    assert out.returncode == 0, out.stderr
    one = env_of(tmp_path, "TRAINER1")
    assert one["FLAGS_selected_gpus"] == "2" and one["PADDLE_TRAINERS_NUM"] == "2"
    assert one["PADDLE_CURRENT_ENDPOINT"] == one["PADDLE_TRAINER_ENDPOINTS"].split(",")[1]
    if _core.gpu_count() == 0:
        assert "no GPU can be used here: 2 trainers on the CPU" in out.stderr
    assert sorted(os.listdir(str(tmp_path / "logs"))) == ["job.end", "watch", "workerlog.0",
                                                          "workerlog.1"]


def test_collective_failure_and_logs_that_are_kept(tmp_path):
    script = "import os; print('run'); os._exit(int(os.environ['PADDLE_TRAINER_ID']) * 5)"
    for _ in range(2):
        out = run(tmp_path, script, "--nproc_per_node", "2", "--log_dir", "logs", module="launch")
        assert out.returncode == 5
        assert "failure: worker 1 ended first, with exit code 5" in out.stderr
    assert (tmp_path / "logs" / "workerlog.1").read_text() == "run\nrun\n"


def test_collective_jobs_are_watched_each_alone(tmp_path):
    """Though their logs go on in one file: `paddle top` shows the last."""
    for ranks in "2", "1":
        assert run(tmp_path, "import paddle", "--nproc_per_node", ranks, "--log_dir", "logs",
                   module="launch").returncode == 0
    told = (tmp_path / "logs" / "watch" / "launcher.jsonl").read_text()
    assert told.count('"process":"launcher"') == 1 and "worker.1" not in told, told


def test_collective_without_logs_shows_all(tmp_path):
    out = run(tmp_path, "import os; print('rank', os.environ['PADDLE_TRAINER_ID'])",
              "--nproc_per_node", "2", module="launch")
    assert out.returncode == 0
    assert sorted(out.stdout.splitlines()) == ["rank 0", "rank 1"]


@pytest.mark.parametrize("flags,text", [
    (["--selected_gpus", "0,x"], "--selected_gpus=0,x"),
    (["--selected_gpus", "7"], "7 is not in CUDA_VISIBLE_DEVICES=0,1"),
    (["--selected_gpus", "0", "--nproc_per_node", "2"], "give one of them"),
    (["--node_ip", "10.0.0.9"], "--node_ip=10.0.0.9 is not in --cluster_node_ips=127.0.0.1"),
    (["--nproc_per_node", "0"], "--nproc_per_node=0"),
    (["--started_port", "70000"], "--started_port=70000 is not a port"),
])
def test_collective_refusals(tmp_path, flags, text):
    out = run(tmp_path, "", *flags, module="launch", CUDA_VISIBLE_DEVICES="0,1")
    assert out.returncode == 2 and text in out.stderr


def test_several_hosts_number_their_trainers_by_host(monkeypatch):
    monkeypatch.setattr(launch._core, "host_is_ours", lambda host: True)
    monkeypatch.setattr(launch._core, "port_is_free", lambda host, port: True)
    args = launch.parse_args(["--cluster_node_ips", "10.0.0.1,10.0.0.2", "--node_ip", "10.0.0.2",
                              "--started_port", "700", "train.py"])
    cluster, pod = launch.get_cluster_from_args(args, ["0", "1"])
    assert cluster.trainers_endpoints() == ["10.0.0.1:700", "10.0.0.1:701", "10.0.0.2:700",
                                            "10.0.0.2:701"]
    assert [t.rank for t in pod.trainers] == [2, 3] and pod.rank == 1


def test_paddlecloud(monkeypatch):
    for name, value in dict(PADDLE_TRAINERS="1.1.1.1,2.2.2.2", POD_IP="2.2.2.2",
                            PADDLE_TRAINER_ID="1", TRAINER_PORTS_NUM="2", PADDLE_PORT="700",
                            PADDLE_TRAINERS_NUM="2").items():
        monkeypatch.setenv(name, value)
    assert cloud_utils.get_trainers_num() == 2
    cluster, pod = cloud_utils.get_cloud_cluster("127.0.0.1", "127.0.0.1", 6170, ["0", "1"])
    assert str(pod) == ("rank:1 id:None addr:2.2.2.2 port:None visible_gpu:[] trainers:"
                        "[\"gpu:['0'] endpoint:2.2.2.2:700 rank:2\", "
                        "\"gpu:['1'] endpoint:2.2.2.2:701 rank:3\"]")
    monkeypatch.setenv("DISTRIBUTED_TRAINER_ENDPOINTS", "1.1.1.1:9,1.1.1.1:10,2.2.2.2:9,2.2.2.2:10")
    cluster, pod = cloud_utils.get_cloud_cluster("127.0.0.1", "127.0.0.1", 6170, ["0", "1"])
    assert cluster.trainers_endpoints()[3] == "2.2.2.2:10"
    monkeypatch.setenv("PADDLE_TRAINER_ID", "0")
    with pytest.raises(ValueError, match="PADDLE_TRAINER_ID=0 and POD_IP=2.2.2.2 contradict"):
        cloud_utils.get_cloud_cluster("127.0.0.1", "127.0.0.1", 6170, ["0", "1"])
    monkeypatch.delenv("POD_IP")
    with pytest.raises(ValueError, match="needs the variable POD_IP"):
        cloud_utils.get_cloud_cluster("127.0.0.1", "127.0.0.1", 6170, ["0"])


def test_utils():
    ports = utils.find_free_ports(3)
    assert len(ports) == 3 and all(0 < p < 65536 for p in ports)
    assert utils.Trainer() == utils.Trainer() and utils.Trainer() != utils.Pod()
    hdfs = utils.Hdfs()
    hdfs.hdfs_name, hdfs.hdfs_ugi, hdfs.hdfs_path = "n", "user,password", "p"
    assert hdfs.is_valid() and "password" not in str(hdfs)
    with pytest.raises(NotImplementedError, match="make_job"):
        utils.start_local_trainers(None, None, "x", [])
    with pytest.raises(ValueError, match="not in the list of hosts"):
        utils.get_cluster(["a"], "b", [["a:1"]], ["0"])


FULL = """
import os
for _ in range(100):
    try:
        os.write(2, b"x" * 1023 + b"\\n")
    except OSError:
        pass  # as a C library that logs
"""


def test_a_full_disk_of_logs_is_said(tmp_path):
    """Neither of worker 0, which the launcher logs, nor of worker 1, which does it by itself,
    comes all into its log: said by name, and again in the last line."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (tmp_path / "train.py").write_text(FULL)
    mounted = ["unshare", "-m", "sh", "-c",
               'mount -t tmpfs -o size=64k tmpfs "$1" && shift && exec "$@"', "sh", str(logs)]
    if subprocess.run(mounted + ["true"], capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a small disk")
    out = subprocess.run(
        mounted + [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
                   "--worker_num", "2", "--server_num", "1", "--log_dir", str(logs), "train.py"],
        cwd=str(tmp_path), capture_output=True, text=True, timeout=60)
    assert out.returncode == 0, out.stderr
    assert "launch: warning: worker 0: its log " in out.stderr
    last = out.stderr.splitlines()[-1]
    assert last.startswith("launch: success") and "logs that are not complete:" in last
    for log in ("workerlog.0", "workerlog.1"):
        assert log + " (No space left on device)" in last


# ---- processes that are started again ----

DIES_ONCE = """
import os, signal, sys, time
worker = os.environ["TRAINING_ROLE"] == "TRAINER"
while not worker:  # until the launcher ends it
    time.sleep(1)
print("incarnation", os.environ.get("REGATTA_INCARNATION"), os.environ.get("FLAGS_ps_return_seconds"))
sys.stdout.flush()
if worker and os.environ["PADDLE_TRAINER_ID"] == "1" and "REGATTA_INCARNATION" not in os.environ:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_that_dies_is_started_again(tmp_path):
    out = run(tmp_path, DIES_ONCE, "--restarts", "2", REGATTA_INCARNATION="7")
    assert out.returncode == 0, out.stderr
    assert "worker 1 (pid" in out.stderr and "it is started again (1 of 2)" in out.stderr
    assert "started again: worker 1" in out.stderr.splitlines()[-1]
    log = (tmp_path / "logs" / "workerlog.1").read_text()
    assert log.splitlines() == ["incarnation None 60", "incarnation 1 60"], log


def test_without_restarts_it_ends_the_job(tmp_path):
    out = run(tmp_path, DIES_ONCE)
    assert out.returncode == 137, out.stderr
    assert "incarnation None None" in (tmp_path / "logs" / "workerlog.1").read_text()


@pytest.mark.parametrize("flags, words", [
    (["--restarts", "-1"], "--restarts=-1"), (["--restarts", "many"], "invalid int value"),
    (["--min_trainers", "3"], "--min_trainers=3: 0 to 2")])
def test_bad_numbers_of_restarts_are_refused(tmp_path, flags, words):
    out = run(tmp_path, DIES_ONCE, *flags)
    assert out.returncode == 2 and words in out.stderr, out.stderr


@pytest.mark.parametrize("module", ["launch_ps", "launch"])
def test_a_log_folder_that_cannot_be_made_is_refused_and_leaves_nothing(module, tmp_path):
    (tmp_path / "logs").write_text("no folder")
    (tmp_path / "tmp").mkdir()
    out = run(tmp_path, "print('ran')", "--log_dir", "logs", module=module, TMPDIR=str(tmp_path / "tmp"))
    assert out.returncode == 2 and "ran" not in out.stdout
    assert "launch: --log_dir=logs: the folder cannot be made: there is a file" in out.stderr
    assert os.listdir(tmp_path / "tmp") == []


@pytest.mark.parametrize("module, flags", [("launch_ps", ["--worker_num", "1", "--server_num", "1"]),
                                           ("launch", ["--nproc_per_node", "2"])])
@pytest.mark.parametrize("script, helper, is_old", [
    ("print 'sum', 7 / 2\n", "", True),
    ("from helper import half\nprint('sum %s' % half(7))\n", "def half(x):\n    print 'x'\n    return x / 2\n", True),
    ("print('sum %s' % (7 / 2))\n", "print 'nobody imports this'\n", False)], ids=["script", "module", "neither"])
def test_python_2_scripts_are_run_by_paddle_python(module, flags, script, helper, is_old, tmp_path):
    (tmp_path / "helper.py").write_text(helper)
    out = run(tmp_path, script, "--log_dir", "logs", *flags, module=module)
    logs = "".join(path.read_text() for path in (tmp_path / "logs").glob("*log.*"))
    assert out.returncode == 0, logs
    assert ("sum 3\n" in logs, "sum 3.5\n" in logs) == (is_old, not is_old), logs
