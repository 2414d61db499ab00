"""`paddle top`: a job in a terminal."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import made_up_job
from built import PADDLE


def test_once_and_where_nobody_looks_it_is_one_picture_of_80_columns(tmp_path):
    made_up_job.make(str(tmp_path), 30)
    for options in (["--once"], []):
        done = subprocess.run([PADDLE, "top", str(tmp_path)] + options, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, timeout=30)
        assert done.returncode == 0 and "\033" not in done.stdout
        assert max(len(line) for line in done.stdout.split("\n")) <= 80
        for word in ("worker.1", "server.1   stopped", "by its data", "full in", "SIGKILL"):
            assert word in done.stdout, done.stdout


def test_it_sorts(tmp_path):
    made_up_job.make(str(tmp_path), 30)
    order = {}
    for by in ("name", "cpu", "memory", "wait"):
        text = subprocess.run([PADDLE, "top", str(tmp_path), "--once", "--sort", by],
                              stdout=subprocess.PIPE, text=True, timeout=30, check=True).stdout
        order[by] = [line.split()[0] for line in text.split("PROCESS")[1].split("\n")[1:5]]
    assert order["name"] == ["worker.0", "worker.1", "server.0", "server.1"]
    assert order["cpu"][0] == order["wait"][0] == "worker.0"
    assert order["memory"][-1] in ("server.0", "server.1")


def test_the_files_of_a_process_that_was_started_by_hand(tmp_path):
    """FLAGS_watch_dir names any folder."""
    made_up_job.make(str(tmp_path), 30)
    os.rename(str(tmp_path / "watch"), str(tmp_path / "curves"))
    for folder, cwd in ((str(tmp_path / "curves"), None), ("curves", str(tmp_path))):
        text = subprocess.run([PADDLE, "top", folder, "--once"], cwd=cwd, stdout=subprocess.PIPE,
                              text=True, timeout=30, check=True).stdout
        assert "worker.1" in text, text


def test_what_it_does_not_understand_is_refused(tmp_path):
    for arguments, why in (([], "usage"), ([str(tmp_path / "none")], "no such folder"),
                           ([str(tmp_path), "--sort", "size"], "memory"),
                           ([str(tmp_path), "--sorted"], "sort")):
        done = subprocess.run([PADDLE, "top"] + arguments, stderr=subprocess.PIPE, text=True,
                              timeout=30)
        assert done.returncode == 2 and why in done.stderr


def test_in_a_terminal_it_goes_on_until_q(tmp_path):
    job = made_up_job.make(str(tmp_path), 10)
    ours, theirs = pty.openpty()
    process = subprocess.Popen([PADDLE, "top", str(tmp_path)], stdin=theirs, stdout=theirs)
    os.close(theirs)
    seen = b""

    def read_until(word):
        nonlocal seen
        deadline = time.monotonic() + 30
        while word not in seen and time.monotonic() < deadline:
            seen += os.read(ours, 65536)
        assert word in seen

    read_until(b"q ends")
    job.event("launcher", time.time(), "killed", "worker.0", "as of now")
    read_until(b"as of now")
    os.write(ours, b"q")
    read_until(b"\033[?1049l")  # the shell's screen is back
    assert process.wait(timeout=30) == 0
    os.close(ours)


def test_no_line_is_longer_than_a_narrow_terminal(tmp_path):
    made_up_job.make(str(tmp_path), 10)
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 30, 0, 0))
    process = subprocess.Popen([PADDLE, "top", str(tmp_path)], stdin=theirs, stdout=theirs)
    os.close(theirs)
    seen, deadline = b"", time.monotonic() + 30
    while b"q ends" not in seen and time.monotonic() < deadline:
        seen += os.read(ours, 65536)
    os.write(ours, b"q")
    while b"\033[?1049l" not in seen and time.monotonic() < deadline:
        seen += os.read(ours, 65536)
    assert process.wait(timeout=30) == 0
    os.close(ours)
    lines = re.sub(rb"\033\[[0-9;?]*[A-Za-z]", b"", seen.partition(b"\033[H")[2].split(b"\033[H")[0])
    assert lines.count(b"\n") == 11 and max(len(x) for x in lines.split(b"\r\n")) <= 30, lines


def test_its_help_lists_what_there_is(tmp_path):
    said = subprocess.run([PADDLE, "top", "--help"], stdout=subprocess.PIPE, text=True, timeout=30,
                          check=True).stdout
    assert "--sort" in said and "old jobs" not in said
