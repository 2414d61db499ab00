"""Configurations that cannot run are refused before anything starts, with the offending line."""
import os
import random
import re

import pytest

import rec_job as job
from paddlerec import run as command
from paddlerec.core import check
from paddlerec.core.config import override, read

# What is replaced by what in job.CONFIG, a text in the line that is named, what is said of it.
BROKEN = [
    ("workspace: \".\"\n", "", "# a small job", "workspace is missing"),
    ("mode: [train_it]\n", "", "# a small job", "mode is missing"),
    ("mode: [train_it]", "mode: [train_at]", "train_at", "did you mean train_it?"),
    ("mode: [train_it]", "mode: []", "mode: []", "mode is empty"),
    ("mode: [train_it]", "mode: 7", "mode: 7", "a name or a list of names"),
    ("workspace: \".\"", "workspace: 5", "workspace: 5", "wanted a text"),
    ("workspace: \".\"", "workspace: nowhere", "workspace: nowhere", "is no folder"),
    ("workspace: \".\"", "workspace: paddlerec.models.rank.nothing", "rank.nothing",
     "is no folder"),
    ("debug: False", "debug: maybe", "maybe", "True or False"),
    ("debug: False", "debugg: False", "debugg", "did you mean debug?"),
    ("  class: train\n", "", "- name: train_it", "class is missing"),
    ("  class: train\n", "  class: trian\n", "trian", "one of train, infer"),
    ("  device: cpu\n  epochs", "  device: gpu\n  epochs", "device: gpu", "set cpu"),
    ("  device: cpu\n  epochs", "  device: tpu\n  epochs", "tpu", "one of cpu, gpu"),
    ("  epochs: 2\n", "", "- name: train_it", "epochs is missing"),
    ("  epochs: 2", "  epochs: two", "two", "whole number of at least 1"),
    ("  epochs: 2", "  epochs: 0", "epochs: 0", "at least 1"),
    ("  epochs: 2", "  epoch: 2", "  epoch: 2", "did you mean epochs?"),
    ("fleet_mode: ps", "fleet_mode: horse", "horse", "one of ps, collective, pslib"),
    ("distribute_strategy: sync", "distribute_strategy: sink", "sink", "half_async"),
    ("worker_num: 2", "worker_num: -1", "worker_num", "at least 1"),
    ("save_checkpoint_interval: 1", "save_checkpoint_interval: 0", "interval: 0",
     "at least 1, or -1"),
    ("save_checkpoint_path", "save_chekpoint_path", "save_chekpoint_path",
     "did you mean save_checkpoint_path?"),
    ("init_model_path: \"\"", "init_model_path: \"gone\"", "gone", "is not there"),
    ("print_interval: 5", "print_interval: 1.5", "1.5", "whole number"),
    ("  phases: [phase1]", "  phases: [phase9]", "phase9", "did you mean phase1?"),
    ("  phases: [phase1]", "  phases: []", "phases: []", "phases is empty"),
    ("mode: [train_it]", "mode: [judge_it]", "init_model_path: \"saved\"", "saved is not there"),
    ("type: DataLoader", "tyype: DataLoader", "- name: clicks", "type is missing; there is tyype"),
    ("type: DataLoader", "type: Loader", "type: Loader", "one of DataLoader, QueueDataset"),
    ("batch_size: 4", "batchsize: 4", "- name: clicks",
     "batch_size is missing; there is batchsize"),
    ("batch_size: 4", "batch_size: '4.5'", "batch_size", "whole number"),
    ("epochs: 2", "epochs: '0'", "epochs", "at least 1"),
    ("{workspace}/data\"", "{workspace}/date\"", "date", "is not there"),
    ("dense_slots: \"d:2\"", "dense_slots: \"d\"", "dense_slots", "name:width"),
    ("click a b", "click a a", "sparse_slots", "slot a is given twice"),
    ("  sparse_slots: \"click a b\"\n  dense_slots: \"d:2\"\n", "", "- name: clicks",
     "neither data_converter nor sparse_slots"),
    ("padding: 0", "padding: none", "padding", "a number"),
    ("    class: SGD", "    class: Sgdd", "Sgdd", "one of SGD, Adam, Adagrad"),
    ("learning_rate: 0.1", "learning_rate: fast", "fast", "a number above 0"),
    ("  optimizer:\n    class: SGD\n    learning_rate: 0.1\n", "  optimizer: SGD\n",
     "optimizer: SGD", "class and learning_rate"),
    ("hyper_parameters:\n", "hyper_parameter:\n", "hyper_parameter:",
     "did you mean hyper_parameters?"),
    ("  model: \"{workspace}/model.py\"\n", "", "- name: phase1", "model is missing"),
    ("model.py", "modle.py", "modle.py", "is not there"),
    ("  dataset_name: clicks\n", "", "- name: phase1", "dataset_name is missing"),
    ("dataset_name: clicks", "dataset_name: click", "dataset_name", "did you mean clicks?"),
    ("thread_num: 1", "thread_num: 0", "thread_num", "at least 1"),
    ("thread_num: 1", "thread_nums: 1", "thread_nums", "did you mean thread_num?"),
    ("- name: judge_it", "- nam: judge_it", "- nam: judge_it", "name is missing"),
    ("shuffle_filelist: False", "shuffle_filelist: 1", "shuffle_filelist", "True or False"),
    ("phase:\n- name: phase1", "phase:\n  name: phase1", "phase:\n", "a list of items"),
    ("- name: judge_it", "- name: train_it", "name: train_it", "two runners called train_it"),
    ("  epochs: 2", "  epochs: 2\n  epochs: 3", "epochs: 3", "given twice"),
    ("print_interval: 5", "trainer_class: SingleTrainer", "SingleTrainer", "nor a file"),
    ("print_interval: 5", "startup_class_path: my.py", "my.py", "is not there"),
    ("print_interval: 5", "finetuning_aspect_varnames: [x]", "finetuning", "FineTuningTrainer"),
    ("mode: [train_it]", "mode: [train_it", "debug:", "no YAML"),
    ("debug: False", "debug: \x07", "debug:", "no YAML: character '\\x07'"),
    ("save_checkpoint_path: \"saved\"", "save_checkpoint_path: [a]", "path: [a]", "a text"),
    ("init_model_path: \"\"", "init_model_path: {a: 1}", "{a: 1}", "a text"),
    ("epochs: 2", "epochs: 3000000000", "epochs", "below 2147483648"),
    ("padding: 0", "padding: .nan", "padding", "a number"),
    ("padding: 0", "padding: 1.5", "padding", "ids of sparse_slots are whole"),
    ("learning_rate: 0.1", "learning_rate: True", "learning_rate", "a number above 0"),
    ("learning_rate: 0.1", "learning_rate: .inf", "learning_rate", "a number above 0"),
    ("learning_rate: 0.1", "learning_rat: 0.1", "learning_rat", "did you mean learning_rate?"),
    ("  optimizer:\n", "  optimiser:\n", "optimiser", "did you mean optimizer?"),
    ("sparse_slots:", "sparse_slot:", "sparse_slot", "did you mean sparse_slots?"),
    ("debug: False", "train: 5", "train: 5", "keys of its own"),
    ("debug: False", "train:\n  strategi:\n    mode: 1", "strategi", "did you mean strategy?"),
    ("debug: False", "train:\n  strategy: geo", "strategy: geo", "wanted keys of its own"),
    ("debug: False", "train:\n  strategy:\n    mode:\n      push_num: 0", "push_num",
     "at least 1"),
    ("  phases: [phase1]", "  phases: ['']", "phases: ['']", "a list of names"),
]


