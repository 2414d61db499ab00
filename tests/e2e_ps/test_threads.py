"""Threads of a trainer (CompiledProgram.with_data_parallel, CPU_NUM) train what real Paddle 1.8.5
trains with them, in every mode; golden/threads.json is from it (record_threads.py)."""
import json
import os

import numpy as np
import pytest

from cluster import HERE, Cluster, cluster  # noqa: F401
from test_ps_exact import alone, distance

SCRIPT = os.path.join(HERE, "threads_script.py")
BATCHES = 20

with open(os.path.join(HERE, "golden", "threads.json")) as file:
    GOLDEN = json.load(file)


def train(one, mode, threads, folder, workers=1):
    one.fleet(1, workers, [mode, str(folder)], script=SCRIPT, env={"CPU_NUM": str(threads)})
    one.finish()
    worker = one.named("worker0").text()
    return json.loads([line for line in worker.splitlines() if line.startswith("{")][0])["loss"]


def saved(folder):
    return np.fromfile(str(folder / "w"), "float32")[-1]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("mode", ["sync", "half_async", "async", "geo"])
def test_threads_train_as_in_paddle(cluster, mode, threads, tmp_path):  # noqa: F811
    wanted = GOLDEN["%s %d" % (mode, threads)]
    loss = train(cluster, mode, threads, tmp_path / "end")
    end = saved(tmp_path / "end")
    if mode == "async":  # every batch counts in full; the oracle saves what it pulled last
        assert end == pytest.approx(-BATCHES, abs=1e-3)
        assert -BATCHES <= wanted["w"] < -0.75 * BATCHES
    else:
        assert end == pytest.approx(wanted["w"], abs=1e-3)
    # A step is a batch of each thread, the last ones of fewer; the first thread's is fetched.
    assert len(loss) == -(-BATCHES // threads) and {len(step) for step in loss} == {1}
    if mode != "async":
        shown = min(len(loss), len(wanted["loss"]))  # the oracle's first thread may have had fewer
        np.testing.assert_allclose(loss[:shown], wanted["loss"][:shown], atol=1e-3)


@pytest.mark.parametrize("mode, wanted", [("sync", -10), ("half_async", -10), ("geo", -20)])
def test_threads_of_train_from_dataset_too(cluster, mode, wanted, tmp_path):  # noqa: F811
    # The numbers are Paddle's, by the same script.
    cluster.fleet(1, 1, [mode, str(tmp_path / "end")], script=SCRIPT,
                  env={"CPU_NUM": "2", "DATASET": "1"}).finish()
    assert saved(tmp_path / "end") == pytest.approx(wanted, abs=1e-3)


def test_two_trainers_of_two_threads_are_one_sender_each(cluster, tmp_path):  # noqa: F811
    train(cluster, "sync", 2, tmp_path / "end", workers=2)
    assert saved(tmp_path / "end") == pytest.approx(-10, abs=1e-4)


def test_runs_on_two_threads_give_the_same_bits_and_what_one_process_trains(tmp_path):
    ends = []
    alone(tmp_path, "--steps", "20", "--save", "one")
    for run in range(3):
        folder = tmp_path / str(run)
        folder.mkdir()
        one = Cluster(folder)
        try:
            one.fleet(2, 2, ["--steps", "20", "--threads", "2", "--save", "end"]).finish()
        finally:
            one.close()
        assert distance(tmp_path / "one", folder / "end") < 1e-6
        names = sorted(os.listdir(str(folder / "end")))
        ends.append({name: (folder / "end" / name).read_bytes() for name in names})
    assert ends[0] and all(end == ends[0] for end in ends)
