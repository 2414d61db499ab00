"""backend: Local: the seed's kind of cluster job, trained on this machine."""
import os
import re
import subprocess

import pytest

import backend_job as job

LOCAL = re.sub(r'  (fs_name|fs_ugi): .*\n', "", job.MPI.replace('"PaddleCloud"', "Local")).replace(
    "/user/out", "out").replace("/user/train", "data")
# hadoop on a folder: what the store calls of it, below $STORE.
HADOOP = '''#!/bin/sh
[ "$1" = fs ] || exit 9
shift
while :; do
    case $1 in
        -conf) grep -q secret-pwd "$2" || exit 8; shift 2 ;;
        -D*) shift ;;
        *) break ;;
    esac
done
case $1 in
    -test) test "$2" "$STORE$3" ;;
    -lsr) cd "$STORE" && find ".$2" -mindepth 1 -type f | while read -r path; do
        echo "-rw-r--r-- 1 me us 1 2026-01-01 00:00 ${path#.}"; done ;;
    -get) cp "$STORE$2" "$3" ;;
    -mkdir) shift; [ "$1" != -p ] || shift; mkdir -p "$STORE$1" ;;
    -put) cp "$2" "$STORE$3" ;;
    -rm) rm "$STORE$2" ;;
    *) exit 7 ;;
esac
'''


def counted(text):
    return re.findall(r"epoch (\d) done, .*Ins number=([0-9.]+)", text)


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
def test_a_cluster_job_trains_here(mode, tmp_path):
    folder = job.make(tmp_path, LOCAL, job.CONFIG.replace("strategy: sync", "strategy: " + mode))
    status, said = job.submit(folder)
    assert status == 0, said
    made = job.made(folder)
    assert "The task submission folder is generated at " + made in said
    assert sorted(os.listdir(os.path.join(made, "logs"))) == ["job.end", "server.0", "server.1",
                                                              "watch", "worker.0", "worker.1"]
    # two files, one for each worker: every example once an epoch
    assert counted(said) == [("0", "120.0"), ("1", "240.0")]
    assert sorted(os.listdir(os.path.join(made, "saved"))) == ["0", "1"]
    assert sorted(os.listdir(os.path.join(folder, "out", "saved"))) == ["0", "1"]
    assert "all workers already completed" in said


def test_k8s_has_servers_and_workers_of_its_own_number(tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("mpi # k8s", "k8s").replace(
        "nodes: 2", "k8s_trainers: 2\n  k8s_ps_num: 1\n  k8s_cpu_cores: 4"))
    status, said = job.submit(folder)
    assert status == 0, said
    assert sorted(os.listdir(os.path.join(job.made(folder), "logs"))) == ["job.end", "server.0",
                                                                          "watch", "worker.0", "worker.1"]
    assert "k8s_cpu_cores is not used by backend Local" in said


def test_data_come_from_hadoop_and_results_go_there(tmp_path):
    text = job.MPI.replace('"PaddleCloud"', "Local")
    folder = job.make(tmp_path / "job", text)
    bin_folder = job.client(tmp_path / "bin")
    with open(os.path.join(bin_folder, "hadoop"), "w") as file:
        file.write(HADOOP)
    os.chmod(os.path.join(bin_folder, "hadoop"), 0o755)
    (tmp_path / "store" / "user").mkdir(parents=True)
    os.rename(os.path.join(folder, "data"), str(tmp_path / "store" / "user" / "train"))
    status, said = job.submit(folder, bin_folder, STORE=str(tmp_path / "store"), HADOOP_HOME="")
    assert status == 0, said
    assert counted(said)[-1:] == [("1", "240.0")]
    saved = tmp_path / "store" / "user" / "out" / "saved"
    assert sorted(os.listdir(saved)) == ["0", "1"] and os.path.getsize(saved / "1" / "table") > 1600
    assert "secret-pwd" not in said
    assert not subprocess.run(["grep", "-rl", "secret-pwd", os.path.join(job.made(folder), "logs")],
                              stdout=subprocess.PIPE).stdout


FLAGS = {"communicator_is_sgd_optimizer": 0, "communicator_send_queue_size": 6,
         "communicator_max_merge_var_num": 7, "communicator_max_send_grad_num_before_recv": 4,
         "communicator_min_send_grad_num_before_recv": 3, "communicator_thread_pool_size": 9,
         "communicator_fake_rpc": 0, "rpc_retry_times": 5}
