"""class local_cluster_train: servers and workers on this host, in all four modes; cluster_train
as a node of a cluster sees it."""
import os
import re
import subprocess
import sys

import pytest

import rec_job as job
from ports import free_ports

LOCAL = job.CONFIG.replace("class: train", "class: local_cluster_train").replace("epochs: 2",
                                                                                  "epochs: 4")


def counted(text):
    return re.findall(r"epoch (\d) done, .*AUC=([0-9.]+) .*Ins number=([0-9.]+)", text)


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
def test_a_local_cluster_trains_and_its_metric_is_of_all_workers(mode, tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("strategy: sync", "strategy: " + mode))
    status, said = job.run(folder)
    assert status == 0, said
    assert "all workers already completed, you can view logs under the `logs` directory" in said
    assert sorted(os.listdir(tmp_path / "logs")) == ["job.end", "server.0", "watch", "worker.0",
                                                    "worker.1"]
    shown = [counted((tmp_path / "logs" / ("worker.%d" % i)).read_text()) for i in (0, 1)]
    assert len(shown[0]) == 4
    assert shown[0] == shown[1]  # the same line on each worker
    # 60 examples a worker in batches of 4, 4 epochs, added up over epochs
    assert [n for _, _, n in shown[0]] == ["120.0", "240.0", "360.0", "480.0"]
    assert sorted(os.listdir(tmp_path / "saved")) == ["0", "1", "2", "3"]
    assert os.path.getsize(tmp_path / "saved" / "3" / "table") > 1600


def test_what_a_cluster_saves_one_machine_judges(tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("mode: [train_it]", "mode: [train_it, judge_it]"))
    status, said = job.run(folder)
    assert status == 0, said
    assert re.search(r"Infer phase1 of epoch 3 done, .*Ins number=120", said)


def test_workers_are_no_more_than_files(tmp_path):
    folder = job.make(tmp_path, LOCAL)
    os.remove(os.path.join(folder, "data", "part-1"))
    status, said = job.run(folder)
    assert status == 0, said
    assert "set worker/gpu cards num from 2 to 1" in said
    assert sorted(os.listdir(tmp_path / "logs")) == ["job.end", "server.0", "watch", "worker.0"]


def test_a_worker_that_fails_fails_the_run(tmp_path):
    folder = job.make(tmp_path, LOCAL)
    with open(os.path.join(folder, "data", "part-1"), "a") as f:
        f.write("click:1 a:x\n")
    status, said = job.run(folder)
    assert status != 0
    assert "part-1:61" in (tmp_path / "logs" / "worker.1").read_text()
    assert "all workers already completed" not in said


@pytest.mark.parametrize("push_num, is_said", [(31, True), (30, False)])
def test_a_geo_job_too_short_for_a_push_says_so(push_num, is_said, tmp_path):
    """Each worker makes 30 steps."""
    folder = job.make(tmp_path, job.CONFIG.replace("class: train", "class: local_cluster_train").replace(
        "strategy: sync", "strategy: geo") + "train:\n  strategy:\n    mode:\n      push_num: %d\n" % push_num)
    status, said = job.run(folder)
    assert status == 0 and (said.count("steps=30 push_nums=31 \"nothing was pushed") == 1) == is_said, said


def test_a_log_folder_that_cannot_be_made_is_refused_by_name(tmp_path):
    folder = job.make(tmp_path, LOCAL)
    (tmp_path / "logs").write_text("no folder")
    status, said = job.run(folder)
    assert status == 2 and "Traceback" not in said, said
    assert "logs: the folder cannot be made: there is a file of that name" in said


