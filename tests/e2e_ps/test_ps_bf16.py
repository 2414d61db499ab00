"""Trainers that multiply bfloat16, and servers that know nothing of it: gradients and parameters
are float32 between them and in files."""
import numpy as np
import pytest

from cluster import cluster  # noqa: F401
from test_ps_exact import distance
import paddle.fluid as fluid

ROUGH = {"FLAGS_matmul_precision": "bf16_emulated"}
LARGER = {"HALF": "32"}  # batches that gain by it


@pytest.mark.parametrize("style", ["fleet", "transpiler"])
def test_two_trainers_of_bfloat16_come_near_those_of_floats(cluster, style, tmp_path):  # noqa: F811
    """Told by the flag, or by the program: then no server is."""
    common = ["--style", style, "--steps", "30", "--save"]
    cluster.fleet(2, 2, common + ["plain"], env=LARGER).finish()
    cluster.fleet(2, 2, common + ["flag"], env=dict(LARGER, **ROUGH)).finish()
    cluster.fleet(2, 2, common + ["program", "--mixed"], env=LARGER,
                  own={"worker0": ROUGH, "worker1": ROUGH}).finish()
    assert 1e-9 < distance(tmp_path / "plain", tmp_path / "flag") < 5e-3
    (tmp_path / "program" / "loss_scaling_0").unlink()
    assert distance(tmp_path / "flag", tmp_path / "program") == 0
    assert all(value.dtype in ("float32", "int64")
               for value in fluid.load_program_state(str(tmp_path / "flag")).values())


def test_trainers_of_both_kinds_share_servers(cluster):  # noqa: F811
    cluster.fleet(1, 2, ["--steps", "10"], env=LARGER, own={"worker1": ROUGH}).finish()
    first, second = [[float(line.split()[-1]) for line in cluster.named(name).text().splitlines()
                      if line.startswith("step ")] for name in ("worker0", "worker1")]
    assert len(first) == len(second) == 10 and np.isfinite(first + second).all()
