"""An optimizer is one file: tests/plugins/toy_optimizer.c has states, a counter and rows that wait,
and trains on one machine and on servers' tables, though nothing in src/ knows of it."""
import os
import subprocess
import sys

import pytest

from built import BUILD
from cluster import HERE, ROOT, clean_env, cluster  # noqa: F401
from test_ps_exact import distance

SCRIPT = os.path.join(HERE, "toy_script.py")


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A folder for PYTHONPATH: the tree's paddle, with the extension that has the plugins."""
    core = os.path.join(BUILD, "tests", "plugins", "_core.abi3.so")
    if not os.path.exists(core):
        pytest.skip("this build has no extension with plugins")
    folder = tmp_path_factory.mktemp("plugins")
    paddle = folder / "paddle"
    paddle.mkdir()
    there = os.path.join(ROOT, "python", "paddle")
    for name in os.listdir(there):
        if not name.startswith("_core."):
            os.symlink(os.path.join(there, name), str(paddle / name))
    os.symlink(core, str(paddle / "_core.abi3.so"))
    return str(folder)


@pytest.mark.parametrize("style", ["transpiler", "fleet"])
def test_two_trainers_of_a_toy_are_one(cluster, packages, style, tmp_path):  # noqa: F811
    common = ["--optimizer", "Toy", "--rate", "0.05", "--steps", "60"]
    alone = subprocess.run([sys.executable, SCRIPT, "--style", "single", "--save", "one"] + common,
                           cwd=str(tmp_path), env=clean_env(PYTHONPATH=packages),
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert alone.returncode == 0, alone.stdout
    losses = [float(line.split()[-1]) for line in alone.stdout.splitlines() if "loss" in line]
    assert losses[-1] < losses[0]  # it learns
    cluster.fleet(2, 2, ["--style", style, "--save", "two"] + common, script=SCRIPT,
                  env={"PYTHONPATH": packages}).finish()
    assert distance(tmp_path / "one", tmp_path / "two") < 2e-6
