"""FLAGS_rpc_payload=fp16: half the bytes, nearly the same model, and the same one each time."""
import filecmp
import os
import re

import pytest

from cluster import cluster, launch_ps, SCRIPT  # noqa: F401
from test_ps_exact import distance

HALF = {"FLAGS_rpc_payload": "fp16"}


def traffic(cluster):  # noqa: F811
    """Bytes of each worker of the last job."""
    return [int(re.search(r"traffic: (\d+) bytes", p.text()).group(1))
            for p in cluster.processes[-2:]]


@pytest.mark.parametrize("optimizer, rate", [("SGD", "0.1"), ("Adam", "0.001")])
def test_half_the_bytes_nearly_the_same_model(cluster, optimizer, rate, tmp_path):  # noqa: F811
    common = ["--optimizer", optimizer, "--rate", rate, "--steps", "60", "--save"]
    cluster.fleet(2, 2, common + ["whole"]).finish()
    whole = traffic(cluster)
    cluster.fleet(2, 2, common + ["half"], env=HALF).finish()
    for half, full in zip(traffic(cluster), whole):
        assert half < 0.55 * full
    # Adam's steps are as long for a gradient that is nearly nothing, which halves round away.
    apart = distance(tmp_path / "whole", tmp_path / "half", of_states=2e-2)
    assert 1e-9 < apart < (5e-3 if optimizer == "SGD" else 2e-2)


def test_sync_repeats_bit_by_bit(cluster, tmp_path):  # noqa: F811
    for name in ("a", "b"):
        cluster.fleet(2, 2, ["--save", name, "--optimizer", "Adam", "--rate", "0.01"],
                      env=HALF).finish()
    names = sorted(os.listdir(str(tmp_path / "a")))
    assert names == sorted(os.listdir(str(tmp_path / "b")))
    for name in names:
        assert filecmp.cmp(str(tmp_path / "a" / name), str(tmp_path / "b" / name),
                           shallow=False), name


@pytest.mark.parametrize("mode", ["async", "half_async"])
def test_without_barriers(cluster, mode):  # noqa: F811
    cluster.fleet(2, 2, ["--mode", mode, "--steps", "150", "--rate", "0.02"], env=HALF).finish()
    losses = [float(x) for x in re.findall(r"step \d+ loss ([0-9.]+)", cluster.named("worker0")
                                           .text())]
    assert sum(losses[-10:]) < sum(losses[:10])


def test_workers_may_differ(cluster, tmp_path):  # noqa: F811
    """Each request says what it is in, so a server answers both kinds."""
    common = ["--steps", "30", "--save"]
    cluster.fleet(2, 2, common + ["whole"]).finish()
    cluster.fleet(2, 2, common + ["mixed"], own={"worker1": HALF}).finish()
    one, two = traffic(cluster)
    assert two < 0.6 * one
    assert distance(tmp_path / "whole", tmp_path / "mixed") < 5e-3


@pytest.mark.parametrize("mode, value, wanted", [
    ("sync", "int4", "FLAGS_rpc_payload is 'int4', and must be fp32 or fp16"),
    ("geo", "fp16", "FLAGS_rpc_payload=fp16 is not for geo")])
def test_what_cannot_be_had_is_refused_by_name(tmp_path, mode, value, wanted):
    done = launch_ps(tmp_path, [SCRIPT, "--mode", mode], FLAGS_rpc_payload=value)
    assert done.returncode != 0 and wanted in done.stdout, done.stdout
