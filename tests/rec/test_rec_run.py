"""python -m paddlerec.run on one machine."""
import glob
import json
import os
import re

import numpy as np
import pytest

import rec_job as job

READER = '''
from paddlerec.core.reader import ReaderBase
from paddlerec.core.utils import envs


class Mine(ReaderBase):
    def init(self):
        assert envs.get_global_env("dataset.clicks.my_own_key") == 7

    def generate_sample(self, line):
        def read():
            words = [w.split(":") for w in line.split()]
            of = lambda name: [v for n, v in words if n == name]
            yield [("d", [float(v) for v in of("d")]), ("click", [int(v) for v in of("click")]),
                   ("a", [int(v) for v in of("a")]), ("b", [int(v) for v in of("b")])]
        return read
'''


def losses(said):
    return [float(x) for x in re.findall(r"LOSS: \[([0-9.e+-]+)\]", said)]


def ok(folder, *args, **environ):
    status, said = job.run(folder, *args, **environ)
    assert status == 0, said
    return said


def test_training_shows_tables_batches_epochs_and_where_the_model_went(tmp_path):
    said = ok(job.make(tmp_path))
    assert re.search(r"^ *Runtime Envs +Value", said, re.M)
    assert re.search(r"^runner.train_it.epochs +2 *$", said, re.M)
    assert re.search(r"^dataset.clicks.data_path +./data *$", said, re.M)
    assert re.search(r" - INFO: \t\[Train\],  epoch: 1,  batch: 25, time_each_interval: "
                     r"[0-9.]+s, LOSS: \[[0-9.]+\], AUC: \[[0-9.]+\], BATCH_AUC: \[[0-9.]+\], "
                     r"speed: [0-9]+ examples/s", said)
    assert re.search(r"^epoch 1 done, use time: [0-9.e-]+, global metrics: LOSS=\[[0-9.]+\], "
                     r"AUC=0\.[0-9]+ BUCKET_ERROR=.* Ins number=240", said, re.M)
    assert '\tsave epoch_id:1 model into: "saved/1"' in said
    assert said.rstrip().endswith("PaddleRec Finish")
    assert sorted(os.listdir(tmp_path / "saved")) == ["0", "1"]
    assert "table" in os.listdir(tmp_path / "saved" / "1")


def test_what_is_saved_is_judged_and_trained_on_from(tmp_path):
    text = job.CONFIG.replace("mode: [train_it]", "mode: [train_it, judge_it]")
    said = ok(job.make(tmp_path, text))
    judged = re.findall(r"Infer phase1 of epoch (\d) done, .* AUC=([0-9.]+) .*Ins number=([0-9.]+)",
                        said)
    assert [(e, n) for e, _, n in judged] == [("0", "120.0"), ("1", "120.0")]
    more = job.make(tmp_path, job.CONFIG.replace('init_model_path: ""',
                                                 'init_model_path: "saved/1"')
                    .replace('path: "saved"', 'path: "further"'))
    again = ok(more)
    assert "load from saved/1 success" in again
    assert losses(again)[0] < losses(said)[0]


def test_a_queue_dataset_is_trained_in_c(tmp_path):
    said = ok(job.make(tmp_path, job.CONFIG.replace("type: DataLoader", "type: QueueDataset")
                       .replace("thread_num: 1", "thread_num: 2")))
    assert "120 examples" in said
    assert "change to DataLoader" not in said
    assert re.search(r"epoch 1 done, .*Ins number=240", said)


@pytest.mark.parametrize("kind", ["DataLoader", "QueueDataset"])
def test_a_reader_of_the_users_gives_what_slot_lines_give(kind, tmp_path):
    text = job.CONFIG.replace("DataLoader", kind)
    own = text.replace('  sparse_slots: "click a b"\n  dense_slots: "d:2"\n',
                       '  data_converter: "{workspace}/my_reader.py"\n'
                       '  reader_class_name: Mine\n')
    model = job.MODEL.replace("def net", '''def input_data(self, is_infer=False, **kwargs):
        d = fluid.layers.data("d", [2])
        ids = [fluid.layers.data(n, [1], dtype="int64", lod_level=1) for n in ("click", "a", "b")]
        self._dense_data_var, self._sparse_data_var = [d], ids
        return [d] + ids

    def net''')
    shown = []
    for name, config in (("slots", text), ("own", own)):
        folder = job.make(tmp_path / name, config)
        if name == "own":
            (tmp_path / name / "my_reader.py").write_text(READER)
            (tmp_path / name / "model.py").write_text(model)
        shown.append(re.findall(r"epoch \d done.*(AUC=0.*)", ok(folder, FLAGS_seed="1")))
    assert len(shown[0]) == 2
    assert [x[-5:] for x in shown[0]] == [x[-5:] for x in shown[1]]


