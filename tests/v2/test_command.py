"""The `paddle` command: what it knows, what it hands to Python, how it says no."""
import os
import re
import subprocess
import sys

import pytest

from built import PADDLE
from cluster import clean_env

COMMAND = os.path.join(os.path.dirname(sys.executable), "paddle")  # beside a Python


def paddle(*arguments, command=PADDLE, cwd=None, **env):
    done = subprocess.run([command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=cwd, env=clean_env(**env), timeout=60)
    return done.returncode, done.stdout.decode()


@pytest.fixture
def beside(tmp_path):
    """The command beside a `python` that tells how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    os.symlink(PADDLE, str(folder / "paddle"))
    python = folder / "python"
    python.write_text("#!/bin/sh\nprintf '%s\\n' \"PYTHONPATH=$PYTHONPATH\" \"$@\"\nexit 7\n")
    python.chmod(0o755)
    return str(folder / "paddle")


def test_version_is_the_block_of_the_guide():
    status, text = paddle("version")
    assert status == 0
    assert re.fullmatch(r"PaddlePaddle \S+, compiled with\n    with_avx: ON\n    with_gpu: (ON|OFF)\n"
                        r"    with_double: OFF\n    with_python: (ON|OFF)\n    with_rdma: OFF\n"
                        r"    with_timer: OFF\n    regatta: \S+\n", text)


@pytest.mark.parametrize("how", [[], ["help"], ["--help"]])
def test_all_commands_are_listed(how):
    status, text = paddle(*how)
    assert status == 0
    names = re.findall(r"^    (\S+) ", text, re.M)
    assert names[:7] == ["train", "pserver", "version", "dump_config", "merge_model",
                         "make_diagram", "usage"]
    assert {"python", "k8s", "status"} <= set(names)


@pytest.mark.parametrize("name, meant", [("pservr", "pserver"), ("tarin", "train"),
                                         ("dumpconfig", "dump_config"), ("versoin", "version")])
def test_a_mistyped_command(name, meant):
    status, text = paddle(name)
    assert status == 2 and "did you mean %s?" % meant in text


def test_no_command_that_is_near():
    status, text = paddle("frobnicate")
    assert status == 2 and "did you mean" not in text and "`paddle help`" in text


@pytest.mark.parametrize("name", ["version", "env", "flags", "ops", "status", "pserver", "train",
                                  "usage"])
def test_each_says_what_it_is(name):
    for call in ([name, "--help"], ["help", name]):
        status, text = paddle(*call)
        assert status == 0 and ("paddle " + name) in text


def test_usage_as_the_demos_call_it():
    status, text = paddle("usage", "-l", "log.txt", "-e", "0", "-n", "recommendation")
    assert status == 0 and "nothing is sent" in text
    assert paddle("usage", "-x", "1")[0] == 2


def test_train_hands_over_a_complete_set(beside, tmp_path):
    status, text = paddle("train", "--config=a b.py", "--use_gpu=False", "--nolocal", "--dot-period",
                          "5", command=beside, cwd=str(tmp_path), PYTHONPATH="/mine")
    lines = text.splitlines()
    assert status == 7  # the trainer's own
    assert lines[0] == "PYTHONPATH=%s:/mine" % tmp_path
    assert lines[1:3] == ["-m", "paddle.trainer.main"]
    given = dict(line[2:].split("=", 1) for line in lines[3:])
    assert given["config"] == "a b.py" and given["dot_period"] == "5"
    assert given["local"] == "false" and given["use_gpu"] == "false"
    assert given["port"] == "7164" and given["ports_num_for_sparse"] == "1"


def test_train_takes_what_the_trainer_takes(beside):
    """One set of flags, with one default each, on both sides."""
    from paddle.trainer import flags
    _, text = paddle("train", command=beside)
    given = [line for line in text.splitlines() if line.startswith("--")]
    names = {line[2:].split("=")[0] for line in given}
    known = set(flags._DEFAULTS)
    assert known <= names
    read, default = flags.read_flags(given), flags.read_flags([])
    assert {n: getattr(read, n) for n in known} == {n: getattr(default, n) for n in known}


@pytest.mark.parametrize("name, module", [
    ("dump_config", "paddle.trainer.dump_config"), ("merge_model", "paddle.trainer.merge_model"),
    ("make_diagram", "paddle.trainer.make_diagram"), ("python", "paddle.python2"),
    ("k8s", "paddle.scripts.k8s")])
def test_modules_of_python_are_commands(beside, name, module):
    status, text = paddle(name, "--one=1", "two words", command=beside)
    assert status == 7
    assert text.splitlines()[1:] == ["-m", module, "--one=1", "two words"]


def test_a_debugger_goes_before(beside):
    status, text = paddle("train", "--config=x", command=beside, DEBUGGER="echo --args")
    assert status == 0
    assert re.match(r"--args \S+/bin/python -m paddle.trainer.main --config=x", text)
    status, text = paddle("pserver", "--port=1", command=beside, DEBUGGER="echo --args")
    assert status == 0 and text == "--args %s pserver --port=1\n" % beside


@pytest.mark.parametrize("option, text", [
    ("--confg=a.py", "did you mean --config?"),
    ("--job=trian", "--job is one of train|test|time|checkgrad, and not 'trian'"),
    ("--num_passes=ten", "--num_passes takes a whole number, and not 'ten'"),
    ("--trainer_count=0", "--trainer_count is 0"),
    ("config.py", "'config.py' is no option"),
])
def test_wrong_options_of_train(beside, option, text):
    status, said = paddle("train", option, command=beside)
    assert status == 2 and "paddle train: " in said and text in said


def test_no_python_beside_nor_on_path(tmp_path):
    os.symlink(PADDLE, str(tmp_path / "paddle"))
    status, text = paddle("k8s", command=str(tmp_path / "paddle"), PATH=str(tmp_path))
    assert status == 1 and "no python was found beside this command, nor on PATH" in text


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the package is not installed")
def test_a_config_that_is_not_there(tmp_path):
    status, text = paddle("train", "--config=nope.py", command=COMMAND, cwd=str(tmp_path))
    assert status != 0 and "nope.py" in text
