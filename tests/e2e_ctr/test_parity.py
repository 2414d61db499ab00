"""After one epoch on one thread, from the same parameters and in the same order, the AUC and the
parameters are those that Paddle 1.8.5 has recorded."""
import os

import numpy as np
import pytest

import parity_cases

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden", "parity.npz")


@pytest.fixture(scope="module")
def both():
    with np.load(GOLDEN) as golden:
        return parity_cases.run_small(), dict(golden)


# Adam's steps are of one size however small the gradient: roundings grow with the steps.
@pytest.mark.parametrize("optimizer, tolerance", [("sgd", 1e-3), ("adam", 5e-3)])
def test_one_epoch_ends_where_paddle_ends(both, optimizer, tolerance):
    got, wanted = both
    names = [name for name in wanted if name.startswith(optimizer + ".")]
    assert set(names) == {name for name in got if name.startswith(optimizer + ".")}
    assert len(names) == 1 + 3 * 2 + 1
    auc = optimizer + ".auc"
    assert abs(got[auc] - wanted[auc]) < 1e-4 and wanted[auc] > 0.6
    for name in names:
        difference = np.abs(got[name] - wanted[name]).max()
        assert difference <= tolerance * np.abs(wanted[name]).max(), name
