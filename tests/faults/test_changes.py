"""What a script sets, drops and saves is done once, whoever is started again and with however many
servers it goes on."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e_ps"))
from cluster import clean_env, launch_ps  # noqa: E402
from test_resume import export, go_on  # noqa: E402

CHANGES = os.path.join(HERE, "changes_script.py")
# Nothing is in a snapshot but what there was at the start: all comes from the journals.
JOURNAL = ["--journal", "everysec"]


def stop(folder, arguments, servers):
    out = launch_ps(folder, JOURNAL + [CHANGES] + arguments, workers=1, servers=servers,
                    FLAGS_ps_return_seconds="1", FLAGS_rpc_lease_ms="1000")
    assert out.returncode != 0 and "launch_ps --resume" in out.stdout, out.stdout


def ledger(said):
    lines = [line for line in said.splitlines() if "ledger " in line]
    assert len(lines) == 1, said
    return lines[0].split("ledger ")[1]


@pytest.mark.promise(1)
@pytest.mark.parametrize("before, after", [
    (2, 1), (1, 2)])
def test_what_was_set_is_not_set_again_with_other_numbers_of_servers(tmp_path, before, after):
    """Eight steps since all was 100, the last of them with the rows of a table that was emptied."""
    subprocess.run([sys.executable, CHANGES, "--write", "model"], cwd=str(tmp_path), check=True,
                   env=clean_env())
    arguments = ["load", "--die", "late"]
    stop(tmp_path, arguments, before)
    out = go_on(tmp_path, CHANGES, arguments, ["--server_num", str(after)])
    assert out.returncode == 0, out.stdout
    assert ledger(out.stdout) == "92 92 92 92 92 92 -1 -1 2"


@pytest.mark.promise(1)
@pytest.mark.parametrize("after", [1, 2])
def test_what_was_set_on_one_of_two_servers_is_set_on_all(tmp_path, after):
    """After the fourth of seven steps, of w alone."""
    arguments = ["set", "--die", "between"]
    stop(tmp_path, arguments, 2)
    out = go_on(tmp_path, CHANGES, arguments, ["--server_num", str(after)])
    assert out.returncode == 0, out.stdout
    assert ledger(out.stdout) == "997 997 -7 -7 -7 -7 -7 -7 7"


def files(folder):
    out = {}
    for name in ["day-0", "day-1", "day-2", "last"]:
        for part in sorted(os.listdir(str(folder / name))):
            file = folder / name / part
            out["%s/%s" % (name, part)] = (file.read_bytes(), os.stat(str(file)).st_mtime_ns)
    return out


@pytest.mark.promise(1)
@pytest.mark.parametrize("after", [2, 1])
def test_what_was_dropped_and_saved_is_left_alone(tmp_path, after):
    """Rows of the last day are there, and those before them are not; saves are as they were."""
    arguments = ["days", "--die", "late"]
    stop(tmp_path, arguments, 2)
    saved = files(tmp_path)
    out = go_on(tmp_path, CHANGES, arguments, ["--server_num", str(after)])
    assert out.returncode == 0, out.stdout
    assert ledger(out.stdout) == "-7 -7 -7 -7 -7 -7 -7 -7 3"
    assert files(tmp_path) == saved


def test_what_a_snapshot_lacks_is_said(tmp_path):
    """A job with another optimizer: what that keeps starts anew, and not in silence."""
    stop(tmp_path, ["dense", "--optimizer", "Momentum", "--die", "late"], 2)
    code, said = export("--snapshot", tmp_path / "logs" / "journal", tmp_path / "snapshot")
    assert code == 0, said
    for name, lacks in (("Momentum", False), ("Adagrad", True)):
        out = launch_ps(tmp_path, [CHANGES, "dense", "--optimizer", name, "--init", "snapshot"], workers=1)
        assert out.returncode == 0, out.stdout
        for log in ("serverlog.0", "serverlog.1"):
            text = (tmp_path / "logs" / log).read_text()
            assert ("the snapshot does not have all of" in text and "_moment" in text) == lacks, text
