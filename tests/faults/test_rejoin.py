"""A trainer dies and is started again: the job goes on, and nobody can tell from the result."""
import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e_ps"))
from cluster import SCRIPT, clean_env, cluster, free_endpoints, launch_ps  # noqa: E402,F401

FAULTY = os.path.join(HERE, "rejoin_script.py")
DATASET = os.path.join(HERE, "dataset_script.py")
LEDGER = os.path.join(HERE, "ledger_script.py")
HAND = os.path.join(HERE, "hand_script.py")
RETURN = {"FLAGS_ps_return_seconds": "60"}
STEPS = 12
# The points of a step at which a trainer can die: before its push, with the push at one of two
# servers, with both sent, with both answered.
PHASES = {"before": "push.begin:%d:kill", "between": "push.between:%d:late",
          "sent": "push.sent:%d:late", "answered": "push.answered:%d:kill"}


def digest(folder):
    """SHA-256 of a saved model, but for what a worker counts for itself (AUC)."""
    whole = hashlib.sha256()
    names = sorted(os.listdir(str(folder)))
    assert "table" in names, names
    for name in names:
        if not name.startswith(("_generated_var", "MANIFEST")):
            whole.update(name.encode())
            whole.update(open(os.path.join(str(folder), name), "rb").read())
    return whole.hexdigest()


def run(folder, name, arguments, victim="", fault="", script=SCRIPT, flags=("--restarts", "3")):
    out = launch_ps(folder, list(flags) + [FAULTY, script, "--save", name] + arguments, workers=3,
                    FAULT_OF=victim, FAULT=fault)
    assert out.returncode == 0, out.stdout
    return out.stdout


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """The digest of a run without faults; by arguments, each run once."""
    known = {}

    def of(*arguments):
        if arguments not in known:
            folder = tmp_path_factory.mktemp("calm")
            run(folder, "model", list(arguments))
            known[arguments] = digest(folder / "model")
        return known[arguments]
    return of


@pytest.mark.promise(1)
@pytest.mark.parametrize("optimizer, victim, phase, step", [
    ("SGD", 1, "before", 1), ("SGD", 2, "between", 7), ("Momentum", 0, "between", 4),
    ("Momentum", 2, "sent", 9), ("Adam", 1, "between", 12), ("Adam", 2, "answered", 5)])
def test_a_sync_trainer_that_is_killed_changes_not_a_bit(tmp_path, calm, optimizer, victim, phase,
                                                         step):
    arguments = ("--optimizer", optimizer, "--steps", str(STEPS))
    said = run(tmp_path, "model", list(arguments), "TRAINER%d" % victim, PHASES[phase] % step)
    assert "launch: worker %d (pid " % victim in said and "it is started again (1 of 3)" in said
    log = (tmp_path / "logs" / ("workerlog.%d" % victim)).read_text()
    assert "started again: it goes on where it was" in log, log
    assert digest(tmp_path / "model") == calm(*arguments)


@pytest.fixture(scope="module")
def calm_epochs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("epochs")
    run(folder, "model", [], script=DATASET)
    return [digest(folder / name) for name in ("model-0", "model-1", "model")]


@pytest.mark.promise(1)
@pytest.mark.parametrize("victim, phase, push", [(1, "between", 22), (0, "sent", 25)])
def test_batches_that_were_trained_on_are_skipped(tmp_path, calm_epochs, victim, phase, push):
    """train_from_dataset, in its second epoch: shuffle and dropout are as they were, and what was saved
    after the first epoch is left alone."""
    said = run(tmp_path, "model", [], "TRAINER%d" % victim, PHASES[phase] % push, script=DATASET)
    assert "it is started again (1 of 3)" in said
    assert "examples: worker 0 240, worker 1 240, worker 2 240" in said
    assert [digest(tmp_path / name) for name in ("model-0", "model-1", "model")] == calm_epochs
    log = (tmp_path / "logs" / ("workerlog.%d" % victim)).read_text()
    assert ("model-0 was saved before" in log) == (victim == 0), log


