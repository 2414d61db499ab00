"""The demos run as their first lines say."""
import importlib.util
import json
import os
import subprocess
import sys

import pytest

from built import BUILD, ROOT

C_DEMO = os.path.join(BUILD, "fit_a_line_c")


def run(*command, **env):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, **env))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_fit_a_line(tmp_path):
    out = run(sys.executable, os.path.join(ROOT, "demo/fit_a_line/train.py"), "--passes", "30",
              "--model", str(tmp_path / "model"), PADDLE_DATASET="synthetic")
    assert "test loss" in out and (tmp_path / "model" / "__model__").exists()


def test_make_demo(tmp_path):
    """The job of `make demo`, with fewer lines. Its curve is drawn where there is matplotlib, which
    tests do not install."""
    plots = importlib.util.find_spec("matplotlib") is not None
    path = os.pathsep.join([os.path.dirname(C_DEMO), os.path.dirname(sys.executable),
                            os.environ["PATH"]])
    out = run(sys.executable, os.path.join(ROOT, "demo/ctr/dist_demo.py"), "--rows", "48000",
              "--output", str(tmp_path), *([] if plots else ["--no-plot"]), PATH=path)
    assert (tmp_path / "logs" / "workerlog.1").exists()
    assert (tmp_path / "dist.model" / "__model__").exists()
    assert not plots or (tmp_path / "auc.png").stat().st_size > 1000
    points = json.loads((tmp_path / "auc.json").read_text())
    assert [n for n, _ in points] == [6000 * (i + 1) for i in range(8)]
    assert "the model that made them up reaches" in out


@pytest.mark.skipif(not os.path.exists(C_DEMO), reason="build/fit_a_line_c is not built")
def test_c_trains_with_no_python_in_the_process(tmp_path):
    run(sys.executable, os.path.join(ROOT, "demo/c/make_program.py"), str(tmp_path))
    out = run(C_DEMO, str(tmp_path))
    assert "the last weight is 6.0" in out or "the last weight is 5.9" in out
    linked = run("ldd", C_DEMO)
    assert "libregatta" in linked and "python" not in linked
    # What C saved, Python loads.
    code = ("import sys, numpy as np, paddle.fluid as fluid\n"
            "program = fluid.Program.parse_from_string(open(sys.argv[1] + '/main.pb', 'rb').read())\n"
            "fluid.io.load_persistables(fluid.Executor(), sys.argv[1] + '/model', program)\n"
            "w = np.array(fluid.global_scope().find_var('fc_0.w_0').get_tensor())[:, 0]\n"
            "assert np.abs(w - np.arange(-6, 7)).max() < 0.2, w\n")
    run(sys.executable, "-c", code, str(tmp_path))
