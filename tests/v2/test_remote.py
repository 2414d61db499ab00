"""paddle.v2 with `paddle pserver`: real processes, compared with one that trains alone."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from built import PADDLE
from cluster import clean_env, cluster  # noqa: F401
from ports import free_ports

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trainer_script.py")


def read(path):
    with open(path) as file:
        return json.load(file)


def alone(folder, *options, **env):
    out = str(folder / "alone.json")
    subprocess.run([sys.executable, SCRIPT, "--out", out, *options], check=True, timeout=60,
                   stdout=subprocess.DEVNULL, env=clean_env(**env))
    return read(out)


def start(cluster, trainers, *options, dense=1, sparse=1, own=(), **env):  # noqa: F811
    """own: {number: options of that trainer}"""
    port = free_ports(dense + sparse)
    ports = ["--port=%d" % port, "--ports_num=%d" % dense, "--ports_num_for_sparse=%d" % sparse]
    cluster.run("pserver", [PADDLE, "pserver", "--num_gradient_servers=%d" % trainers] + ports)
    told = dict(PADDLE_INIT_PORT=str(port), PADDLE_INIT_PORTS_NUM=str(dense),
                PADDLE_INIT_PORTS_NUM_FOR_SPARSE=str(sparse),
                PADDLE_INIT_NUM_GRADIENT_SERVERS=str(trainers), **env)
    for i in range(trainers):
        more = list(options) + list(dict(own).get(i, []))
        cluster.start("trainer%d" % i, [SCRIPT, "--remote", "--out", "%d.json" % i] + more,
                      PADDLE_INIT_TRAINER_ID=str(i), **told)


def together(cluster, trainers, *options, **more):  # noqa: F811
    start(cluster, trainers, *options, **more)
    cluster.finish()
    return [read(str(cluster.folder / ("%d.json" % i))) for i in range(trainers)]


def assert_same(one, others, relative=1e-5):
    for other in others:
        for name, value in one["values"].items():
            np.testing.assert_allclose(other["values"][name], value, rtol=relative,
                                       atol=relative * np.max(np.abs(value)), err_msg=name)
        assert other["test"] == pytest.approx(one["test"], rel=relative)


SYNC = {
    "momentum": ["--settings", '{"learning_rate": 0.02, "momentum": 0.9}'],
    "momentum of rows": ["--sparse", "--settings", '{"learning_rate": 0.02, "momentum": 0.9}'],
    "sparse momentum": ["--sparse", "--settings",
                        '{"learning_rate": 0.02, "momentum": 0.9, "sparse": true}'],
    "descent": ["--sparse"],
    "adam": ["--sparse", "--optimizer", "Adam", "--settings", '{"learning_rate": 0.02}'],
    "a schedule, clipping": [
        "--sparse", "--settings",
        '{"learning_rate": 0.05, "learning_rate_schedule": "discexp", "learning_rate_decay_a": 0.8,'
        ' "learning_rate_decay_b": 30, "gradient_clipping_threshold": 0.5}'],
    "other values to start with": ["--sparse", "--change"],
    "recurrent groups": ["--sparse", "--sequences"],
    "filters of images": ["--image"],
}


@pytest.mark.parametrize("case", list(SYNC))
def test_three_trainers_are_one_with_the_joined_batch(cluster, tmp_path, case):  # noqa: F811
    one = alone(tmp_path, *SYNC[case])
    others = together(cluster, 3, *SYNC[case], dense=2, sparse=2)
    assert_same(one, others)
    joined = np.mean([other["costs"] for other in others], axis=0)
    np.testing.assert_allclose(joined, one["costs"], rtol=1e-5)
    assert "exe.close" not in cluster.logs()


@pytest.mark.parametrize("how", [["--sparse"], ["--sparse", "--sequences"]])
def test_threads_of_trainers_add_up_too(cluster, tmp_path, how):  # noqa: F811
    others = together(cluster, 2, *how, PADDLE_INIT_TRAINER_COUNT="2")
    assert_same(alone(tmp_path, *how), others)


def test_without_sparse_ports_rows_go_to_the_others(cluster, tmp_path):  # noqa: F811
    assert_same(alone(tmp_path, "--sparse"), together(cluster, 2, "--sparse", dense=2, sparse=0))


@pytest.mark.parametrize("how", [[], ["--sparse"]])
def test_async_ends_near_the_cost_of_one(cluster, tmp_path, how):  # noqa: F811
    options = ["--noise", "--passes", "20", "--settings",
               '{"learning_rate": 0.01, "learning_rate_schedule": "poly",'
               ' "learning_rate_decay_a": 0.01, "learning_rate_decay_b": 0.5}'] + how
    one = alone(tmp_path, *options)
    for other in together(cluster, 3, "--is_async", *options):
        assert other["test"] == pytest.approx(one["test"], rel=0.02)
    assert one["test"] < 0.95 * one["costs"][0]


def test_a_trainer_with_fewer_batches_holds_nobody_up(cluster):  # noqa: F811
    found = together(cluster, 2, "--sparse", own={1: ["--steps", "5"]})
    assert [len(each["costs"]) for each in found] == [16, 10]


def test_a_reader_that_raises_ends_the_job_and_is_named(cluster):  # noqa: F811
    start(cluster, 2, "--sparse", own={1: ["--fail_at", "3"]})
    server, first, second = cluster.processes
    for process in cluster.processes:
        assert process.wait(60) != 0, cluster.logs()
    assert "OSError: the shard is damaged" in second.text()
    for process in (server, first):
        assert "trainer 1" in process.text() and "the shard is damaged" in process.text()


def test_bytes_of_a_step_do_not_grow_with_the_vocabulary(cluster):  # noqa: F811
    traffic = {}
    for words in (1000, 100000):
        found = together(cluster, 2, "--sparse", "--words", str(words))
        traffic[words] = [each["traffic"] for each in found]
    for small, large in zip(traffic[1000], traffic[100000]):
        assert sum(large) < 1.05 * sum(small) < 100000


def told(words, *options, **env):
    """What a trainer says that cannot train."""
    done = subprocess.run([sys.executable, SCRIPT, "--remote", *options], timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=clean_env(**env))
    text = done.stdout.decode()
    assert done.returncode != 0 and words in text, text
    return text


def test_a_wrong_host_or_port_is_named():
    told("nothing was heard from the server for 1.0 s: connecting to no-such-host-x:7164",
         PADDLE_INIT_PSERVERS="no-such-host-x", FLAGS_rpc_deadline="1000")
    port = free_ports(1)
    told("connecting to 127.0.0.1:%d: connection refused" % port, PADDLE_INIT_PORT=str(port),
         FLAGS_rpc_deadline="1000")
    told("pservers has '127.0.0.1:7164': it names hosts alone",
         PADDLE_INIT_PSERVERS="127.0.0.1:7164")


def test_a_trainer_id_outside_of_the_job_is_named():
    told("trainer_id is 3, and there are 2 trainers (num_gradient_servers), numbered from 0",
         PADDLE_INIT_TRAINER_ID="3", PADDLE_INIT_NUM_GRADIENT_SERVERS="2")


def test_another_number_of_trainers_than_the_servers_is_named(cluster):  # noqa: F811
    port = free_ports(2)
    cluster.run("pserver", [PADDLE, "pserver", "--port=%d" % port, "--num_gradient_servers=3"])
    text = told("trainers", PADDLE_INIT_PORT=str(port), PADDLE_INIT_NUM_GRADIENT_SERVERS="2")
    assert "2" in text and "3" in text


def test_a_job_without_all_trainers_says_whom_it_waits_for(cluster):  # noqa: F811
    port = free_ports(2)
    server = cluster.run("pserver", [PADDLE, "pserver", "--port=%d" % port,
                                     "--num_gradient_servers=2"], FLAGS_ps_join_seconds="2")
    text = told("trainer 1", PADDLE_INIT_PORT=str(port), PADDLE_INIT_NUM_GRADIENT_SERVERS="2")
    assert server.wait(30) != 0 and "trainer 1" in server.text(), text


def test_pass_manual_is_refused_on_servers():
    told("servers do not know the pass; use 'manual'", "--settings",
         '{"learning_rate_schedule": "pass_manual", "learning_rate_args": "1:1.0"}')
