"""Models of all modes: they learn, and what is saved can be used by one process."""
import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from cluster import HERE, cluster  # noqa: F401

sys.path.insert(0, HERE)
import ps_script  # noqa: E402

MODES = ["sync", "async", "half_async", "geo"]


def losses(process):
    return [float(line.split()[-1]) for line in process.text().splitlines()
            if line.startswith("step ")]


@pytest.mark.parametrize("mode", MODES)
def test_saved_models_predict(cluster, mode, tmp_path):  # noqa: F811
    # What sync mode bears makes the others, whose gradients come late, oscillate.
    rate = {"sync": "0.5", "geo": "0.1"}.get(mode, "0.03")
    cluster.fleet(2, 2, ["--mode", mode, "--steps", "60", "--rate", rate, "--model", "model",
                         "--save", "all"]).finish()
    for i in range(2):
        values = losses(cluster.named("worker%d" % i))
        assert np.mean(values[-10:]) < np.mean(values[:10]), values
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "model"), exe)
        right = 0
        for step in range(60):
            feed = ps_script.batch(step, 0, 2 * ps_script.HALF)
            label = feed.pop("label")
            got, = exe.run(program, feed=feed, fetch_list=fetches)
            right += int((got.argmax(1) == label.ravel()).sum())
        assert right / (60.0 * 2 * ps_script.HALF) > 0.6
    # The table of the inference model is the one of the persistables.
    np.testing.assert_array_equal(
        fluid.load_program_state(str(tmp_path / "all"))["table"].shape, (ps_script.ROWS, 8))
    one, two = (open(str(tmp_path / d / "table"), "rb").read() for d in ("all", "model"))
    assert one == two


def test_worker_0_tells_of_all_workers(cluster):  # noqa: F811
    cluster.fleet(2, 2, ["--steps", "5"]).finish()
    mine = [losses(cluster.named("worker%d" % i)) for i in range(2)]
    said = [line for i in range(2) for line in cluster.named("worker%d" % i).text().splitlines()
            if line.startswith("all workers")]
    assert len(said) == 2 and said[0] == said[1]
    assert float(said[0].split()[-1]) == pytest.approx(np.mean(mine), abs=2e-6)


def test_servers_of_a_folder_that_does_not_fit(cluster, tmp_path):  # noqa: F811
    (tmp_path / "empty").mkdir()
    cluster.fleet(1, 1, ["--init", str(tmp_path / "empty")])
    assert cluster.named("server0").wait(60) != 0
    assert "does not hold" in cluster.named("server0").text()