def refused(folder, capsys):
    """The lines on stderr, without the first."""
    with pytest.raises(SystemExit) as end:
        command.load(os.path.join(folder, "config.yaml"), False)
    assert end.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert "nothing was started" in "".join(said)
    return [line.strip() for line in said if line.startswith("  ")]


@pytest.mark.parametrize("old, new, line, says", BROKEN,
                         ids=lambda v: None)
def test_a_broken_configuration_is_refused_with_its_line(old, new, line, says, tmp_path,
                                                         monkeypatch, capsys):
    assert old in job.CONFIG
    text = job.CONFIG.replace(old, new, 1)
    monkeypatch.chdir(job.make(tmp_path, text))
    found = refused(".", capsys)
    at = text.rindex(line) if new.count("epochs") == 2 or "two runners" in says \
        else text.index(line)
    wanted = "config.yaml:%d: " % (text[:at].count("\n") + 1)
    assert [p for p in found if wanted in p and says in p], (wanted, found)


@pytest.mark.parametrize("place", ["saved", "saved/1", "./saved/", "{workspace}/saved/0"])
def test_a_folder_that_a_runner_before_writes_need_not_be_there(place, tmp_path, monkeypatch):
    folder = job.make(tmp_path, job.CONFIG.replace("mode: [train_it]", "mode: [train_it, judge_it]")
                      .replace('init_model_path: "saved"', 'init_model_path: "%s"' % place))
    monkeypatch.chdir(folder)
    command.load("config.yaml", False)


