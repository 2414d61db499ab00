"""Every model of the package learns from its sample data, alone and on a local cluster.

A model's config.yaml has the runners single_cpu_train, single_cpu_infer and local_ps_train."""
import glob
import os
import re
import shutil

import pytest

import paddlerec
import rec_job as job

ROOT = os.path.join(os.path.dirname(paddlerec.__file__), "models")
MODELS = sorted(os.path.relpath(os.path.dirname(f), ROOT).replace(os.sep, ".")
                for f in glob.glob(os.path.join(ROOT, "*", "*", "config.yaml")))


def losses(said):
    return [float(x) for x in re.findall(r"LOSS=\[?([0-9.e+-]+)", said)]


def test_the_first_models_are_there():
    assert {"rank.dnn", "recall.word2vec"} <= set(MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_a_model_learns_and_is_judged(model, tmp_path):
    status, said = job.run(tmp_path, "-m", "paddlerec.models." + model)
    assert status == 0, said
    found = losses(said)
    assert len(found) > 1 and min(found[1:]) < found[0], found
    assert re.search(r"^Infer .* done, use time: .*global metrics: ", said, re.M), said


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
@pytest.mark.parametrize("model", MODELS)
def test_a_model_trains_on_a_local_cluster(model, mode, tmp_path):
    shutil.copy(os.path.join(ROOT, *model.split("."), "config.yaml"), tmp_path)
    with open(tmp_path / "config.yaml") as f:
        text = re.sub(r"(?m)^mode:.*$", "mode: local_ps_train", f.read())
    (tmp_path / "config.yaml").write_text(text)
    status, said = job.run(tmp_path, runner__local_ps_train__distribute_strategy=mode)
    assert status == 0, said
    found = losses((tmp_path / "logs" / "worker.0").read_text())
    assert len(found) > 1 and min(found[1:]) < found[0], found
