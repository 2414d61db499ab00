"""A demo's folder copied aside, and commands typed in it, for tests."""
import os
import shutil
import signal
import subprocess
import sys
import time

from built import ROOT

from paddle import _core

BIN = os.path.dirname(sys.executable)


def environment(**more):
    """This environment without any job in it; `python` and `paddle` are ours."""
    env = {k: v for k, v in os.environ.items()
           if k not in set(_core.job_env_names()) and
           not k.startswith(("PADDLE_", "OMPI_", "http_proxy", "https_proxy"))}
    env.update(PADDLE_DATASET="synthetic", OMP_NUM_THREADS="1", PYTHON=sys.executable,
               PATH=BIN + os.pathsep + env["PATH"])
    env.update(more)
    return env


def workspace(tmp_path, name):
    """A copy of demo/NAME, to be filled by it."""
    folder = str(tmp_path / name)
    shutil.copytree(os.path.join(ROOT, "demo", name), folder,
                    ignore=shutil.ignore_patterns("__pycache__", "output", "ml-1m", "log.txt"))
    return folder


def typed(line, folder, stdin="", seconds=120, fails=False, **env):
    """What a line of shell prints; both streams."""
    done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment(**env), text=True,
                          input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=seconds)
    assert (done.returncode != 0) == fails, "%s: %d\n%s" % (line, done.returncode, done.stdout)
    return done.stdout


class Background:
    """A line of shell in the background, in a group of its own."""

    def __init__(self, line, folder, log=None, **env):
        self.line, self.log = line, os.path.join(folder, log) if log else None
        out = open(self.log, "w") if log else subprocess.DEVNULL
        self.child = subprocess.Popen(["bash", "-c", line], cwd=folder, env=environment(**env),
                                      stdin=subprocess.DEVNULL, stdout=out,
                                      stderr=subprocess.STDOUT, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait(10)

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def wait(self, seconds=120):
        """It ends well."""
        end = time.monotonic() + seconds
        while self.child.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        text = self.text() if self.log else ""
        assert self.child.poll() == 0, "%s: %s\n%s" % (self.line, self.child.poll(), text)
        return text
