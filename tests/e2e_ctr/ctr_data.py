"""What the tests of the CTR path share: the command, the demo, and small planted data."""
import os
import subprocess
import sys

import numpy as np

import paddle

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(paddle.__file__))))
PADDLE = os.path.join(ROOT, "build", "paddle")
DEMO = os.path.join(ROOT, "demo", "ctr")


def environment(**more):
    """PATH begins with this Python and the command, as in an activated environment."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.path.dirname(PADDLE),
                            os.environ["PATH"]])
    return dict(os.environ, PATH=path, **more)


def paddle_command(*arguments, text=None):
    done = subprocess.run([PADDLE] + [str(a) for a in arguments], input=text, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def planted_lines(rows, seed, ids=40, slots=3):
    """Multi-slot lines "2 d1 d2  1 s1 ..  1 label" whose label a logistic model has drawn."""
    truth = np.random.RandomState(1)
    weights, dense_weights = truth.randn(slots, ids) * 1.5, truth.randn(2)
    rng = np.random.RandomState(seed)
    for _ in range(rows):
        dense, chosen = rng.rand(2), rng.randint(0, ids, slots)
        logit = dense @ dense_weights + sum(weights[i][c] for i, c in enumerate(chosen))
        label = int(rng.rand() < 1 / (1 + np.exp(-logit)))
        yield "2 %.4f %.4f %s 1 %d\n" % (*dense, " ".join("1 %d" % (c + i * ids) for i, c
                                                         in enumerate(chosen)), label)
