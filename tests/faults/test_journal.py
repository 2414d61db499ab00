"""A server that has a journal is killed and started again: the job goes on to the same end."""
import filecmp
import os
import signal
import struct
import subprocess
import sys
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "e2e_ps"))
from cluster import SCRIPT, clean_env, cluster, free_endpoints  # noqa: E402,F401

HERE = os.path.dirname(os.path.abspath(__file__))
LEDGER = os.path.join(HERE, "ledger_script.py")
# Where a server dies: nothing is written yet, it is written and not applied, it is applied and not
# answered.
POINTS = ["rpc.request", "journal.appended", "rpc.reply"]


def journal(tmp_path, mode="everysec", **more):
    return dict({"FLAGS_ps_journal": mode, "FLAGS_ps_journal_dir": str(tmp_path / "journal"),
                 "FLAGS_ps_return_seconds": "30"}, **more)


def come_back(cluster, *names):  # noqa: F811
    """They die by themselves, and are started again as they were, but for the fault."""
    left, end = list(names), time.monotonic() + 60
    while left:
        for name in [n for n in left if cluster.named(n).status is not None]:
            assert cluster.named(name).status == -signal.SIGKILL, cluster.named(name).text()
            start_again(cluster, name)
            left.remove(name)
        assert time.monotonic() < end, cluster.logs()
        time.sleep(0.02)


def start_again(cluster, name):  # noqa: F811
    process = cluster.named(name)
    cluster.processes.remove(process)
    process.env.pop("RG_FAULT", None)
    cluster.processes.append(process)
    again = cluster.again(name)
    cluster.processes.remove(process)
    return again


def kill(cluster, *names):  # noqa: F811
    for name in names:
        cluster.named(name).signal(signal.SIGKILL)
    for name in names:
        assert cluster.named(name).wait(10) == -signal.SIGKILL
    return [start_again(cluster, name) for name in names]


SYNCED = 0x7ffffff0  # a record that says: those below a number have reached the disk


def forget_unsynced(folder):
    """What a power cut would: the last segment ends where it was flushed last, and nothing stands in
    front of it. How many records went."""
    name = os.path.join(str(folder), max(n for n in os.listdir(str(folder))
                                         if n.startswith("journal-") and n != "journal-front"))
    with open(name, "rb") as file:
        data = file.read()
    data = with_front(os.path.join(str(folder), "journal-front"), name, data)
    at, synced, records = 32, 0, []
    while at + 24 <= len(data):
        _, kind, number, n = struct.unpack("<IIQQ", data[at:at + 24])
        if kind == SYNCED:
            synced, = struct.unpack("<Q", data[at + 24:at + 32])
        else:
            records.append((number, at))
        at += 24 + (n + 7) // 8 * 8
    lost = [offset for number, offset in records if number >= synced]
    if lost and lost[0] < os.path.getsize(name):
        with open(name, "r+b") as file:
            file.truncate(lost[0])
    return len(lost)


def with_front(path, name, data):
    """The bytes of a segment with those that stand in front of it (src/sys/front.h), which goes."""
    if not os.path.exists(path):
        return data
    with open(path, "rb") as file:
        front = file.read()
    os.remove(path)
    magic, _, first, written, end = struct.unpack("<8sQQQQ", front[:40])
    if magic != b"RGFRONT1" or first != int(name.rpartition("-")[2], 16):
        return data
    ring, at = front[4096:], written % (len(front) - 4096)
    return data[:written] + (ring[at:] + ring[:at])[:end - written]


def switch_off(cluster, tmp_path, *names):  # noqa: F811
    """They lose their power, and come back. How many records they have lost."""
    lost = 0
    for name in names:
        cluster.named(name).signal(signal.SIGKILL)
    for name in names:
        assert cluster.named(name).wait(10) == -signal.SIGKILL
        lost += forget_unsynced(tmp_path / "journal" / name.split("-")[0].replace("server",
                                                                                  "server-"))
    for name in names:
        start_again(cluster, name)
    return lost


def same(one, other):
    names = sorted(os.listdir(str(one)))
    assert names == sorted(os.listdir(str(other))) and names
    for name in names:
        assert filecmp.cmp(str(one / name), str(other / name), shallow=False), name


# ---- sync: not a bit is another ----

SYNC = ["--steps", "24", "--pause", "0.01"]


