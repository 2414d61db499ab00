"""Help: every public name has its parts, stubs are what the sources say, examples run."""
import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FULL = os.environ.get("REGATTA_FULL")

# What nobody has written yet, as tools/api_help.py --lacks says it. It only becomes shorter.
LACKING = []


def run(*args):
    """In a process of its own: what other tests have imported or set is not what users find."""
    out = subprocess.run([sys.executable] + list(args), capture_output=True, text=True, timeout=600)
    assert out.returncode == 0, out.stdout + out.stderr
    return out.stdout.strip()


def api_help(*args):
    return run(os.path.join(ROOT, "tools", "api_help.py"), *args)


def test_every_public_name_has_a_line_its_arguments_and_what_comes_back():
    assert [line for line in api_help("--lacks").splitlines() if "SYNTHETIC" not in line] == LACKING


def test_stubs_are_up_to_date():
    api_help("--check")


def test_stubs_have_the_public_names_and_help_shows_the_whole():
    run(os.path.join(ROOT, "tests", "python", "help_script.py"))


def test_a_docstring_is_a_text_like_any_other():
    import copy

    import paddle.fluid as fluid
    text = fluid.layers.fc.__doc__
    assert isinstance(text, str) and str(text).startswith("Fully connected")
    assert text.split("\n")[0] == str(text).split("\n")[0] and len(text) == len(str(text))
    assert "Args:" in text and text[:5] == "Fully" and "%s" % text == text + ""
    assert text == copy.deepcopy(text) == copy.copy(text) and {text: 1}[str(text)] == 1


def test_importing_reads_no_stub():
    assert run("-c", "import paddle.fluid, paddle._help as h; print(len(h._read))\n"
                     "paddle.fluid.layers.fc.__doc__.strip(); print(len(h._read))") == "0\n1"
    assert run("-OO", "-c", "import paddle.fluid as f; print(f.layers.fc.__doc__)") == "None"


def test_the_help_of_python():
    told = run("-c", "import paddle.fluid as fluid; help(fluid.optimizer.Adam)")
    assert "lazy_mode (bool): Whether rows without a gradient stay as they are" in told
    assert "learning_rate (float or Variable)" in told and "minimize(self" in told


def test_examples_run():
    """All of them under REGATTA_FULL, else some."""
    out = api_help("--run", *([] if FULL else ["9"]))
    assert ", 0 failed" in out.splitlines()[-1]


@pytest.mark.skipif(not FULL, reason="takes a type checker half a minute")
def test_a_type_checker_knows_the_package(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("""import paddle.fluid as fluid
import paddle.v2 as v2
x = fluid.data("x", [None, 13])
loss = fluid.layers.mean(fluid.layers.fc(x, size=1))
_, pairs = fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
twice = 2.0 * loss + 1
out = v2.layer.fc(v2.layer.data("a", v2.data_type.dense_vector(3)), size=3)
fluid.layers.fc(x, "wide")
fluid.layers.relu(3)
fluid.layers.fc(x)
""")
    out = subprocess.run([sys.executable, "-m", "mypy", str(script)], capture_output=True, text=True,
                         env=dict(os.environ, MYPYPATH=os.path.join(ROOT, "python")), cwd=tmp_path)
    lines = [line.split(":")[1] for line in out.stdout.splitlines() if ": error:" in line]
    assert lines == ["8", "9", "10"], out.stdout