def skipped(folder, worker):
    """Batches that a worker which was started again passed over."""
    with open(os.path.join(str(folder), "logs", "watch", "worker.%d.jsonl" % worker)) as file:
        told = [json.loads(line).get("m", {}) for line in file]
    return max(t.get("regatta_skipped_batches_total", 0) for t in told)


@pytest.mark.promise(1)
@pytest.mark.parametrize("fetch, is_skipped", [("none", True), ("loss", True), ("gradient", False)])
def test_steps_by_hand_are_passed_over(tmp_path, fetch, is_skipped):
    """exe.run(): dropout, the schedule of the rate and what the program counts are as they were, and
    a step that was pushed is not made again, unless what is fetched is of its way back."""
    for name, victim in (("calm", ""), ("killed", "TRAINER1")):
        (tmp_path / name).mkdir()
        run(tmp_path / name, "model", ["--fetch", fetch], victim, "push.between:9:late", script=HAND)
        assert "seen 12.0" in (tmp_path / name / "logs" / "workerlog.1").read_text()
    assert digest(tmp_path / "killed" / "model") == digest(tmp_path / "calm" / "model")
    assert skipped(tmp_path / "killed", 1) == (8 if is_skipped else 0)


@pytest.mark.promise(1)
@pytest.mark.parametrize("mode", ["async", "half_async", "geo"])
def test_each_push_counts_once_in_async_modes(cluster, mode):  # noqa: F811
    """Rate 1, gradient 1: each weight is the number of pushes. The worker dies twice."""
    cluster.fleet(2, 2, ["--mode", mode, "--steps", "40", "--meet", "10"], script=LEDGER,
                  env=dict(RETURN), own={"worker1": {"RG_FAULT": FIRST[mode]}})
    first = cluster.named("worker1")
    assert first.wait(60) == -signal.SIGKILL
    second = cluster.start("again1", [LEDGER, "--mode", mode, "--steps", "40", "--meet", "10"],
                           **dict(environment_of(first), REGATTA_INCARNATION="1",
                                  RG_FAULT=SECOND[mode]))
    assert second.wait(60) == -signal.SIGKILL
    cluster.start("again2", [LEDGER, "--mode", mode, "--steps", "40", "--meet", "10"],
                  **dict(environment_of(first), REGATTA_INCARNATION="2"))
    cluster.processes = [p for p in cluster.processes if p.name not in ("worker1", "again1")]
    cluster.finish()
    for name in ("worker0", "again2"):
        ledger = [line for line in cluster.named(name).text().splitlines() if "ledger" in line]
        own = [40.0, 40.0] if mode != "geo" else [geo([8]), geo([3, 2, 3])]
        numbers = [float(x) for x in ledger[0].split()[1:]]
        wanted = [-sum(own)] * 4 + [-own[0]] * 2 + [-own[1]] * 2
        assert numbers == pytest.approx(wanted, abs=1e-3), ledger


@pytest.mark.promise(1)
@pytest.mark.parametrize("every", [4, 7])
def test_geo_steps_count_once_whether_they_are_passed_over_or_not(cluster, every):  # noqa: F811
    """Of the 15 steps that come once more some fetch a gradient, and are made in whole; the last of them
    is passed over (4), or is one of those (7). What they change is undone, and all others are made."""
    arguments = ["--mode", "geo", "--steps", "40", "--gradient-every", str(every)]
    cluster.fleet(1, 1, arguments, script=LEDGER, env=dict(RETURN),
                  own={"worker0": {"RG_FAULT": "geo.push:4:kill"}})
    first = cluster.named("worker0")
    assert first.wait(60) == -signal.SIGKILL
    again = cluster.start("again", [LEDGER] + arguments,
                          **dict(environment_of(first), REGATTA_INCARNATION="1"))
    cluster.processes.remove(first)
    cluster.finish()
    ledger = [line for line in again.text().splitlines() if "ledger" in line]
    assert [float(x) for x in ledger[0].split()[1:]] == [-40.0] * 6, ledger


