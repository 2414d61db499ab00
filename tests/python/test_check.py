"""`paddle check` finds what a script uses and is not here, without running it."""
import os
import subprocess
import sys

import pytest

from paddle.scripts import check

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEAD = "import paddle\nimport paddle.fluid as fluid\nfrom paddle.fluid import layers as L\n"


def found(tmp_path, text):
    path = tmp_path / "script.py"
    path.write_text(text)
    return check.check(str(path))[0]


@pytest.mark.parametrize("line, says", [
    ("L.yolo_box(x)", "yolo_box is not implemented"),
    ("with fluid.dygraph.guard(): pass", "no dygraph"),
    ("from paddle.fluid.contrib.slim import *", "slim is not implemented"),
    ("from paddle.fluid.layers import fcc", "no paddle.fluid.layers.fcc, nor was in Paddle 1.8"),
    ("import paddle.static", "no module paddle.static, nor was in Paddle 1.8"),
    ("y = [paddle.norm(v) for v in x]", "no paddle.norm, nor was in Paddle 1.8"),
    ("fluid.layers.fc(x, 3, activation='relu')", "fc takes no argument activation"),
    ("fluid.optimizer.Adam(0.1, foo=1).minimize(x)", "Adam takes no argument foo"),
])
def test_what_is_not_here_is_said_with_its_line(line, says, tmp_path):
    (at, text), = found(tmp_path, HEAD + "x = None\n" + line + "\n")
    assert at == 5 and says in text, text


@pytest.mark.parametrize("line", [
    "from paddle.fluid.dygraph import Linear",  # importing is no use
    "fluid.layers.data('x', [1]).name.upper().nothing",
    "fluid.layers.fc(input=1, size=3, **{'activation': 1})",
    "class Mine(fluid.io.DataLoader): pass",
    "from . import nothing",
    "import numpy; numpy.nothing",
    "from paddlerec.core.model import ModelBase",
])
def test_what_cannot_be_known_is_let_pass(line, tmp_path):
    assert found(tmp_path, HEAD + line + "\n") == []


def test_complaints_are_counted_as_such(tmp_path, capsys):
    path = tmp_path / "script.py"
    path.write_text("import paddle\npaddle.to_tensor(1)\npaddle.enable_static()\n")
    assert check.main([str(path)]) == 1
    said = capsys.readouterr().out
    assert said.endswith("1 name of Paddle in 1 file: 2 complaints\n") and "of Paddle 2" in said


def test_python_2_is_read_too(tmp_path):
    (at, text), = found(tmp_path, "import paddle.v2 as paddle\nprint 'x'\n"
                                  "paddle.layer.fc(size=3)\npaddle.layer.nope()\n")
    assert at == 4 and text == "there is no paddle.v2.layer.nope"


def test_scripts_that_run_have_nothing_to_say_of(tmp_path):
    done = subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "paddle"), "check",
         os.path.join(ROOT, "tests", "rec", "zoo"), os.path.join(ROOT, "demo"),
         os.path.join(ROOT, "python", "paddlerec", "models")],
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all are there" in done.stdout
    bad = tmp_path / "bad.py"
    bad.write_text(HEAD + "L.yolo_box(1)\n")
    done = subprocess.run([os.path.join(os.path.dirname(sys.executable), "paddle"), "check",
                           str(bad)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "bad.py:4: " in done.stdout
