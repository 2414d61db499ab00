"""A loss that is NaN or infinite, as a person meets it in train_from_dataset."""
import re
import subprocess
import sys

import pytest

from ctr_data import environment

JOB = """
import paddle.fluid as fluid
x = fluid.data("x", [None, 1])
y = fluid.layers.fc(x, 1, param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0)))
loss = fluid.layers.mean(fluid.layers.log(y))
fluid.optimizer.SGD(0.0).minimize(loss)
dataset = fluid.DatasetFactory().create_dataset("%(kind)s")
dataset.set_use_var([x])
dataset.set_batch_size(2)
dataset.set_thread(1)
dataset.set_filelist(["%(file)s"])
if "%(kind)s" == "InMemoryDataset":
    dataset.load_into_memory()
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
exe.train_from_dataset(fluid.default_main_program(), dataset)
"""


def run(tmp_path, numbers, kind="QueueDataset", **env):
    data = tmp_path / "part"
    data.write_text("".join("1 %s\n" % n for n in numbers))
    return subprocess.run([sys.executable, "-c", JOB % {"kind": kind, "file": data}], text=True,
                          capture_output=True, timeout=60, env=environment(**env))


@pytest.mark.parametrize("kind", ["QueueDataset", "InMemoryDataset"])
@pytest.mark.parametrize("number, what", [("-1", "nan"), ("0", "-inf")])
def test_a_loss_that_is_no_number_is_said_when_it_begins_and_stays_in_sight(tmp_path, number, what,
                                                                            kind):
    done = run(tmp_path, ["1"] * 6 + [number] + ["2"] * 9, kind)
    assert done.returncode == 0, done.stderr
    warned = [line for line in done.stderr.splitlines() if "the loss is no number" in line]
    assert len(warned) == 1, done.stderr
    assert " W train batch=3 loss=%s first_example=%s/part:7 " % (what, tmp_path) in warned[0]
    assert "FLAGS_check_nan_inf=1" in warned[0]
    last = done.stderr.splitlines()[-1]
    assert re.search(r"100%.*16 examples.*loss=(nan|-inf)[,\]]", last), last


def test_a_finite_loss_is_not_warned_of(tmp_path):
    done = run(tmp_path, ["1"] * 8)
    assert done.returncode == 0 and "no number" not in done.stderr, done.stderr
    assert "loss=0]" in done.stderr.splitlines()[-1]


def test_check_nan_inf_stops_a_training_and_names_the_op(tmp_path):
    done = run(tmp_path, ["1"] * 6 + ["-1"], FLAGS_check_nan_inf="1")
    assert done.returncode != 0
    assert re.search(r"op log\(X=.* made a NaN at element 0 of its output", done.stderr), done.stderr
