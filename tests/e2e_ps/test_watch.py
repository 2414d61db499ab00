"""What a job of 2 servers and 2 workers tells of itself, in LOG_DIR/watch."""
import csv
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from cluster import HERE, ROOT, clean_env

from paddle import _core
from paddle.distributed import launch_ps

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
    launch(folder, "--tensorboard", str(folder / "curves"), FLAGS_watch_seconds="0.1",
           FLAGS_ps_table_memory="64M", FLAGS_metrics_port="auto", SCRAPE="1")
    return folder


def test_each_process_tells_its_start_and_its_end(job):
    for process in ("worker.0", "worker.1", "server.0", "server.1"):
        told = lines(job, process)
        assert told[0]["start"]["process"] == process and told[0]["start"]["job"]
        assert abs(newest(told)["regatta_process_start_time_seconds"] - told[0]["t"]) < 2
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


def test_prometheus_reads_what_a_process_serves(job):
    """The worker has asked itself, by the address that its first line says."""
    with open(str(job / "metrics.0.txt")) as file:
        families = {f.name: f for f in text_string_to_metric_families(file.read())}
    assert families["regatta_examples"].type == "counter"
    assert families["regatta_examples"].samples[0].value == FILES * FILE_ROWS + RUNS * BATCH
    assert {s.labels["part"] for s in families["regatta_step_seconds"].samples} == \
        {"read", "pull", "compute", "push", "wait"}
    times = families["regatta_batch_seconds"]
    assert times.type == "histogram"
    found = {s.labels.get("le", s.name): s.value for s in times.samples}
    assert found["regatta_batch_seconds_count"] == found["+Inf"] == \
        families["regatta_batches"].samples[0].value
    assert 0 < found["regatta_batch_seconds_sum"] < 60
    assert all(f.documentation for f in families.values())


def test_tensorboard_reads_the_curves(job):
    for process in ("worker.0", "worker.1"):
        events = EventAccumulator(str(job / "curves" / process)).Reload()
        tags = set(events.Tags()["scalars"])
        assert {"loss/train", "loss/test", "auc/train", "auc/test", "step_ms/compute",
                "speed/examples_per_second", "process/resident_bytes"} <= tags
        assert all(0 < point.value < 5 for point in events.Scalars("loss/train"))
        batches = newest(lines(job, process))["regatta_batches_total"]
        assert events.Scalars("loss/train")[-1].step <= batches
        with open(str(job / "curves" / process / "metrics.csv")) as file:
            rows = list(csv.DictReader(file))
        assert int(rows[-1]["step"]) == batches and 0 < float(rows[-1]["loss/test"]) < 5
    tags = EventAccumulator(str(job / "curves" / "server.0")).Reload().Tags()["scalars"]
    assert "server/pushes_per_second" in tags and "loss/train" not in tags


def test_the_guide_and_the_dashboard_have_the_metrics_there_are():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "metrics_page.py"), "--check"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(ROOT, "docs", "guide-watch.md")) as file:
        known = set(re.findall(r"regatta_\w+", file.read()))
    with open(os.path.join(ROOT, "docs", "grafana-regatta.json")) as file:
        board = json.load(file)
    shown = set(re.findall(r"regatta_\w+", " ".join(
        target["expr"] for panel in board["panels"] for target in panel["targets"])))
    assert shown <= known, shown - known


def test_a_worker_that_is_killed_goes_on_in_its_file(tmp_path):
    launch(tmp_path, "--restarts", "1", DIE="1")
    told = lines(tmp_path, "worker.1")
    assert [line["start"]["incarnation"] for line in told if "start" in line] == [0, 1]
    assert [line["event"] for line in told if "event" in line][0] == "rejoined"
    assert newest(told)["regatta_skipped_batches_total"] > 0
    seen = [line["event"] for line in lines(tmp_path, "server.0") if line.get("who") == "worker.1"]
    assert "rejoined" in seen


def test_a_worker_that_fails_says_why_and_servers_whom_they_lost(tmp_path):
    launch(tmp_path, fails=True, FAIL="1")
    said = lines(tmp_path, "worker.1")
    error = [line for line in said if "event" in line][-1]
    assert error["event"] == "error" and error["text"] == "ValueError: this worker has had enough"
    assert said[-1]["end"] == {"status": 1}
    lost = [line for line in lines(tmp_path, "server.0") if line.get("event") == "lost"]
    assert lost[0]["who"] == "worker.1" and "this worker has had enough" in lost[0]["text"]


LOCAL = '''
import numpy as np
import paddle.fluid as fluid
x = fluid.data("x", [None, 3])
loss = fluid.layers.mean(fluid.layers.fc(x, 1))
test = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.SGD(0.1).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
fed = {"x": np.ones((10, 3), "float32")}
for _ in range(4):
    exe.run(feed=fed, fetch_list=[loss])
    exe.run(test, feed=fed, fetch_list=[loss])
both = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
    loss_name=loss.name, places=[fluid.CPUPlace()] * 2)
exe.run(both, feed=fed, fetch_list=[loss])
'''


def test_training_by_hand_is_watched_without_servers_too(tmp_path):
    done = subprocess.run([sys.executable, "-c", LOCAL], timeout=60, capture_output=True, text=True,
                          env=clean_env(FLAGS_watch_dir=str(tmp_path / "logs" / "watch")))
    assert done.returncode == 0, done.stderr
    m = newest(lines(tmp_path, "worker.0"))
    assert m["regatta_batches_total"] == 5 and m["regatta_examples_total"] == 50
    assert isinstance(m["regatta_loss"], float)
    assert m['regatta_step_seconds_total{part="compute"}'] > 0
    assert m['regatta_step_seconds_total{part="read"}'] > 0
    assert (tmp_path / "logs" / "watch" / "program.worker.0.json").exists()


def test_a_job_that_is_not_watched_keeps_nothing_of_the_one_before(tmp_path):
    old = tmp_path / "logs" / "watch" / "worker.7.jsonl"
    old.parent.mkdir(parents=True)
    old.write_text("{}")
    args = launch_ps.parse_args(["--log_dir", str(tmp_path / "logs"), "--no_watch", SCRIPT])
    job = launch_ps.make_job(args)
    assert not old.parent.exists()
    assert not any(v.startswith("FLAGS_watch_dir=") for p in job.processes for v in p[3])
    shutil.rmtree(job._run_dir)
