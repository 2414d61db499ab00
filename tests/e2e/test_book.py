"""The models of the book, as user scripts in processes of their own: each trains on generated data
until it has reached its loss, saves an inference model (a file for each variable, and combined),
and another process loads both and gives the same answers."""
import os
import subprocess
import sys

import pytest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")
BOOK = ["fit_a_line", "digits_mlp", "digits_conv", "pictures_resnet",
        "pictures_vgg", "word2vec", "recommender", "sentiment",
        "sentiment_lstm", "semantic_roles", "translate", "translate_lod"]


def run(script, *args, **env):
    done = subprocess.run([sys.executable, os.path.join(SCRIPTS, script + ".py")] + list(args),
                          capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, **env))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", BOOK)
def test_it_learns_and_its_model_answers_the_same_elsewhere(name, tmp_path):
    out = run(name, str(tmp_path))
    assert "pass 0 loss" in out
    assert run("infer", str(tmp_path)) == "largest difference 0\n"