@pytest.mark.parametrize("every, place, says", [
    (1, "saved/9", "epochs 0 to 1"), (2, "saved/0", "epochs 0 to 1, of every 2 the last")])
def test_an_epoch_that_no_runner_before_saves_is_named(every, place, says, tmp_path, monkeypatch,
                                                       capsys):
    text = job.CONFIG.replace("mode: [train_it]", "mode: [train_it, judge_it]").replace(
        'init_model_path: "saved"', 'init_model_path: "%s"' % place).replace(
        "save_checkpoint_interval: 1", "save_checkpoint_interval: %d" % every)
    monkeypatch.chdir(job.make(tmp_path, text))
    problem, = refused(".", capsys)
    line = text[:text.index(place)].count("\n") + 1
    assert "config.yaml:%d: runner judge_it: init_model_path: %s is not there, and runner train_it " \
        "saves %s" % (line, place, says) in problem
    os.makedirs(tmp_path / place)
    command.load("config.yaml", False)


def test_there_are_forty():
    assert len(BROKEN) >= 40


def mutated(text, draw):
    """The text with up to three small accidents."""
    lines = text.splitlines()
    for _ in range(draw.randint(1, 3)):
        i, kind = draw.randrange(len(lines)), draw.randrange(6)
        line, at = lines[i], draw.randrange(len(lines[i]) + 1)
        lines[i:i + 1] = [
            [], [line, draw.choice(lines)], [" " + line], [line.lstrip()],
            [line[:at] + draw.choice(":-[]{}'\"#&*!|>%@,\t\x00") + line[at:]],
            [line.split(":")[0] + ": " + draw.choice(
                ["", "null", "[]", "{}", "-1", "yes", "2020-01-01", "!!x y", "1e400", ".nan", "[[]]",
                 "*a", "&a 1", "|", "{a: [1]}", "1" * 40])]][kind]
    return "\n".join(lines) + "\n"


def test_accidents_end_in_a_list_of_problems_or_in_nothing(tmp_path, monkeypatch, capsys):
    """Never in an exception, nor in a list without the file."""
    monkeypatch.chdir(job.make(tmp_path))
    draw, refusals = random.Random(3), 0
    for _ in range(300):
        text = mutated(job.CONFIG, draw)
        with open("config.yaml", "w") as file:
            file.write(text)
        try:
            command.load("config.yaml", False)
        except SystemExit as end:
            said = capsys.readouterr().err
            assert end.code == 2 and re.search(r"^  config.yaml(:\d+)?: ", said, re.M), (text, said)
            refusals += 1
    assert refusals > 150


