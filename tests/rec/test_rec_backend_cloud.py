"""backend: PaddleCloud: the folder, the messages, the client's words, and what is refused."""
import os
import re
import stat
import subprocess

import pytest

import backend_job as job

NAMES = ["backend.yaml", "before_hook.sh", "config.ini", "config.yaml", "end_hook.sh", "job.sh",
         "model.py"]


def seen(folder):
    with open(os.path.join(folder, "seen")) as file:
        words = [line[len("word: "):].rstrip("\n") for line in file if line.startswith("word: ")]
    options = {w: v for w, v in zip(words, words[1:]) if w.startswith("--")}
    return words, options


def text(folder, name):
    with open(os.path.join(folder, name)) as file:
        return file.read()


CASES = {
    "mpi": (job.MPI, job.CONFIG, "cpu", "mpi",
            {"--mpi-nodes": "2", "--mpi-priority": "high", "--is-standalone": "0"}),
    "ps": (job.K8S_PS, job.CONFIG, "cpu", "k8s",
           {"--k8s-trainers": "2", "--k8s-cpu-cores": "4", "--k8s-ps-num": "2",
            "--k8s-ps-cores": "3", "--distribute-job-type": "PSERVER"}),
    "gpu": (job.K8S_GPU, job.GPU, "gpu", "k8s",
            {"--k8s-trainers": "2", "--k8s-cpu-cores": "4", "--k8s-gpu-cards": "1",
             "--distribute-job-type": "NCCL2"})}


@pytest.mark.parametrize("name", CASES)
def test_a_job_is_submitted_with_its_folder_and_messages(name, tmp_path):
    backend, config, device, kind, wanted = CASES[name]
    folder = job.make(tmp_path / "job", backend, config)
    client = job.client(tmp_path / "bin")
    status, said = job.submit(folder, client)
    assert status == 0, said
    made = job.made(folder)
    assert re.search(r"/PaddleRec_CTR_\d{12}$", made)
    shown = [line for line in said.splitlines() if not line.startswith("paddlerec: note:")]
    assert shown == [
        "The task submission folder is generated at " + made, "before_submit",
        "gen %s before_hook.sh" % device, "gen %s_config.ini" % kind, "gen %s_job.sh" % kind,
        "gen end_hook.sh", "Start checking your job configuration, please be patient.",
        "Congratulations! Job configuration check passed! (hidden)", '{ "jobId": "job-1" }',
        "end submit"]
    assert sorted(os.listdir(made)) == NAMES
    assert text(made, "config.yaml") == config
    assert text(made, "backend.yaml") == backend
    words, options = seen(client)
    assert words[0] == "job" and words[5] == "train" and words[-1] == "--json"
    assert options["--ak"] == "my-own-ak" and options["--sk"] == "my-own-sk"
    assert options["--job-name"] == "PaddleRec_CTR" and options["--group-name"] == "people"
    assert options["--start-cmd"] == "python -m paddlerec.run -m ./config.yaml"
    first = words.index("--files")
    assert words[first + 1:first + 1 + len(NAMES)] == ["./" + n for n in NAMES]
    assert {key: options.get(key) for key in wanted} == wanted


def test_keys_and_passwords_are_for_nobody_else(tmp_path):
    folder = job.make(tmp_path / "job", job.MPI)
    status, said = job.submit(folder, job.client(tmp_path / "bin"))
    assert status == 0
    assert "my-own" not in said and "secret-pwd" not in said
    made = job.made(folder)
    assert stat.S_IMODE(os.stat(made).st_mode) == 0o700
    for name in os.listdir(made):
        if re.search("my-own|secret-pwd", text(made, name)):
            assert stat.S_IMODE(os.stat(os.path.join(made, name)).st_mode) == 0o600, name


