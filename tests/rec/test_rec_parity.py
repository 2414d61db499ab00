"""The same model, data, seed and starting parameters give real PaddleRec's loss and AUC."""
import json
import os

import pytest

import rec_parity as parity

with open(os.path.join(parity.HERE, "parity_golden.json")) as f:
    GOLDEN = json.load(f)


@pytest.mark.parametrize("case", sorted(parity.CASES))
def test_loss_and_auc_are_those_of_real_paddlerec(case, tmp_path):
    found, wanted = parity.run(tmp_path, case), GOLDEN[case]
    assert found["batches"] == wanted["batches"]
    assert abs(found["loss"] - wanted["loss"]) < 1e-3
    if wanted["auc"] is not None:
        assert abs(found["auc"] - wanted["auc"]) < 1e-3