def calm(cluster, tmp_path, arguments, env=None):  # noqa: F811
    cluster.fleet(2, 2, arguments + ["--save", "calm"], env=env).finish()
    del cluster.processes[:]


@pytest.mark.promise(4)
@pytest.mark.parametrize("optimizer, more", [
    ("SGD", {}), ("Momentum", {"FLAGS_ps_loops": "3"}), ("Adam", {"FLAGS_ps_journal": "always"})])
def test_sync_is_exact_whenever_a_server_is_killed(cluster, tmp_path, optimizer, more):  # noqa: F811
    arguments = SYNC + ["--optimizer", optimizer]
    calm(cluster, tmp_path, arguments)
    own = {"server%d" % (i % 2): {"RG_FAULT": "%s:%d:kill" % (point, 9 + 8 * i)}
           for i, point in enumerate(POINTS[:2])}
    cluster.fleet(2, 2, arguments + ["--save", "faults"], env=journal(tmp_path, **more), own=own)
    come_back(cluster, *own)
    cluster.finish()
    same(tmp_path / "calm", tmp_path / "faults")


@pytest.mark.promise(4, 5)
def test_sync_is_exact_when_both_servers_are_killed(cluster, tmp_path):  # noqa: F811
    arguments = SYNC + ["--optimizer", "Adam"]
    calm(cluster, tmp_path, arguments)
    own = {"server0": {"RG_FAULT": "rpc.reply:21:kill"}}
    cluster.fleet(2, 2, arguments + ["--save", "faults"], env=journal(tmp_path), own=own)
    come_back(cluster, "server0")
    cluster.named("worker1").wait_for("step 12 ")
    kill(cluster, "server0-again", "server1")
    cluster.finish()
    same(tmp_path / "calm", tmp_path / "faults")


@pytest.mark.promise(4, 5)
def test_sync_is_exact_when_the_power_goes(cluster, tmp_path):  # noqa: F811
    """What was answered and not flushed is gone: the workers have kept it. Of one server, then of
    both, so that their pushes are lost in different places; little is kept at a time."""
    arguments = ["--steps", "30", "--pause", "0.02", "--optimizer", "Adam"]
    calm(cluster, tmp_path, arguments[:2] + arguments[4:])
    cluster.fleet(2, 2, arguments + ["--save", "faults"],
                  env=journal(tmp_path, FLAGS_ps_push_window_mb="1", FLAGS_ps_loops="2"))
    cluster.named("worker0").wait_for("step 8 ")
    lost = switch_off(cluster, tmp_path, "server1")
    cluster.named("worker1").wait_for("step 18 ")
    lost += switch_off(cluster, tmp_path, "server0", "server1-again")
    cluster.finish()
    same(tmp_path / "calm", tmp_path / "faults")
    assert lost > 0


# ---- the other modes: each push counts once ----

@pytest.mark.promise(4, 5)
@pytest.mark.parametrize("mode, more", [
    ("async", {"FLAGS_ps_push_window_mb": "1"}), ("half_async", {"FLAGS_ps_loops": "2"}),
    ("geo", {}), ("async", {"FLAGS_ps_journal": "always"})])
def test_each_push_counts_once(cluster, tmp_path, mode, more):  # noqa: F811
    """Where a window of 1 MiB holds one push at a time, workers wait for the disk."""
    large = 200000 if "FLAGS_ps_push_window_mb" in more else 0
    steps, workers = 40, 1 if mode == "geo" else 2  # in geo of one alone it is known what comes out
    at = (10, 5) if mode == "geo" else (30, 12)
    own = {"server0": {"RG_FAULT": "rpc.reply:%d:kill" % at[0]},
           "server1": {"RG_FAULT": "journal.appended:%d:kill" % at[1]}}
    cluster.fleet(2, workers, ["--mode", mode, "--steps", str(steps), "--pause", "0.02", "--meet",
                               "15", "--large", str(large)], script=LEDGER, env=journal(tmp_path, **more), own=own)
    come_back(cluster, "server0", "server1")
    cluster.named("worker0").wait_for("step %d" % (steps - 12))
    again = ["server0-again", "server1-again"]
    if "FLAGS_ps_journal" in more:
        kill(cluster, *again)
    else:
        switch_off(cluster, tmp_path, *again)
    cluster.finish()
    lines = [line.split() for p in cluster.processes for line in p.text().splitlines()
             if line.startswith("ledger ")]
    assert len(lines) == workers, cluster.logs()
    for line in lines:
        assert [float(x) for x in line[1:]] == ([-float(steps * workers)] * 4 +
                                                [-float(steps)] * 2 * workers +
                                                [-float(steps * workers)] * (2 if large else 0))


