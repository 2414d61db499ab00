"""Rows of the next batch, asked for while one is computed: exactly one step older in async mode,
never in sync mode, and the same in evaluation."""
import os
import random
import re

import numpy as np
import pytest

import paddle.fluid as fluid
from cluster import cluster  # noqa: F401

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prefetch_script.py")
ROWS, WIDTH, RATE = 7, 3, 0.05


def train(lines, delay):
    """SGD, with rows as they were `delay` steps ago."""
    table = np.full((ROWS, WIDTH), 0.5, "float64")
    pushes = []
    for row, label in lines:
        seen = table.copy()
        for before, grad in pushes[len(pushes) - delay:]:
            seen[before] += RATE * grad  # not yet there
        grad = 2 * (seen[row].sum() - label) * np.ones(WIDTH)
        table[row] -= RATE * grad
        pushes.append((row, grad))
    return table


@pytest.fixture
def lines(tmp_path):
    draw = random.Random(5)
    made = [(draw.randrange(ROWS), round(draw.uniform(-1, 1), 3)) for _ in range(60)]
    (tmp_path / "lines.txt").write_text("".join("1 %d 1 %g\n" % line for line in made))
    return made


@pytest.mark.parametrize("mode, kind, flag, delay", [
    ("async", "InMemoryDataset", "1", 1),
    ("async", "InMemoryDataset", "0", 0),
    ("async", "QueueDataset", "0", 0),
    ("sync", "InMemoryDataset", "1", 0)])
def test_how_old_rows_are(cluster, lines, tmp_path, mode, kind, flag, delay):  # noqa: F811
    cluster.fleet(2, 1, [mode, kind], script=SCRIPT, env={"FLAGS_ps_prefetch": flag}).finish()
    got = fluid.load_program_state(str(tmp_path / "saved"))["table"]
    wanted = train(lines, delay)
    assert np.allclose(got, wanted, atol=1e-5)
    assert not np.allclose(got, train(lines, 1 - delay), atol=1e-3)
    # Evaluation always reads ahead, and nothing moves meanwhile.
    shown = [float(x) for x in re.findall(r"data: \[([-0-9.e+]+)\]",
                                          cluster.named("worker0").text())]
    assert np.allclose(shown, [(wanted[row].sum() - label) ** 2 for row, label in lines],
                       rtol=1e-3, atol=1e-4)
