"""Executor: runs programs."""
import contextlib

import numpy

from .. import _core
from . import core, notebook
from .core import CPUPlace, CUDAPlace
from .framework import Program, Variable, default_main_program

__all__ = ["Executor", "FetchHandler", "global_scope", "scope_guard"]

_scope = core.Scope()


def global_scope():
    """The scope in use: where persistable variables live."""
    return _scope


def _switch_scope(scope):
    global _scope
    old, _scope = _scope, scope
    return old


@contextlib.contextmanager
def scope_guard(scope):
    old = _switch_scope(scope)
    try:
        yield
    finally:
        _switch_scope(old)


def as_numpy(tensor):
    """A LoDTensor, or a list of them, as numpy arrays."""
    if isinstance(tensor, (list, tuple, core.LoDTensorArray)):
        return [as_numpy(t) for t in tensor]
    if tensor.lod():
        raise RuntimeError(
            "Some of your fetched tensors hold LoD information. They can not be completely cast "
            "to Python ndarray. Please set the parameter 'return_numpy' as 'False' to return "
            "LoDTensor itself directly.")
    return numpy.array(tensor)


def _as_lodtensor(data, place, dtype=None):
    """An array as a tensor; a number as one of shape [1] and that dtype."""
    if isinstance(data, list):
        raise RuntimeError("a list is fed as LoDTensor: fluid.create_lod_tensor() makes one")
    if numpy.isscalar(data):
        if dtype is None:
            raise AssertionError("dtype should be given when casting python scalar to tensor")
        from .data_feeder import convert_dtype
        data = numpy.array([data]).astype(convert_dtype(dtype))
    tensor = core.LoDTensor()
    tensor.set(data, place)
    return tensor


def _fetch_var(name, scope=None, return_numpy=True):
    """The value of a variable of the scope."""
    var = (global_scope() if scope is None else scope).find_var(name)
    if var is None:
        raise AssertionError("Cannot find %s in scope. Perhaps you need to make the variable "
                             "persistable by using var.persistable = True in your program." % name)
    return as_numpy(var.get_tensor()) if return_numpy else var.get_tensor()


def _to_name_str(var):
    """The name of a Variable, or the names of several with commas."""
    if isinstance(var, tuple):  # what minimize() gives
        var = var[0]
    if isinstance(var, list):
        return ",".join(map(_to_name_str, var))
    if isinstance(var, (Variable, str)):
        return var if isinstance(var, str) else var.name
    from .framework import Operator
    if isinstance(var, Operator):
        return str(id(var))
    raise TypeError("%s should be Variable, Operator or str" % (var,))


def _fetch_list(fetch):
    """Variables and names, whichever way the user lists them; lists within are taken apart."""
    if fetch is None:
        return []
    if isinstance(fetch, (Variable, str)):
        return [fetch]
    flat = []
    for item in fetch:
        flat.extend(_fetch_list(item) if isinstance(item, list) else (item,))
    return flat


def _read(program, feed):
    """The feed, with a batch of each of the program's readers that it does not replace."""
    whole = dict(feed or ())
    for reader in program._readers:
        if not all(name in whole for name in reader._names):
            whole.update(reader._take())
    return whole


def _read_places(compiled, feed):
    """A feed for each place of a CompiledProgram whose program has readers."""
    program = getattr(compiled, "_program", None)
    if isinstance(feed, (list, tuple)):
        return feed[0] if len(feed) == 1 and not compiled._threads else feed
    if not getattr(program, "_readers", ()):
        return feed
    if not compiled._threads:
        return _read(program, feed)
    parts = []
    try:
        while len(parts) < compiled._threads:
            parts.append(_read(program, feed))
    except core.EOFException:
        if not parts or not program._is_distributed:
            raise  # the last batches are dropped where there are fewer than threads
    return parts


