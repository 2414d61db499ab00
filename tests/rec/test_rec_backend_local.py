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
    assert sorted(os.listdir(os.path.join(made, "logs"))) == ["server.0", "server.1", "worker.0",
                                                              "worker.1"]
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
    assert sorted(os.listdir(os.path.join(job.made(folder), "logs"))) == ["server.0", "worker.0",
                                                                          "worker.1"]
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


def test_communicator_flags_reach_the_workers(tmp_path):
    text = LOCAL.replace("submit:", "  communicator:\n    FLAGS_communicator_thread_pool_size: 9\n"
                                    "submit:")
    folder = job.make(tmp_path, text, job.CONFIG.replace("strategy: sync", "strategy: async"))
    status, said = job.submit(folder)
    assert status == 0, said
    assert re.search(r"communicator_thread_pool_size\s+9\b", said)


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
