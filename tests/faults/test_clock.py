"""Wall clocks that jump by a day, and hosts that were started at another time: leases and deadlines
are on monotonic time, of each process by itself."""
import os
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "e2e_ps")]
from cluster import Cluster, cluster  # noqa: E402,F401
from test_network import LEDGER, expected  # noqa: E402

LEASE = {"FLAGS_rpc_lease_ms": "3000", "FLAGS_rpc_deadline": "10000"}
ARGUMENTS = ["--steps", "60", "--pause", "0.02", "--meet", "20"]


def ledger(cluster):  # noqa: F811
    cluster.finish(60)
    line = [each for each in cluster.named("worker0").text().splitlines()
            if each.startswith("ledger ")][-1]
    assert "no heartbeat" not in cluster.logs()
    return [float(x) for x in line.split()[1:]]


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    made = str(tmp_path_factory.mktemp("shim") / "clock_shim.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", made, os.path.join(HERE, "clock_shim.c"),
                    "-ldl"], check=True)
    return made


@pytest.mark.promise(21)
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer is preloaded")
def test_wall_clocks_jump(cluster, shim):  # noqa: F811
    shown = subprocess.run([sys.executable, "-c", "import time; print(time.time() - time.time())"],
                           env=dict(os.environ, LD_PRELOAD=shim), stdout=subprocess.PIPE, text=True)
    assert abs(float(shown.stdout)) > 86400  # they do
    cluster.fleet(1, 2, ARGUMENTS, script=LEDGER, env=dict(LEASE, LD_PRELOAD=shim))
    assert ledger(cluster) == expected("sync", 60, 2)


@pytest.mark.promise(21)
def test_monotonic_time_begins_elsewhere(tmp_path):
    """A server whose host runs for a day longer, and a worker whose host was just started."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("time namespaces are made by root, with unshare (Debian: util-linux)")

    class Shifted(Cluster):
        def start(self, name, arguments, under=(), **env):
            shift = {"server0": "86400", "worker1": "-1"}.get(name)
            if shift == "-1":  # as near to its start as it goes
                with open("/proc/uptime") as uptime:
                    shift = "-%d" % (float(uptime.read().split()[0]) - 5)
            if shift:
                under = ["unshare", "-T", "--monotonic", shift, "--boottime", shift, "--fork"]
            return Cluster.start(self, name, arguments, under, **env)

    cluster = Shifted(tmp_path)  # noqa: F811
    try:
        cluster.fleet(1, 2, ARGUMENTS, script=LEDGER, env=LEASE)
        assert ledger(cluster) == expected("sync", 60, 2)
    finally:
        cluster.close()
