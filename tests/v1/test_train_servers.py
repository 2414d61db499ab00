"""`paddle train --local=0`: trainers and servers as real processes."""
import os
import re
import signal
import subprocess
import time

import numpy as np
import pytest

from built import PADDLE
from paddle import _core
from workspace import Workspace

CONFIG = '''from paddle.trainer_config_helpers import *

settings(batch_size=get_config_arg("batch", int, 5), learning_rate=0.01, %s)
mine = get_config_arg("list", str, "train%%d.list" %% get_config_arg("trainer_id", int, 0))
define_py_data_sources2(mine, None, module="dataprovider", obj="process")
word = data_layer("word", size=50)
vector = embedding_layer(input=word, size=4, param_attr=ParamAttr(name="table", sparse_update=%s))
guess = fc_layer(input=[vector, data_layer("x", size=2)], size=1, act=LinearActivation(), name="guess")
outputs(mse_cost(input=guess, label=data_layer("y", size=1)))
'''
PROVIDER = '''from paddle.trainer.PyDataProvider2 import *


@provider(input_types={"word": integer_value(50), "x": dense_vector(2), "y": dense_vector(1)},
          should_shuffle=False)
def process(settings, filename):
    for line in open(filename):
        word, a, b = line.split()
        if word == "stop":
            raise KeyError("a bad line")
        yield {"word": int(word), "x": [float(a), float(b)], "y": [float(a) - float(b)]}
'''
PARAMETERS = ["table", "_guess.w0", "_guess.w1", "_guess.wbias"]


