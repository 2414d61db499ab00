"""`paddle train` of a v1 config: its log, model folders, tests, resuming and stopping."""
import os
import re
import shutil
import signal
import struct
import subprocess
import time

import numpy as np
import pytest

from workspace import CONFIG, PROVIDER, Workspace

PARAMETERS = {"_hidden.w0": 12, "_hidden.wbias": 4, "_guess.w0": 4, "_guess.wbias": 1}


@pytest.fixture
def job(tmp_path):
    return Workspace(tmp_path / "job")


def values(path):
    data = path.read_bytes()
    version, width, count = struct.unpack_from("<iIQ", data)
    assert (version, width, len(data)) == (0, 4, 16 + 4 * count)
    return np.frombuffer(data, "<f4", offset=16)


def costs(log, pattern=r" Pass=\d+ Batch=\d+ samples=\d+ AvgCost=([^ ]+) "):
    return [float(cost) for cost in re.findall(pattern, log)]


GLOG = r"^I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ \w+\.py:\d+\] "


def test_the_log_is_v1s_and_models_are_saved_after_each_test(job):
    log = job.train("--save_dir=./output", "--num_passes=3", "--log_period=4", "--dot_period=1")
    for line in (r"commandline: paddle train --config=trainer_config.py ", "trainer mode: Normal",
                 r" Batch=4 samples=32 AvgCost=[\d.]+ CurrentCost=[\d.]+ Eval:   CurrentEval:  $",
                 r" Pass=2 Batch=9 samples=70 AvgCost=[\d.]+ Eval:  $",
                 r" Test samples=20 cost=[\d.]+ Eval:  $",
                 r"Saving parameters to ./output/pass-00002"):
        assert re.search(GLOG + line, log, re.M), (line, log)
    assert re.search(r"^\.\.\.$", log, re.M)  # a dot for each batch that has no line
    order = re.findall(r" (Pass=\d|Test) |(pass-\d+)", log)
    assert [a or b for a, b in order] == ["Pass=0", "Test", "pass-00000", "Pass=1", "Test",
                                          "pass-00001", "Pass=2", "Test", "pass-00002"]
    tests = costs(log, r" Test samples=20 cost=([^ ]+) ")
    assert tests[2] < tests[1] < tests[0]


def test_a_model_folder_is_v1s_byte_for_byte(job):
    job.train("--save_dir=output", "--num_passes=1")
    folder = job.folder / "output" / "pass-00000"
    assert job.files("output") == sorted(
        "pass-00000/" + name for name in list(PARAMETERS) + ["done", "path.txt",
                                                             "trainer_config.py"])
    for name, count in PARAMETERS.items():
        assert len(values(folder / name)) == count
    assert (folder / "trainer_config.py").read_text() == CONFIG
    assert (folder / "path.txt").read_text() == "trainer_config.py\n"
    assert (folder / "done").read_text().strip()


def test_a_save_that_was_killed_leaves_nothing_after_the_next(job):
    job.write("output/.pass-00000.saving/_hidden.w0", "half a model")
    job.write("output/pass-00000/of_another_model", "")
    job.train("--save_dir=output", "--num_passes=1")
    assert os.listdir(job.folder / "output") == ["pass-00000"]
    assert len(values(job.folder / "output" / "pass-00000" / "_hidden.w0")) == 12
    assert not (job.folder / "output" / "pass-00000" / "of_another_model").exists()


def test_two_runs_are_the_same_and_another_seed_is_not(job):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        job.train("--save_dir=" + name, "--num_passes=2", "--seed=%d" % seed)
    read = {name: (job.folder / name / "pass-00001" / "_hidden.w0").read_bytes() for name in "abc"}
    assert read["a"] == read["b"] != read["c"]


def test_several_threads_train_as_one(job):
    one = job.train("--num_passes=3")
    two = job.train("--num_passes=3", "--trainer_count=2")
    assert costs(one) == pytest.approx(costs(two), rel=1e-4)


def test_training_goes_on_where_a_pass_ended(job):
    job.train("--save_dir=output", "--num_passes=2")
    log = job.train("--save_dir=output", "--start_pass=2", "--num_passes=1")
    assert "Loading parameters from output/pass-00001" in log
    assert " Pass=2 Batch=9" in log and (job.folder / "output" / "pass-00002" / "done").exists()
    again = job.train("--init_model_path=output/pass-00001", "--num_passes=1")
    assert costs(again) == pytest.approx(costs(log), rel=0.2) and costs(again)[0] < 1
    os.unlink(job.folder / "output" / "pass-00002" / "done")
    log = job.train("--save_dir=output", "--start_pass=3", status=1)
    assert "output/pass-00002, and that has no file `done`" in log


