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

# What the last checkpoint must reach on examples it has not seen, above what chance gives.
WANTED = {
    "contentunderstanding.tagspace": {"PN": 4},
    "contentunderstanding.textcnn": {"Acc(Recall@1)": 0.9},
    "match.dssm": {"Acc(Recall@1)": 0.85},
    "match.multiview-simnet": {"PN": 4},
    "multitask.esmm": {"CTR_AUC": 0.7, "CTCVR_AUC": 0.7},
    "multitask.mmoe": {"income_AUC": 0.8, "married_AUC": 0.8},
    "multitask.share-bottom": {"income_AUC": 0.8, "married_AUC": 0.8},
    "rank.dcn": {"AUC": 0.85},
    "rank.deepfm": {"AUC": 0.7},
    "rank.din": {"AUC": 0.75},
    "rank.fm": {"AUC": 0.7},
    "rank.logistic_regression": {"AUC": 0.7},
    "rank.wide_deep": {"AUC": 0.85},
    "rank.xdeepfm": {"AUC": 0.7},
    "recall.gru4rec": {"Acc(Recall@1)": 0.6},
    "recall.youtube_dnn": {"Acc(Recall@10)": 0.6},
}


def losses(said):
    return [float(x) for x in re.findall(r"LOSS=\[?([0-9.e+-]+)", said)]


def test_the_families_are_there():
    assert {"rank.dnn", "recall.word2vec"} | set(WANTED) <= set(MODELS)


def assert_judged(model, said, slack=0):
    """The metric on unseen examples, of each checkpoint that was judged."""
    judged = re.findall(r"^Infer .* done, use time: .*global metrics: (.*)", said, re.M)
    assert judged, said
    for metric, bar in WANTED.get(model, {}).items():
        shown = [float(re.search(r"(?:^|[ ,])%s=([0-9.]+)" % re.escape(metric), line).group(1))
                 for line in judged]
        assert shown[-1] > bar - slack, (metric, shown)


@pytest.mark.parametrize("model", MODELS)
def test_a_model_learns_and_is_judged(model, tmp_path):
    status, said = job.run(tmp_path, "-m", "paddlerec.models." + model)
    assert status == 0, said
    found = losses(said)
    assert len(found) > 1 and min(found[1:]) < found[0], found
    assert_judged(model, said)


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
@pytest.mark.parametrize("model", MODELS)
def test_a_model_trains_on_a_local_cluster(model, mode, tmp_path):
    shutil.copy(os.path.join(ROOT, *model.split("."), "config.yaml"), tmp_path)
    with open(tmp_path / "config.yaml") as f:
        runners = "[local_ps_train, single_cpu_infer]" if model in WANTED else "local_ps_train"
        text = re.sub(r"(?m)^mode:.*$", "mode: " + runners, f.read())
    (tmp_path / "config.yaml").write_text(text)
    status, said = job.run(tmp_path, runner__local_ps_train__distribute_strategy=mode)
    assert status == 0, said
    if model in WANTED:  # with some slack: workers do not see each other's last batches
        assert_judged(model, said, slack=0.05)
    found = losses((tmp_path / "logs" / "worker.0").read_text())
    assert len(found) > 1 and min(found[1:]) < found[0], found