class FetchHandler:
    """Is shown variables while train_from_dataset runs: override handler(), which gets a dict
    of arrays by the keys of var_dict every period_secs seconds. As in 1.7 it may be made of
    fetch_target_names, a list of names; handler() then gets a list, of arrays or, with
    return_np=False, of LoDTensors."""

    def __init__(self, var_dict=None, period_secs=60, return_np=True, fetch_target_names=None):
        if isinstance(var_dict, (list, tuple)):
            var_dict, fetch_target_names = None, var_dict
        if fetch_target_names is not None and var_dict is None:
            var_dict = {_to_name_str(name): name for name in fetch_target_names}
            self.fetch_target_names = list(var_dict)
        elif not isinstance(var_dict, dict) or fetch_target_names is not None:
            raise TypeError("FetchHandler: var_dict is a dict of name and Variable, or "
                            "fetch_target_names a list of names")
        elif not return_np:
            raise TypeError("FetchHandler: return_np=False is for a list of names")
        self.var_dict, self.period_secs, self.return_np = var_dict, period_secs, return_np

    fetch_target_names = None

    def handler(self, res_dict):
        if self.fetch_target_names is not None:
            res_dict = dict(zip(self.fetch_target_names, res_dict))
        for key, value in res_dict.items():
            if isinstance(value, numpy.ndarray):
                print("%s[0]: %s" % (key, value.flat[0] if value.size else value))

    @staticmethod
    def help():
        print("""
class FetchHandlerExample(FetchHandler):
    def handler(self, res_dict):
        print(res_dict["auc"])
        print("auc: {}, {}".format(res_dict["auc"], time.ctime()))

handler = FetchHandlerExample(var_dict={"auc": auc_var}, period_secs=60)
""")


@contextlib.contextmanager
def _watched(handler):
    """What _core.train() watches for a FetchHandler: names, seconds, a function of tensors."""
    if handler is None:
        yield [], 0.0, None
        return
    if not isinstance(handler, FetchHandler):
        raise TypeError("fetch_handler is a FetchHandler, not %s" % type(handler))
    keys = list(handler.var_dict)
    names = [v if isinstance(v, str) else v.name for v in handler.var_dict.values()]

    def show(tensors):
        values = [numpy.array(t) for t in tensors] if handler.return_np else list(tensors)
        handler.handler(values if handler.fetch_target_names is not None
                        else dict(zip(keys, values)))
    yield names, float(handler.period_secs), show


