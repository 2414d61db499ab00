"""What a job of 2 servers and 2 workers tells of itself, in LOG_DIR/watch."""
import json
import os
import subprocess
import sys

import pytest

from cluster import HERE, clean_env

from paddle import _core

SCRIPT = os.path.join(HERE, "watch_script.py")
FILES, FILE_ROWS, RUNS, BATCH, TEST_ROWS = 2, 50, 7, 16, 40  # a worker's, of watch_script.py


def launch(folder, *options, fails=False, **env):
    done = subprocess.run(
        [sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num", "2", "--server_num",
         "2", "--start_port", str(_core.port_find("127.0.0.1")), "--log_dir", str(folder / "logs"),
         *options, SCRIPT, str(folder)], env=clean_env(**env), cwd=str(folder),
        capture_output=True, text=True, timeout=120)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done


def lines(folder, process):
    with open(str(folder / "logs" / "watch" / (process + ".jsonl"))) as file:
        return [json.loads(line) for line in file]


def newest(told):
    """Values as they were last: a sample has those that changed."""
    values = {}
    for line in told:
        values.update(line.get("m", {}))
    return values


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    launch(folder, FLAGS_watch_seconds="0.1", FLAGS_ps_table_memory="64M")
    return folder


def test_each_process_tells_its_start_and_its_end(job):
    for process in ("worker.0", "worker.1", "server.0", "server.1"):
        told = lines(job, process)
        assert told[0]["start"]["process"] == process and told[0]["start"]["job"]
        assert told[-1] == {"t": told[-1]["t"], "end": {"status": 0}}
        assert told[-2]["event"] == "finished"
        assert [line["t"] for line in told] == sorted(line["t"] for line in told)


def test_every_example_is_counted_once(job):
    for process in ("worker.0", "worker.1"):
        m = newest(lines(job, process))
        assert m["regatta_examples_total"] == FILES * FILE_ROWS + RUNS * BATCH
        assert m["regatta_test_examples_total"] == TEST_ROWS
        assert m["regatta_progress_ratio"] == 1
        assert 0 < m["regatta_global_examples"] <= 2 * FILES * FILE_ROWS
        for name in ("regatta_loss", 'regatta_loss{set="test"}', "regatta_global_loss"):
            assert 0 < m[name] < 5
        for name in ("regatta_auc", 'regatta_auc{set="test"}', "regatta_global_auc"):
            assert 0 < m[name] < 1


def test_who_hears_of_both_workers_knows_the_slowest(job):
    """The last one to tell does."""
    workers = [newest(lines(job, "worker.%d" % i)) for i in range(2)]
    assert any(m.get("regatta_slowest_worker") in (0, 1) for m in workers)
    assert max(m["regatta_global_examples"] for m in workers) == 2 * FILES * FILE_ROWS


def test_the_parts_of_a_step_are_within_the_time_there_was(job):
    for process in ("worker.0", "worker.1"):
        told = lines(job, process)
        parts = {part: newest(told)['regatta_step_seconds_total{part="%s"}' % part]
                 for part in ("read", "pull", "compute", "push", "wait")}
        assert all(seconds > 0 for seconds in parts.values()), parts
        assert sum(parts.values()) < 2 * (told[-1]["t"] - told[0]["t"]), parts  # two threads


def test_what_workers_send_is_what_servers_receive(job):
    servers = [newest(lines(job, "server.%d" % i)) for i in range(2)]
    workers = [newest(lines(job, "worker.%d" % i)) for i in range(2)]
    for mine, theirs in ((workers, servers), (servers, workers)):
        sent = sum(m["regatta_network_sent_bytes_total"] for m in mine)
        got = sum(m["regatta_network_received_bytes_total"] for m in theirs)
        assert got > 0 and abs(sent - got) < 0.05 * got  # heartbeats after the last sample


def test_servers_tell_of_their_tables(job):
    servers = [newest(lines(job, "server.%d" % i)) for i in range(2)]
    name = 'regatta_table_rows{table="emb"}'
    m = [s for s in servers if name in s][0]
    assert 0 < m[name] <= 1000
    assert m['regatta_table_bytes{table="emb"}'] > 4 * 8 * m[name]
    assert m["regatta_table_limit_bytes"] == 64 << 20
    assert m["regatta_table_lookups_total"] - m["regatta_table_hits_total"] >= m[name]
    assert all(s["regatta_pushes_total"] > 0 and s["regatta_pulls_total"] > 0 and
               s["regatta_server_busy_seconds_total"] > 0 for s in servers)


def test_the_program_is_there_as_a_graph(job):
    with open(str(job / "logs" / "watch" / "program.worker.0.json")) as file:
        block = json.load(file)["blocks"][0]
    ops = {op["type"]: op for op in block["ops"]}
    assert ops["distributed_lookup_table"]["inputs"]["W"] == ["emb"]
    assert ops["mul"]["attrs"]["x_num_col_dims"] == 1 and "send" in ops
    assert block["vars"]["emb"] == {"shape": [1000, 8], "dtype": "float32", "persistable": True}


def test_a_worker_that_fails_says_why_and_servers_whom_they_lost(tmp_path):
    launch(tmp_path, fails=True, FAIL="1")
    end = lines(tmp_path, "worker.1")[-2:]
    assert end[0]["event"] == "error" and end[0]["text"] == "ValueError: this worker has had enough"
    assert end[1]["end"] == {"status": 1}
    lost = [line for line in lines(tmp_path, "server.0") if line.get("event") == "lost"]
    assert lost[0]["who"] == "worker.1" and "this worker has had enough" in lost[0]["text"]
    launch(tmp_path, "--no_watch")  # and nothing of the job before stays
    assert not os.path.exists(str(tmp_path / "logs" / "watch"))
