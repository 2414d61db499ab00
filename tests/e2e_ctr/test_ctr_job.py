"""The quick start's single-machine job, from raw logs to models that are loaded again, here and,
where REGATTA_PADDLE_185 names its Python, by Paddle 1.8.5."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from ctr_data import DEMO, HERE, environment, paddle_command

ROWS, PARTS, BUCKETS = 4000, 10, 20011


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """The folder where the job has run, and what it said."""
    folder = tmp_path_factory.mktemp("job")
    (folder / "raw_data").mkdir()
    for part in range(PARTS):
        paddle_command("gen-criteo", "--rows", ROWS, "--seed", 10 + part, "--out",
                       folder / "raw_data" / ("part-%d" % part))
    shutil.copy(os.path.join(DEMO, "criteo_reader.py"), folder)
    shutil.copy(os.path.join(HERE, "local_job.py"), folder)
    with open(os.path.join(DEMO, "ctr_dnn_model_dataset.py")) as model:
        text = model.read().replace("Uniform(-0.05, 0.05)", "Uniform()")
    (folder / "ctr_dnn_model_dataset.py").write_text(text)  # 1e-4 learns little from small ids
    done = subprocess.run([sys.executable, "local_job.py", "--sparse_feature_dim", str(BUCKETS)],
                          cwd=folder, env=environment(), capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    held_out = folder / "held_out"
    raw = paddle_command("gen-criteo", "--rows", 5000, "--seed", 99)
    held_out.write_text(paddle_command("criteo", "--hash", BUCKETS, text=raw))
    return folder, done, held_out


def evaluate(python, folder, epoch, text):
    done = subprocess.run([python, os.path.join(HERE, "evaluate.py"),
                           str(folder / "models" / ("epoch%d.model" % epoch)), str(text)],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_job_says_how_it_goes(job):
    folder, done, _ = job
    assert "epoch1 finished" in done.stderr and "epoch2 finished" in done.stderr
    seen = [float(x) for x in re.findall(r"^auc\t.*?data: \[([0-9.]+)\]", done.stdout,
                                         re.MULTILINE | re.DOTALL)]
    assert len(seen) == 2  # the first of 320 batches, each time: 100 are those of one thread
    for epoch in done.stderr.split("epoch2 finished")[0].split("epoch1 finished"):
        assert re.findall(r"([0-9.]+)k examples \[", epoch)[-1] == "32.0"  # 8 of 10 files


def test_the_second_epoch_is_better_and_both_better_than_chance(job):
    folder, _, text = job
    first, second = [evaluate(sys.executable, folder, epoch, text) for epoch in (1, 2)]
    assert second["examples"] == 5000
    assert 0.52 < first["auc"] < second["auc"]
    assert second["loss"] < first["loss"] < 0.72


def test_infer_from_dataset_agrees_with_run(job):
    folder, _, text = job
    code = ("import sys; sys.path.insert(0, %r)\nimport infer\n"
            "import train\ntrain.pipe_command = infer.pipe_command = lambda *a: 'cat'\n"
            "print(infer.infer(%r, [%r], thread_num=3))"
            % (DEMO, str(folder / "models" / "epoch2.model"), str(text)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env=environment())
    assert done.returncode == 0, done.stderr
    auc, examples = json.loads(done.stdout.replace("(", "[").replace(")", "]"))
    assert examples == 5000
    assert abs(auc - evaluate(sys.executable, folder, 2, text)["auc"]) < 1e-6


@pytest.mark.skipif("REGATTA_PADDLE_185" not in os.environ,
                    reason="REGATTA_PADDLE_185 names no Python with Paddle 1.8.5")
def test_paddle_185_evaluates_the_models_to_the_same_auc(job):
    folder, _, text = job
    for epoch in 1, 2:
        ours = evaluate(sys.executable, folder, epoch, text)
        theirs = evaluate(os.environ["REGATTA_PADDLE_185"], folder, epoch, text)
        print(epoch, ours, theirs)
        assert abs(ours["auc"] - theirs["auc"]) < 1e-5
        assert abs(ours["loss"] - theirs["loss"]) < 1e-5
