"""What a person sees while a program trains: how far it is, how long it will take, the loss of an
example, and lines of their own."""
import gzip
import os
import re
import subprocess
import sys

import pytest

from ctr_data import SMALL_JOB, environment, planted_lines
from terminal import on_a_terminal

SLOW = "python3 -c \"import os, time\nblock = os.read(0, 250000)\nwhile block:\n" \
       "    os.write(1, block)\n    time.sleep(0.3)\n    block = os.read(0, 250000)\""


def write(path, rows, packed=False):
    text = "".join(planted_lines(1000, 1)) * (rows // 1000)
    if packed:
        path.write_bytes(gzip.compress(text.encode(), 1))
    else:
        path.write_text(text)
    return [str(path)]


def command(files, pipe="cat"):
    job = SMALL_JOB % {"kind": "QueueDataset", "pipe": pipe, "files": files}
    return [sys.executable, "-c", job]


def unhurried(arguments):
    """The same job with a nap in each step, so that the quickest machine shows it on the way."""
    return arguments[:-1] + [arguments[-1].replace("batch_size(50)", "batch_size(500)").replace(
        "fluid.optimizer", "import time\n"
        "nap = fluid.default_main_program().current_block().create_var(name='nap', shape=[1],"
        " dtype='float32')\n"
        "fluid.layers.py_func(lambda x: time.sleep(0.01) or x, loss, nap)\nfluid.optimizer")]


def shown(arguments):
    """What a person sees of a job that succeeds."""
    status, seen = on_a_terminal(arguments, env=environment())
    assert status == 0, seen
    return seen.decode()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("pipe", ["cat", SLOW])
def test_one_file_shows_how_far_it_is_and_how_long_it_takes(tmp_path, pipe, packed):
    files = write(tmp_path / ("text.gz" if packed else "text"), 200000 if pipe == "cat" else 30000,
                  packed)
    seen = shown(command(files, pipe) if pipe != "cat" else unhurried(command(files, pipe)))
    drawn = [int(part) for part in re.findall(r"train: +(\d+)%", seen)]
    assert drawn == sorted(drawn) and drawn[-1] == 100
    assert any(0 < part < 100 for part in drawn), drawn
    assert re.search(r"\[\d\d:\d\d<\d\d:\d\d, ", seen)


def test_lines_are_not_glued_to_the_bar(tmp_path):
    files = write(tmp_path / "text", 30000)
    arguments = command(files, SLOW)
    arguments[-1] = arguments[-1].replace(
        "dataset)", "dataset, fetch_list=[loss], fetch_info=['mine'], print_period=50)")
    seen = shown(arguments)
    assert "mine\t" in seen
    for line in re.findall(r"[^\n]*mine\t", seen):
        assert re.search(r"(^|\r)mine\t$", line), line


def test_a_narrow_terminal_is_not_filled_with_bars(tmp_path):
    seen = shown(["sh", "-c", "stty cols 40 <&2; exec \"$@\"", "sh"]
                         + command(write(tmp_path / "text", 30000), SLOW))
    for drawing in re.findall(r"\r(train: [^\r\n]*)", seen):
        assert len(drawing.rstrip()) < 40


def test_a_loss_that_is_a_sum_is_shown_for_an_example(tmp_path):
    files = write(tmp_path / "text", 2000)
    mean = command(files)
    both = []
    for arguments in mean, [a.replace("fluid.layers.mean(", "fluid.layers.reduce_sum(")
                            .replace("Adam(0.02)", "Adam(0.0)") for a in mean]:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=60,
                              env=environment())
        assert done.returncode == 0, done.stderr
        both.append(float(re.search(r"loss=([\d.]+)", done.stderr).group(1)))
    assert both[0] < 1 and both[1] < 1, both


def test_gzip_data_are_known_whatever_the_name(tmp_path):
    plain, packed = write(tmp_path / "a", 1000), write(tmp_path / "b", 1000, packed=True)
    seen = [subprocess.run(command(files), capture_output=True, text=True, timeout=60,
                           env=environment()) for files in (plain, packed)]
    assert [job.returncode for job in seen] == [0, 0], seen[1].stderr
    assert "1000 examples" in seen[1].stderr


def test_pipes_find_the_programs_beside_their_python(tmp_path):
    """As where .venv/bin/python is called by its path, and PATH knows nothing of it."""
    files = write(tmp_path / "text", 1000)
    tool = os.path.join(os.path.dirname(sys.executable), "paddle")
    assert os.path.exists(tool), "make build links the command beside python"
    done = subprocess.run(command(files, "paddle version >/dev/null && cat"), capture_output=True,
                          text=True, timeout=60, env=dict(os.environ, PATH="/usr/bin:/bin"))
    assert done.returncode == 0, done.stderr


def test_a_pipe_that_is_not_found_says_what_to_do(tmp_path):
    done = subprocess.run(command(write(tmp_path / "text", 1000), "no-such-program"),
                          capture_output=True, text=True, timeout=60, env=environment())
    assert done.returncode != 0
    assert "`no-such-program` ended with status 127" in done.stderr
    assert "add its folder to PATH" in done.stderr
