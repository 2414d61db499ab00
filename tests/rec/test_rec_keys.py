"""Keys of config.yaml that test_rec_run.py does not show: each does what the guide says of it."""
import json
import os
import re

import pytest

import rec_job as job

STATES = {"instance": ("SingleInstance", "instance"), "network": ("SingleNetwork", "build_network"),
          "startup": ("SingleStartup", "startup"), "runner": ("SingleRunner", "run"),
          "terminal": ("TerminalBase", "terminal")}
STATE = '''from paddlerec.core.trainers.framework.%(part)s import %(base)s
class %(name)s(%(base)s):
    def %(method)s(self, context):
        print("my own %(part)s of", context["runner_name"])
        super().%(method)s(context)
'''
TRAINER = '''from paddlerec.core.trainers.general_trainer import GeneralTrainer
class UserDefineTrainer(GeneralTrainer):
    def processor_register(self):
        super().processor_register()
        print("my own trainer, with", ", ".join(sorted(self._status_processor)))
'''
# Shows what came of each batch.
SEES = job.MODEL.replace('        self._metrics["LOSS"]', '''        for name, var in (("A", ids[0]), ("B", ids[1]), ("D", self._dense_data_var[0])):
            self._metrics[name] = fluid.layers.reduce_max(fluid.layers.cast(var, "float32"))
        self._metrics["LOSS"]''')


def write(folder, name, text):
    os.makedirs(os.path.dirname(os.path.join(str(folder), name)), exist_ok=True)
    with open(os.path.join(str(folder), name), "w") as file:
        file.write(text)


def ok(folder, *args, **environ):
    status, said = job.run(folder, *args, **environ)
    assert status == 0, said
    return said


def test_every_state_can_be_the_users_own(tmp_path):
    keys = "".join("\n  %s_class_path: \"{workspace}/my_%s.py\"" % (part, part) for part in STATES)
    folder = job.make(tmp_path, job.CONFIG.replace(
        "print_interval: 5", "print_interval: 5\n  trainer_class: \"{workspace}/my_trainer.py\"" + keys))
    write(folder, "my_trainer.py", TRAINER)
    for part, (base, method) in STATES.items():
        write(folder, "my_%s.py" % part, STATE % dict(part=part, base=base, method=method,
                                                      name=part.capitalize()))
    said = ok(folder)
    assert re.findall(r"my own (\w+) of train_it", said) == list(STATES)
    assert "my own trainer, with network_pass, startup_pass, terminal_pass, train_pass, uninit" in said
    assert said.rstrip().endswith("PaddleRec Finish")


def seen(folder, epoch, name):
    """The values of a metric in the batches of an epoch; they stand under the variable's name."""
    var = "reduce_max_%d.tmp_0" % "ABD".index(name)
    with open(os.path.join(str(folder), "seen_epoch_%d" % epoch)) as file:
        return [int(round(float(batch[var][0]))) for batch in json.load(file)]


def test_slots_that_a_line_has_not_are_padded(tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace("padding: 0", "padding: 77").replace(
        "print_interval: 5", "runner_result_dump_path: seen").replace("batch_size: 4", "batch_size: 1"))
    write(folder, "model.py", SEES)
    os.remove(os.path.join(folder, "data", "part-1"))
    write(folder, "data/part-0", "click:1 a:3 b:4 d:5 d:6\nclick:0 a:8\n")
    ok(folder)
    assert [seen(folder, 0, name) for name in "ABD"] == [[3, 8], [4, 77], [6, 77]]


@pytest.mark.parametrize("shuffled", [True, False])
def test_files_come_in_another_order_where_it_is_asked_for(shuffled, tmp_path):
    """One of 40! orders is theirs."""
    folder = job.make(tmp_path, job.CONFIG.replace("shuffle_filelist: False",
                                                   "shuffle_filelist: %s" % shuffled).replace(
        "print_interval: 5", "runner_result_dump_path: seen").replace("batch_size: 4", "batch_size: 1"))
    write(folder, "model.py", SEES)
    os.remove(os.path.join(folder, "data", "part-1"))
    os.remove(os.path.join(folder, "data", "part-0"))
    for i in range(40):
        write(folder, "data/part-%02d" % i, "click:%d a:%d b:1 d:1 d:1\n" % (i % 2, i))
    ok(folder)
    orders = [seen(folder, epoch, "A") for epoch in (0, 1)]
    assert all(sorted(order) == list(range(40)) for order in orders)
    assert (orders[0] == sorted(orders[0]), orders[0] == orders[1]) == (not shuffled, not shuffled)