def geo(lives):
    """What pushes of a worker come to, in each of its lives so many: of two workers each shares half of
    what it has changed, and keeps the other half, which goes with it when it dies."""
    total = 0.0
    for pushes in lives:
        kept = 0.0
        for _ in range(pushes):
            kept = (kept + 5) / 2
            total += kept
    return total


FIRST = {"async": "push.between:13:late", "half_async": "push.between:13:late",
         "geo": "geo.push:4:kill"}
SECOND = {"async": "push.sent:9:late", "half_async": "push.sent:9:late",
          "geo": "geo.answered:2:kill"}


def environment_of(process):
    names = ("PADDLE", "TRAINING", "FLAGS", "POD")
    return {k: v for k, v in process.env.items()
            if k.startswith(names) and k != "PADDLE_DATASET"}


def replacement(cluster, name, **more):  # noqa: F811
    """The process of this name once more, as a scheduler that thinks it dead would start it."""
    old = cluster.named(name)
    env = dict(environment_of(old), REGATTA_INCARNATION="1", **more)
    return cluster.start(name + "-again", old.command[1:], **env)


@pytest.mark.promise(3)
def test_one_that_stood_still_and_was_replaced_is_told_so(cluster, calm, tmp_path):  # noqa: F811
    arguments = ["--optimizer", "Adam", "--steps", str(STEPS)]
    cluster.fleet(2, 3, arguments + ["--save", "model", "--pause", "0.05"],
                  env=dict(RETURN, FLAGS_rpc_lease_ms="2000"))
    zombie = cluster.named("worker1")
    zombie.wait_for("step 4 ")
    zombie.signal(signal.SIGSTOP)
    for i in range(2):
        cluster.named("server%d" % i).wait_for("it may be started again, and is waited for")
    replacement(cluster, "worker1")
    cluster.named("server1").wait_for("has come in the place of one that is gone")
    zombie.signal(signal.SIGCONT)
    assert zombie.wait(30) != 0
    assert "was replaced by" in zombie.text(), zombie.text()
    cluster.processes.remove(zombie)
    cluster.finish()
    assert digest(tmp_path / "model") == calm(*arguments)


@pytest.mark.promise(3)
def test_one_that_stood_still_and_was_not_replaced_goes_on(cluster, calm, tmp_path):  # noqa: F811
    arguments = ["--optimizer", "Adam", "--steps", str(STEPS)]
    cluster.fleet(2, 3, arguments + ["--save", "model", "--pause", "0.05"],
                  env=dict(RETURN, FLAGS_rpc_lease_ms="1000"))
    sleeper = cluster.named("worker1")
    sleeper.wait_for("step 4 ")
    sleeper.signal(signal.SIGSTOP)
    for i in range(2):
        cluster.named("server%d" % i).wait_for("it may be started again, and is waited for")
    sleeper.signal(signal.SIGCONT)
    cluster.finish()
    assert digest(tmp_path / "model") == calm(*arguments)


@pytest.mark.promise(1)
@pytest.mark.parametrize("victim", [0, 2])
def test_one_that_dies_while_it_leaves_has_left(tmp_path, victim):
    """One server knows that it is done, the other does not."""
    said = run(tmp_path, "model", ["--steps", "3"], "TRAINER%d" % victim, "leave.between:1:late")
    assert "launch: worker %d (pid " % victim in said or "died when it had finished" in said


@pytest.mark.promise(2)
def test_one_that_does_not_come_back_ends_the_job_by_name(cluster):  # noqa: F811
    cluster.fleet(2, 2, ["--steps", "100000", "--pause", "0.01"],
                  env={"FLAGS_ps_return_seconds": "2", "FLAGS_rpc_lease_ms": "1000"})
    cluster.named("worker0").wait_for("step 5 ")
    cluster.named("worker1").signal(signal.SIGKILL)
    began = time.monotonic()
    for name in ("worker0", "server0", "server1"):
        assert cluster.named(name).wait(30) != 0
        text = cluster.named(name).text()
        assert "trainer 1 (pid" in text and "did not come back within 2 s" in text, text
    assert time.monotonic() - began < 20