class Job(Workspace):
    """Two trainers with 25 samples each, and the same samples for one that has both batches."""

    def __init__(self, folder, method="learning_method=MomentumOptimizer(momentum=0.5)",
                 sparse=True):
        Workspace.__init__(self, folder, CONFIG % (method, sparse), PROVIDER)
        self.port = _core.port_find("127.0.0.1")
        self.processes = []
        lines = ["%d %f %f" % (i * 7 % 50, (i % 11) / 11 - 0.5, (i % 7) / 7 - 0.5)
                 for i in range(50)]
        parts = [[], []]
        for i in range(0, 50, 5):
            parts[i // 5 % 2] += lines[i:i + 5]
        self.write("all.txt", "\n".join(lines))
        self.write("all.list", "all.txt")
        for n in (0, 1):
            self.write("%d.txt" % n, "\n".join(parts[n]))
            self.write("train%d.list" % n, "%d.txt" % n)

    def start(self, name, *arguments, environment=None):
        with open(self.folder / (name + ".log"), "wb") as log:
            made = subprocess.Popen([PADDLE] + list(arguments), cwd=self.folder, stdout=log,
                                    stderr=subprocess.STDOUT,
                                    env=self.environment(**(environment or {})))
        self.processes.append(made)
        return made

    def server(self, *flags, trainers=2):
        return self.start("server", "pserver", "--port=%d" % self.port,
                          "--num_gradient_servers=%d" % trainers, *flags)

    def trainer(self, number, *flags, trainers=2, environment=None):
        return self.start("trainer%d" % number, "train", "--config=trainer_config.py", "--local=0",
                          "--trainer_id=%d" % number, "--num_gradient_servers=%d" % trainers,
                          "--port=%d" % self.port, *flags, environment=environment)

    def log(self, name):
        return (self.folder / (name + ".log")).read_text(errors="replace")

    def ended(self, process, name, status=0, seconds=60):
        assert process.wait(seconds) == status, self.log(name)
        return self.log(name)

    def model(self, folder):
        return {name: np.frombuffer((self.folder / folder / name).read_bytes(), "<f4", offset=16)
                for name in PARAMETERS}

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()


@pytest.fixture
def make(tmp_path):
    made = []

    def new(**options):
        made.append(Job(tmp_path / ("job%d" % len(made)), **options))
        return made[-1]
    yield new
    for each in made:
        each.close()


def test_two_trainers_are_one_with_both_batches_and_trainer_0_saves(make):
    job = make()
    job.train("--num_passes=3", "--save_dir=alone", "--config_args=batch=10,list=all.list")
    ports = ["--ports_num=2", "--ports_num_for_sparse=2"]
    server = job.server(*ports)
    trainers = [job.trainer(n, "--num_passes=3", "--save_dir=out%d" % n, *ports) for n in (0, 1)]
    logs = [job.ended(trainers[n], "trainer%d" % n) for n in (0, 1)]
    assert "all trainers have finished" in job.ended(server, "server")
    assert "trainer mode: SgdSparseCpuTraining" in logs[0]
    assert "Saving parameters to out0/pass-00002" in logs[0] and "Saving" not in logs[1]
    assert sorted(os.listdir(job.folder / "out0")) == ["pass-00000", "pass-00001", "pass-00002"]
    assert not (job.folder / "out1").exists()
    for number in range(3):
        one = job.model("alone/pass-%05d" % number)
        many = job.model("out0/pass-%05d" % number)
        for name in PARAMETERS:
            assert np.allclose(one[name], many[name], rtol=1e-5, atol=1e-6), (number, name)


def test_async_trainers_learn_too(make):
    job = make(method="is_async=True", sparse=False)
    job.server()
    trainers = [job.trainer(n, "--num_passes=20", "--save_dir=out") for n in (0, 1)]
    for n in (0, 1):
        costs = re.findall(r" Pass=\d+ .* AvgCost=(\S+) ", job.ended(trainers[n], "trainer%d" % n))
        assert float(costs[-1]) < 0.5 * float(costs[0])


def test_a_trainer_brings_its_own_server(make):
    job = make()
    log = job.ended(job.trainer(0, "--start_pserver", "--num_passes=1", "--save_dir=out",
                                trainers=1), "trainer0")
    assert "starting " in log and (job.folder / "out" / "pass-00000" / "done").exists()


def test_training_goes_on_from_a_model_that_trainer_0_has(make):
    job = make(method="learning_method=MomentumOptimizer()")
    both = "--config_args=batch=10,list=all.list"
    job.train("--num_passes=4", "--save_dir=alone", both)
    job.train("--num_passes=2", "--save_dir=here", both)
    server = job.server()
    trainers = [job.trainer(n, "--start_pass=2", "--num_passes=2",
                            "--save_dir=" + ["here", "not_here"][n]) for n in (0, 1)]
    assert "Loading parameters from here/pass-00001" in job.ended(trainers[0], "trainer0")
    assert "Loading" not in job.ended(trainers[1], "trainer1")
    job.ended(server, "server")
    again, alone = job.model("here/pass-00003"), job.model("alone/pass-00003")
    for name in PARAMETERS:
        assert np.allclose(again[name], alone[name], rtol=1e-5, atol=1e-6), name


@pytest.mark.parametrize("flags,words", [
    ([], r"connecting to 127\.0\.0\.1:\d+: connection refused"),
    (["--pservers=nobody.invalid"], r"nobody\.invalid:\d+")])
def test_a_server_that_is_not_there_is_named(make, flags, words):
    job = make()
    log = job.ended(job.trainer(0, *flags, trainers=1, environment={"FLAGS_rpc_deadline": "1500"}),
                    "trainer0", status=1)
    assert re.search(words, log) and "--port=%d" % job.port in log
    assert "the ports must be those of `paddle pserver`" in log and "Traceback" not in log


def test_who_is_waited_for_is_said_and_ctrl_c_ends_it(make):
    job = make()
    server = job.server()
    trainer = job.trainer(0)
    deadline = time.monotonic() + 60
    while not re.search("(?i)wait.*trainer 1|trainer 1.*(wait|come|join)", job.log("server") +
                        job.log("trainer0")):
        assert time.monotonic() < deadline, job.log("server") + job.log("trainer0")
        time.sleep(0.2)
    trainer.send_signal(signal.SIGINT)
    log = job.ended(trainer, "trainer0", status=130)
    assert "stopped by Ctrl+C" in log and "Traceback" not in log
    assert server.wait(60) != 0
    assert "trainer 0" in job.log("server")


def test_one_trainer_that_fails_ends_the_other_which_names_it(make):
    job = make()
    job.write("1.txt", "\n".join((job.folder / "1.txt").read_text().split("\n")[:12] +
                                 ["stop 0 0"]))
    job.server()
    trainers = [job.trainer(n) for n in (0, 1)]
    log = job.ended(trainers[1], "trainer1", status=1)
    assert "data file 1.txt, sample 13: KeyError: 'a bad line'" in log
    log = job.ended(trainers[0], "trainer0", status=1)
    assert "trainer 1 (pid " in log and "has failed" in log and "Traceback" not in log
