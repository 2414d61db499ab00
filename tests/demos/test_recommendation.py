"""demo/recommendation: from raw ratings to a prediction, with the commands of its scripts."""
import os
import re

import pytest
from demo_job import typed, workspace

WORKSPACE = """common_utils.py data/config.json data/config_generator.py data/meta.bin
data/meta_config.json data/meta_generator.py data/ml-1m data/ml_data.sh data/ratings.dat.test
data/ratings.dat.train data/split.py data/test.list data/train.list dataprovider.py evaluate.sh
prediction.py preprocess.sh requirements.txt run.sh trainer_config.py""".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = workspace(tmp_path_factory.mktemp("demo"), "recommendation")
    out = typed("./preprocess.sh", folder, MAX_RATINGS="6000")
    steps = ["generate meta config file", "generate meta file", "split train/test file",
             "shuffle train file"]
    assert [line for line in out.splitlines() if line in steps] == steps, out
    return folder


def test_preprocess_makes_the_workspace(folder):
    assert [name for name in WORKSPACE if not os.path.exists(os.path.join(folder, name))] == []
    counts = {}
    for kind in ("train", "test"):
        with open(os.path.join(folder, "data", kind + ".list")) as f:
            path, = f.read().split()
        assert path == "./data/ratings.dat." + kind
        with open(os.path.join(folder, path)) as f:
            counts[kind] = len(f.readlines())
    assert counts == {"train": 5400, "test": 600}


def test_train_evaluate_predict(folder):
    out = typed("./run.sh --num_passes=3 --trainer_count=1 "
                "--config_args=width=32,batch_size=200", folder)
    with open(os.path.join(folder, "log.txt")) as f:
        assert f.read() == out
    costs = [float(c) for c in re.findall(r" Test samples=600 cost=([\d.e+-]+) Eval:", out)]
    assert len(costs) == 3, out
    for number in range(3):
        assert os.path.exists(os.path.join(folder, "output", "pass-%05d" % number, "done"))
    best = "pass-%05d" % costs.index(min(costs))
    said = typed("./evaluate.sh", folder)
    assert said == ("Best pass is %s, error is %s, which means predict get error as %f\n"
                    "evaluating from pass output/%s\n"
                    % (best[5:], min(costs), min(costs) ** 0.5 / 2, best)), said
    answers = typed("python prediction.py --config_args=width=32 output/" + best, folder,
                    stdin="9\n4\n0\n100\n7\n")
    scores = re.findall(r"Input movie_id: Input user_id: Prediction Score is ([\d.]+)", answers)
    assert "there is no such number" in answers  # 0
    assert len(scores) == 2 and all(0 <= float(s) <= 5 for s in scores), answers


def test_evaluate_reads_only_passes_that_were_saved(tmp_path):
    folder = workspace(tmp_path, "recommendation")
    head = "I1115 22:00:00.000000  7 Tester.cpp:115] "
    log = "".join(head + line + "\n" for line in [
        " Test samples=10 cost=3.25 Eval: ", "Saving parameters to ./output/pass-00000",
        " Test samples=10 cost=1 Eval: ", "Saving parameters to ./output/pass-00001",
        " Test samples=10 cost=nan Eval: ", "Saving parameters to ./output/pass-00002",
        " Test samples=10 cost=0.5 Eval: "])  # interrupted before it was saved
    with open(os.path.join(folder, "log.txt"), "w") as f:
        f.write(log)
    assert typed("./evaluate.sh", folder) == (
        "Best pass is 00001, error is 1.0, which means predict get error as 0.500000\n"
        "evaluating from pass output/pass-00001\n")
    typed(": > log.txt", folder)
    assert "did a pass end?" in typed("./evaluate.sh", folder, fails=True)


def test_a_missing_step_is_said(tmp_path):
    folder = workspace(tmp_path, "recommendation")
    assert "run ./preprocess.sh first" in typed("./run.sh", folder, fails=True)


def test_a_bad_line_is_named(folder):
    typed("cp -r . ../bad && cd ../bad && echo '1::999999::3::0' >> data/ratings.dat.train", folder)
    out = typed("./run.sh --num_passes=1 --trainer_count=1 --config_args=width=8",
                os.path.join(os.path.dirname(folder), "bad"), fails=True)
    assert "ratings.dat.train:5401" in out and "1::999999::3::0" in out, out