def test_config_ini_has_what_the_nodes_need(tmp_path):
    config = job.CONFIG.replace("thread_num: 1", "thread_num: 3")
    folder = job.make(tmp_path / "job", job.MPI.replace("submit:", """  communicator:
    FLAGS_communicator_send_queue_size: 5
    FLAGS_rpc_retry_times: 7
submit:"""), config)
    assert job.submit(folder, job.client(tmp_path / "bin"))[0] == 0
    lines = text(job.made(folder), "config.ini").splitlines()
    for line in ('fs_name="afs://xxx.com"', 'fs_ugi="usr,secret-pwd"', 'output_path="/user/out"',
                 'train_data_path="/user/train"', 'test_data_path=""', "use_python3=1", "CPU_NUM=3",
                 "FLAGS_communicator_send_queue_size=5", "FLAGS_rpc_retry_times=7",
                 "FLAGS_communicator_max_merge_var_num=3", "FLAGS_communicator_thread_pool_size=32",
                 "PADDLE_PADDLEREC_ROLE=WORKER", "PADDLEREC_CLUSTER_TYPE=MPI"):
        assert line in lines
    folder = job.make(tmp_path / "k8s", job.K8S_PS)
    assert job.submit(folder, job.client(tmp_path / "bin"))[0] == 0
    lines = text(job.made(folder), "config.ini").splitlines()
    assert 'afs_remote_mount_point="/user/afs"' in lines and 'mount_afs="true"' in lines
    assert "PADDLEREC_CLUSTER_TYPE=K8S" in lines


def test_without_a_client_the_folder_is_ready(tmp_path):
    folder = job.make(tmp_path / "job", job.MPI)
    status, said = job.submit(folder)
    assert status == 1
    made = job.made(folder)
    assert "no command paddlecloud on PATH" in said and "cd %s && sh job.sh" % made in said
    assert "end submit" not in said
    client = job.client(tmp_path / "bin")
    env = dict(os.environ, PATH=client + ":" + os.environ["PATH"], SEEN=client + "/seen")
    assert subprocess.run(["sh", os.path.join(made, "job.sh")], env=env, cwd=str(tmp_path),
                          stdout=subprocess.DEVNULL).returncode == 0
    words, options = seen(client)
    assert options["--mpi-nodes"] == "2" and "./model.py" in words


def test_a_client_that_fails_fails_the_submission(tmp_path):
    folder = job.make(tmp_path / "job", job.MPI)
    status, said = job.submit(folder, job.client(tmp_path / "bin"), CLIENT_STATUS="5")
    assert status == 5
    assert "the client ended with status 5" in said and "end submit" not in said


def test_scripts_of_the_folder_are_scripts(tmp_path):
    folder = job.make(tmp_path / "job", job.MPI)
    assert job.submit(folder, job.client(tmp_path / "bin"))[0] == 0
    for name in ("before_hook.sh", "job.sh", "end_hook.sh"):
        assert subprocess.run(["sh", "-n", os.path.join(job.made(folder), name)]).returncode == 0


def hook(tmp_path, python):
    """before_hook.sh of a submission, where `python` is a script: (status, output, its words)."""
    folder = job.make(tmp_path / "job", job.MPI)
    assert job.submit(folder, job.client(tmp_path / "bin"))[0] == 0
    path = tmp_path / "node"
    path.mkdir()
    (path / "python").write_text('#!/bin/sh\necho "$*" >> %s/words\n%s\n' % (path, python))
    (path / "python").chmod(0o755)
    done = subprocess.run(["sh", "before_hook.sh"], cwd=job.made(folder), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env={"PATH": "%s:/usr/bin:/bin" % path})
    return done.returncode, done.stdout, (path / "words").read_text()


def test_before_hook_takes_regatta_from_the_job_or_the_node_alone(tmp_path):
    status, said, words = hook(tmp_path / "has", "exit 0")
    assert (status, said) == (0, "Run before_hook.sh ...\nEnd before_hook.sh ...\n")
    assert "pip" not in words
    status, said, words = hook(tmp_path / "has_not", "exit 1")
    assert status == 1 and "add its wheel to submit.files" in said
    assert "pip" not in words  # what an index has under that name is somebody else's


def test_one_card_is_class_train(tmp_path):
    config = job.GPU.replace("class: cluster_train", "class: train").replace(
        "  fleet_mode: collective\n", "")
    folder = job.make(tmp_path / "job", job.K8S_GPU.replace("trainers: 2", "trainers: 1"), config)
    client = job.client(tmp_path / "bin")
    status, said = job.submit(folder, client)
    assert status == 0, said
    _, options = seen(client)
    assert options["--is-standalone"] == "1" and options["--job-remark"] == "single-gpu"


def test_the_full_example_gets_notes_and_asycn_is_read_as_async(tmp_path):
    backend = job.MPI.replace("submit:", '  afs_remote_mount_point: ""\nsubmit:') + \
        "  k8s_trainers: 2\n  k8s-cpu-cores: 4\n  k8s_gpu_card: 1\n  k8s_trainers: 2\n" \
        "  k8s-cpu-cores: 4\n  k8s_ps_num: 2\n  k8s_ps_cores: 4\n"
    config = job.CONFIG.replace("strategy: sync", "strategy: asycn")
    folder = job.make(tmp_path / "job", backend, config)
    status, said = job.submit(folder, job.client(tmp_path / "bin"))
    assert status == 0, said
    assert re.search(r"backend.yaml:\d+: k8s_ps_num is for cluster_type k8s, and is not used", said)
    assert "k8s_trainers is given twice" in said
    assert "asycn is read as async" in said