def test_saving_periods(job):
    job.train("--save_dir=every", "--num_passes=4", "--saving_period=2")
    assert sorted(os.listdir(job.folder / "every")) == ["pass-00001", "pass-00003"]
    job.train("--save_dir=inside", "--num_passes=1", "--saving_period_by_batches=4")
    assert sorted(os.listdir(job.folder / "inside")) == ["pass-00000", "pass-00000-001",
                                                         "pass-00000-002"]
    log = job.train("--save_dir=one", "--num_passes=3", "--save_only_one")
    assert os.listdir(job.folder / "one") == ["pass-00002"] and "delete dir one/pass-00000" in log
    assert not [n for n in os.listdir(job.folder) if n.startswith(".")
                and n != ".cache"]


def test_a_test_period_tests_inside_of_a_pass(job):
    log = job.train("--num_passes=1", "--test_period=3")
    assert log.count(" Test samples=20 ") == 3
    assert "output" not in os.listdir(job.folder) and "no --save_dir: what is learnt is not" in log


def test_a_model_is_tested_and_its_outputs_written(job):
    log = job.train("--save_dir=output", "--num_passes=2")
    trained = costs(log, r" Test samples=20 cost=([^ ]+) ")
    tested = job.train("--job=test", "--init_model_path=output/pass-00001")
    assert "trainer mode: Testing" in tested
    assert costs(tested, r" Test samples=20 cost=([^ ]+) ") == trained[1:]
    job.write("models", "output/pass-00000\noutput/pass-00001\n")
    listed = job.train("--job=test", "--model_list=models")
    assert costs(listed, r" Test samples=20 cost=([^ ]+) ") == trained
    passes = job.train("--job=test", "--save_dir=output", "--test_pass=0")
    assert costs(passes, r" Test samples=20 cost=([^ ]+) ") == trained
    job.train("--job=test", "--init_model_path=output/pass-00001", "--predict_output_dir=said",
              "--config_args=is_predict=1")
    lines = (job.folder / "said" / "rank-00000").read_text().splitlines()
    assert len(lines) == 20 and all(re.fullmatch(r"-?[\d.e-]+;", line) for line in lines)
    wanted = []
    for line in (job.folder / "t.txt").read_text().splitlines():
        a, b, c = map(float, line.split())
        wanted.append(2 * (a - b + c / 2))
    guessed = [float(line[:-1]) for line in lines]
    assert np.mean((np.array(guessed) - wanted) ** 2) == pytest.approx(trained[1], rel=1e-3)
    assert "--job=test wants a model" in job.train("--job=test", status=1)


def test_a_model_that_does_not_fit_is_refused_by_its_file(job):
    job.train("--save_dir=output", "--num_passes=1")
    folder = job.folder / "output" / "pass-00000"
    use = "--init_model_path=output/pass-00000"
    log = job.train(use, "--config_args=width=5", status=1)
    assert "output/pass-00000/_hidden.w0 has 12 values, and the parameter of this config 15" in log
    (folder / "_guess.w0").write_bytes((folder / "_guess.w0").read_bytes()[:-3])
    assert "_guess.w0 is cut off" in job.train(use, status=1)
    (folder / "_guess.w0").write_bytes(b"\1\0\0\0" + bytes(28))
    assert "its header says version 1" in job.train(use, status=1)
    (folder / "_guess.w0").unlink()
    assert "has no file for the parameter _guess.w0" in job.train(use, status=1)
    log = job.train(use, "--load_missing_parameter_strategy=rand", "--num_passes=1")
    assert "no parameter _guess.w0: it keeps what it starts with" in log
    job.train(use, "--load_missing_parameter_strategy=zero", "--num_passes=1")
    log = job.train("--init_model_path=output/pass-00009", status=1)
    assert "there is no model folder output/pass-00009" in log and "has pass-00000" in log


def test_gradients_are_checked_against_costs(job):
    log = job.train("--job=checkgrad")
    found = re.findall(r"param=(\S+) \|grad\|=[\d.e+-]+ relative difference=([\d.e+-]+)$", log, re.M)
    assert [name for name, _ in found] == list(PARAMETERS)
    assert all(float(difference) < 0.02 for _, difference in found), log


@pytest.mark.parametrize("eps", ["0", "-1", "nan"])
def test_a_step_that_is_none_checks_no_gradient(job, eps):
    log = job.train("--job=checkgrad", "--checkgrad_eps=" + eps, status=1)
    assert "--checkgrad_eps=%s: parameters are moved" % eps in log and "Traceback" not in log


@pytest.mark.parametrize("folder, why", [("/proc/models", "No such file or directory"),
                                         ("trainer_config.py", "File exists")])
def test_where_no_model_can_be_saved_nothing_is_trained(job, folder, why):
    log = job.train("--save_dir=" + folder, "--num_passes=1", status=1)
    assert "--save_dir=%s: no model can be saved there: %s" % (folder, why) in log
    assert "Batch=" not in log