class Executor:
    """Runs a program on a place. Plans are made at the first run and kept. job: a trainer's place
    in a job with servers, a _core.Job(), where the process's own is not meant."""

    def __init__(self, place=None, job=None):
        if place is not None and not isinstance(place, (CPUPlace, CUDAPlace)):
            raise RuntimeError("Executor(%r): a program runs on fluid.CPUPlace() or "
                               "fluid.CUDAPlace(n)" % (place,))
        self.place = CPUPlace() if place is None else place
        self._job = _core.job if job is None else job
        self._core = _core.Executor(self._job, getattr(self.place, "_gpu", -1))
        self._run = self._core.run
        self._closed = False

    def run(self, program=None, feed=None, fetch_list=None, feed_var_name="feed",
            fetch_var_name="fetch", scope=None, return_numpy=True, use_program_cache=False,
            return_merged=True, use_prune=False):
        """Run the program once; the values of fetch_list come back as a list."""
        if (type(program) is Program and type(fetch_list) is list and type(feed) is not list
                and not use_prune and not program._readers and list not in map(type, fetch_list)):
            return self._run(program, feed, fetch_list, _scope if scope is None else scope,
                             return_numpy) if not self._closed else self._refuse()
        return self._run_any(program, feed, fetch_list, scope, return_numpy, return_merged,
                             use_prune)

    def _refuse(self):
        raise RuntimeError("Attempted to use a closed Executor")

    def _run_any(self, program, feed, fetch_list, scope, return_numpy, return_merged, use_prune):
        if self._closed:
            self._refuse()
        if program is None:
            program = default_main_program()
        scope = _scope if scope is None else scope
        fetch = _fetch_list(fetch_list)
        if not isinstance(program, Program):
            if hasattr(program, "_run_parallel"):
                feed = _read_places(program, feed)
                return program._run_parallel(self, feed, fetch, scope, return_numpy,
                                             return_merged)
            raise TypeError("Executor requires Program as its Parameter. But you passed in %s"
                            % type(program))
        if isinstance(feed, (list, tuple)) and len(feed) == 1:
            feed = feed[0]  # as a DataLoader gives it for one place
        if isinstance(feed, (list, tuple)):
            raise TypeError("feed is %s: a list of dicts is for a CompiledProgram "
                            "with_data_parallel; a Program takes one dict" % type(feed))
        if feed is not None and not isinstance(feed, dict):
            raise TypeError("feed requires dict as its Parameter. But you passed in %s"
                            % type(feed))
        if program._readers:
            feed = _read(program, feed)
        if use_prune:
            program = self._pruned(program, feed, fetch)
        return self._run(program, feed, fetch, scope, return_numpy)

    def _pruned(self, program, feed, fetch):
        """The part of the program that the fetches need, and the optimizer ops given."""
        from .framework import Operator
        cache = self.__dict__.setdefault("_prunes", {})
        names = [f if isinstance(f, str) else f.name for f in fetch
                 if not isinstance(f, Operator)]
        key = (id(program), program._version, tuple(sorted(feed or ())), tuple(names))
        if key not in cache:
            cache.clear()
            cache[key] = program._prune_with_input(list(feed or ()), names)
        return cache[key]

    def train_from_dataset(self, program=None, dataset=None, scope=None, thread=0, debug=False,
                           fetch_list=None, fetch_info=None, print_period=100,
                           fetch_handler=None):
        """Run the program on every batch of the dataset, on `thread` threads (0: the
        dataset's). Variables of fetch_list are written to stdout every print_period batches,
        under their fetch_info; debug prints where the time of the steps went, and that of each op, at the
        end."""
        return self._from_dataset(program, dataset, scope, thread, debug, fetch_list, fetch_info,
                                  print_period, fetch_handler, infer=False)

    def infer_from_dataset(self, program=None, dataset=None, scope=None, thread=0, debug=False,
                           fetch_list=None, fetch_info=None, print_period=100,
                           fetch_handler=None):
        """The same without gradients and updates."""
        return self._from_dataset(program, dataset, scope, thread, debug, fetch_list, fetch_info,
                                  print_period, fetch_handler, infer=True)

    def _from_dataset(self, program, dataset, scope, thread, debug, fetch_list, fetch_info,
                      print_period, fetch_handler, infer):
        if self._closed:
            self._refuse()
        if dataset is None:
            raise RuntimeError("dataset is need and should be initialized")
        if not hasattr(dataset, "dataset"):
            raise TypeError("dataset is %r, and must be one that fluid.DatasetFactory() has made"
                            % (dataset,))
        program = default_main_program() if program is None else program
        scope = _scope if scope is None else scope
        collective = hasattr(program, "_of_rank") and program._ranks() > 1 or \
            isinstance(program, Program) and any(op.type == "c_allreduce_sum"
                                                 for op in program.global_block().ops)
        if collective and not infer and (int(thread) or dataset.thread_num) > 1:
            raise ValueError("train_from_dataset: %d threads in each of several trainers: they add "
                             "up over trainers, of which each has one; give thread=1, and start "
                             "more trainers" % (int(thread) or dataset.thread_num))
        if hasattr(program, "_of_rank"):  # a CompiledProgram
            program = program._program if infer else program._of_rank(self, scope)
        if not isinstance(program, Program):
            raise TypeError("train_from_dataset takes a Program, not %s" % type(program))
        fetch = _fetch_list(fetch_list)
        infos = [fetch_info] if isinstance(fetch_info, str) else list(fetch_info or ())
        names = [f if isinstance(f, str) else f.name for f in fetch]
        if infos and len(infos) != len(names):
            raise ValueError("fetch_info has %d texts for the %d variables of fetch_list"
                             % (len(infos), len(names)))
        if int(print_period) < 1:
            raise ValueError("print_period is %r, and must be at least 1" % (print_period,))
        notebook.draw_bars()
        if debug:
            _core.profile_reset()
            _core.profile_start()
        try:
            with _watched(fetch_handler) as (watched, seconds, call):
                _core.train(self._core, program, scope,
                            dataset.dataset, int(thread), infer, names, infos or names,
                            int(print_period), watched, seconds, call)
        finally:
            if debug:
                _core.profile_stop()
                print(_core.profile_table("total"))
                print(_core.profile_steps(), flush=True)
                _core.profile_reset()

    def close(self):
        """Drop the plans. In a distributed job, tell the servers that this trainer is done."""
        if not self._closed:
            self._closed = True
            self._core.close()
            from .communicator import leave
            leave(self._job)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
