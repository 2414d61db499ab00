"""FLAGS_rpc_payload: fewer bytes, nearly the same model, and the same one each time."""
import filecmp
import os
import re

import pytest

from cluster import cluster, launch_ps, SCRIPT  # noqa: F401
from test_ps_exact import distance

HALF = {"FLAGS_rpc_payload": "fp16"}
BYTES = {"FLAGS_rpc_payload": "int8"}


def traffic(cluster):  # noqa: F811
    """Bytes of each worker of the last job."""
    return [int(re.search(r"traffic: (\d+) bytes", p.text()).group(1))
            for p in cluster.processes[-2:]]


@pytest.mark.parametrize("env, share, optimizer, rate, most", [
    (HALF, 0.55, "SGD", "0.1", 5e-3),
    # Adam's steps are as long for a gradient that is nearly nothing, which is rounded away.
    (HALF, 0.55, "Adam", "0.001", 2e-2),
    # Gradients in a quarter of the bytes, parameters and rows in half of them.
    (BYTES, 0.4, "SGD", "0.1", 5e-3),
    (BYTES, 0.4, "Adam", "0.001", 4e-2)])
def test_fewer_bytes_nearly_the_same_model(cluster, env, share, optimizer, rate, most,  # noqa: F811
                                           tmp_path):
    common = ["--optimizer", optimizer, "--rate", rate, "--steps", "60", "--save"]
    cluster.fleet(2, 2, common + ["whole"]).finish()
    whole = traffic(cluster)
    cluster.fleet(2, 2, common + ["less"], env=env).finish()
    for less, full in zip(traffic(cluster), whole):
        assert less < share * full
    assert 1e-9 < distance(tmp_path / "whole", tmp_path / "less", of_states=most) < most


@pytest.mark.parametrize("env", [HALF, BYTES])
def test_sync_repeats_bit_by_bit(cluster, env, tmp_path):  # noqa: F811
    for name in ("a", "b"):
        cluster.fleet(2, 2, ["--save", name, "--optimizer", "Adam", "--rate", "0.01"],
                      env=env).finish()
    names = sorted(os.listdir(str(tmp_path / "a")))
    assert names == sorted(os.listdir(str(tmp_path / "b")))
    for name in names:
        assert filecmp.cmp(str(tmp_path / "a" / name), str(tmp_path / "b" / name),
                           shallow=False), name


@pytest.mark.parametrize("env", [HALF, BYTES])
@pytest.mark.parametrize("mode", ["async", "half_async"])
def test_without_barriers(cluster, mode, env):  # noqa: F811
    cluster.fleet(2, 2, ["--mode", mode, "--steps", "150", "--rate", "0.02"], env=env).finish()
    losses = [float(x) for x in re.findall(r"step \d+ loss ([0-9.]+)", cluster.named("worker0")
                                           .text())]
    assert sum(losses[-10:]) < sum(losses[:10])


@pytest.mark.parametrize("one, two, share", [({}, HALF, 0.6), ({}, BYTES, 0.45),
                                             (HALF, BYTES, 0.85)])
def test_workers_may_differ(cluster, one, two, share, tmp_path):  # noqa: F811
    """Each request says what it is in, so a server answers all kinds."""
    common = ["--steps", "30", "--save"]
    cluster.fleet(2, 2, common + ["whole"]).finish()
    cluster.fleet(2, 2, common + ["mixed"], own={"worker0": one, "worker1": two}).finish()
    first, second = traffic(cluster)
    assert second < share * first
    assert distance(tmp_path / "whole", tmp_path / "mixed") < 5e-3


@pytest.mark.parametrize("mode, value, wanted", [
    ("sync", "int4", "FLAGS_rpc_payload is 'int4', and must be fp32, fp16 or int8"),
    ("geo", "fp16", "FLAGS_rpc_payload=fp16 is not for geo"),
    ("geo", "int8", "FLAGS_rpc_payload=int8 is not for geo")])
def test_what_cannot_be_had_is_refused_by_name(tmp_path, mode, value, wanted):
    done = launch_ps(tmp_path, [SCRIPT, "--mode", mode], FLAGS_rpc_payload=value)
    assert done.returncode != 0 and wanted in done.stdout, done.stdout
