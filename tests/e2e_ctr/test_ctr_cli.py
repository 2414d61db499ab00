"""`paddle train_from_dataset`: a saved program is trained with no Python, and what it saves is
what Python would have."""
import os
import subprocess

import numpy as np
import pytest

from ctr_data import PADDLE
from test_ctr_train import Job, files  # noqa: F401 (a fixture)
import paddle.fluid as fluid


def run(*arguments, status=0):
    done = subprocess.run([PADDLE, "train_from_dataset"] + [str(a) for a in arguments],
                          capture_output=True, text=True, timeout=120,
                          env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
    assert done.returncode == status, done.stderr
    return done.stderr if status else done


@pytest.fixture
def saved(tmp_path, files):  # noqa: F811
    job = Job(files)
    (tmp_path / "main.pb").write_bytes(job.main.desc.serialize_to_string())
    (tmp_path / "startup.pb").write_bytes(job.startup.desc.serialize_to_string())
    (tmp_path / "list").write_text("".join(f + "\n" for f in files))
    return job, tmp_path


def programs(folder):
    return ["--main", folder / "main.pb", "--startup", folder / "startup.pb"]


def load(job, folder):
    with fluid.scope_guard(job.scope):
        fluid.io.load_persistables(job.exe, str(folder), job.main)
    return job.parameters()


def test_it_trains_what_python_trains(saved, files):  # noqa: F811
    job, folder = saved
    run(*programs(folder), "--filelist", folder / "list", "--batch_size", 50, "--thread", 1,
        "--save", folder / "out")
    wanted = Job(files).train(thread=1).parameters()
    got = load(job, folder / "out")
    assert got.keys() == wanted.keys()
    for name in wanted:
        np.testing.assert_array_equal(got[name], wanted[name], err_msg=name)
    assert job.counted() == 3000  # the counters of the metric are saved, too


def test_two_threads_learn_and_a_save_is_gone_on_from(saved, files):  # noqa: F811
    job, folder = saved
    done = run(*programs(folder), "--filelist", ",".join(files), "--batch_size", 50, "--thread", 2,
               "--epochs", 2, "--memory", "--shuffle", 7, "--fetch", job.auc.name,
               "--print_period", 1, "--save", folder / "out")
    assert done.stdout.count(job.auc.name + "\t" + job.auc.name) == 60
    assert done.stderr.count("train: 100%") == 2
    load(job, folder / "out")
    assert job.counted() == 6000
    run("--main", folder / "main.pb", "--load", folder / "out", "--thread", 2, "--batch_size", 50,
        "--save", folder / "more", *files)
    load(job, folder / "more")
    assert job.counted() == 9000
    before = load(job, folder / "more")
    run("--main", folder / "main.pb", "--load", folder / "more", "--infer", "--batch_size", 50,
        "--save", folder / "same", *files)
    after = load(job, folder / "same")
    for name in before:
        np.testing.assert_array_equal(before[name], after[name], err_msg=name)


def test_a_pipe_and_named_slots(saved, files):  # noqa: F811
    job, folder = saved
    run(*programs(folder), "--filelist", folder / "list", "--slots", "d,s0,s1,s2,label",
        "--pipe_command", "head -100", "--batch_size", "50", "--save", folder / "out")
    load(job, folder / "out")
    assert job.counted() == 300
    err = run(*programs(folder), "--slots", "d,s0,s1,nothing,label", *files, status=1)
    assert "nothing" in err


@pytest.mark.parametrize("arguments, message, status", [
    ([], "--main is required", 2),
    (["--wrong", "1"], "there is no option --wrong", 2),
    (["--main"], "--main needs a value", 2),
    (["--main", "m", "--thread", "0"], "--thread takes a whole number above 0, and not '0'", 2),
    (["--main", "m", "--batch_size", "x"], "--batch_size takes a whole number above 0", 2),
    (["--main", "m", "--epochs=-1"], "--epochs takes a whole number above 0", 2),
    (["--main", "m", "--filelist", "/nonexistent/list"], "/nonexistent/list", 2),
    (["--main", "/nonexistent/main.pb", "x"], "/nonexistent/main.pb", 1),
])
def test_wrong_arguments_are_refused(arguments, message, status):
    assert message in run(*arguments, status=status)


def test_what_is_missing_or_broken_is_said(saved, files):  # noqa: F811
    _, folder = saved
    assert "file list is empty" in run(*programs(folder), status=1)
    assert "nowhere" in run(*programs(folder), folder / "nowhere", status=1)
    err = run("--main", folder / "main.pb", *files, status=1)  # no startup: nothing is initialised
    assert "not initialized" in err or "no value" in err or "not been" in err, err
    (folder / "bad.pb").write_bytes(b"\xff" * 100)
    assert "bad.pb" in run("--main", folder / "bad.pb", *files, status=1)
    (folder / "text").write_text("2 0.1 0.2 1 5 1 45 1 1\n")
    assert "text:1: slot 'label'" in run(*programs(folder), folder / "text", status=1)
    assert "usage: paddle train_from_dataset" in run("--help").stdout
