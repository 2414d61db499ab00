"""Everything that can be said of a config.yaml before anything starts. All problems are found in
one go, each with its line; notes are of what is odd and harmless, and of what is wrong with a
runner, phase or dataset that `mode` does not run."""
import ast
import math
import os

from paddlerec.core.config import LISTS, did_you_mean, near
from paddlerec.core.model import dense_slot, split_slots
from paddlerec.core.utils import envs

__all__ = ["check", "ENGINES"]

ENGINES = ("train", "infer", "local_cluster_train", "cluster_train")
STRATEGIES = ("sync", "async", "half_async", "geo")


# ---- values: each gives what is wrong, or None ----

def _text(value):
    return None if isinstance(value, str) and value.strip() else "a text"


def _maybe_text(value):
    return None if value is None or isinstance(value, str) else "a text"


def _flag(value):
    return None if isinstance(value, bool) else "True or False"


def _is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2 ** 31


def _whole(least):
    def is_wrong(value):
        return None if _is_whole(value) and value >= least else \
            "a whole number of at least %d, below 2147483648" % least
    return is_wrong


def _interval(value):
    fits = _is_whole(value) and (value >= 1 or value == -1)
    return None if value is None or fits else "a whole number of at least 1, or -1 for always"


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and \
        abs(value) < 2 ** 63 and math.isfinite(value)


def _number(value):
    return None if _is_number(value) else "a number"


def _names(value):
    if value is None or isinstance(value, str):
        return None
    return None if isinstance(value, list) and all(isinstance(v, str) and v for v in value) \
        else "a name or a list of names"


def _one_of(*choices):
    def is_wrong(value):
        fits = isinstance(value, str) and value.lower() in [c.lower() for c in choices]
        return None if fits else "one of " + ", ".join(choices)
    return is_wrong


def _cards(value):
    cards = str(value).split(",")
    return None if all(c.strip().isdigit() for c in cards) else "card numbers with commas: \"0,1\""


def _journal(value):
    # YAML takes a bare `off` for False.
    return None if value is False else _one_of("off", "everysec", "always")(value)


def _choice_0_1(value):
    if value == 2:
        return "0 or 1 (2 needs a gradient that is fed by hand)"
    return None if value in (0, 1) and not isinstance(value, bool) else "0 or 1"


def _a_dict(value):
    return None if isinstance(value, dict) else "keys of its own"


_CLASS_PATHS = ["%s_class_path" % part
                for part in ("instance", "network", "startup", "runner", "terminal")]
_SAVE_PATHS = ["save_%s_path" % thing for thing in ("checkpoint", "step", "inference")]
_STRATEGY = _one_of(*STRATEGIES)
TOP = {"workspace": _text, "mode": _names, "debug": _flag, "runner": None, "dataset": None,
       "phase": None, "hyper_parameters": _a_dict, "train": _a_dict}
RUNNER = {
    "name": _text, "class": _one_of(*ENGINES), "device": _one_of("cpu", "gpu"),
    "fleet_mode": _one_of("ps", "collective", "pslib"), "selected_gpus": _cards,
    "worker_num": _whole(1), "server_num": _whole(1), "distribute_strategy": _STRATEGY,
    "restarts": _whole(0), "journal": _journal, "journal_dir": _maybe_text,
    "min_trainers": _whole(0), "resume": _maybe_text, "grace": _whole(0),
    "epochs": _whole(1), "phases": _names, "init_model_path": _maybe_text,
    "save_checkpoint_interval": _interval, "save_checkpoint_path": _maybe_text,
    "save_step_interval": _interval, "save_step_path": _maybe_text,
    "save_inference_interval": _interval, "save_inference_path": _maybe_text,
    "save_inference_feed_varnames": _names, "save_inference_fetch_varnames": _names,
    "print_interval": _whole(1), "trainer_class": _text,
    "init_pretraining_model_path": _maybe_text, "runner_result_dump_path": _maybe_text,
    "finetuning_aspect_varnames": _names}
RUNNER.update({key: _maybe_text for key in _CLASS_PATHS})
DATASET = {"name": _text, "type": _one_of("DataLoader", "QueueDataset"), "batch_size": _whole(1),
           "data_path": _text, "data_converter": _maybe_text, "reader_class_name": _text,
           "sparse_slots": _maybe_text, "dense_slots": _maybe_text, "padding": _number}
