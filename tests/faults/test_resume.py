"""A job that was stopped goes on with other numbers of servers and workers, or becomes files."""
import glob
import json
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from test_rejoin import FAULTY, LEDGER, SCRIPT, calm, digest, launch_ps  # noqa: E402,F401
from cluster import ROOT  # noqa: E402

PADDLE = os.path.join(ROOT, "build", "paddle")
STEPS = 10
ADAM = ("--optimizer", "Adam", "--steps", str(STEPS))
JOURNAL = ["--journal", "everysec"]


def stop(folder, script, arguments, victim="TRAINER1", fault="push.between:6:late", workers=3, **env):
    """A job that ends when one of its workers dies with a push at one of two servers."""
    env = dict(env, FAULT_OF=victim, FAULT=fault, FLAGS_ps_return_seconds="1",
               FLAGS_rpc_lease_ms="1000")
    out = launch_ps(folder, JOURNAL + [FAULTY, script] + arguments, workers=workers, **env)
    assert out.returncode != 0 and "launch_ps --resume" in out.stdout, out.stdout
    return folder / "logs" / "journal"


def go_on(folder, script, arguments, flags=(), **env):
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
               "--log_dir", "logs", "--resume", "logs"] + list(flags)
    from cluster import clean_env
    return subprocess.run(command + [script] + arguments, cwd=str(folder), env=clean_env(**env),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)


