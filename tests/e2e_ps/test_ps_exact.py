"""Sync training is training: the same numbers as one process with the whole batch, every time."""
import filecmp
import os
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from cluster import SCRIPT, clean_env, cluster  # noqa: F401


def alone(folder, *arguments):
    out = subprocess.run([sys.executable, SCRIPT, "--style", "single"] + list(arguments),
                         cwd=str(folder), env=clean_env(), stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=120)
    assert out.returncode == 0, out.stdout
    return out.stdout


def distance(a, b, of_states=1e-5):
    """||a - b|| / ||a|| over all parameters of two folders; what optimizers keep is as near, but
    for ten times the rounding."""
    names = sorted(os.listdir(str(a)))
    assert names == sorted(os.listdir(str(b)))
    first, second = fluid.load_program_state(str(a)), fluid.load_program_state(str(b))

    def apart(some):
        return (sum(float(np.sum((first[n].astype("f8") - second[n]) ** 2)) for n in some) /
                sum(float(np.sum(first[n].astype("f8") ** 2)) for n in some)) ** 0.5
    states = [n for n in first if "_moment" in n or "_pow_acc" in n]
    assert not states or apart(states) < of_states
    return apart([n for n in first if n == "table" or n.startswith("fc_") and n not in states])


@pytest.mark.parametrize("optimizer, rate", [("Momentum", "0.01"), ("RMSProp", "0.0005"),
                                             ("Ftrl", "0.01"), ("Adamax", "0.001"),
                                             ("DecayedAdagrad", "0.001"), ("Adadelta", "0.5")])
def test_rows_without_a_gradient_move_too(cluster, optimizer, rate, tmp_path):  # noqa: F811
    common = ["--optimizer", optimizer, "--rate", rate, "--steps", "60"]
    alone(tmp_path, "--save", "one", *common)
    cluster.fleet(2, 2, ["--save", "two"] + common).finish()
    # Ftrl makes weights anew from sums in every step: their rounding is the weights'.
    assert distance(tmp_path / "one", tmp_path / "two") < (5e-5 if optimizer == "Ftrl" else 2e-6)


@pytest.mark.parametrize("optimizer", ["SGD", "Momentum", "Adam"])
def test_rows_start_with_given_numbers(cluster, optimizer, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("GIVEN", "1")
    common = ["--optimizer", optimizer, "--rate", "0.001", "--steps", "30"]
    alone(tmp_path, "--save", "one", *common)
    cluster.fleet(2, 2, ["--save", "two"] + common).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 2e-6


@pytest.mark.parametrize("style", ["transpiler", "fleet"])
# Adam and Adagrad divide by the size of a gradient, so that rounding weighs as much as the rate.
@pytest.mark.parametrize("optimizer, rate", [("SGD", "0.1"), ("Adam", "0.001"),
                                             ("Adagrad", "0.001")])
@pytest.mark.parametrize("servers", [1, 2, 3])
def test_two_trainers_are_one(cluster, style, optimizer, rate, servers, tmp_path):  # noqa: F811
    common = ["--optimizer", optimizer, "--rate", rate, "--steps", "100"]
    alone(tmp_path, "--save", "one", *common)
    cluster.fleet(servers, 2, ["--style", style, "--save", "two"] + common).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6


@pytest.mark.parametrize("optimizer, rate", [("SGD", "0.1"), ("Adam", "0.001"),
                                             ("Momentum", "0.01"), ("Adagrad", "0.001")])
def test_geo_of_one_worker_is_that_worker(cluster, optimizer, rate, tmp_path):  # noqa: F811
    """Also of the rows that an optimizer moves without a gradient, and of those it is late with:
    what servers have after an exchange is the worker's model."""
    common = ["--optimizer", optimizer, "--rate", rate, "--steps", "60"]
    alone(tmp_path, "--save", "one", *common)
    cluster.fleet(2, 1, ["--mode", "geo", "--save", "two"] + common).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6


@pytest.mark.parametrize("plain", ["", "1"])
def test_one_trainer_and_one_server_are_one_process_to_the_bit(cluster, plain, tmp_path,  # noqa: F811
                                                               monkeypatch):
    """Gradients of one id are added in the same order, whoever has sorted them; plain: also where
    rows are put side by side straight from the servers' answers."""
    monkeypatch.setenv("PLAIN", plain)
    common = ["--optimizer", "Adagrad", "--rate", "0.01", "--steps", "40"]
    alone(tmp_path, "--save", "one", *common)
    cluster.fleet(1, 1, ["--save", "two"] + common, env={"PLAIN": plain}).finish()
    names = sorted(os.listdir(str(tmp_path / "one")))
    first, second = (fluid.load_program_state(str(tmp_path / f)) for f in ("one", "two"))
    assert "table" in first
    for name in (n for n in names if n in first):
        assert first[name].tobytes() == second[name].tobytes(), name


@pytest.mark.parametrize("flag", ["--no-slices", "--no-close"])
def test_whatever_is_cut_or_closed(cluster, flag, tmp_path):  # noqa: F811
    alone(tmp_path, "--save", "one")
    cluster.fleet(2, 2, ["--save", "two", flag]).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6


@pytest.mark.parametrize("style", ["transpiler", "fleet"])
def test_the_same_job_twice_is_equal_to_the_bit(cluster, style, tmp_path):  # noqa: F811
    """Also with servers of several loops."""
    for name, loops in (("a", "1"), ("b", "3")):
        cluster.fleet(2, 2, ["--style", style, "--optimizer", "Adam", "--rate", "0.01", "--save",
                             name], env={"FLAGS_ps_loops": loops}).finish()
    names = sorted(os.listdir(str(tmp_path / "a")))
    assert names == sorted(os.listdir(str(tmp_path / "b")))
    for name in names:
        assert filecmp.cmp(str(tmp_path / "a" / name), str(tmp_path / "b" / name),
                           shallow=False), name


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_stopping_and_going_on_changes_nothing(cluster, optimizer, tmp_path):  # noqa: F811
    """20 steps on two servers, then 20 on three that load them, is 40 steps alone."""
    common = ["--optimizer", optimizer, "--rate", "0.001"]
    alone(tmp_path, "--save", "one", "--steps", "40", *common)
    cluster.fleet(2, 2, ["--save", "half"] + common).finish()
    cluster.fleet(3, 2, ["--init", str(tmp_path / "half"), "--first", "20", "--save", "two"] +
                  common).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6


def test_servers_start_from_what_one_process_saved(cluster, tmp_path):  # noqa: F811
    common = ["--optimizer", "Adam", "--rate", "0.001"]
    alone(tmp_path, "--save", "half", *common)
    alone(tmp_path, "--init", "half", "--first", "20", "--save", "one", *common)
    cluster.fleet(2, 2, ["--init", str(tmp_path / "half"), "--first", "20", "--save", "two"] +
                  common).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 1e-6