PHASE = {"name": _text, "model": _text, "dataset_name": _text, "thread_num": _whole(1),
         "gradient_scale_strategy": _choice_0_1, "shuffle_filelist": _flag}
_REQUIRED = {"runner": ("name", "class"), "phase": ("name", "model", "dataset_name"),
             "dataset": ("name", "type", "batch_size", "data_path")}
_TABLES = {"runner": RUNNER, "dataset": DATASET, "phase": PHASE}


def _has_own_optimizer(file):
    """Whether the class Model of a file has, or may inherit, another optimizer() than ModelBase's."""
    try:
        with open(file, encoding="utf-8") as f:
            tree = ast.parse(f.read())
    except SyntaxError:  # Python 2, or what is said when it is run
        return True
    except (OSError, ValueError):
        return False
    model = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Model"), None)
    if model is None:
        return False
    bases = [getattr(base, "attr", getattr(base, "id", None)) for base in model.bases]
    return bases != ["ModelBase"] or any(
        isinstance(n, ast.FunctionDef) and n.name == "optimizer" for n in model.body)


def _shown(value):
    text = repr(value)
    return text if len(text) < 60 else text[:56] + " ..."



class _Saved:
    """What a runner saves in a folder below which each epoch has one."""

    def __init__(self, runner, key):
        self.name = runner.get("name")
        self.epochs = runner.get("epochs")
        self.every = runner.get(key.replace("_path", "_interval")) or -1
        self._known = isinstance(self.epochs, int) and isinstance(self.every, int) and \
            "step" not in key

    def has(self, number):
        """Whether an epoch is saved; True where that is not known."""
        if not self._known or not number.isdigit():
            return True
        done = int(number) + 1
        return done == self.epochs or done < self.epochs and done % self.every == 0

    def shown(self):
        return "epochs 0 to %d%s" % (self.epochs - 1, ", of every %d the last, and the last of all" %
                                     self.every if self.every > 1 else "")