def test_threads_are_replicas_with_one_metric_for_all(tmp_path):
    said = ok(job.make(tmp_path, job.CONFIG.replace("thread_num: 1", "thread_num: 3")))
    assert re.search(r"batch: 5, .*LOSS: \[[0-9.]+\], AUC: \[[0-9.]+\]", said)
    assert re.search(r"epoch 1 done, .*Ins number=240", said)


def test_steps_results_and_inference_models_are_saved(tmp_path):
    extra = ('print_interval: 5\n  save_step_interval: 10\n  save_step_path: "steps"\n'
             '  runner_result_dump_path: "results"\n  save_inference_interval: 2\n'
             '  save_inference_path: "inference"\n'
             '  save_inference_feed_varnames: ["d", "a", "b"]\n'
             '  save_inference_fetch_varnames: ["fc_1.tmp_2"]')
    ok(job.make(tmp_path, job.CONFIG.replace("print_interval: 5", extra)))
    assert sorted(os.listdir(tmp_path / "steps")) == [
        "epoch_%d_batch_%d" % (e, b) for e in (0, 1) for b in (0, 10, 20)]
    assert os.listdir(tmp_path / "inference") == ["1"]
    assert "__model__" in os.listdir(tmp_path / "inference" / "1")
    with open(tmp_path / "results_epoch_1") as f:
        results = json.load(f)
    assert len(results) == 30 and all(np.isfinite(v).all() for r in results for v in r.values())


def test_a_model_of_the_package_runs_by_its_name(tmp_path):
    said = ok(tmp_path, "-m", "paddlerec.models.rank.dnn", runner__single_cpu_train__epochs="1")
    assert "epoch 0 done" in said and "epoch 1 done" not in said
    assert glob.glob(str(tmp_path / "increment_dnn" / "0" / "*"))


def test_a_failure_ends_with_a_status_and_says_where(tmp_path):
    folder = job.make(tmp_path)
    with open(os.path.join(folder, "data", "part-1"), "a") as f:
        f.write("click:1 a:x\n")
    status, said = job.run(folder)
    assert status == 1
    assert "part-1:61" in said and "PaddleRec Error Message Summary" in said


def test_user_classes_take_the_place_of_states(tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace(
        "print_interval: 5", "startup_class_path: \"{workspace}/mine.py\""))
    with open(os.path.join(folder, "mine.py"), "w") as f:
        f.write("from paddlerec.core.trainers.framework.startup import SingleStartup\n\n\n"
                "class Startup(SingleStartup):\n"
                "    def startup(self, context):\n"
                "        print('my own startup of', context['runner_name'])\n"
                "        super().startup(context)\n")
    assert "my own startup of train_it" in ok(folder)


def test_cluster_train_needs_a_backend_or_runs_as_a_worker(tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace("class: train", "class: cluster_train"))
    status, said = job.run(folder)
    assert status == 2 and "-b backend.yaml" in said


def test_threads_of_a_queue_lose_no_count(tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace("type: DataLoader", "type: QueueDataset")
                      .replace("thread_num: 1", "thread_num: 4").replace("batch_size: 4",
                                                                         "batch_size: 1"))
    for i in range(4):
        with open(os.path.join(folder, "data", "part-%d" % i), "w") as f:
            f.write(job.lines(i * 2000, 2000))
    said = ok(folder, FLAGS_progress="off", runner__train_it__print_interval="10000")
    assert re.search(r"epoch 0 done, .*Ins number=8000\.0", said), said[-500:]
    assert re.search(r"epoch 1 done, .*Ins number=16000\.0", said), said[-500:]


def test_fine_tuning_keeps_what_is_before_the_variable(tmp_path):
    folder = job.make(tmp_path)
    ok(folder)
    tune = job.CONFIG.replace("print_interval: 5", (
        "trainer_class: FineTuningTrainer\n  init_pretraining_model_path: \"saved/1\"\n"
        "  finetuning_aspect_varnames: [\"fc_0.tmp_4\"]")).replace('path: "saved"\n  init',
                                                                    'path: "tuned"\n  init')
    job.make(tmp_path, tune)
    said = ok(folder)
    assert "load from saved/1 success" in said

    def parameter(top, name):
        with open(os.path.join(folder, top, "1", name), "rb") as f:
            return f.read()
    assert parameter("saved", "table") == parameter("tuned", "table")
    assert parameter("saved", "fc_1.w_0") != parameter("tuned", "fc_1.w_0")


