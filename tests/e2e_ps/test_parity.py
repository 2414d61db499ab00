"""Two servers and two workers in sync mode make what real Paddle 1.8.5 makes of the same script
from the same parameters (golden/parity.npz, which record_parity.py records)."""
import os
import subprocess
import sys

import numpy as np
import pytest

from cluster import HERE, clean_env, cluster  # noqa: F401

sys.path.insert(0, HERE)
import parity_script  # noqa: E402

SCRIPT = os.path.join(HERE, "parity_script.py")


def apart(a, b):
    """||a - b|| / ||b||"""
    return float(np.linalg.norm(np.asarray(a, "f8") - b) / np.linalg.norm(np.asarray(b, "f8")))


@pytest.mark.parametrize("optimizer", sorted(parity_script.RATES))
def test_two_by_two_is_what_paddle_makes(cluster, optimizer, tmp_path):  # noqa: F811
    golden = np.load(os.path.join(HERE, "golden", "parity.npz"))
    start, end = str(tmp_path / "start"), str(tmp_path / "end")
    subprocess.run([sys.executable, SCRIPT, "make", optimizer, start], check=True,
                   env=clean_env())
    cluster.fleet(2, 2, ["job", optimizer, start, end], script=SCRIPT).finish()
    losses = [[float(line.split()[1]) for line in cluster.named("worker%d" % i).text().splitlines()
               if line.startswith("loss ")] for i in range(2)]
    wanted = golden[optimizer + "/losses"]
    assert wanted.shape == (2, parity_script.STEPS) and wanted[:, -1].max() < wanted[:, 0].min()
    np.testing.assert_allclose(losses, wanted, rtol=1e-4)
    found = parity_script.sample(end)
    assert sorted(found) == sorted(parity_script.SHAPES)
    for name, value in found.items():
        assert apart(value, golden["%s/%s" % (optimizer, name)]) < 1e-4, name
        # It has moved, further than that.
        first = parity_script.start_of(name)
        first = first[parity_script.IDS] if name == "table" else first.ravel()[
            ::37 if first.size > 2000 else 1]
        assert apart(first, golden["%s/%s" % (optimizer, name)]) > 1e-3, name
