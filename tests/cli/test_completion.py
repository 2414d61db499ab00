"""Completion in real shells, and man pages that man can show: all commands, by themselves."""
import os
import pty
import re
import select
import subprocess
import time

import pytest

from built import PADDLE

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = dict(os.environ, PATH=os.path.dirname(PADDLE) + ":" + os.environ["PATH"], TERM="dumb", PS1="$ ")


def commands():
    told = subprocess.run([PADDLE, "help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^    ([a-z][a-z0-9_-]*) ", told, re.M)


def bash(*words):
    """What bash would offer for the last of the words."""
    script = 'eval "$(paddle completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _paddle; ' \
             'printf "%s\\n" "${COMPREPLY[@]}"'
    out = subprocess.run(["bash", "-c", script, "bash"] + list(words), capture_output=True, text=True,
                         env=HERE, timeout=60, cwd=ROOT)
    assert out.returncode == 0 and out.stderr == "", out.stderr
    return out.stdout.split()


def test_bash_offers_commands_options_choices_ops_and_files():
    assert bash("paddle", "") == commands() and "completion" in commands()
    assert bash("paddle", "sta") == ["status"]
    assert bash("paddle", "help", "pse") == ["pserver"]
    assert bash("paddle", "train", "--num_p") == ["--num_passes"]
    assert bash("paddle", "train", "--job", "=", "te") == ["test"]
    assert bash("paddle", "ops", "conv2d_t") == ["conv2d_transpose"]
    assert bash("paddle", "train", "READM") == ["README.md"]
    # every command can be asked, whoever adds it
    assert [c for c in commands() if c != "help" and any(
        not o.startswith("--") for o in bash("paddle", c, "--"))] == []


def test_a_tab_in_a_bash_of_its_own():
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(["bash", "--norc", "-i"], stdin=theirs, stdout=theirs, stderr=theirs,
                             env=HERE, start_new_session=True)
    os.close(theirs)
    seen = b""

    def until(what):
        nonlocal seen
        end = time.monotonic() + 60
        while what not in seen:
            assert time.monotonic() < end, seen
            if select.select([ours], [], [], 1)[0]:
                seen += os.read(ours, 65536)
    try:
        os.write(ours, b'eval "$(paddle completion bash)"; echo re""ady\n')
        until(b"ready")
        os.write(ours, b"paddle vers\t\n")
        until(b"compiled with")
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


@pytest.mark.parametrize("shell, check", [
    ("zsh", ["zsh", "-f", "-c", 'autoload -Uz compinit; compinit -u -D; eval "$(paddle completion zsh)"; '
                                'whence -w _paddle']),
    ("fish", ["fish", "--no-config", "-c",
              'paddle completion fish | source; complete -C "paddle sta"; '
              'complete -C "paddle train --num_p"'])])
def test_other_shells_take_their_script(shell, check, tmp_path):
    out = subprocess.run(check, capture_output=True, text=True, timeout=60,
                         env=dict(HERE, HOME=str(tmp_path)))
    assert out.returncode == 0 and "rror" not in out.stderr, out.stderr
    assert {"zsh": "_paddle: function", "fish": "--num_passes"}[shell] in out.stdout
    assert shell == "zsh" or "status" in out.stdout


def test_an_unknown_shell_is_refused():
    out = subprocess.run([PADDLE, "completion", "csh"], capture_output=True, text=True)
    assert out.returncode == 2 and "bash, zsh or fish" in out.stderr


def test_every_command_has_a_man_page(tmp_path):
    subprocess.run(["python3", os.path.join(ROOT, "tools", "man_pages.py"), PADDLE, str(tmp_path)],
                   check=True, timeout=120, env=HERE)
    names = {"paddle.1"} | {"paddle-%s.1" % name for name in commands()}
    assert set(os.listdir(tmp_path)) == names
    for name in ("paddle.1", "paddle-train.1", "paddle-k8s.1"):
        out = subprocess.run(["man", "--warnings", "-l", str(tmp_path / name)], capture_output=True,
                             text=True, env=dict(HERE, MANWIDTH="100", LC_ALL="C.UTF-8"))
        assert out.returncode == 0 and "warning" not in out.stderr, out.stderr
        assert "NAME" in out.stdout and "paddle" in out.stdout
        if name == "paddle-train.1":
            assert re.search(r"--num_passes\s+passes over the data", out.stdout)
