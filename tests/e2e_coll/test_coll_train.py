"""Collective training by real processes, over python -m paddle.distributed.launch and mpirun."""
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "coll_ctr.py")
LAUNCH = [sys.executable, "-m", "paddle.distributed.launch", "--print_config", "0",
          "--nproc_per_node", "2"]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable]
STARTERS = pytest.mark.parametrize("starter", [LAUNCH, MPIRUN], ids=["launch", "mpirun"])


def run(command, folder, timeout=60):
    out = subprocess.run(command, cwd=str(folder), capture_output=True, text=True,
                         timeout=timeout)
    assert out.returncode == 0, out.stdout + out.stderr
    return out


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The variables that one process has, with the joined batches, by optimizer."""
    folder = tmp_path_factory.mktemp("alone")
    for optimizer in "sgd", "adam":
        run([sys.executable, SCRIPT, "%s.npz" % optimizer, "-", optimizer, "alone"], folder)
    return {optimizer: np.load(str(folder / ("%s.npz" % optimizer)))
            for optimizer in ("sgd", "adam")}


def furthest(a, b):
    assert sorted(a.files) == sorted(b.files) and len(a.files) > 5
    return max(float(abs(a[name].astype("float64") - b[name]).max()) for name in a.files)


@STARTERS
@pytest.mark.parametrize("mode,optimizer", [("nccl2", "sgd"), ("collective", "adam")])
def test_two_ranks_equal_one_with_the_joined_batch(tmp_path, alone, starter, mode, optimizer):
    run(starter + [SCRIPT, "out.npz", mode, optimizer], tmp_path)
    assert furthest(np.load(str(tmp_path / "out.npz")), alone[optimizer]) < 1e-5


def test_ranks_of_mpirun_without_addresses_are_told_what_the_flag_needs(tmp_path):
    out = subprocess.run(["env", "FLAGS_coll_backend=rpc"] + MPIRUN + [SCRIPT, "out.npz", "nccl2", "sgd"],
                         cwd=str(tmp_path), capture_output=True, text=True, timeout=60)
    assert out.returncode != 0
    assert "the endpoints of 2 ranks are not known, which FLAGS_coll_backend=rpc needs" in out.stderr


def test_models_averaged_after_a_step_of_sgd_are_those_of_averaged_gradients(tmp_path, alone):
    run(MPIRUN + [SCRIPT, "out.npz", "local_sgd", "sgd"], tmp_path)
    assert furthest(np.load(str(tmp_path / "out.npz")), alone["sgd"]) < 1e-5


def test_runs_repeat_bit_by_bit_whatever_is_put_together(tmp_path):
    run(MPIRUN + [SCRIPT, "a.npz", "nccl2", "adam"], tmp_path)
    run(LAUNCH + [SCRIPT, "b.npz", "nccl2", "adam"], tmp_path)
    run(LAUNCH + [SCRIPT, "c.npz", "one_by_one", "adam"], tmp_path)
    a, b, c = (np.load(str(tmp_path / name)) for name in ("a.npz", "b.npz", "c.npz"))
    assert furthest(a, b) == 0 and furthest(a, c) == 0


@STARTERS
def test_a_rank_that_is_killed_ends_the_job_with_its_name(tmp_path, starter):
    job = subprocess.Popen(starter + [SCRIPT, "out.npz", "nccl2", "sgd", "slow"],
                           cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True)
    said, pid = "", None
    for line in job.stdout:
        said += line
        found = re.search(r"rank 1 trains: pid (\d+)", line)
        if found:
            pid = int(found.group(1))
            break
    assert pid is not None, said
    began = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    said += job.communicate(timeout=30)[0]
    assert time.monotonic() - began < 10, said
    assert job.returncode != 0
    assert re.search(r"first: worker 1|process rank 1 .*signal 9", said), said


WAITS = """
import os, time
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import fleet
fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
x = fluid.data("x", [None, 400])
loss = fluid.layers.mean(fluid.layers.fc(x, 400))
fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fleet.startup_program)
for step in range(2):
    if step > 0 and not fleet.is_first_worker():
        time.sleep(60)
    if step > 0:
        print("rank 0 waits: pid %d" % os.getpid(), flush=True)
    exe.run(fleet.main_program, feed={"x": np.ones((2, 400), "float32")}, fetch_list=[loss])
"""


def test_a_rank_that_waits_for_another_hears_ctrl_c(tmp_path):
    (tmp_path / "waits.py").write_text(WAITS)
    job = subprocess.Popen(LAUNCH + ["waits.py"], cwd=str(tmp_path), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True,
                           env=dict(os.environ, FLAGS_log_level="I"))
    said = ""
    for line in job.stdout:
        said += line
        found = re.search(r"rank 0 waits: pid (\d+)", line)
        if found:
            break
    assert said.count("memory=shared") == 2, said
    time.sleep(0.5)  # it sleeps by then; if not, it hears it all the same
    began = time.monotonic()
    os.kill(int(found.group(1)), signal.SIGINT)
    said += job.communicate(timeout=30)[0]
    assert time.monotonic() - began < 10, said
    assert job.returncode != 0 and "KeyboardInterrupt" in said, said


UNEVEN = """
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import fleet
fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
x = fluid.data("x", [None, 4])
loss = fluid.layers.mean(fluid.layers.fc(x, 1))
fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fleet.startup_program)
for _ in range(2 + fleet.is_first_worker()):
    exe.run(fleet.main_program, feed={"x": np.ones((2, 4), "float32")}, fetch_list=[loss])
"""


@STARTERS
def test_a_rank_with_fewer_batches_is_named(tmp_path, starter):
    (tmp_path / "uneven.py").write_text(UNEVEN)
    out = subprocess.run(starter + ["uneven.py"], cwd=str(tmp_path), capture_output=True,
                         text=True, timeout=60)
    assert out.returncode != 0
    assert "rank 1 has left the group" in out.stdout + out.stderr


@STARTERS
def test_ops_over_ranks(tmp_path, starter):
    out = run(starter + [os.path.join(HERE, "coll_ops.py")], tmp_path)
    assert all("rank %d: all is as it should be" % i in out.stdout + out.stderr for i in (0, 1))


DATASET = """
import sys
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import fleet
fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
x, y = fluid.data("x", [None, 2]), fluid.data("y", [None, 1])
loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))
fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fleet.startup_program)
dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
dataset.set_use_var([x, y])
dataset.set_batch_size(2)
dataset.set_thread(int(sys.argv[1]))
dataset.set_filelist(fleet.split_files(["part-0", "part-1"]))
exe.train_from_dataset(fleet.main_program, dataset)
weights = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
every = fleet._role_maker.all_gather(weights.tolist())
assert every[0] == every[1], every
"""


def test_a_dataset_trains_on_one_thread_of_each_rank(tmp_path):
    (tmp_path / "dataset.py").write_text(DATASET)
    for i in (0, 1):
        (tmp_path / ("part-%d" % i)).write_text("".join(
            "2 %d %d 1 %d\n" % (i, k, k) for k in range(6)))
    run(LAUNCH + ["dataset.py", "1"], tmp_path)
    out = subprocess.run(LAUNCH + ["dataset.py", "2"], cwd=str(tmp_path), capture_output=True,
                         text=True, timeout=60)
    assert out.returncode != 0 and "give thread=1, and start more trainers" in out.stderr