def test_debug_prints_the_times_of_ops(tmp_path):
    said = ok(job.make(tmp_path, job.CONFIG.replace("debug: False", "debug: True")))
    assert re.search(r"lookup_table", said)


def test_the_sum_of_replicas_is_not_their_mean(tmp_path):
    text = job.CONFIG.replace("thread_num: 1", "thread_num: 2\n  gradient_scale_strategy: %d")
    found = [losses(ok(job.make(tmp_path / str(i), text % i), FLAGS_seed="3")) for i in (0, 1)]
    assert found[0] != found[1]


def test_the_first_configuration_that_users_meet_runs_as_written(tmp_path):
    here = os.path.dirname(os.path.abspath(__file__))
    said = ok(tmp_path, "-m", os.path.join(here, "seed_004_single.yaml"))
    assert len(re.findall(r"epoch \d done", said)) == 4
    assert sorted(os.listdir(tmp_path / "increment_dnn")) == ["1", "3"]


def test_a_metric_that_training_has_not_is_judged(tmp_path):
    """The checkpoint has none of its counts, those of BATCH_AUC neither."""
    folder = job.make(tmp_path, job.CONFIG.replace("mode: [train_it]", "mode: [train_it, judge_it]"))
    model = job.MODEL.replace('        self._metrics["AUC"] = metric\n', "").replace(
        "        metric = AUC(predict, label)\n        if is_infer:\n",
        "        if is_infer:\n            metric = AUC(predict, label)\n")
    with open(os.path.join(folder, "model.py"), "w") as file:
        file.write(model)
    status, said = job.run(folder)
    assert status == 0 and len(re.findall(r"Infer phase1 .*Ins number=120", said)) == 2, said


OLD_READER = '''
from paddlerec.core.reader import ReaderBase


class Reader(ReaderBase):
    def init(self):
        self.seen = {}

    def generate_sample(self, line):
        def samples():
            words = [w.split(":") for w in line.split()]
            of = lambda slot: map(int, [v for s, v in words if s == slot])
            if line not in self.seen:
                self.seen[line] = 1 / 2  # 0
            a = of("a")
            a.append(self.seen[line])
            yield zip(["click", "a", "b", "d"],
                      [of("click"), a, of("b"), [float(v) for s, v in words if s == "d"]])
        return samples
'''
NEW_READER = OLD_READER.replace("map(", "list(map(").replace("== slot])", "== slot]))").replace("1 / 2", "1 // 2")
READ_MODEL = job.MODEL.replace("    def net(", '''    def input_data(self, is_infer=False, **kwargs):
        self._sparse_data_var = [fluid.data("click", [None, 1], "int64")] + [
            fluid.data(name, [None, 1], "int64", lod_level=1) for name in "ab"]
        self._dense_data_var = [fluid.data("d", [None, 2])]
        return self._sparse_data_var + self._dense_data_var

    def net(''')


@pytest.mark.parametrize("kind", ["DataLoader", "QueueDataset"])
def test_models_and_readers_may_be_python_2(kind, tmp_path):
    """Most were: also where the folder's name has a dot, with the results of Python 3's. One of
    them says so, in every process; a tool that lies beside them says nothing."""
    config = job.CONFIG.replace("DataLoader", kind).replace(
        '  sparse_slots: "click a b"\n  dense_slots: "d:2"\n  padding: 0\n',
        '  data_converter: "{workspace}/reader.py"\n')
    shown = []
    for name, model, reader in (
            ("new.1", READ_MODEL, NEW_READER),
            ("old.1", READ_MODEL.replace("        label, ids", "        print 'built'\n"
                                         "        label, ids"), OLD_READER)):
        folder = job.make(tmp_path / name, config)
        for file, text in (("model.py", model), ("reader.py", reader), ("tool.py", "print 'x'\n")):
            with open(os.path.join(folder, file), "w") as f:
                f.write(text)
        status, said = job.run(folder)
        assert status == 0, said
        shown.append(re.findall(r"epoch \d done, .*?(AUC=.*)", said))
        assert ("old.1 is Python 2" in said, "built\n" in said) == (name == "old.1",) * 2
    assert len(shown[0]) == 2 and shown[0] == shown[1]
