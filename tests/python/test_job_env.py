"""paddle._core.job_env() and `paddle env`: who we are in a job."""
import os
import subprocess
import sys

import pytest

from paddle import _core

COMMAND = os.path.join(os.path.dirname(sys.executable), "paddle")


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in _core.job_env_names():
        monkeypatch.delenv(name, raising=False)


def show(**env):
    out = subprocess.run([COMMAND, "env"], capture_output=True, text=True,
                         env=dict(os.environ, **env))
    rows = {line[:17].strip(): line[17:].split(None, 1) for line in out.stdout.splitlines()}
    return out, rows


def test_nothing_is_said():
    env = _core.job_env()
    assert env["role"] is None and env["servers"] == [] and env["trainers"] is None
    assert env["has_key"] is False and set(env["from"].values()) == {None}


def test_changes_of_os_environ_are_seen(monkeypatch):
    monkeypatch.setenv("TRAINING_ROLE", "TRAINER")
    monkeypatch.setenv("PADDLE_TRAINERS", "2")
    env = _core.job_env()
    assert (env["role"], env["trainers"]) == ("TRAINER", 2)
    assert env["from"]["trainers"] == "PADDLE_TRAINERS"
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "3")
    with pytest.raises(ValueError, match="PADDLE_TRAINERS_NUM=3, PADDLE_TRAINERS=2"):
        _core.job_env()


def test_the_command_says_where_each_value_came_from():
    out, rows = show(PADDLE_TRAINING_ROLE="PSERVER", PADDLE_PSERVER_IPS="127.0.0.1,127.0.0.2",
                     PADDLE_PSERVER_PORT="6174", PADDLE_TRAINERS="2",
                     PADDLE_CURRENT_IP="127.0.0.2")
    assert out.returncode == 0, out.stderr
    assert rows["role"] == ["PSERVER", "PADDLE_TRAINING_ROLE\n".strip()]
    assert rows["server 1"] == ["127.0.0.2:6174", "PADDLE_PSERVER_IPS"]
    assert rows["own endpoint"] == ["127.0.0.2:6174", "PADDLE_CURRENT_IP and PADDLE_PSERVER_PORT"]
    assert rows["server index"][0] == "1"
    assert rows["trainer id"] == ["-", "not set"]


def test_the_command_refuses_contradictions():
    out, _ = show(TRAINING_ROLE="TRAINER", PADDLE_TRAINING_ROLE="PSERVER")
    assert out.returncode == 2
    assert "PADDLE_TRAINING_ROLE=PSERVER, TRAINING_ROLE=TRAINER" in out.stderr


def test_the_key_is_never_shown():
    out, rows = show(REGATTA_JOB_KEY="hunter2", REGATTA_JOB_ID="j")
    assert rows["job key"] == ["(hidden)", "REGATTA_JOB_KEY"]
    assert "hunter2" not in out.stdout + out.stderr
