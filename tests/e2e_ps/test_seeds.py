"""The texts that people learn from, as they stand: their scripts and their commands.

seed_003_fluid_dist.py is the script of the text on starting distributed training, untouched;
seed_003_dist_train.py that of the quick start of Fleet, completed where it leaves things out."""
import os
import shutil
import subprocess
import sys

import pytest

import paddle.fluid as fluid
from cluster import HERE, ROOT, clean_env, cluster, free_endpoints, launch_ps  # noqa: F401
from namespaces import three_hosts  # noqa: F401

BOOK = os.path.join(ROOT, "python", "paddle", "fluid", "tests", "book_distribute",
                    "notest_dist_fit_a_line.py")
PS0, PS1, TRAINER1 = range(3)  # of the three hosts; the other trainer is beside the first server


def losses(process):
    return [float(line.split()[-1]) for line in process.text().splitlines()
            if line.startswith("Epoch: ")]


def check_fluid_dist(trainers):
    """30 epochs of 50 batches, of which every tenth is told; the loss falls."""
    for trainer in trainers:
        assert "Epoch: 29, Batch: 49, loss: " in trainer.text(), trainer.text()
        values = losses(trainer)
        assert len(values) == 150 and sum(values[-10:]) < sum(values[:10]) / 2


def test_the_trainer_count_of_the_book_stands_on_line_50():
    with open(BOOK) as file:
        assert file.read().splitlines()[49].strip() == "trainers=2)"


def test_commands_of_the_book(cluster, three_hosts, tmp_path):  # noqa: F811
    """One server at 192.168.1.2:6174 and two trainers, on hosts of their own."""
    shutil.copy(BOOK, str(tmp_path))
    line = ("PSERVERS=192.168.1.2:6174 SERVER_ENDPOINT=192.168.1.2:6174 TRAINING_ROLE=%s "
            "python notest_dist_fit_a_line.py")
    server = cluster.shell("server", line % "PSERVER", three_hosts.on(0))
    server.wait_for("Server listening on 192.168.1.2:6174")
    for i in (1, 2):
        cluster.shell("trainer%d" % i, line % "TRAINER", three_hosts.on(i))
    cluster.finish()


def test_four_commands_with_names(cluster, three_hosts, tmp_path):  # noqa: F811
    """To the letter, names of hosts and all."""
    shutil.copy(os.path.join(HERE, "seed_003_fluid_dist.py"), str(tmp_path / "fluid_dist.py"))
    for i, host in enumerate((PS0, PS1)):
        cluster.shell("ps%d" % i, "PADDLE_TRAINING_ROLE=PSERVER "
                      "PADDLE_CURRENT_IP=ps%d.paddlepaddle.com "
                      "PADDLE_PSERVER_IPS=ps0.paddlepaddle.com,ps1.paddlepaddle.com "
                      "PADDLE_TRAINERS=2 PADDLE_PSERVER_PORT=6174 python fluid_dist.py" % i,
                      three_hosts.on(host))
    trainers = [cluster.shell("trainer%d" % i, "PADDLE_TRAINING_ROLE=TRAINER "
                              "PADDLE_PSERVER_IPS=ps0.paddlepaddle.com,ps1.paddlepaddle.com "
                              "PADDLE_TRAINERS=2 PADDLE_TRAINER_ID=%d PADDLE_PSERVER_PORT=6174 "
                              "python fluid_dist.py" % i, three_hosts.on(host))
                for i, host in enumerate((PS0, TRAINER1))]
    cluster.finish()
    check_fluid_dist(trainers)


@pytest.mark.parametrize("hosts", [("127.0.0.1", "127.0.0.2"), ("localhost", "127.0.0.2")])
def test_four_commands_on_one_host(cluster, hosts, tmp_path):  # noqa: F811
    """Where nobody may make hosts."""
    shutil.copy(os.path.join(HERE, "seed_003_fluid_dist.py"), str(tmp_path / "fluid_dist.py"))
    port = free_endpoints(1)[0].split(":")[1]
    env = dict(PADDLE_PSERVER_IPS=",".join(hosts), PADDLE_TRAINERS="2", PADDLE_PSERVER_PORT=port)
    for i, host in enumerate(hosts):
        cluster.start("ps%d" % i, ["fluid_dist.py"], PADDLE_TRAINING_ROLE="PSERVER",
                      PADDLE_CURRENT_IP=host, **env)
    trainers = [cluster.start("trainer%d" % i, ["fluid_dist.py"], PADDLE_TRAINING_ROLE="TRAINER",
                              PADDLE_TRAINER_ID=str(i), **env) for i in range(2)]
    cluster.finish()
    check_fluid_dist(trainers)


def test_fluid_dist_wants_a_role(cluster, tmp_path):  # noqa: F811
    shutil.copy(os.path.join(HERE, "seed_003_fluid_dist.py"), str(tmp_path / "fluid_dist.py"))
    child = cluster.start("nobody", ["fluid_dist.py"], PADDLE_PSERVER_IPS="127.0.0.1",
                          PADDLE_TRAINERS="2")
    assert child.wait(60) == 1
    assert "PADDLE_TRAINING_ROLE should be one of [TRAINER, PSERVER]" in child.text()


def test_the_quick_start_of_fleet_with_all_its_epochs(tmp_path):
    """Its pipe command calls `python criteo_reader.py`: the demo's is beside it."""
    commands = os.path.dirname(sys.executable)
    path = commands + os.pathsep + os.environ["PATH"]
    (tmp_path / "raw_data").mkdir()
    (tmp_path / "models").mkdir()  # all four make it if none has, and two may at the same moment
    for i in range(3):  # it trains on the first two
        subprocess.run([os.path.join(commands, "paddle"), "gen-criteo", "--rows", "200", "--seed",
                        str(i), "--out", str(tmp_path / "raw_data" / ("part-%d" % i))], check=True,
                       env=clean_env())
    for name in ("criteo_reader.py", "ctr_dnn_model_dataset.py"):
        shutil.copy(os.path.join(ROOT, "demo", "ctr", name), str(tmp_path))
    shutil.copy(os.path.join(HERE, "seed_003_dist_train.py"), str(tmp_path / "dist_train.py"))
    out = launch_ps(tmp_path, ["dist_train.py"], PATH=path)
    assert out.returncode == 0, out.stdout
    assert sorted(os.listdir(str(tmp_path / "models"))) == sorted(
        "epoch%d.model" % (i + 1) for i in range(20))
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        _, feeds, fetches = fluid.io.load_inference_model(
            str(tmp_path / "models" / "epoch20.model"), exe)
    assert feeds == ["dense_input"] + ["C%d" % i for i in range(1, 27)] + ["label"]
    assert len(fetches) == 2
