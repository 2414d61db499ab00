"""The larger cases of large_cases.py, on the CPU, on the emulation (test_emulated.py) and, where
there is one, on a GPU (test_kernels.py)."""
import os
import sys

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "ops")]

from large_cases import cases  # noqa: E402
from opcase import forward  # noqa: E402

CASES = {c.name: c for c in cases()}


def check(c):
    import paddle.fluid as fluid
    found = forward(fluid, c).values
    for slot, wanted in c.expect.items():
        np.testing.assert_allclose(found[slot + "0"], wanted, rtol=c.rtol, atol=c.atol,
                                   err_msg=slot)


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(name):
    check(CASES[name])