def test_steps_are_timed(job):
    log = job.train("--job=time", "--test_period=30")
    found = re.search(r"Time: batches=30 samples=(\d+) seconds=\S+ ms/batch=(\S+) samples/second=(\S+)",
                      log)
    assert found and float(found.group(3)) > 0


def test_parameters_are_shown(job):
    log = job.train("--num_passes=1", "--show_parameter_stats_period=5")
    assert re.search(r"Param:_hidden.w0 avg_abs_val=[\d.]+ max_val=[\d.]+ avg_abs_grad=[\d.e-]+ "
                     r"max_grad=[\d.e-]+", log)


def test_glog_writes_files_when_it_is_told_to(job):
    out = job.train("--num_passes=1", environment={"GLOG_logtostderr": "0", "GLOG_log_dir": "log"})
    assert out.strip(".\n") == ""
    link = job.folder / "log" / "paddle_trainer.INFO"
    assert link.is_symlink() and " Pass=0 Batch=9 samples=70 " in link.read_text()
    assert re.match(r"paddle_trainer\.\S+\.log\.INFO\.\d{8}-\d{6}\.\d+$", os.readlink(link))
    out = job.train("--start_pass=1", status=1, environment={"GLOG_logtostderr": "0",
                                                             "GLOG_log_dir": "log"})
    assert "--start_pass=1 goes on from pass 0" in out  # errors are seen all the same
    assert (job.folder / "log" / "paddle_trainer.ERROR").exists()
    out = job.train(status=1, environment={"GLOG_logtostderr": "0", "GLOG_log_dir": "a.txt/log"})
    assert "the log cannot be written (GLOG_log_dir=a.txt/log)" in out and "Traceback" not in out


def test_what_a_provider_logs_is_in_the_log(job):
    job.write("dataprovider.py", PROVIDER.replace(
        "    for line", "    settings.logger.info('reading %s', filename)\n    for line"))
    log = job.train("--num_passes=1")
    assert re.search(GLOG.replace(r"\w+\.py", "dataprovider.py") + "reading a.txt$", log, re.M)


@pytest.mark.parametrize("sign,status,words", [(signal.SIGINT, 130, b"stopped by Ctrl+C"),
                                               (signal.SIGTERM, 143, b"stopped by SIGTERM")])
def test_a_signal_stops_it_and_leaves_whole_models(job, sign, status, words):
    job.write("dataprovider.py", PROVIDER.replace("    for line", "    import time\n    for line")
              .replace("        a, b", "        time.sleep(0.01)\n        a, b")
              .replace("CACHE_PASS_IN_MEM", "NO_CACHE"))
    run = subprocess.Popen(job.command("--config=trainer_config.py", "--save_dir=output"),
                           cwd=job.folder, env=job.environment(), stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (job.folder / "output" / "pass-00000").exists():
        assert time.monotonic() < deadline and run.poll() is None
        time.sleep(0.05)
    run.send_signal(sign)
    _, log = run.communicate(timeout=30)
    assert run.returncode == status and words in log and b"Traceback" not in log
    for name in os.listdir(job.folder / "output"):
        assert (job.folder / "output" / name / "done").exists()


def test_a_job_that_is_python_2_trains(job):
    job.write("dataprovider.py", PROVIDER.replace("    for line in open(filename):\n",
                                                  "    print >>sys.stderr, 'reading', filename\n"
                                                  "    for line in open(filename):\n")
              .replace("def hook", "import sys\n\n\ndef hook"))
    job.write("trainer_config.py", CONFIG.replace('"width", int, 4)', '"width", int, 9 / 2)'))
    before = job.files()
    log = job.train("--num_passes=2")
    assert log.count("is no Python 3") == 1 and "dataprovider.py:" in log
    assert "reading a.txt" in log and costs(log)[1] < costs(log)[0]
    assert [f for f in job.files() if not f.startswith(".cache")] == before
    shutil.rmtree(job.folder / ".cache")


def test_a_config_may_be_elsewhere(job, tmp_path):
    job.write("conf/trainer.conf", "import common\nprint 'width', common.width\n" +
              CONFIG.replace('"width", int, 4)', '"width", int, common.width)'))
    job.write("conf/common.py", "width = 9 / 2\n")
    log = job.train("--num_passes=1", "--save_dir=output", config="conf/trainer.conf")
    assert "width 4\n" in log and "%s is Python 2" % job.folder in log
    assert "trainer.conf" in os.listdir(job.folder / "output" / "pass-00000")
    log = job.train("--num_passes=1", config="conf/trainer.conf",
                    environment={"HOME": str(job.folder)})
    assert "%s is Python 2" % (job.folder / "conf") in log  # a home is no workspace
