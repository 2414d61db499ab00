"""What the tables of a server may take: refused by name beyond it, or rows go, or are on disk."""
import argparse
import filecmp
import os
import re
import subprocess
import sys

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e_ps"))

import memory_script  # noqa: E402
from cluster import clean_env, launch_ps  # noqa: E402

SCRIPT = os.path.join(HERE, "memory_script.py")


def job(folder, launcher, script, **env):
    os.makedirs(str(folder), exist_ok=True)
    return launch_ps(folder, launcher + [SCRIPT] + script, FLAGS_ps_loops="2", **env)


def log(folder, name):
    with open(os.path.join(str(folder), "logs", name)) as file:
        return file.read()


def same(one, two):
    names = sorted(n for n in os.listdir(str(one)) if n != "MANIFEST.regatta")
    assert names == sorted(n for n in os.listdir(str(two)) if n != "MANIFEST.regatta")
    assert "table" in names
    return filecmp.cmpfiles(str(one), str(two), names, shallow=False)[1:] == ([], [])


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
@pytest.mark.promise(19)
def test_what_is_more_ends_the_job_with_a_card_that_says_so(tmp_path, mode):
    out = job(tmp_path, ["--table_memory", "4M"],
              ["--mode", mode, "--each", "4000", "--steps", "30", "--rows", "400000"])
    assert out.returncode != 0
    card = out.stdout[out.stdout.index("---- the job failed ----"):]
    assert "is full: " in card, out.stdout
    told = "".join(log(tmp_path, "workerlog.%d" % i) for i in range(2))  # the card has less room
    for text in ("--table_memory, 4 MiB", "--table_evict lru", "--table_disk DIR"):
        assert text in told, told
    for server in range(2):  # it lived, and heard why
        said = log(tmp_path, "serverlog.%d" % server)
        assert "rows fit into memory; its 200000 rows take" in said
        assert "tables may take 4 MiB; all rows that they declare take" in said
        assert "do not fit: what is more is refused" in said
        assert re.search(r"trainer \d .*has failed: .*is full: ", said), said


def test_rows_on_disk_are_the_same_bits(tmp_path):
    """With late rows (Adam), too; the table is many times the memory."""
    script = ["--ids", "zipf", "--steps", "12", "--rows", "60000", "--optimizer", "Adam",
              "--save", "saved"]
    plain = job(tmp_path / "plain", [], script)
    assert plain.returncode == 0, plain.stdout
    disk = job(tmp_path / "disk", ["--table_memory", "2M", "--table_disk", "rows"], script)
    assert disk.returncode == 0, disk.stdout
    assert "do not fit: the least used go to the disk" in log(tmp_path / "disk", "serverlog.0")
    assert same(tmp_path / "plain" / "saved", tmp_path / "disk" / "saved")
    assert os.listdir(str(tmp_path / "disk" / "rows")) == []


@pytest.mark.parametrize("evict", ["lru", "lfu"])
def test_rows_go_and_a_run_repeats(tmp_path, evict):
    script = ["--ids", "zipf", "--steps", "15", "--rows", "60000", "--save", "saved",
              "--config", "table_memory=2M", "--config", "table_evict=" + evict]
    for again in ("one", "two"):
        out = job(tmp_path / again, [], script)
        assert out.returncode == 0, out.stdout
    assert "do not fit: the least used go, and start anew" in log(tmp_path / "one", "serverlog.0")
    assert same(tmp_path / "one" / "saved", tmp_path / "two" / "saved")


@pytest.mark.parametrize("launcher, said", [
    (["--table_memory", "8X"], "--table_memory (FLAGS_ps_table_memory) is '8X'"),
    (["--table_memory", "0"], "is '0': a number of bytes is wanted"),
    (["--table_memory", "-5G"], "is '-5G'"),
    (["--table_memory", "99999999999G"], "is '99999999999G'"),
    (["--table_memory", "1G", "--table_evict", "fifo"], "--table_evict (FLAGS_ps_table_evict) is "
                                                        "'fifo'"),
    (["--table_evict", "lru"], "--table_evict (FLAGS_ps_table_evict) is given, and --table_memory"),
    (["--table_disk", "rows"], "--table_disk (FLAGS_ps_table_disk) is given, and --table_memory"),
])
def test_bad_values_are_refused_by_name(tmp_path, launcher, said):
    out = job(tmp_path, ["=".join(launcher[i:i + 2]) for i in range(0, len(launcher), 2)], [])
    assert out.returncode == 2 and said in out.stdout, out.stdout
    assert not os.path.exists(str(tmp_path / "logs" / "serverlog.0"))