# ---- snapshots ----

full = pytest.mark.full


@pytest.mark.promise(4, 14)
@pytest.mark.parametrize("point, nth", [
    ("journal.cut", 1), pytest.param("journal.begun", 2, marks=full),
    pytest.param("snapshot.rename", 2, marks=full),
    pytest.param("snapshot.begin", 2, marks=full), pytest.param("snapshot.sync", 2, marks=full),
    pytest.param("snapshot.renamed", 3, marks=full), pytest.param("snapshot.drop", 1, marks=full),
    pytest.param("journal.forget", 1, marks=full)])
def test_killed_while_a_snapshot_is_written(cluster, tmp_path, point, nth):  # noqa: F811
    """One every second: those of the second life are read from one of them, or the one before."""
    arguments = ["--steps", "45", "--pause", "0.08", "--optimizer", "Adam"]
    calm(cluster, tmp_path, arguments[:2] + arguments[4:])
    own = {"server1": {"RG_FAULT": "%s:%d:kill" % (point, nth)}}
    cluster.fleet(2, 2, arguments + ["--save", "faults"], own=own,
                  env=journal(tmp_path, FLAGS_ps_snapshot_seconds="1"))
    come_back(cluster, "server1")
    cluster.finish()
    same(tmp_path / "calm", tmp_path / "faults")


def kill_behind_a_snapshot(cluster, tmp_path, name, kind):  # noqa: F811
    """Started again it begins with one whose rows were written a second after they were cut."""
    folder, end = tmp_path / "journal" / name.replace("server", "server-"), time.monotonic() + 60
    while not [n for n in os.listdir(str(folder)) if n.startswith(kind) and
               n != kind + "%016x" % 0 and not n.endswith(".tmp")]:
        assert time.monotonic() < end and cluster.named(name).status is None, cluster.logs()
        time.sleep(0.02)
    kill(cluster, name)


# Rows are not written for a while after the cut: the one dies then, the other gets on with it.
AT_ROWS = {"server0": {"RG_FAULT": "snapshot.rows:2:late"},
           "server1": {"RG_FAULT": "snapshot.rows:2:delay"}}


@pytest.mark.promise(4, 14)
def test_pushes_go_on_while_a_snapshot_is_written(cluster, tmp_path):  # noqa: F811
    """It has what has changed since the first, which has nothing yet."""
    arguments = ["--steps", "50", "--pause", "0.08", "--optimizer", "Adam"]
    calm(cluster, tmp_path, arguments[:2] + arguments[4:])
    cluster.fleet(2, 2, arguments + ["--save", "faults"], own=AT_ROWS,
                  env=journal(tmp_path, FLAGS_ps_snapshot_seconds="1", FLAGS_ps_loops="2",
                              FLAGS_ps_snapshot_deltas="3"))
    come_back(cluster, "server0")
    kill_behind_a_snapshot(cluster, tmp_path, "server1", "delta-")
    cluster.finish()
    same(tmp_path / "calm", tmp_path / "faults")


@pytest.mark.promise(4, 14)
def test_each_push_counts_once_while_a_snapshot_is_written(cluster, tmp_path):  # noqa: F811
    steps = 60
    cluster.fleet(2, 2, ["--mode", "async", "--steps", str(steps), "--pause", "0.08"],
                  script=LEDGER, own=AT_ROWS, env=journal(tmp_path, FLAGS_ps_snapshot_seconds="1"))
    come_back(cluster, "server0")
    kill_behind_a_snapshot(cluster, tmp_path, "server1", "ckpt-")
    cluster.finish()
    lines = [line.split() for p in cluster.processes for line in p.text().splitlines()
             if line.startswith("ledger ")]
    assert len(lines) == 2, cluster.logs()
    for line in lines:
        assert [float(x) for x in line[1:]] == [-float(steps * 2)] * 4 + [-float(steps)] * 4


