"""paddle.utils.plotcurve, and the other tools that train.sh files start with python -m."""
import subprocess
import sys

import pytest

from paddle.utils.plotcurve import read_curves
from workspace import Workspace

LOG = """I0101 00:00:00.000001 1 jobs.py:1]  Batch=2 samples=16 AvgCost=9 CurrentCost=9 Eval: e=1
I0101 00:00:00.000001 1 jobs.py:1]  Pass=0 Batch=4 samples=32 AvgCost=0.9 Eval: e=0.5  best.e=7
I0101 00:00:00.000001 1 jobs.py:1]  Test samples=6 cost=0.8 Eval: e=nan
I0101 00:00:00.000001 1 jobs.py:1]  Test samples=6 cost=0.7 Eval: e=0.25
I0101 00:00:00.000001 1 jobs.py:1]  Pass=1 Batch=4 samples=32 AvgCost=1.5e-05 Eval: e=0.125
"""


@pytest.fixture
def job(tmp_path):
    return Workspace(tmp_path)


def test_figures_of_passes_and_of_the_tests_after_them_are_read():
    assert read_curves(["AvgCost"], LOG.splitlines()) == (
        [(0, [0.9]), (1, [1.5e-05])], [(0, [0.8])])
    passes, tests = read_curves(["e", "AvgCost"], LOG.splitlines())
    assert passes == [(0, [0.5, 0.9]), (1, [0.125, 1.5e-05])]
    assert str(tests) == "[(0, [nan, 0.8])]"
    assert read_curves(["e", "f"], LOG.splitlines()) == ([], [])


def _run(folder, *arguments, **more):
    return subprocess.run([sys.executable, "-m"] + list(arguments), cwd=folder, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def test_curves_of_a_job_are_drawn(job):
    (job.folder / "train.log").write_text(job.train("--num_passes=2"))
    tool = "paddle.utils.plotcurve"
    done = _run(job.folder, tool, "-i", "train.log")
    assert done.returncode == 0 and done.stdout.startswith(b"\x89PNG"), done.stderr
    with open(str(job.folder / "train.log")) as log:
        done = _run(job.folder, tool, "-o", "a.svg", "--format", "svg", stdin=log)
    assert done.returncode == 0 and b"<svg" in (job.folder / "a.svg").read_bytes()
    for arguments, words in ((["-i", "nothing.log"], b"No such file or directory: 'nothing.log'"),
                             (["-i", "train.log", "auc"], b"no line of the log has Pass= and auc="),
                             (["-i", "train.log", "--format", "xyz"], b"'xyz' is not supported")):
        done = _run(job.folder, tool, "-o", "b.png", *arguments)
        assert done.returncode == 1 and words in done.stderr
        assert not (job.folder / "b.png").exists()


def test_configs_are_dumped_and_drawn_by_their_old_names_too(job):
    done = _run(job.folder, "paddle.utils.dump_config", "trainer_config.py")
    assert done.stdout.startswith(b'type: "nn"'), done.stderr
    done = _run(job.folder, "paddle.utils.make_model_diagram", "trainer_config.py", "model.dot",
                "is_predict=1")
    assert done.returncode == 0 and (job.folder / "model.dot").exists(), done.stderr
    done = _run(job.folder, "paddle.utils.preprocess_img")
    assert done.returncode == 1 and b"not implemented: " in done.stderr
    assert b"Traceback" not in done.stderr