def test_what_a_runner_does_not_use_gets_a_note(tmp_path, monkeypatch):
    text = job.CONFIG.replace("print_interval: 5", "print_interval: 5\n  selected_gpus: '0'\n"
                              "  save_inference_path: inf").replace(
        "padding: 0", "padding: 0\n  data_converter: reader.py")
    notes = "\n".join(map(str, sound(tmp_path, monkeypatch, text).notes))
    for says in ("worker_num is not used by class train", "server_num is not used by class train",
                 "distribute_strategy is not used by class train",
                 "selected_gpus is not used with device cpu", "no inference model is saved",
                 "data_converter is not used: sparse_slots and dense_slots say"):
        assert says in notes


def test_all_problems_come_in_one_list_in_the_order_of_the_lines(tmp_path, monkeypatch, capsys):
    text = job.CONFIG.replace("epochs: 2", "epochs: x").replace("thread_num: 1", "thread_num: y") \
        .replace("batch_size: 4", "batch_size: z")
    monkeypatch.chdir(job.make(tmp_path, text))
    found = refused(".", capsys)
    assert len(found) == 3
    numbers = [int(p.split(":")[1]) for p in found]
    assert numbers == sorted(numbers)


def test_the_command_ends_with_status_2_and_starts_nothing(tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace("epochs: 2", "epochs: x"))
    status, said = job.run(folder)
    assert status == 2
    assert "config.yaml:10: runner train_it: epochs is 'x', wanted" in said
    assert not os.path.exists(os.path.join(folder, "saved"))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    status, said = job.run(tmp_path, "-m", "none.yaml")
    assert status == 2 and "none.yaml: cannot be read" in said


def sound(tmp_path, monkeypatch, text, submits=False):
    monkeypatch.chdir(job.make(tmp_path, text))
    config = read("config.yaml")
    override(config)
    assert check.check(config, submits) == []
    return config


def test_what_is_odd_and_harmless_gets_a_note(tmp_path, monkeypatch):
    text = job.CONFIG.replace("epochs: 2", "epochs: 2\n  epochs: 2") \
        .replace("strategy: sync", "strategy: asycn")
    config = sound(tmp_path, monkeypatch, text)
    notes = [str(n) for n in config.notes]
    assert any("epochs is given twice" in n and "config.yaml:11" in n for n in notes)
    assert any("read as async" in n for n in notes)
    assert config.data["runner"][0]["distribute_strategy"] == "async"


def test_paths_and_devices_are_those_of_the_machine_that_trains(tmp_path, monkeypatch):
    text = job.CONFIG.replace("/data\"", "/train_data\"").replace("model.py", "elsewhere.py") \
        .replace("device: cpu\n  epochs", "device: gpu\n  epochs")
    sound(tmp_path, monkeypatch, text, submits=True)


def test_a_folder_that_an_earlier_runner_writes_need_not_be_there(tmp_path, monkeypatch):
    sound(tmp_path, monkeypatch,
          job.CONFIG.replace("mode: [train_it]", "mode: [train_it, judge_it]"))


def notes_of(tmp_path, monkeypatch, text):
    return "\n".join(map(str, sound(tmp_path, monkeypatch, text).notes))


def test_batches_that_are_saved_or_dumped_one_by_one_are_of_a_data_loader(tmp_path, monkeypatch):
    text = job.CONFIG.replace("type: DataLoader", "type: QueueDataset")
    assert "DataLoader" not in notes_of(tmp_path, monkeypatch, text)
    for keys in ("runner_result_dump_path: dump", "save_step_interval: 5\n  save_step_path: steps"):
        assert "dataset clicks is read as a DataLoader" in notes_of(
            tmp_path, monkeypatch, text.replace("print_interval: 5", keys))


def test_keys_of_the_users_own_are_noted_by_the_name_they_are_read_by(tmp_path, monkeypatch):
    """paddle-rec hands every key of the file to get_global_env()."""
    text = job.CONFIG.replace("print_interval: 5", "days: 3").replace(
        "thread_num: 1", "tower: left") + "mine:\n  a: 1\ntrain:\n  reader:\n    avg: 10\n"
    said = notes_of(tmp_path, monkeypatch, text)
    for name in ("runner.train_it.days", "phase.phase1.tower", "mine", "train.reader"):
        assert 'envs.get_global_env("%s")' % name in said


