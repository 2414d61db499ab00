"""A job that is handed to a cluster: the keys of backend.yaml, checked, and the submission folder
with the files that go to the nodes."""
import glob
import os
import re
import shlex
import shutil
import time

from paddlerec.core.config import did_you_mean

__all__ = ["Job"]

START = "python -m paddlerec.run -m config.yaml"
GENERATED = ("before_hook.sh", "config.ini", "end_hook.sh", "job.sh")  # and config and backend.yaml
_COMMON = ("paddle_version", "use_python3", "fs_name", "fs_ugi", "output_path", "communicator",
           "job_name", "start_cmd", "files")
OF_MPI = ("train_data_path", "test_data_path", "thirdparty_path", "nodes")
OF_K8S = ("afs_remote_mount_point", "k8s_trainers", "k8s_cpu_cores", "k8s_gpu_card", "k8s_ps_num",
          "k8s_ps_cores")
OF_CLOUD = ("ak", "sk", "priority", "group")
OF_SSH = ("hosts", "root_dir", "port", "nic")
OF_MPIRUN = ("hosts", "root_dir", "port", "nic", "launcher")
OF_KUBERNETES = ("image", "namespace", "memory", "port", "pull_secret", "volume")
CONFIG = ("paddle_version", "use_python3", "fs_name", "fs_ugi", "output_path", "train_data_path",
          "test_data_path", "thirdparty_path", "afs_remote_mount_point", "communicator")
SUBMIT = tuple(key for keys in (("job_name", "start_cmd", "files", "nodes"), OF_K8S[1:], OF_CLOUD,
                                OF_MPIRUN, OF_KUBERNETES) for key in keys)
_NUMBERS = ("nodes", "k8s_trainers", "k8s_cpu_cores", "k8s_gpu_card", "k8s_ps_num", "k8s_ps_cores",
            "port")
# Of `communicator`, and what config.ini says where backend.yaml does not: None is the number of
# threads, and what is not there is for the model to say.
_FLAGS = {"FLAGS_communicator_thread_pool_size": 32, "FLAGS_communicator_fake_rpc": 0,
          "FLAGS_rpc_retry_times": 3, "FLAGS_communicator_send_queue_size": None,
          "FLAGS_communicator_max_merge_var_num": None,
          "FLAGS_communicator_max_send_grad_num_before_recv": None}
_KNOWN_FLAGS = sorted(_FLAGS) + ["FLAGS_communicator_is_sgd_optimizer",
                                 "FLAGS_communicator_min_send_grad_num_before_recv"]
_LEAST = {"FLAGS_communicator_thread_pool_size": 1, "FLAGS_communicator_send_queue_size": 1,
          "FLAGS_communicator_max_merge_var_num": 1}
_MOST = {"FLAGS_communicator_is_sgd_optimizer": 1, "FLAGS_communicator_fake_rpc": 0}


def _is_number(value):
    return isinstance(value, int) and not isinstance(value, bool)