class _Check:
    def __init__(self, config, submits):
        self.config, self.data, self.submits = config, config.data, submits
        self.serves = os.environ.get("PADDLE_PADDLEREC_ROLE", "").upper() == "WORKER" and \
            os.environ.get("TRAINING_ROLE", "").upper() == "PSERVER"  # it reads no data
        self.reached = self._reached()

    def say(self, path, text):
        if path and path[0] in LISTS and len(path) > 1 and path[:2] not in self.reached:
            self.config.note(path, text + " (mode does not run it)")
        else:
            self.config.problem(path, text)

    def _reached(self):
        """(section, number) of what `mode` runs; all, where it names no runner."""
        def items(section):
            found = self.data.get(section)
            return [(section, i, item) for i, item in enumerate(
                found if isinstance(found, list) else ()) if isinstance(item, dict)]

        def names(value):
            return [str(v) for v in (value if isinstance(value, list) else [value])]
        runners = [r for r in items("runner") if str(r[2].get("name")) in names(self.data.get("mode"))]
        if not runners:
            return {(s, i) for section in LISTS for s, i, _ in items(section)}
        phases = [p for p in items("phase") if any(
            r.get("phases") is None or str(p[2].get("name")) in names(r["phases"])
            for _, _, r in runners)]
        data = [d for d in items("dataset") if str(d[2].get("name")) in
                [str(p.get("dataset_name")) for _, _, p in phases]]
        return {(s, i) for s, i, _ in runners + phases + data}

    # ---- keys and their values ----

    def unknown(self, path, key, known, given=()):
        """Of a key that is none of PaddleRec's: the user's own, unless it is all but a known one."""
        meant = near(key, [k for k in known if k not in given], 0.8)
        if meant:
            self.say(path + (key,), "unknown key %s; did you mean %s?" % (key, meant))
            return
        names = [self.data[path[0]][path[1]].get("name") if type(part) is int else part
                 for part in path + (key,)]
        self.config.note(path + (key,), "%s is no key of PaddleRec: it is there for code of your own, "
                         "as envs.get_global_env(\"%s\")" % (key, ".".join(map(str, names))))

    def values(self, path, data, table, free, what):
        for key, value in data.items():
            if key not in table:
                if not free:
                    self.unknown(path, key, sorted(table), data)
                continue
            wanted = table[key](value) if table[key] else None
            if wanted and not self.repaired(path, data, key, value, table[key]):
                self.say(path + (key,), "%s%s is %s, wanted %s" % (what, key, _shown(value),
                                                                  wanted))

    def repaired(self, path, data, key, value, is_wrong):
        if key == "distribute_strategy" and value == "asycn":
            data[key] = "async"
            self.config.note(path + (key,), "distribute_strategy asycn is read as async")
            return True
        number = envs.whole_number(value)
        if isinstance(value, str) and number is not None and not is_wrong(number):
            data[key] = number
            self.config.note(path + (key,), "%s is a text, %r, and read as a number" % (key, value))
            return True
        return False

    def top(self):
        self.values((), self.data, TOP, False, "")
        for key in ("workspace", "mode", "runner", "dataset", "phase"):
            if key not in self.data:
                self.say((), "%s is missing" % key)
        if self.data.get("mode", "x") in (None, "", []):
            self.say(("mode",), "mode is empty: wanted the name of a runner, or several")
        for section in LISTS:
            if section in self.data:
                self.section(section)
        if "hyper_parameters" in self.data and isinstance(self.data["hyper_parameters"], dict):
            self.optimizer()
        self.push_num()

    def push_num(self):
        """`train` has nothing but strategy.mode.push_num."""
        path, here = ("train",), self.data.get("train")
        for key in ("strategy", "mode", "push_num"):
            if here is None:
                return
            if not isinstance(here, dict):
                if len(path) > 1:  # else it was said
                    self.say(path, "%s is %s, wanted keys of its own" % (".".join(path), _shown(here)))
                return
            for other in here:
                if other != key:
                    self.unknown(path, other, [key], here)
            here, path = here.get(key), path + (key,)
        if here is not None and _whole(1)(here):
            self.say(path, "%s is %s, wanted %s" % (".".join(path), _shown(here), _whole(1)(here)))

    def section(self, section):
        items = self.data[section]
        if not isinstance(items, list) or not items:
            self.say((section,), "%s is %s, wanted a list of items that begin with `- name:`"
                     % (section, _shown(items)))
            self.data[section] = []
            return
        seen = set()
        for i, item in enumerate(items):
            path = (section, i)
            if not isinstance(item, dict):
                self.say(path, "an item of %s is %s, wanted keys" % (section, _shown(item)))
                continue
            what = "%s %s: " % (section, item.get("name", i))
            self.values(path, item, _TABLES[section], section == "dataset", what)
            for key in _REQUIRED[section]:
                if key not in item:
                    self.missing(path, section, item, key, what)
            if section == "dataset":
                self.misspelt(path, item, DATASET, what)
            name = str(item.get("name"))
            if name in seen:
                self.config.problem(path + ("name",), "there are two %ss called %s" % (section, name))
            seen.add(name)
            if section == "dataset":
                self.slots(path, item, what)
        self.data[section] = [item for item in items if isinstance(item, dict)]

    def missing(self, path, section, item, key, what):
        other = near(key, [k for k in item if k not in _TABLES[section]], 0.7)
        if key == "name":  # without one nothing can be told of it
            self.config.problem(path, what + "name is missing")
        elif key == "type" and not other:
            self.config.note(path, what + "type is missing: it is read as a DataLoader")
        else:
            self.say(path, what + "%s is missing%s" % (
                key, "; there is %s" % other if other and section == "dataset" else ""))

    def slots(self, path, item, what):
        dense, sparse = item.get("dense_slots"), item.get("sparse_slots")
        names = []
        try:
            names = [dense_slot(text)[0] for text in split_slots(dense)] + split_slots(sparse)
        except (ValueError, AttributeError) as e:
            if not isinstance(e, AttributeError):
                self.say(path + ("dense_slots",), what + str(e))
            return
        for name in sorted({n for n in names if names.count(n) > 1}):
            self.say(path + ("sparse_slots",), what + "slot %s is given twice" % name)
        if split_slots(sparse) and _is_number(item.get("padding")) and item["padding"] % 1:
            self.say(path + ("padding",), what + "padding is %s, and ids of sparse_slots are whole"
                     % item["padding"])
        for key in ("data_converter", "reader_class_name"):
            if names and item.get(key):
                self.config.note(path + (key,), what + "%s is not used: sparse_slots and dense_slots "
                                 "say what a line holds" % key)
        if not names and not item.get("data_converter"):
            self.say(path, what + "there is neither data_converter nor sparse_slots or "
                                  "dense_slots: nothing says what a line holds")

    def misspelt(self, path, data, known, what):
        """Other keys are the model's own, but one that is all but a known one, which is not there."""
        for key in known:
            other = near(key, [k for k in data if k not in known], 0.85)
            if key not in data and other and key not in _REQUIRED["dataset"]:  # those are asked for
                self.say(path + (other,), what + "%s is not a key: did you mean %s?" % (other, key))

    def optimizer(self):
        path = ("hyper_parameters", "optimizer")
        self.misspelt(path[:1], self.data["hyper_parameters"], path[1:], "hyper_parameters: ")
        optimizer = self.data["hyper_parameters"].get("optimizer")
        if optimizer is None:
            return
        if not isinstance(optimizer, dict):
            self.say(path, "hyper_parameters.optimizer is %s, wanted class and learning_rate"
                     % _shown(optimizer))
            return
        self.misspelt(path, optimizer, ("class", "learning_rate"), "hyper_parameters.optimizer: ")
        if optimizer.get("strategy"):
            self.config.note(path + ("strategy",), "hyper_parameters.optimizer.strategy is not used: "
                             "a runner has distribute_strategy")
        wanted = _one_of("SGD", "Adam", "Adagrad")
        if "class" in optimizer and wanted(optimizer["class"]):
            self.of_optimizer(path + ("class",), "hyper_parameters.optimizer.class is %s, wanted %s"
                              % (_shown(optimizer["class"]), wanted(optimizer["class"])))
        if "learning_rate" in optimizer:
            rate = optimizer["learning_rate"]
            try:
                fits = not isinstance(rate, bool) and 0 < float(rate) < math.inf
            except (TypeError, ValueError):
                fits = False
            if not fits:
                self.of_optimizer(path + ("learning_rate",), "hyper_parameters.optimizer.learning_rate "
                                  "is %s, wanted a number above 0" % _shown(optimizer["learning_rate"]))

    def of_optimizer(self, path, text):
        """A problem where ModelBase.optimizer() reads it; what a model's own makes of it is its own."""
        models = [phase.get("model") for i, phase in enumerate(self.data.get("phase") or ())
                  if isinstance(phase, dict) and ("phase", i) in self.reached]
        if any(isinstance(m, str) and not _has_own_optimizer(self.text(m)) for m in models):
            self.say(path, text)
        else:
            self.config.note(path, text + ", unless the model's own optimizer() knows it")

    # ---- what runs ----

    def named(self, section, name):
        for i, item in enumerate(self.data.get(section) or ()):
            if str(item.get("name")) == str(name):
                return i, item
        return None, None

    def refer(self, path, what, section, name):
        """The item of that name; a problem where there is none."""
        i, item = self.named(section, name)
        if item is None:
            names = [str(x.get("name")) for x in self.data.get(section) or ()]
            self.say(path, "%s names %s %s, and there is none%s" % (
                what, section, name, did_you_mean(name, names, "there are " if names else
                                                  "there are no %ss" % section)))
        return i, item

    def text(self, value):
        return envs.workspace_adapter_by_specific(value, str(self.data.get("workspace") or ""))

    def exists(self, path, what, value, kind="file"):
        if self.submits or not isinstance(value, str) or not value:
            return
        if self.serves and kind == "data":
            return
        place = self.text(value)
        if place.startswith("paddlerec::"):
            place = os.path.join(envs.package_base(), place.split("::", 1)[1])
        if not os.path.exists(place):
            self.say(path, "%s: %s is not there (from %s)" % (what, place, os.getcwd()))
        elif kind == "file" and not os.path.isfile(place):
            self.say(path, "%s: %s is no file" % (what, place))
        elif kind == "data" and os.path.isdir(place) and not any(
                not n.startswith(".") for _, _, names in os.walk(place) for n in names):
            self.say(path, "%s: there are no files in %s" % (what, place))

    def modes(self):
        modes = self.data.get("mode")
        modes = [modes] if isinstance(modes, str) else modes or []
        made = {}  # folders that a runner before writes -> _Saved
        checked = set()
        for name in modes if isinstance(modes, list) else ():
            i, runner = self.refer(("mode",), "mode", "runner", name)
            if runner is not None:
                self.runner(i, runner, made, checked)
                made.update({os.path.abspath(self.text(runner[key])): _Saved(runner, key)
                             for key in _SAVE_PATHS if isinstance(runner.get(key), str)})

    def comes(self, path, what, place, made):
        """Whether a runner before writes a folder, or the one it is in (increment/3); an epoch
        that it does not save is a problem, where there is none of an earlier run."""
        at = os.path.abspath(self.text(place))
        for folder, saved in made.items():
            if at != folder and not at.startswith(folder + os.sep):
                continue
            if not saved.has(at[len(folder) + 1:]) and not os.path.exists(at):
                self.say(path, "%s: %s is not there, and runner %s saves %s" % (
                    what, place, saved.name, saved.shown()))
            return True
        return False

    def runner(self, i, runner, made, checked):
        path, what = ("runner", i), "runner %s: " % runner.get("name")
        kind = str(runner.get("class")).lower()
        phases = runner.get("phases")
        if phases is None:
            phases = [p.get("name") for p in self.data.get("phase") or ()]
        phases = [phases] if isinstance(phases, str) else phases
        self.devices(path, runner, what, kind)
        if kind != "infer" and "epochs" not in runner:
            self.say(path, what + "epochs is missing")
        if kind == "infer" and not runner.get("init_model_path"):
            self.say(path, what + "init_model_path is missing: it holds what is to be judged")
        begins = runner.get("init_model_path")
        begins_at = path + ("init_model_path",), what + "init_model_path", begins
        if begins and not (isinstance(begins, str) and self.comes(*begins_at, made)):
            self.exists(*begins_at, "any")
        for key in _CLASS_PATHS:
            self.exists(path + (key,), what + key, runner.get(key))
        self.trainer(path, runner, what)
        self.unused(path, runner, what, kind)
        self.long_jobs(path, runner, what, kind)
        if isinstance(phases, list):
            if not phases:
                self.say(path + ("phases",), what + "phases is empty")
            if len(phases) > 1 and "cluster" in kind:
                self.config.note(path + ("phases",),
                                 what + "of several phases the first is trained on a cluster")
            for phase in phases:
                j, item = self.refer(path + ("phases",), what + "phases", "phase", phase)
                if item is not None:
                    self.phase(j, item, path, runner, what, checked)

    def unused(self, path, runner, what, kind):
        """Notes of keys that do nothing in this runner."""
        def note(key, text):
            if runner.get(key) not in (None, "", [], -1):
                self.config.note(path + (key,), what + text)
        for thing in ("checkpoint", "step", "inference"):
            if not runner.get("save_%s_path" % thing):
                note("save_%s_interval" % thing, "save_%s_path is not given: nothing is saved" % thing)
        for one, other in (("feed", "fetch"), ("fetch", "feed"), ("feed", "path"), ("fetch", "path")):
            key = "save_inference_" + (other if other == "path" else other + "_varnames")
            if not runner.get(key):
                note("save_inference_%s_varnames" % one, key + " is not given: no inference model is "
                                                              "saved")
        if runner.get("save_inference_path") and not runner.get("save_inference_feed_varnames") and \
                not runner.get("save_inference_fetch_varnames"):
            note("save_inference_path", "save_inference_feed_varnames and save_inference_fetch_varnames "
                                        "are not given: no inference model is saved")
        if kind in ("train", "infer"):
            for key in ("worker_num", "server_num", "distribute_strategy"):
                note(key, "%s is not used by class %s" % (key, kind))
        if kind == "cluster_train":
            for key in ("worker_num", "server_num"):
                note(key, key + " is not used by class cluster_train: backend.yaml says how many")
        if kind == "infer":
            for key in runner:
                if key == "epochs" or key.startswith("save_"):
                    note(key, key + " is not used by class infer")
        if str(runner.get("device", "cpu")).lower() == "cpu":
            note("selected_gpus", "selected_gpus is not used with device cpu")

    def long_jobs(self, path, runner, what, kind):
        """What launch_ps does for processes that die, it does where it starts them."""
        for key in ("restarts", "journal", "journal_dir", "min_trainers", "resume", "grace"):
            if not runner.get(key):
                continue
            if kind != "local_cluster_train":
                self.say(path + (key,), what + "%s is of class local_cluster_train; of cluster_train the "
                                               "cluster starts processes again" % key)
            elif str(runner.get("fleet_mode", "ps")).lower() == "collective":
                self.say(path + (key,), what + "%s needs servers, and fleet_mode collective has none"
                         % key)
        mode = str(runner.get("distribute_strategy") or "async").lower()
        if runner.get("min_trainers") and mode == "sync":
            self.say(path + ("min_trainers",), what + "a sync job does not go on without a worker: "
                                                      "min_trainers is of async, half_async and geo")

    def devices(self, path, runner, what, kind):
        device = str(runner.get("device", "cpu")).lower()
        mode = str(runner.get("fleet_mode", "ps")).lower()
        if device == "gpu" and not self.submits:
            from paddle.fluid import core
            if not core.is_compiled_with_cuda():
                self.say(path + ("device",), what + "device gpu is asked for, and there is none "
                                                   "that this build computes on: set cpu")
        if device == "gpu" and mode == "ps" and "fleet_mode" in runner and "cluster" in kind and \
                not self.submits:
            self.say(path + ("fleet_mode",), what + "fleet_mode ps trains on CPUs; with device gpu it "
                                                    "is collective")

    def trainer(self, path, runner, what):
        from paddlerec.core.factory import TRAINERS
        name = runner.get("trainer_class")
        if isinstance(name, str) and name not in TRAINERS:
            if not self.submits and not os.path.isfile(self.text(name)):
                self.say(path + ("trainer_class",), what + "trainer_class %s is neither one of %s "
                         "nor a file that is there" % (name, ", ".join(TRAINERS)))
        tunes = name == "FineTuningTrainer"
        for key, part in (("finetuning_aspect_varnames", "network"),
                          ("init_pretraining_model_path", "startup")):
            own = part + "_class_path"
            if runner.get(key) and name in (None, "GeneralTrainer") and not runner.get(own):
                self.say(path + (key,), what + "%s is for trainer_class: FineTuningTrainer, or a class of "
                         "your own that %s names" % (key, own))
            elif tunes and not runner.get(key):
                self.say(path, what + "%s is missing, which FineTuningTrainer needs" % key)

    def phase(self, j, phase, runner_path, runner, what, checked):
        path = ("phase", j)
        first = j not in checked
        checked.add(j)
        k, dataset = None, None
        if first and "model" in phase:
            self.exists(path + ("model",), "phase %s: model" % phase.get("name"), phase["model"])
        if "dataset_name" in phase:
            k, dataset = self.named("dataset", phase["dataset_name"]) if not first else \
                self.refer(path + ("dataset_name",), "phase %s: dataset_name"
                           % phase.get("name"), "dataset", phase["dataset_name"])
        if dataset is None:
            return
        if first:
            name = "dataset %s: " % dataset.get("name")
            self.exists(("dataset", k, "data_path"), name + "data_path",
                        dataset.get("data_path"), "data")
            if not self.has_slots(dataset):
                self.exists(("dataset", k, "data_converter"), name + "data_converter",
                            dataset.get("data_converter"))
        key = envs.needs_batches(runner)
        if str(dataset.get("type")).lower() == "queuedataset" and key:
            self.config.note(runner_path + (key,), what + "%s needs batches that are run one by one: "
                             "dataset %s is read as a DataLoader" % (key, dataset.get("name")))

    @staticmethod
    def has_slots(dataset):
        return any(isinstance(dataset.get(k), str) and split_slots(dataset[k])
                   for k in ("sparse_slots", "dense_slots"))

    def workspace(self):
        workspace = self.data.get("workspace")
        if isinstance(workspace, str) and not self.submits:
            place = envs.paddlerec_adapter(workspace)
            if place and not os.path.isdir(place):
                self.say(("workspace",), "workspace: %s is no folder%s" % (
                    place, " (from %s)" % os.getcwd() if not os.path.isabs(place) else ""))


def check(config, submits=False):
    """Fills config.problems and config.notes. submits: the configuration runs elsewhere, so paths
    and devices of this machine mean nothing."""
    run = _Check(config, submits)
    run.top()
    run.workspace()
    run.modes()
    config.problems.sort(key=lambda p: (p.line == 0, p.line))
    return config.problems
