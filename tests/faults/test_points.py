"""At every fault point of the sources, in a job: a process is killed there, or what it does there
fails. The job ends, everywhere, and says why, or goes on to the right result."""
import os
import signal
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "e2e_ps")]
from cluster import cluster, launch_ps  # noqa: E402,F401
from points import points  # noqa: E402
from test_network import LEDGER, expected  # noqa: E402

ENDS_WITHIN = 60  # seconds
STEPS = 12

# Where a plain sync job does not come by a point, the first words that fit it say which job does:
# mode, at which pass it strikes, and more of the environment. None: a test of its own is there.
SCENARIOS = [
    ("ps.lease", None),  # tests/faults/test_elastic.py: data that is dealt
    ("lease.", None),
    ("file.", None),  # tests/python/test_io_faults.py, tests/save/test_save.c: they kill saves
    ("dir.", None),
    ("ps.disk.", None),  # below
    ("snapshot.", None),  # tests/faults/test_journal.py, as the next
    ("journal.cut", None),
    ("journal.forget", None),
    ("journal.", ("sync", 1, {"FLAGS_ps_journal": "always", "FLAGS_ps_journal_dir": "journal"})),
    ("front.", ("sync", 1, {"FLAGS_ps_journal": "always", "FLAGS_ps_journal_dir": "journal"})),
    ("leave.", ("sync", 1, {})),
    ("geo.", ("geo", 1, {})),
    ("ps.apply", ("async", 3, {})),
    ("ps.applied", ("async", 3, {})),
    ("ps.slab", ("sync", 1, {})),
    ("ps.disk.", None),  # tests/ps/test_memory.c: more rows than this job has
    ("ps.reduce", ("sync", 1, {})),
    ("listen.accept", ("sync", 1, {"FLAGS_rpc_transport": "tcp"})),
    ("shm.open", ("sync", 1, {})),
    ("stream.flip", ("sync", 20, {"FLAGS_rpc_transport": "tcp"})),
    ("stream.", ("sync", 40, {})),
    ("rpc.", ("sync", 12, {})),
    ("", ("sync", 3, {})),
]


def scenario(point):
    return [what for begins, what in SCENARIOS if point.startswith(begins)][0]


OF_JOBS = [point for point in points() if scenario(point) is not None]


def start(cluster, point, action):  # noqa: F811
    """Both servers have the point where it is theirs; else a server and a worker."""
    mode, number, env = scenario(point)
    victims = ("server0", "server1" if point.startswith("ps.") else "worker1")
    fault = {"RG_FAULT": "%s:%d:%s" % (point, number, action)}
    cluster.fleet(2, 2, ["--mode", mode, "--steps", str(STEPS), "--meet", "4"], script=LEDGER,
                  env=dict(env, FLAGS_rpc_lease_ms="2000", FLAGS_ps_join_seconds="8",
                           FLAGS_rpc_deadline="6000"),
                  own={name: fault for name in victims})
    return mode


def wait(cluster):  # noqa: F811
    """Until all have ended, and nobody later than promised."""
    end = time.monotonic() + ENDS_WITHIN
    for process in cluster.processes:
        try:
            process.wait(max(0.1, end - time.monotonic()))
        except Exception:
            raise AssertionError("%s still runs:\n%s" % (process.name, cluster.logs()))
    return {process.name: process.status for process in cluster.processes}


@pytest.mark.parametrize("point", OF_JOBS)
def test_a_process_is_killed_there(cluster, point):  # noqa: F811
    mode = start(cluster, point, "kill")
    ends = wait(cluster)
    killed = [name for name, status in ends.items() if status == -signal.SIGKILL]
    assert killed, "no process of this job passes %s: give it a line in SCENARIOS" % point
    servers = cluster.named("server0").env["PADDLE_PSERVERS_IP_PORT_LIST"].split(",")
    for name, status in ends.items():
        text = cluster.named(name).text()
        if name in killed:
            continue
        if status == 0:  # it was done before the other died
            assert "worker" not in name or "ledger" in text, cluster.logs()
        else:
            assert "trainer 1" in text or any(server in text for server in servers), (
                mode, cluster.logs())


@pytest.mark.skipif(os.environ.get("REGATTA_FULL") != "1", reason="takes long: make test-full")
@pytest.mark.parametrize("point", [point for point in OF_JOBS if point in points(played=True)])
def test_something_fails_there(cluster, point):  # noqa: F811
    """A connection breaks, memory is short: the result is right, or the job ends and says why."""
    mode = start(cluster, point, "enomem")
    ends = wait(cluster)
    assert all(status >= 0 for status in ends.values()), cluster.logs()  # nobody crashes
    if all(status == 0 for status in ends.values()):
        for name in ("worker0", "worker1"):
            line = [each for each in cluster.named(name).text().splitlines()
                    if each.startswith("ledger ")][-1]
            assert [float(x) for x in line.split()[1:]] == expected(mode, STEPS, 2), line
    else:
        assert "memory" in cluster.logs(), cluster.logs()


@pytest.mark.parametrize("action", ["kill", "eio"])
@pytest.mark.parametrize("point", [p for p in points() if p.startswith("ps.disk.")])
def test_rows_on_disk_cannot_be_had(tmp_path, point, action):
    """Tables that are larger than their memory: the job ends with a card."""
    script = os.path.join(os.path.dirname(HERE), "memory", "memory_script.py")
    done = launch_ps(tmp_path, ["--table_memory", "1M", "--table_disk", "rows", script, "--each",
                                "3000", "--steps", "12", "--rows", "30000"],
                     timeout=ENDS_WITHIN, RG_FAULT="%s:1:%s" % (point, action), FLAGS_ps_loops="1")
    assert done.returncode != 0, "nobody passes %s" % point
    assert "the job failed" in done.stdout, done.stdout
    assert action == "eio" or "killed" in done.stdout, done.stdout


def test_the_points_are_found():
    assert {"rpc.request", "rpc.reply", "ps.step", "ps.apply", "stream.read", "stream.write",
            "file.write", "file.sync", "file.rename"} <= set(points())