def export(*arguments):
    out = subprocess.run([PADDLE, "export_snapshot"] + [str(a) for a in arguments], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return out.returncode, out.stdout


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A sync job in which one server has made a step that the other has not."""
    folder = tmp_path_factory.mktemp("stopped")
    stop(folder, SCRIPT, ["--save", "model"] + list(ADAM), FLAGS_ps_loops="2")
    return folder


def again(stopped, folder):
    subprocess.run(["cp", "-r", str(stopped / "logs"), str(folder)], check=True)
    return folder


@pytest.mark.promise(1, 4)
def test_other_numbers_of_servers_change_not_a_bit(stopped, calm, tmp_path):  # noqa: F811
    """Twice: 2, 3 and 1 servers, and the second time in the middle of a step, too."""
    again(stopped, tmp_path)
    arguments = ["--save", "model"] + list(ADAM)
    out = go_on(tmp_path, FAULTY, [SCRIPT] + arguments, ["--server_num", "3"], FAULT_OF="PSERVER2",
                FAULT="rpc.reply:30:kill")
    assert out.returncode != 0 and "servers: 3, workers: 3, from step 5 on" in out.stdout, out.stdout
    assert "were stopped; 3 pushes that not all servers had got are made again" in out.stdout
    journals = tmp_path / "logs" / "journal"
    assert json.loads((journals / "job.json").read_text())["deal"] == 1
    # Each of the three has a snapshot of its own: what they were made from is gone.
    assert sorted(os.listdir(str(journals))) == ["deal-1", "job.json"]
    assert sorted(os.listdir(str(journals / "deal-1"))) == ["server-0", "server-1", "server-2"]
    # It has gone on elsewhere, and it is there that export_snapshot looks.
    code, said = export(tmp_path / "logs", tmp_path / "files")
    assert code == 0 and "journal/deal-1: 3 servers" in said, said
    out = go_on(tmp_path, SCRIPT, arguments, ["--server_num", "1"])
    assert out.returncode == 0 and "servers: 1, workers: 3" in out.stdout, out.stdout
    assert digest(tmp_path / "model") == calm(*ADAM)
    assert os.listdir(str(journals)) == []


def test_a_shorter_script_has_not_ended_well(stopped, calm, tmp_path):  # noqa: F811
    """It never comes to where the job was: what was learned is kept for the script that does."""
    again(stopped, tmp_path)
    shorter = ["--save", "model", "--optimizer", "Adam", "--steps", "2"]
    out = go_on(tmp_path, SCRIPT, shorter)
    assert out.returncode != 0 and "its script has ended before it came to those" in out.stdout, out.stdout
    out = go_on(tmp_path, SCRIPT, ["--save", "model"] + list(ADAM))
    assert out.returncode == 0, out.stdout
    assert digest(tmp_path / "model") == calm(*ADAM)


@pytest.mark.promise(5)
def test_journals_of_which_a_power_cut_took_different_ends(calm, tmp_path):  # noqa: F811
    """The machine went, and the launcher with it: back to the last step that all servers have."""
    stop(tmp_path, SCRIPT, ["--save", "model"] + list(ADAM), FLAGS_ps_journal_front_mb="0")
    folder = tmp_path / "logs" / "journal"
    kept = json.loads((folder / "job.json").read_text())
    del kept["stopped"]
    (folder / "job.json").write_text(json.dumps(kept))
    segment = sorted(glob.glob(str(folder / "server-1" / "journal-*")))[-1]
    size = os.path.getsize(segment)
    with open(segment, "r+b") as file:
        file.truncate(size * 2 // 3)
    arguments = ["--save", "model"] + list(ADAM)
    out = go_on(tmp_path, SCRIPT, arguments)
    assert out.returncode == 0, out.stdout
    said = [line for line in out.stdout.splitlines() if "servers: 2, workers: 3, from step" in line]
    assert said and int(said[0].split("from step ")[1].split(" ")[0]) < 5, out.stdout
    assert digest(tmp_path / "model") == calm(*ADAM)


@pytest.mark.full
@pytest.mark.promise(4)
def test_each_push_counts_once_with_other_numbers_of_servers(tmp_path):
    """Async, rate 1 and gradient 1: each weight is the number of pushes."""
    arguments = ["--mode", "async", "--steps", "30", "--meet", "10"]
    stop(tmp_path, LEDGER, arguments, "TRAINER1", "push.between:14:late", workers=2)
    out = go_on(tmp_path, LEDGER, arguments, ["--server_num", "3"])
    assert out.returncode == 0, out.stdout
    ledger = [line for line in out.stdout.splitlines() if line.startswith("ledger")]
    numbers = [float(x) for x in ledger[0].split()[1:]]
    assert numbers == [-60.0] * 4 + [-30.0] * 4, ledger


@pytest.mark.full
def test_other_numbers_of_workers_share_what_is_left(tmp_path):
    """Batches in all are as many as they would have been; which ones is the script's to say."""
    arguments = ["--steps", "12"]
    stop(tmp_path, LEDGER, ["--mode", "sync"] + arguments, "TRAINER1", "push.begin:7:kill", workers=3)
    # 3 workers have made 6 steps each: 18 of 36 pushes, and 2 workers have 24 to make in all.
    out = go_on(tmp_path, LEDGER, arguments, ["--worker_num", "2"])
    assert out.returncode == 0, out.stdout
    assert "2 workers share what 3 were to read" in out.stdout
    for log in ("workerlog.0", "workerlog.1"):
        assert "pushes=9 batches=9" in (tmp_path / "logs" / log).read_text()
    ledger = [line for line in out.stdout.splitlines() if line.startswith("ledger")][0].split()
    assert [float(x) for x in ledger[1:3]] == [-9.0, -9.0]  # 6 steps, and 3 that were left to make


@pytest.mark.promise(2)
@pytest.mark.parametrize("mode", ["async", pytest.param("sync", marks=pytest.mark.full)])
def test_each_leased_example_counts_once_with_other_numbers_of_all(tmp_path, mode):
    """2 workers and 2 servers, then 3 and 3: who goes on asks for ranges, and none is trained on twice."""
    from leased_script import write
    from test_elastic import FILES, LEASED, ONCE, RANGES, counted
    arguments = ["--rows", str(write(tmp_path / "data", FILES)), "--mode", mode, "--pause", "0.02"]
    stop(tmp_path, LEASED, arguments, "TRAINER1", "push.between:5:late", workers=2, **RANGES)
    out = go_on(tmp_path, LEASED, arguments, ["--server_num", "3", "--worker_num", "3"], **RANGES)
    assert out.returncode == 0 and "servers: 3, workers: 3, from example" in out.stdout, out.stdout
    assert ONCE % 200 in out.stdout, out.stdout
    # In sync a step is a mean over those that take part.
    assert counted(tmp_path)[:2] == [1, 1] and (mode == "sync" or counted(tmp_path)[2] == 200)


@pytest.mark.full
def test_a_stopped_job_becomes_paddles_files_and_a_snapshot(stopped, calm, tmp_path):  # noqa: F811
    journals = stopped / "logs" / "journal"
    code, said = export(journals, tmp_path / "model")
    assert code == 0 and "5 steps" in said, said
    code, said = export("--snapshot", journals, tmp_path / "snapshot")
    assert code == 0, said
    code, said = export(tmp_path / "snapshot", tmp_path / "again")
    assert code == 0, said
    # What a job of 5 steps saves: the same bits, but for what its workers count.
    out = launch_ps(tmp_path, [SCRIPT, "--save", "saved", "--optimizer", "Adam", "--steps", "5"],
                    workers=3)
    assert out.returncode == 0, out.stdout
    assert digest(tmp_path / "model") == digest(tmp_path / "again") == digest(tmp_path / "saved")
    # A new job begins with the snapshot, states of its optimizer included: as if it went on.
    out = launch_ps(tmp_path, [SCRIPT, "--init", "snapshot", "--save", "dealt", "--optimizer", "Adam",
                               "--steps", str(STEPS - 5), "--first", "5"], workers=3, servers=3)
    assert out.returncode == 0, out.stdout
    assert digest(tmp_path / "dealt") == calm(*ADAM)
    refused = launch_ps(tmp_path, [SCRIPT, "--init", str(journals), "--steps", "1"], workers=1, servers=1)
    assert refused.returncode != 0
    assert "paddle export_snapshot --snapshot" in (tmp_path / "logs" / "serverlog.0").read_text()


def test_what_cannot_be_exported_is_refused_by_name(tmp_path):
    (tmp_path / "empty").mkdir()
    code, said = export(tmp_path / "empty", tmp_path / "out")
    assert code == 1 and "there is no journal of a server in it" in said
    code, said = export(tmp_path / "missing", tmp_path / "out")
    assert code == 1 and "missing" in said
    code, said = export("--all", tmp_path, tmp_path / "out")
    assert code == 2 and not (tmp_path / "out").exists(), said


def test_a_job_that_never_began_is_not_said_to_go_on(tmp_path):
    """No server has a journal: --resume would have nothing."""
    script = tmp_path / "early.py"
    script.write_text("raise SystemExit('early.py: no data')\n")
    out = launch_ps(tmp_path, JOURNAL + [str(script)])
    assert out.returncode != 0 and "early.py: no data" in out.stdout, out.stdout
    assert "--resume" not in out.stdout, out.stdout