class Job(object):
    """module: the backend's; its uses(job) gives the keys that it reads, check(job) adds what is
    its own. Problems go to the two configurations."""

    def __init__(self, config, backend, module):
        self.config, self.backend, self.module = config, backend, module
        self.values, self._paths = {}, {}
        self.type = self._cluster_type()
        self._read()
        self._values()
        self.threads = self._threads()
        self.flags = self._flags()
        self.name = str(self.values.get("job_name") or "PaddleRecClusterJob")
        self.start_cmd = str(self.values.get("start_cmd") or START)
        self.runners = self._runners()
        self.files = self._files()
        self._start()
        self._unused()
        module.check(self)

    # ---- keys ----

    def problem(self, key, text):
        """Of a key of backend.yaml; where it is not there, of its section."""
        section = "config" if key in CONFIG else "submit"
        self.backend.problem(self._paths.get(key, (section,)), text)

    def _cluster_type(self):
        kind = self.backend.data.get("cluster_type", self.module.CLUSTER_TYPE)
        if not isinstance(kind, str) or kind.lower() not in ("mpi", "k8s"):
            self.backend.problem(("cluster_type",), "cluster_type is %s" % (
                "missing: wanted mpi or k8s" if kind is None else "%r, wanted mpi or k8s" % kind))
            return "mpi"
        return kind.lower()

    def _read(self):
        data = self.backend.data
        self._unknown((), data, ("backend", "cluster_type", "config", "submit"))
        for section, known in (("config", CONFIG), ("submit", SUBMIT)):
            part = data.get(section)
            if part is None and section in data:
                part = {}
            if not isinstance(part, dict):
                self.backend.problem((section,), "%s %s" % (
                    section, "is missing" if section not in data else "is no list of keys"))
                continue
            renamed = {key: key.replace("-", "_") if key.startswith("k8s-") else key
                       for key in part}  # the documents write k8s-cpu-cores
            self._unknown((section,), renamed.values(), known, list(renamed))
            for key, value in part.items():
                name = renamed[key]
                if name in self.values and self.values[name] != value:
                    self.backend.problem((section, key), "%s and %s are the same key, and have the "
                                         "values %r and %r" % (key, self._paths[name][-1], value,
                                                               self.values[name]))
                self.values[name], self._paths[name] = value, (section, key)

    def _unknown(self, path, names, known, written=None):
        for name, word in zip(names, written or names):
            if name not in known:
                self.backend.problem(path + (word,), "unknown key %s%s" % (
                    word, did_you_mean(name, known)))

    def _values(self):
        for key, value in list(self.values.items()):
            if value is None:
                value = self.values[key] = ""
            if key in _NUMBERS:
                if not _is_number(value) or value < 1:
                    self.problem(key, "%s is %r, wanted a whole number of at least 1"
                                 % (self._paths[key][-1], value))
                    self.values[key] = 1
            elif key not in ("communicator", "files", "hosts", "use_python3", "paddle_version") and \
                    (not isinstance(value, str) or re.search(r'[\n\r"`$\\]', value)):
                self.problem(key, "%s is %s, wanted a text without quotes, $ or line ends" % (
                    key, "such" if key in ("ak", "sk", "fs_ugi") else repr(value)))
                self.values[key] = ""
        name = self.values.get("job_name", "x")
        if not re.match(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z", name):
            self.problem("job_name", "job_name is %r, wanted letters, digits, _, . and -: it is "
                                     "the name of a folder" % name)
        self._version()

    def _version(self):
        version = str(self.values.get("paddle_version", "1.7.2"))
        numbers = re.match(r"(\d+)\.(\d+)\.(\d+)(\.post\d+)?\Z", version)
        if not numbers:
            self.problem("paddle_version", "paddle_version is %r, wanted a version such as 1.7.2"
                         % version)
        elif not (1, 7, 2) <= tuple(map(int, numbers.group(1, 2, 3))) < (2, 0, 0):
            self.problem("paddle_version", "paddle_version is %s, wanted 1.7.2 or later, below 2"
                         % version)
        if self.values.get("use_python3", 1) not in (1, "1"):
            self.problem("use_python3", "use_python3 is %r: jobs run on Python 3; write 1, or leave "
                                        "it out" % (self.values["use_python3"],))

    def need(self, *keys, why=""):
        """Keys that must have a value."""
        for key in keys:
            if self.values.get(key) in ("", None, []):
                self.problem(key, "%s is %s%s" % (
                    key, "empty" if key in self.values else "missing", why))

    def get(self, key, default=None):
        value = self.values.get(key)
        return default if value in ("", None) else value

    def _unused(self):
        uses = set(_COMMON) | set(self.module.uses(self))
        for key, path in self._paths.items():
            if key not in uses and key in CONFIG + SUBMIT:
                other = "is for cluster_type k8s, and " if key in OF_K8S and self.type == "mpi" \
                    else "is for cluster_type mpi, and " if key in OF_MPI and self.type == "k8s" \
                    else ""
                self.backend.note(path, "%s %sis not used%s" % (
                    path[-1], other, "" if other else " by backend "
                    + str(self.backend.data["backend"])))

    # ---- config.yaml ----

    def _modes(self):
        modes = self.config.data.get("mode")
        return [str(m) for m in ([modes] if isinstance(modes, str) else modes or ())]

    def _runners(self):
        """(index, runner) of those that `mode` names."""
        return [(i, runner) for i, runner in enumerate(self.config.data.get("runner") or ())
                if str(runner.get("name")) in self._modes()]

    def _phases(self):
        names = set()
        for _, runner in self._runners():
            phases = runner.get("phases")
            names |= {p.get("name") for p in self.config.data["phase"]} if phases is None else \
                {phases} if isinstance(phases, str) else set(phases)
        return [(i, phase) for i, phase in enumerate(self.config.data.get("phase") or ())
                if phase.get("name") in names]

    def _threads(self):
        """CPU_NUM of a node."""
        return max([int(phase.get("thread_num") or 1) for _, phase in self._phases()] or [1])

    def _flags(self):
        """{FLAGS_...: value} that backend.yaml gives; they win over what the model sets."""
        given = self.values.get("communicator") or {}
        if not isinstance(given, dict):
            self.problem("communicator", "communicator is %r, wanted FLAGS_ with their values"
                         % (given,))
            return {}
        for name, value in given.items():
            path = ("config", "communicator", name)
            least, most = _LEAST.get(name, 0), _MOST.get(name)
            if name not in _KNOWN_FLAGS:
                self.backend.problem(path, "unknown flag %s%s" % (
                    name, did_you_mean(name, _KNOWN_FLAGS)))
            elif not _is_number(value) or value < least or most is not None and value > most:
                wanted = "a whole number of at least %d" % least if most is None else \
                    "0: what is computed is sent" if most == 0 else "0 or 1"
                self.backend.problem(path, "%s is %r, wanted %s" % (name, value, wanted))
        return given

    def all_flags(self):
        """With those that backend.yaml does not give."""
        usual = {name: self.threads if value is None else value for name, value in _FLAGS.items()}
        flags = dict(usual, **self.flags)
        least = self.flags.get("FLAGS_communicator_min_send_grad_num_before_recv", 0)
        name = "FLAGS_communicator_max_send_grad_num_before_recv"
        flags[name] = self.flags.get(name, max(flags[name], least))
        return flags

    def is_collective(self):
        """Workers without servers: as the runners say, of which all say the same."""
        return any(str(r.get("fleet_mode") or "ps").lower() == "collective"
                   or str(r.get("device") or "cpu").lower() == "gpu" for _, r in self.runners)

    def is_gpu(self):
        return any(str(r.get("device") or "cpu").lower() == "gpu" for _, r in self.runners)

    def trains(self):
        """A problem for each runner that is no cluster_train, on servers or collective."""
        for i, runner in self.runners:
            what = "runner %s: " % runner.get("name")
            mode = str(runner.get("fleet_mode") or "ps").lower()
            if str(runner.get("class")).lower() != "cluster_train":
                self.config.problem(("runner", i, "class"), what + "class is %s; a job for a "
                                    "cluster is of class cluster_train" % runner.get("class"))
            elif str(runner.get("device") or "cpu").lower() == "gpu" and mode != "collective":
                self.config.problem(("runner", i, "fleet_mode"), what + "parameter servers train on "
                                    "CPUs: device gpu is for fleet_mode collective")
            elif self.is_collective() and mode != "collective":
                self.config.problem(("runner", i, "fleet_mode"), what + "fleet_mode is %s, and "
                                    "another runner's is collective: a job is one of them" % mode)

    def on_servers(self):
        """A problem for each runner that is no cluster_train on parameter servers."""
        for i, runner in self.runners:
            what = "runner %s: " % runner.get("name")
            if str(runner.get("class")).lower() != "cluster_train":
                self.config.problem(("runner", i, "class"), what + "class is %s; a job for a "
                                    "cluster is of class cluster_train" % runner.get("class"))
            elif str(runner.get("fleet_mode") or "ps").lower() == "collective" or \
                    str(runner.get("device") or "cpu").lower() == "gpu":
                self.config.problem(("runner", i, "fleet_mode"), what + "backend %s trains on "
                                    "parameter servers: fleet_mode ps and device cpu"
                                    % self.backend.data["backend"])

    # ---- files ----

    def _given(self):
        """[(path, word of submit.files)]."""
        words = self.values.get("files")
        if isinstance(words, str):
            words = words.split()
        if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
            self.problem("files", "files is %s: wanted the files of the job, such as ./*.py ./*.yaml"
                         % ("missing" if "files" not in self.values else "empty"
                            if not words else repr(words)))
            return []
        found = []
        for word in words:
            paths = sorted(glob.glob(os.path.expanduser(word)))
            if not paths:
                self.problem("files", "files: there is no %s (from %s)" % (word, os.getcwd()))
            is_pattern = glob.has_magic(word)
            for path in paths:
                if os.path.isfile(path):
                    found.append(path)
                elif not is_pattern:
                    self.problem("files", "files: %s is no file, and files are uploaded flat"
                                 % path)
        return found

    def _files(self):
        """{name in the folder: path here}."""
        files = {"config.yaml": self.config.file, "backend.yaml": self.backend.file}
        for path in self._given():
            name = os.path.basename(path)
            if name in GENERATED:
                self.problem("files", "files: %s has the name of a file that the submission "
                                      "makes" % path)
            elif name in files and not os.path.samefile(files[name], path):
                self.problem("files", "files: %s and %s would both be %s: files are uploaded flat"
                             % (files[name], path, name))
            else:
                files.setdefault(name, path)
        return files

    def _start(self):
        """What the configuration and the command name must be among the files."""
        try:
            words = shlex.split(self.start_cmd)
        except ValueError as e:
            self.problem("start_cmd", "start_cmd %s: %s" % (self.start_cmd, e))
            return
        for before, name in zip(words, words[1:]):
            if before in ("-m", "--model") and name.endswith((".yaml", ".yml")):
                self._is_sent(name, lambda text: self.problem("start_cmd", "start_cmd: " + text))
        if not self.get("files"):
            return
        for i, phase in self._phases():
            self._is_sent(phase.get("model"), lambda text, i=i: self.config.problem(
                ("phase", i, "model"), "model: " + text))

    def _is_sent(self, path, say):
        workspace = str(self.config.data.get("workspace") or "")
        if not isinstance(path, str) or workspace.startswith("paddlerec."):
            return
        path = os.path.normpath(path.replace("{workspace}", workspace or "."))
        if os.path.dirname(path) == "" and path not in self.files:
            say("%s is not among submit.files" % path)

    # ---- the folder ----

    def make_folder(self):
        """JOBNAME_YYYYMMDDHHMM here, for this user's eyes alone: keys and passwords are in it."""
        first = os.path.join(os.getcwd(), "%s_%s" % (self.name, time.strftime("%Y%m%d%H%M")))
        folder, count = first, 1
        while True:
            try:
                os.mkdir(folder, 0o700)
                break
            except FileExistsError:  # another submission in this minute
                count += 1
                folder = "%s_%d" % (first, count)
        for name, path in self.files.items():
            target = os.path.join(folder, name)
            shutil.copy(path, target)
            if name == "backend.yaml":
                os.chmod(target, 0o600)
        self.folder = folder
        print("The task submission folder is generated at %s" % folder, flush=True)
        return folder

    def write(self, name, text, mode=0o600):
        path = os.path.join(self.folder, name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w",
                  encoding="utf-8") as file:
            file.write(text)

    def hide(self, text):
        """The text without keys and passwords."""
        secrets = [self.get("ak"), self.get("sk"), str(self.get("fs_ugi") or "").partition(",")[2]]
        for secret in secrets:
            text = text.replace(secret, "(hidden)") if secret and len(secret) > 2 else text
        return text
