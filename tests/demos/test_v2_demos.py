"""The demos of paddle.v2 on one machine: each trains, saves, loads and infers."""
import re

import pytest
from demo_job import typed, workspace


def test_fit_a_line_learns_and_predicts_prices(tmp_path):
    out = typed("python train_v2.py --num_passes=12", workspace(tmp_path, "fit_a_line"))
    costs = [float(c) for c in re.findall(r"Test \d+, Cost ([\d.]+)", out)]
    assert len(costs) == 12 and costs[-1] < costs[0] / 5, out
    pairs = re.findall(r"price +([\d.]+), predicted +([-\d.]+)", out)
    assert len(pairs) == 5
    assert all(abs(float(price) - float(guess)) < 8 for price, guess in pairs), out


@pytest.mark.parametrize("net", ["softmax", "mlp", "conv"])
def test_recognize_digits_tells_them_apart(tmp_path, net):
    out = typed("python train_v2.py --net=%s --num_passes=2 --samples=%d" % (
        net, 640 if net == "conv" else 3000), workspace(tmp_path, "recognize_digits"))
    errors = re.findall(r"Test with Pass \d, Cost [\d.]+, .*'classification_error\w*': ([\d.]+)",
                        out)
    assert len(errors) == 2 and float(errors[-1]) < 0.1, out
    digits, guesses = (re.search(r"%s +([\d ]+)$" % word, out, re.MULTILINE).group(1).split()
                       for word in ("digits", "predicted"))
    assert sum(d == g for d, g in zip(digits, guesses)) >= 8, out


@pytest.mark.parametrize("net", ["conv", "lstm"])
def test_sentiment_tells_praise_from_blame(tmp_path, net):
    out = typed("python train_v2.py --net=%s --num_passes=3 --samples=500 --batch_size=20 --width=32"
                % net, workspace(tmp_path, "sentiment"))
    errors = re.findall(r"Test with Pass \d, Cost [\d.]+, .*'classification_error\w*': ([\d.]+)",
                        out)
    assert len(errors) == 3 and float(errors[-1]) < 0.25, out
    answers = re.findall(r"words, (positive|negative); positive with probability ([\d.]+)", out)
    assert len(answers) == 8  # too few to count how many are right: the error of the test set says
    assert len({p for _, p in answers}) > 1, out


def test_recommendation_in_v2_predicts_stars(tmp_path):
    out = typed("python api_train_v2.py --num_passes=1 --width=8",
                workspace(tmp_path, "recommendation"), seconds=400)
    assert float(re.search(r"Pass 0, .*: off by ([\d.]+) stars", out).group(1)) < 1.2, out
    assert len(re.findall(r"user \d+, movie \d+: [1-5] stars, predicted [\d.]+", out)) == 5, out