# A model that sets all of them, and a last state that shows what they are.
SETS = "import os\nfor name in %r:\n    os.environ['FLAGS_' + name] = '1'\n" % list(FLAGS)
SHOWS = '''from paddle import fluid
from paddlerec.core.trainers.framework.terminal import PSTerminal
class Terminal(PSTerminal):
    def terminal(self, context):
        super().terminal(context)
        for name in %r:
            print("flag", name, int(fluid.get_flags("FLAGS_" + name)["FLAGS_" + name]))
''' % list(FLAGS)


def flags_of(folder, text, config):
    """What each worker had: [{flag: value}]."""
    job.make(folder, text, config.replace(
        "print_interval: 5", "print_interval: 5\n  terminal_class_path: terminal.py"))
    for name, content in (("model.py", SETS + job.rec_job.MODEL), ("terminal.py", SHOWS)):
        with open(os.path.join(str(folder), name), "w") as file:
            file.write(content)
    status, said = job.submit(folder)
    assert status == 0, said
    found = []
    for i in (0, 1):
        with open(os.path.join(job.made(folder), "logs", "worker.%d" % i)) as file:
            found.append({name: int(value) for name, value in
                          re.findall(r"^flag (\w+) (\d+)$", file.read(), re.M)})
    return found


def test_communicator_flags_win_on_every_worker_over_what_the_model_sets(tmp_path):
    given = "  communicator:\n" + "".join("    FLAGS_%s: %d\n" % f for f in FLAGS.items())
    config = job.CONFIG.replace("strategy: sync", "strategy: async")
    assert flags_of(tmp_path, LOCAL.replace("submit:", given + "submit:"), config) == [FLAGS, FLAGS]


def test_where_backend_yaml_says_nothing_the_model_does(tmp_path):
    """Of SGD steps are added; a model that sets nothing else has what its threads say."""
    config = job.CONFIG.replace("strategy: sync", "strategy: async")
    found = flags_of(tmp_path, LOCAL, config)
    assert [f["communicator_is_sgd_optimizer"] for f in found] == [1, 1]
    assert [f["communicator_max_merge_var_num"] for f in found] == [1, 1]


@pytest.mark.parametrize("line, says", [
    ("FLAGS_communicator_fake_rpc: 1", "wanted 0: what is computed is sent"),
    ("FLAGS_communicator_is_sgd_optimizer: 2", "wanted 0 or 1"),
    ("FLAGS_communicator_max_merge_var_num: 0", "wanted a whole number of at least 1"),
    ("FLAGS_rpc_retry_times: -1", "wanted a whole number of at least 0"),
    ("FLAGS_communicator_send_wait_times: 5", "unknown flag"),
    ("FLAGS_communicator_independent_recv_thread: 0", "unknown flag"),
    ("FLAGS_communicator_max_merge_num: 5", "did you mean FLAGS_communicator_max_merge_var_num?")])
def test_a_flag_that_cannot_be_honoured_is_refused(line, says, tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("submit:", "  communicator:\n    %s\nsubmit:" % line))
    status, said = job.submit(folder)
    assert status == 2
    assert re.search(r"backend.yaml:\d+: .*%s" % re.escape(says), said), said


def test_data_that_are_not_there_are_said(tmp_path):
    folder = job.make(tmp_path, LOCAL.replace('path: "data"', 'path: "gone"'))
    status, said = job.submit(folder)
    assert status == 1
    assert "gone is no folder of this machine" in said


def test_a_worker_that_fails_fails_the_job(tmp_path):
    folder = job.make(tmp_path, LOCAL)
    with open(os.path.join(folder, "data", "part-1"), "a") as file:
        file.write("click:1 a:x\n")
    status, said = job.submit(folder)
    assert status != 0
    assert "all workers already completed" not in said
    assert not os.path.exists(os.path.join(folder, "out"))


def test_an_output_path_that_cannot_be_written_to_is_known_before_training(tmp_path):
    folder = job.make(tmp_path, LOCAL)
    with open(os.path.join(folder, "out"), "w") as file:
        file.write("no folder")
    status, said = job.submit(folder)
    assert status == 1 and "epoch" not in said
    assert "output_path %s/out cannot be written to (Not a directory)" % folder in said


def test_what_cannot_be_sent_is_said_to_be_where_it_is(tmp_path):
    """Something stands in its place when the job has trained."""
    folder = job.make(tmp_path, LOCAL)
    with open(os.path.join(folder, "model.py"), "a") as file:
        file.write("\n    def optimizer(self):\n        open('../out', 'w').close()\n"
                   "        return ModelBase.optimizer(self)\n")
    status, said = job.submit(folder)
    assert status == 1 and re.search("training is done, and what it saved could not be sent to "
                                     "output_path: .*; it is in " + job.made(folder), said)
