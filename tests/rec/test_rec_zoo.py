"""Models as users of PaddleRec 1.8 wrote them, none of which the package has: from the same
parameters they learn what they learn under real PaddleRec, and judge the same."""
import json
import os

import pytest

import zoo_parity as zoo

with open(os.path.join(zoo.HERE, "zoo_golden.json")) as f:
    GOLDEN = json.load(f)


def test_all_are_recorded():
    assert sorted(GOLDEN) == zoo.NAMES


@pytest.mark.parametrize("name", zoo.NAMES)
def test_a_users_model_gives_what_real_paddlerec_gives(name, tmp_path):
    found = zoo.run(tmp_path, name)
    for runner, wanted in GOLDEN[name].items():
        assert found[runner]["batches"] == wanted["batches"]
        assert found[runner]["names"] == wanted["names"]
        for batch, golden in zip(found[runner]["last"], wanted["last"]):
            assert batch == pytest.approx(golden, rel=1e-3, abs=1e-3)