@pytest.mark.promise(4, 15)
def test_a_damaged_snapshot_is_said_and_the_one_before_counts(cluster, tmp_path):  # noqa: F811
    arguments = ["--steps", "40", "--pause", "0.07", "--optimizer", "Momentum"]
    calm(cluster, tmp_path, arguments[:2] + arguments[4:])
    cluster.fleet(2, 2, arguments + ["--save", "faults"],
                  env=journal(tmp_path, FLAGS_ps_snapshot_seconds="1"))
    cluster.named("worker0").wait_for("step 34 ")
    cluster.named("server1").signal(signal.SIGKILL)
    cluster.named("server1").wait(10)
    folder = tmp_path / "journal" / "server-1"
    # The kill may fall into a third one, which has no name of its own yet.
    taken = sorted(name for name in os.listdir(str(folder))
                   if name.startswith("ckpt-") and not name.endswith(".tmp"))
    assert len(taken) == 2, taken
    with open(str(folder / taken[-1]), "r+b") as file:
        file.seek(500)
        byte = file.read(1)
        file.seek(500)
        file.write(bytes([byte[0] ^ 1]))
    again = start_again(cluster, "server1")
    cluster.finish()
    assert taken[-1] + " is damaged at byte" in again.text(), again.text()
    same(tmp_path / "calm", tmp_path / "faults")


# ---- a disk that takes no more ----

@pytest.mark.promise(13, 17)
@pytest.mark.parametrize("point, action", [("file.append:40", "enospc"), ("front.write:6", "enospc"),
                                           ("file.sync:5", "eio")])
def test_a_disk_that_fails_ends_the_job_and_nothing_is_lost(cluster, tmp_path, point,  # noqa: F811
                                                           action):
    own = {"server1": {"RG_FAULT": "%s:%s" % (point, action),
                       "FLAGS_ps_journal_front_mb": "0" if "append" in point else "1"}}
    cluster.fleet(2, 2, ["--steps", "100000", "--pause", "0.01"], own=own,
                  env=journal(tmp_path, "always"))
    for name in ("worker0", "worker1", "server1"):
        assert cluster.named(name).wait(60) not in (0, None), name
    said = "No space left on device" if action == "enospc" else "Input/output error"
    for name in ("worker0", "server1"):
        text = cluster.named(name).text()
        assert "the journal cannot be written" in text and said in text, text
    assert os.listdir(str(tmp_path / "journal" / "server-1"))


@pytest.mark.promise(17)
def test_who_waits_for_a_flush_hears_the_disk(cluster, tmp_path):  # noqa: F811
    """The next push waits for room in the window, which there is when the one before is on the disk."""
    own = {"server0": {"RG_FAULT": "file.sync:9:eio"}}
    cluster.fleet(1, 1, ["--steps", "100000", "--large", "200000"], script=LEDGER,
                  own=own, env=journal(tmp_path, FLAGS_ps_push_window_mb="1"))
    for name in ("worker0", "server0"):
        assert cluster.named(name).wait(60) not in (0, None), name
    for name in ("worker0", "server0"):
        text = cluster.named(name).text()
        assert "the journal cannot be written" in text and "Input/output error" in text, text


# ---- the launcher ----

def pid_of_server(folder, told):
    """Of the job whose journals are in the folder: the server that was told so."""
    wanted = [told.encode(), b"TRAINING_ROLE=PSERVER",
              ("FLAGS_ps_journal_dir=%s" % folder).encode()]
    for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                environment = file.read().split(b"\0")
        except OSError:
            continue
        if all(word in environment for word in wanted):
            return int(pid)
    raise AssertionError("no server with %s" % told)


@pytest.mark.promise(4)
def test_launch_ps_starts_a_server_again(tmp_path):
    port = free_endpoints(1)[0].split(":")[1]
    job = subprocess.Popen(
        [sys.executable, "-m", "paddle.distributed.launch_ps", "--worker_num", "2", "--server_num",
         "2", "--endpoints", ",".join(["127.0.0.1:" + port] + free_endpoints(1)), "--log_dir",
         "logs", "--journal", "everysec", "--restarts", "3", SCRIPT, "--steps", "60", "--pause",
         "0.03"], cwd=str(tmp_path), env=clean_env(), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, universal_newlines=True)
    log, end = tmp_path / "logs" / "workerlog.0", time.monotonic() + 60
    while not (log.exists() and "step 10 " in log.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(pid_of_server(tmp_path / "logs" / "journal", "PADDLE_PORT=" + port), signal.SIGKILL)
    out = job.communicate(timeout=120)[0]
    assert job.returncode == 0 and "started again: server 0" in out, out
    assert not [name for name in os.listdir(str(tmp_path / "logs" / "journal" / "server-0"))
                if name.startswith(("ckpt-", "journal-"))]
