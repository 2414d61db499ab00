"""Small things that models, readers and trainers call."""
import datetime
import os
import random
import shutil
import sys
import time

import numpy as np

__all__ = []


def save_program_proto(path, program=None):
    """The program as bytes of framework.proto."""
    from paddle import fluid
    program = fluid.default_main_program() if program is None else program
    with open(path, "wb") as f:
        f.write(program.desc.serialize_to_string())


def str2bool(v):
    if isinstance(v, bool):
        return v
    if v.lower() in ("yes", "true", "t", "y", "1"):
        return True
    if v.lower() in ("no", "false", "f", "n", "0"):
        return False
    raise ValueError("Boolean value expected, not %r." % v)


def run_which(command):
    """The path of a command, None where there is none."""
    return shutil.which(command)


def run_shell_cmd(command):
    """What a command line prints."""
    return os.popen(command).read().strip()


def get_env_value(env_name):
    return os.environ.get(env_name, "").strip()


def now_time_str():
    return "\n" + time.strftime("%Y-%m-%d %H:%M:%S", time.localtime()) + "[0]:"


def get_absolute_path(path, params):
    """A path of afs: or hdfs: with the file system's name, which params["fs_name"] may give."""
    for scheme in ("afs:", "hdfs:"):
        if path.startswith(scheme):
            rest = path[len(scheme):]
            return params["fs_name"] + rest if ":" not in rest and "fs_name" in params else path
    return path


def make_datetime(date_str, fmt=None):
    """A datetime of 20200114, 202001141230, or of what fmt says."""
    return datetime.datetime.strptime(
        date_str, fmt or {8: "%Y%m%d", 12: "%Y%m%d%H%M"}.get(len(date_str), "%Y-%m-%d"))


# ---- numbers over all workers ----

def wroker_numric_opt(fleet, value, env, opt):
    mine, total = np.array([value]), np.array([value]) * 0
    fleet._role_maker.all_reduce_worker(mine, total, opt)
    return total[0]


def worker_numric_sum(fleet, value, env="mpi"):
    return wroker_numric_opt(fleet, value, env, "sum")


def worker_numric_avg(fleet, value, env="mpi"):
    return worker_numric_sum(fleet, value, env) / fleet.worker_num()


def worker_numric_min(fleet, value, env="mpi"):
    return wroker_numric_opt(fleet, value, env, "min")


def worker_numric_max(fleet, value, env="mpi"):
    return wroker_numric_opt(fleet, value, env, "max")


# ---- printing ----

def print_log(log_str, params):
    """With the time before it; where params has master, on index 0 alone."""
    log_str = time.strftime("[%Y-%m-%d %H:%M:%S] ", time.localtime()) + log_str
    if not params.get("master") or params.get("index") == 0:
        print(log_str)
        sys.stdout.flush()
    if "stdout" in params:
        params["stdout"] += log_str + "\n"


def rank0_print(log_str, fleet):
    print_log(log_str, {"master": True, "index": fleet.worker_index()})


def print_cost(cost, params):
    log_str = params["log_format"] % cost
    print_log(log_str, params)
    return log_str


class CostPrinter(object):
    """Calls callback(seconds, params) when done() is called, or it is dropped."""

    def __init__(self, callback, callback_params):
        self.reset(callback, callback_params)

    def __del__(self):
        if not self._done:
            self.done()

    def reset(self, callback, callback_params):
        self._done = False
        self._callback, self._callback_params = callback, callback_params
        self._begin_time = time.time()

    def done(self):
        """The seconds since the start."""
        seconds = time.time() - self._begin_time
        self._done = True
        return self._callback(seconds, self._callback_params)


# ---- files ----

def split_files(files, trainer_id, trainers):
    """The block of files that is this trainer's: [a b c d e] are [a b c] and [d e] of two."""
    if not isinstance(files, list):
        raise TypeError("files should be a list of file need to be read.")
    size, more = divmod(len(files), trainers)
    begin = trainer_id * size + min(trainer_id, more)
    return files[begin:begin + size + (trainer_id < more)]


def check_filelist(hidden_file_list, data_file_list, train_data_path):
    """Both lists, with what is in the folder and in those below appended: names with a dot are
    hidden, whole folders too. A file stands for itself."""
    if os.path.isfile(train_data_path):
        data_file_list.append(train_data_path)
        return hidden_file_list, data_file_list
    for root, folders, files in os.walk(train_data_path):
        hidden_file_list += [os.path.join(root, n) for n in files + folders if n[0] == "."]
        folders[:] = [name for name in folders if name[0] != "."]
        data_file_list += [os.path.join(root, name) for name in files if name[0] != "."]
    return hidden_file_list, data_file_list


def shuffle_files(need_shuffle_files, filelist):
    """The list, in another order where it is asked for."""
    if not isinstance(need_shuffle_files, bool):
        raise ValueError("shuffle_filelist is %r, and must be True or False" % need_shuffle_files)
    if need_shuffle_files:
        random.shuffle(filelist)
    return filelist


class PathGenerator(object):
    """Paths from templates: config["templates"] has names and templates such as "%Y%m%d/{node}",
    where time_format is the datetime of the percent signs."""

    def __init__(self, config):
        self._templates = {}
        self.add_path_template(config)

    def add_path_template(self, config):
        for template in config.get("templates", ()):
            self._templates[template["name"]] = template["template"]

    def generate_path(self, template_name, param):
        template = self._templates.get(template_name, "")
        if "time_format" in param:
            template = param["time_format"].strftime(template)
        return template.format(**param)