def test_what_mode_does_not_run_is_noted_and_stops_nothing(tmp_path, monkeypatch):
    """A file may have runners for an older PaddleRec, or for data that are elsewhere."""
    text = job.CONFIG.replace("class: infer", "class: single_infer") + """
- name: phase2
  dataset_name: old
  thread_num: many
""" + "dataset_of_old: 1\n"
    text = text.replace("dataset:\n", "dataset:\n- name: old\n  batch_size: all\n", 1)
    said = notes_of(tmp_path, monkeypatch, text)
    for what in ("runner judge_it: class is 'single_infer', wanted one of train",
                 "phase phase2: model is missing", "phase phase2: thread_num is 'many'",
                 "dataset old: batch_size is 'all'", "dataset old: data_path is missing"):
        line, = [n for n in said.splitlines() if what in n]
        assert line.endswith("(mode does not run it)")


def test_a_dataset_without_a_type_is_a_data_loader(tmp_path, monkeypatch):
    text = job.CONFIG.replace("  type: DataLoader\n", "")
    assert "type is missing: it is read as a DataLoader" in notes_of(tmp_path, monkeypatch, text)


@pytest.mark.parametrize("text", ["class: Momentum", "learning_rate: [0.1, 0.01]"])
def test_a_model_with_an_optimizer_of_its_own_reads_its_own_keys(text, tmp_path, monkeypatch):
    key = text.split(":")[0] + ": "
    config = "\n".join("    " + text if line.startswith("    " + key) else line
                       for line in job.CONFIG.split("\n"))
    own = job.MODEL + "\n    def optimizer(self):\n        return fluid.optimizer.Momentum(0.1, 0.9)\n"
    for model, runs in ((job.MODEL, False), (own, True),
                        (job.MODEL.replace("Model(ModelBase)", "Model(Mine)"), True)):
        monkeypatch.chdir(job.make(tmp_path, config))
        (tmp_path / "model.py").write_text(model)
        found = check.check(read("config.yaml"))
        assert ([] if runs else ["hyper_parameters.optimizer." + key.strip(": ")]) == [
            p.text.split(" ")[0] for p in found]


@pytest.mark.parametrize("key, part", [("init_pretraining_model_path", "startup"),
                                       ("finetuning_aspect_varnames", "network")])
def test_keys_of_fine_tuning_may_be_read_by_a_class_of_the_users(key, part, tmp_path, monkeypatch):
    """As startup_class_path of PaddleRec's textcnn_pretrain does."""
    text = job.CONFIG.replace("print_interval: 5", "%s: old\n  %s_class_path: \"{workspace}/model.py\"" % (
        key, part))
    sound(tmp_path, monkeypatch, text)


def test_the_environment_overrides_by_the_names_of_the_table(tmp_path, monkeypatch):
    monkeypatch.setenv("runner.train_it.epochs", "7")
    monkeypatch.setenv("hyper_parameters__optimizer__learning_rate", "0.5")
    monkeypatch.setenv("dataset__clicks__batch_size", "16")
    config = sound(tmp_path, monkeypatch, job.CONFIG)
    assert config.data["runner"][0]["epochs"] == 7
    assert config.data["hyper_parameters"]["optimizer"]["learning_rate"] == 0.5
    assert config.data["dataset"][0]["batch_size"] == 16
    assert len([n for n in config.notes if "environment variable" in str(n)]) == 3


def test_an_override_is_checked_as_the_file_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("runner.train_it.epochs", "many")
    monkeypatch.setenv("runner.nobody.epochs", "1")
    monkeypatch.chdir(job.make(tmp_path))
    found = refused(".", capsys)
    assert any("environment variable runner.train_it.epochs=many: " in p for p in found)
    assert any("there is no runner nobody" in p for p in found)