BROKEN = [
    (job.MPI, 'ak: "my-own-ak"', 'ak: ""', "ak is empty"),
    (job.MPI, 'sk: "my-own-sk"', "sk:", "sk is empty"),
    (job.MPI, 'output_path: "/user/out"', 'output_path: ""', "output_path is empty"),
    (job.MPI, 'train_data_path: "/user/train"', 'train_data_path: ""',
     "train_data_path is empty"),
    (job.K8S_PS, 'afs_remote_mount_point: "/user/afs"', 'afs_remote_mount_point: ""',
     "afs_remote_mount_point is empty"),
    (job.MPI, 'fs_name: "afs://xxx.com"', 'fs_name: ""', "fs_name is empty"),
    (job.MPI, 'group: "people"', 'group: ""', "group is empty"),
    (job.MPI, '"1.7.2"', '"1.6.0"', "wanted 1.7.2 or later"),
    (job.MPI, '"1.7.2"', '"new"', "wanted a version such as 1.7.2"),
    (job.MPI, '"1.7.2"', '"1.7.2"\n  use_python3: 0', "jobs run on Python 3"),
    (job.MPI, "nodes: 2", "nodes: 0", "nodes is 0, wanted a whole number of at least 1"),
    (job.MPI, "nodes: 2", "node: 2", "unknown key node; did you mean nodes?"),
    (job.MPI, "mpi #", "yarn #", "cluster_type is 'yarn', wanted mpi or k8s"),
    (job.MPI, '"PaddleCloud"', '"Cloud"', "backend is 'Cloud', wanted one of PaddleCloud"),
    (job.MPI, "./*.py", "./gone.py", "there is no ./gone.py"),
    (job.MPI, "./*.py", "./data ./*.py", "./data is no file"),
    (job.MPI, "./*.py", "./*.py sub/model.py", "would both be model.py"),
    (job.MPI, "./*.py ", "", "model.py is not among submit.files"),
    (job.MPI, "./config.yaml", "./other.yaml", "other.yaml is not among submit.files"),
    (job.MPI, "PaddleRec_CTR", "a/b", "it is the name of a folder"),
    (job.K8S_PS, "k8s-cpu-cores: 4", "k8s-cpu-cores: 4\n  k8s_cpu_cores: 5",
     "are the same key"),
    (job.MPI, 'thirdparty_path: ""', 'communicator:\n    FLAGS_rpc_retry: 1',
     "unknown flag FLAGS_rpc_retry; did you mean FLAGS_rpc_retry_times?"),
]


@pytest.mark.parametrize("case", range(len(BROKEN)))
def test_what_cannot_be_submitted_is_refused_with_its_line(case, tmp_path):
    backend, old, new, what = BROKEN[case]
    assert old in backend
    text = backend.replace(old, new, 1)
    line = text[:text.index(new) + len(new)].count("\n") + 1  # where the new text ends
    folder = job.make(tmp_path, text)
    os.makedirs(os.path.join(folder, "sub"))
    with open(os.path.join(folder, "sub", "model.py"), "w"):
        pass
    status, said = job.submit(folder)
    assert status == 2, said
    where = "config.yaml:\\d+" if what.startswith("model.py is not") else "backend.yaml:%d" % line
    assert re.search(r"^  %s: .*%s" % (where, re.escape(what)), said, re.M), said
    assert "my-own" not in said and not [n for n in os.listdir(folder) if "_20" in n]


@pytest.mark.parametrize("backend, change, what", [
    (job.MPI, ("device: cpu", "device: gpu"), "cluster_type mpi of PaddleCloud trains with device cpu"),
    (job.MPI, ("cluster_train", "train"), "class train goes to a cluster only with"),
    (job.MPI, ("cluster_train", "local_cluster_train"), "a job for a cluster is of class"),
])
def test_runners_that_do_not_fit_the_cluster_are_refused(backend, change, what, tmp_path):
    folder = job.make(tmp_path, backend, job.CONFIG.replace(*change, 1))
    status, said = job.submit(folder)
    assert status == 2, said
    assert re.search(r"config.yaml:\d+: runner train_it: .*" + what, said), said