@pytest.mark.full
def test_workers_that_die_are_started_again(tmp_path):
    """Each worker is killed once, in the middle: the same model as without."""
    calm = job.make(tmp_path / "calm", LOCAL)
    status, said = job.run(calm)
    assert status == 0, said
    folder = job.make(tmp_path / "killed", LOCAL.replace(
        "  fleet_mode: ps\n", "  fleet_mode: ps\n  restarts: 3\n  journal: everysec\n"))
    status, said = job.run(folder, RG_FAULT="push.begin:40:kill")
    assert status == 0 and said.count("it is started again (1 of 3)") == 2, said
    for name in sorted(os.listdir(os.path.join(calm, "saved", "3"))):
        if not name.startswith(("_generated_var", "MANIFEST", "auc")):
            files = [open(os.path.join(x, "saved", "3", name), "rb").read() for x in (calm, folder)]
            assert files[0] == files[1], name


def test_what_no_launcher_does_is_refused(tmp_path):
    text = job.CONFIG.replace("  fleet_mode: ps\n", "  fleet_mode: ps\n  restarts: 3\n")
    status, said = job.run(job.make(tmp_path, text))
    assert status != 0 and "restarts is of class local_cluster_train" in said, said
    text = LOCAL.replace("  fleet_mode: ps\n", "  fleet_mode: ps\n  min_trainers: 1\n")
    status, said = job.run(job.make(tmp_path, text))
    assert status != 0 and "a sync job does not go on without a worker" in said, said


def test_nodes_of_a_cluster_run_the_same_command_in_place(tmp_path):
    text = job.CONFIG.replace("class: train", "class: cluster_train")
    port = free_ports(1)
    common = dict(os.environ, PADDLE_PADDLEREC_ROLE="WORKER", PADDLE_TRAINERS_NUM="2",
                  PADDLE_PSERVERS_IP_PORT_LIST="127.0.0.1:%d" % port)
    nodes = [dict(common, TRAINING_ROLE="PSERVER", POD_IP="127.0.0.1", PADDLE_PORT=str(port))]
    nodes += [dict(common, TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID=str(i)) for i in (0, 1)]
    running = []
    for i, env in enumerate(nodes):
        folder = job.make(tmp_path / str(i), text)
        running.append(subprocess.Popen([sys.executable, "-m", "paddlerec.run", "-m",
                                         "config.yaml"], cwd=folder, env=env, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    said = [p.communicate(timeout=60)[0] for p in running]
    assert [p.returncode for p in running] == [0, 0, 0], "\n".join(said)
    # On MPI each node has data of its own: it reads all of it.
    assert [n for _, _, n in counted(said[1])] == ["240.0", "480.0"]
    assert os.listdir(tmp_path / "1" / "saved") and not os.path.exists(tmp_path / "2" / "saved")


def test_servers_begin_with_what_was_saved(tmp_path):
    folder = job.make(tmp_path, LOCAL)
    assert job.run(folder)[0] == 0
    first = (tmp_path / "logs" / "worker.0").read_text()
    job.make(tmp_path, LOCAL.replace('init_model_path: ""', 'init_model_path: "saved/3"')
             .replace('path: "saved"\n  init', 'path: "further"\n  init'))
    status, said = job.run(folder)
    assert status == 0, said
    shown = [[float(x) for x in re.findall(r"LOSS: \[([0-9.e+-]+)\]", text)]
             for text in (first, (tmp_path / "logs" / "worker.0").read_text())]
    assert shown[1][0] < shown[0][0], shown


@pytest.mark.parametrize("mode", ["sync", "half_async"])
def test_workers_with_less_data_do_not_hold_up_the_others(mode, tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("strategy: sync", "strategy: " + mode))
    with open(os.path.join(folder, "data", "part-1"), "w") as f:
        f.write(job.lines(60, 30))
    status, said = job.run(folder)
    assert status == 0, said
    assert [n for _, _, n in counted(said)] == ["88.0", "176.0", "264.0", "352.0"]


@pytest.mark.parametrize("kind", ["DataLoader", "QueueDataset"])
def test_threads_of_workers_are_counted_too(kind, tmp_path):
    folder = job.make(tmp_path, LOCAL.replace("thread_num: 1", "thread_num: 2")
                      .replace("DataLoader", kind))
    status, said = job.run(folder)
    assert status == 0, said
    assert [n for _, _, n in counted(said)][-1:] == ["480.0"]
