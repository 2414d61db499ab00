"""Training with every optimizer, clip, regularizer, schedule and average gives what real
Paddle 1.8.5 gives: parameters, states and losses, by name."""
import os
import sys

import numpy as np
import pytest

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
sys.path.insert(0, GOLDEN)
import training_cases  # noqa: E402

NAMES = [case.name for case in training_cases.CASES]
assert len(set(NAMES)) == len(NAMES), "two cases have one name"


@pytest.fixture(scope="module")
def golden():
    with np.load(os.path.join(GOLDEN, "training.npz")) as values:
        return {key: values[key] for key in values.files}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", training_cases.CASES, ids=NAMES)
def test(case, golden):
    import paddle.fluid as fluid
    wanted = {key.split("/", 1)[1]: value for key, value in golden.items()
              if key.split("/", 1)[0] == case.name}
    assert wanted, "not recorded: run tests/python/golden/record_training.py"
    got = training_cases.run(fluid, case)
    assert sorted(got) == sorted(wanted)
    for name, value in wanted.items():
        assert got[name].dtype == value.dtype and got[name].shape == value.shape, name
        np.testing.assert_allclose(got[name], value, rtol=case.tolerance, atol=case.tolerance,
                                   err_msg=name)