@pytest.mark.parametrize("disk", [False, True])
def test_shrink_drops_what_was_not_used(tmp_path, disk):
    os.makedirs(str(tmp_path / "job"))
    out = launch_ps(tmp_path / "job",
                    (["--table_memory", "1M", "--table_disk", "rows"] if disk else []) +
                    [SCRIPT, "--steps", "6", "--each", "3000", "--rows", "50000", "--shrink"],
                    workers=1, servers=1, FLAGS_ps_loops="1")  # each needs a megabyte
    assert out.returncode == 0, out.stdout
    assert re.findall(r"shrink: (\d+) rows", out.stdout) == ["0", "9000", "9000"], out.stdout


def saved_rows(path):
    import paddle.fluid as fluid
    return fluid.load_program_state(str(path))["table"]


def looked_up(steps, each, rows):
    """How often each id is pushed by the two workers of a sync job: once a step."""
    counts = np.zeros(rows, int)
    args = argparse.Namespace(ids="zipf", each=each, rows=rows)
    for step in range(steps):
        both = np.concatenate([memory_script.ids_of(args, step, w, 2)[0] for w in range(2)])
        counts[np.unique(both)] += 1
    return counts


def test_a_row_comes_with_the_nth_push(tmp_path):
    """Also with several loops; others are saved as zeros."""
    rows = 30000
    out = job(tmp_path, [], ["--ids", "zipf", "--steps", "6", "--rows", str(rows), "--save", "saved",
                             "--count", "3"])
    assert out.returncode == 0, out.stdout
    has_row = np.abs(saved_rows(tmp_path / "saved")).sum(1) > 0
    counts = looked_up(6, 2000, rows)
    assert (counts >= 3).sum() > 100
    assert (has_row[:rows] == (counts >= 3)).all()


def test_a_draw_lets_ids_in_on_any_number_of_servers(tmp_path):
    rows, saved = 30000, []
    for servers in (1, 3):
        folder = tmp_path / str(servers)
        os.makedirs(str(folder))
        out = launch_ps(folder, [SCRIPT, "--ids", "zipf", "--steps", "4", "--rows", str(rows),
                                 "--save", "saved", "--probability", "0.25"], servers=servers)
        assert out.returncode == 0, out.stdout
        saved.append(np.abs(saved_rows(folder / "saved")).sum(1) > 0)
    assert (saved[0] == saved[1]).all()
    once = looked_up(4, 2000, rows) == 1
    share = saved[0][once].mean()
    assert 0.2 < share < 0.3, share


def test_entries_that_cannot_be_are_refused(tmp_path):
    from paddle.distributed import CountFilterEntry, ProbabilityEntry
    assert CountFilterEntry(20)._to_attr() == "count_filter_entry:20"
    assert ProbabilityEntry(0.5)._to_attr() == "probability_entry:0.5"
    for entry, bad in ((CountFilterEntry, ("none", -1, 0, 1.5, True)),
                       (ProbabilityEntry, ("none", -1.0, 0.0, 1.5, 2))):
        for value in bad:
            with pytest.raises(ValueError, match=entry.__name__):
                entry(value)
    out = job(tmp_path, [], ["--mode", "geo", "--count", "3"])
    assert out.returncode != 0 and "has an entry, and in geo" in out.stdout, out.stdout


def test_a_server_refuses_what_is_too_little_or_wrong_in_its_environment(tmp_path):
    out = job(tmp_path, [], [], FLAGS_ps_table_memory="1000")
    assert out.returncode != 0
    # By the card: the launcher ends the other server, also in the middle of saying the same.
    card = out.stdout[out.stdout.index("---- the job failed ----"):]
    assert "is '1000': at least 2 MiB are needed here" in card, out.stdout
    code = ("from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import *\n"
            "s = StrategyFactory.create_sync_strategy()\n"
            "try: s.set_server_runtime_config({'table_memory': '8Q'})\n"
            "except ValueError as e: print(e)\n")
    out = subprocess.run([sys.executable, "-c", code], env=clean_env(), text=True,
                         stdout=subprocess.PIPE, timeout=60)
    assert "is '8Q'" in out.stdout
