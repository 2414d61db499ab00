"""A job's key is in the environment of its processes, and nowhere else: in no log, no argument, no
save, and no line that a launcher or a command prints. (tests/conftest.py looks into what all other
tests printed and logged for the keys that they use.)"""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "e2e_ps")]
from cluster import SCRIPT, launch_ps  # noqa: E402

# Runs what a user would, and then fails, so that there are a card and a traceback, too.
WORKER = """
import os, runpy, sys
key = os.environ["REGATTA_JOB_KEY"]
with open(os.path.join(%r, "key.%%d" %% os.getpid()), "w") as file:
    file.write(key)
with open(os.path.join(%r, "argv.%%d" %% os.getpid()), "w") as file:
    for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
        try:
            with open("/proc/%%s/cmdline" %% pid, "rb") as line:
                file.write(line.read().decode("utf-8", "replace") + chr(10))
        except OSError:
            pass  # it has ended
sys.argv = [%r, "--steps", "5", "--save", "saved"]
runpy.run_path(%r, run_name="__main__")
if %r and os.environ.get("TRAINING_ROLE") == "TRAINER":
    raise ValueError("at the end")
"""


@pytest.mark.promise(33)
@pytest.mark.parametrize("fails", [False, True], ids=["well", "badly"])
def test_the_key_is_nowhere(tmp_path, fails):
    keys, job = tmp_path / "keys", tmp_path / "job"
    keys.mkdir()
    job.mkdir()
    script = job / "train.py"
    script.write_text(WORKER % (str(keys), str(job), SCRIPT, SCRIPT, fails))
    done = launch_ps(job, [str(script)], timeout=120)
    assert (done.returncode != 0) == fails, done.stdout
    found = {path.read_text() for path in keys.iterdir()}
    assert len(found) == 1
    key = found.pop()
    assert len(key) >= 32
    assert key not in done.stdout
    forms = (key.encode(), key.upper().encode(), bytes.fromhex(key))
    looked = 0
    for folder, _, names in os.walk(str(job)):
        for name in names:
            looked += 1
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            assert not any(form in data for form in forms), os.path.join(folder, name)
    assert looked > 8 and (job / "logs").exists() and (job / "saved").exists()