def test_data_of_the_package_are_found_by_its_name(tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace(
        "{workspace}/data", "paddlerec::models/rank/dnn/data/sample_data/train").replace(
        'sparse_slots: "click a b"', 'sparse_slots: "click 1 2"').replace("d:2", "dense_var:13"))
    write(folder, "model.py", job.MODEL.replace("[100, width]", "[1000001, width]"))
    assert re.search(r"epoch 1 done, .*Ins number=[1-9]", ok(folder))


TELLS = '''from paddlerec.core.trainers.framework.terminal import PSTerminal
class Terminal(PSTerminal):
    def terminal(self, context):
        print("push_nums", context["strategy"].get_program_config().geo_sgd_need_push_nums)
        print("fleet_mode", context["fleet_mode"])
        super().terminal(context)
'''


@pytest.mark.parametrize("mode", ["ps", "pslib"])
def test_geo_pushes_as_often_as_push_num_says(mode, tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace("class: train", "class: local_cluster_train").replace(
        "strategy: sync", "strategy: geo").replace("fleet_mode: ps", "fleet_mode: " + mode).replace(
        "print_interval: 5", "terminal_class_path: \"{workspace}/tells.py\"") +
        "train:\n  strategy:\n    mode:\n      push_num: 7\n")
    write(folder, "tells.py", TELLS)
    said = ok(folder)
    assert "fleet_mode %s\n" % mode.upper() in said  # as user's classes compare it
    assert "push_nums 7" in said and re.search(r"epoch 1 done, .*Ins number=240", said)


def test_a_name_alone_is_a_list_of_one(tmp_path):
    """Also of variables of an inference model, whose letters are no names."""
    folder = job.make(tmp_path, job.CONFIG.replace("mode: [train_it]", "mode: train_it").replace(
        "phases: [phase1]", "phases: phase1", 1).replace("print_interval: 5", "print_interval: 5\n"
        "  save_inference_path: inference\n  save_inference_feed_varnames: click\n"
        "  save_inference_fetch_varnames: cast_0.tmp_0"))
    write(folder, "model.py", job.MODEL.replace(
        "        width =", "        fluid.layers.cast(label, 'float32')\n        width ="))
    ok(folder)
    assert sorted(os.listdir(os.path.join(folder, "inference"))) == ["0", "1"]


def test_a_queue_dataset_whose_batches_are_saved_and_dumped_is_read_as_a_data_loader(tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace("type: DataLoader", "type: QueueDataset").replace(
        "print_interval: 5", "runner_result_dump_path: seen\n  save_step_interval: 20\n"
        "  save_step_path: steps"))
    assert "dataset.clicks.type                               DataLoader" in ok(folder)
    assert sorted(os.listdir(os.path.join(folder, "steps"))) == [
        "epoch_%d_batch_%d" % (e, b) for e in (0, 1) for b in (0, 20)]
    with open(os.path.join(folder, "seen_epoch_1")) as file:
        assert len(json.load(file)) == 30


@pytest.mark.parametrize("text", ["", "  type: dataloader\n"])
def test_a_type_is_read_in_any_spelling_and_without_one_it_is_a_data_loader(text, tmp_path):
    folder = job.make(tmp_path, job.CONFIG.replace("  type: DataLoader\n", text))
    assert "epoch: 1,  batch: 25" in ok(folder)


def test_whole_numbers_may_stand_in_quotes(tmp_path):
    """paddle-rec reads most of them by int()."""
    text = job.CONFIG.replace("class: train", "class: local_cluster_train").replace(
        "save_checkpoint_interval: 1", "save_checkpoint_interval: 1\n  save_step_interval: 20\n"
        "  save_step_path: steps")
    for key, number in (("epochs", 2), ("worker_num", 2), ("server_num", 1), ("print_interval", 5),
                        ("save_checkpoint_interval", 1), ("save_step_interval", 20),
                        ("batch_size", 4), ("thread_num", 1)):
        assert "%s: %d\n" % (key, number) in text
        text = text.replace("%s: %d\n" % (key, number), "%s: '%d'\n" % (key, number))
    said = ok(job.make(tmp_path, text))
    assert "epochs is a text, '2', and read as a number" in said and "epoch: 1,  batch: 10" in said
    assert sorted(os.listdir(tmp_path / "saved")) == ["0", "1"]
    assert sorted(os.listdir(tmp_path / "steps")) == ["epoch_0_batch_0", "epoch_1_batch_0"]
