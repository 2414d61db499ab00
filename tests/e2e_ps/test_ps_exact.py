"""Sync training is training: the same numbers as one process with the whole batch, every time."""
import filecmp
import os
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from cluster import SCRIPT, clean_env, cluster, needs_engine  # noqa: F401

pytestmark = needs_engine


def alone(folder, *arguments):
    out = subprocess.run([sys.executable, SCRIPT, "--style", "single"] + list(arguments),
                         cwd=str(folder), env=clean_env(), stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=120)
    assert out.returncode == 0, out.stdout
    return out.stdout


def distance(a, b):
    """||a - b|| / ||a|| over all parameters of two folders."""
    names = sorted(n for n in os.listdir(str(a)) if n != "MANIFEST.regatta")
    assert names == sorted(n for n in os.listdir(str(b)) if n != "MANIFEST.regatta")
    first, second = fluid.load_program_state(str(a)), fluid.load_program_state(str(b))
    apart = whole = 0.0
    for name in names:
        if "auc" in name or name.startswith("_generated") or first[name].dtype.kind != "f":
            continue
        apart += float(np.sum((first[name].astype("f8") - second[name]) ** 2))
        whole += float(np.sum(first[name].astype("f8") ** 2))
    return (apart / whole) ** 0.5


@pytest.mark.parametrize("style", ["transpiler", "fleet"])
@pytest.mark.parametrize("optimizer, rate", [("SGD", "0.1"), ("Adam", "0.01"),
                                             ("Adagrad", "0.05")])
@pytest.mark.parametrize("servers", [1, 2, 3])
def test_two_trainers_are_one(cluster, style, optimizer, rate, servers, tmp_path):  # noqa: F811
    common = ["--optimizer", optimizer, "--rate", rate, "--steps", "100"]
    alone(tmp_path, "--save", "one", *common)
    cluster.fleet(servers, 2, ["--style", style, "--save", "two"] + common).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6


@pytest.mark.parametrize("flag", ["--no-slices", "--no-close"])
def test_whatever_is_cut_or_closed(cluster, flag, tmp_path):  # noqa: F811
    alone(tmp_path, "--save", "one")
    cluster.fleet(2, 2, ["--save", "two", flag]).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6


@pytest.mark.parametrize("style", ["transpiler", "fleet"])
def test_the_same_job_twice_is_equal_to_the_bit(cluster, style, tmp_path):  # noqa: F811
    for name in ("a", "b"):
        cluster.fleet(2, 2, ["--style", style, "--optimizer", "Adam", "--rate", "0.01", "--save",
                             name]).finish()
    names = sorted(os.listdir(str(tmp_path / "a")))
    assert names == sorted(os.listdir(str(tmp_path / "b")))
    for name in names:
        assert filecmp.cmp(str(tmp_path / "a" / name), str(tmp_path / "b" / name),
                           shallow=False), name


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_stopping_and_going_on_changes_nothing(cluster, optimizer, tmp_path):  # noqa: F811
    """20 steps on two servers, then 20 on three that load them, is 40 steps alone."""
    common = ["--optimizer", optimizer, "--rate", "0.01"]
    alone(tmp_path, "--save", "one", "--steps", "40", *common)
    cluster.fleet(2, 2, ["--save", "half"] + common).finish()
    cluster.fleet(3, 2, ["--init", str(tmp_path / "half"), "--first", "20", "--save", "two"] +
                  common).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6


def test_servers_start_from_what_one_process_saved(cluster, tmp_path):  # noqa: F811
    common = ["--optimizer", "Adam", "--rate", "0.01"]
    alone(tmp_path, "--save", "half", *common)
    alone(tmp_path, "--init", "half", "--first", "20", "--save", "one", *common)
    cluster.fleet(2, 2, ["--init", str(tmp_path / "half"), "--first", "20", "--save", "two"] +
                  common).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6