@pytest.mark.promise(2)
def test_an_async_job_goes_on_without_one(tmp_path):
    """--min_trainers: the others finish."""
    out = launch_ps(tmp_path, ["--min_trainers", "1", FAULTY, SCRIPT, "--mode", "async", "--steps",
                               "10"], FAULT_OF="TRAINER1", FAULT="push.begin:3:kill",
                    FLAGS_rpc_lease_ms="1000")
    assert out.returncode == 0, out.stdout
    assert "worker 1 is lost for good" in out.stdout and "lost: worker 1" in out.stdout


def test_a_sync_job_is_not_asked_to_go_on_without_one(tmp_path):
    """--min_trainers is refused before anything is trained on."""
    out = launch_ps(tmp_path, ["--min_trainers", "1", SCRIPT, "--steps", "3"])
    assert out.returncode != 0 and "sync mode with FLAGS_ps_go_on" in out.stdout, out.stdout
    assert "--restarts" in out.stdout


def test_a_taken_number_is_refused_while_its_trainer_lives(cluster):  # noqa: F811
    """Without a higher incarnation it is somebody's mistake, and harms nobody."""
    cluster.fleet(1, 2, ["--steps", "40", "--pause", "0.05"], env=dict(RETURN))
    cluster.named("worker1").wait_for("step 3 ")
    other = cluster.again("worker1")
    assert other.wait(30) != 0 and "trainer number 1 is taken by" in other.text(), other.text()
    cluster.processes.remove(other)
    cluster.finish()


def test_a_job_that_was_stopped_is_gone_on_with(tmp_path, calm):
    """Ctrl+C, then --resume: the same bits as without the break."""
    arguments = ["--optimizer", "Adam", "--steps", str(STEPS)]
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
               "--log_dir", "logs", "--start_port", free_endpoints(1)[0].split(":")[1]]
    script = [SCRIPT, "--save", "model", "--pause", "0.1"] + arguments
    first = subprocess.Popen(command + ["--worker_num", "3", "--journal", "everysec"] + script,
                             cwd=str(tmp_path), env=clean_env(), stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    log = tmp_path / "logs" / "workerlog.1"
    end = time.monotonic() + 60
    while not (log.exists() and "step 4 " in log.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    first.send_signal(signal.SIGINT)
    said = first.communicate(timeout=60)[1]
    assert first.returncode == 130 and "launch_ps --resume" in said, said
    out = subprocess.run(command + ["--resume", "logs"] + script, cwd=str(tmp_path),
                         env=clean_env(), capture_output=True, text=True, timeout=120)
    assert out.returncode == 0, out.stderr
    assert "goes on where it was" in log.read_text()
    assert digest(tmp_path / "model") == calm(*arguments)
    assert not (tmp_path / "logs" / "journal" / "job.json").exists()
    nothing = subprocess.run(command + ["--resume", "logs"] + script, cwd=str(tmp_path),
                             env=clean_env(), capture_output=True, text=True, timeout=60)
    assert nothing.returncode == 2 and "nothing is left to go on with" in nothing.stderr


@pytest.mark.full
def test_counts_of_an_auc_go_on(tmp_path):
    """What a worker had told its server is not lost with it: all but the last second of its examples."""
    out = launch_ps(tmp_path, ["--restarts", "1", FAULTY, os.path.join(HERE, "auc_script.py")],
                    FAULT_OF="TRAINER1", FAULT="push.begin:90:kill")
    assert out.returncode == 0, out.stdout
    log = (tmp_path / "logs" / "workerlog.1").read_text()
    counted = int(log.split("counted ")[1].split()[0])
    # 89 of 100 batches of 4 before it died: those since are 44 examples.
    assert 44 + 89 * 4 // 4 < counted <= 400, log


@pytest.mark.promise(1, 4)
def test_servers_and_trainers_of_one_job_die(tmp_path, calm):
    arguments = ["--optimizer", "Adam", "--steps", str(STEPS)]
    said = run(tmp_path, "model", arguments, "PSERVER0", "rpc.reply:50:kill",
               flags=("--restarts", "3", "--journal", "everysec"))
    assert "launch: server 0 (pid " in said, said
    assert digest(tmp_path / "model") == calm(*arguments)
