"""The fourth state: epochs over the data, with what they print and save."""
import contextlib
import json
import logging
import os
import time
import warnings

import numpy as np

import paddle.fluid as fluid
from paddle import _core

from paddlerec.core.metric import Metric
from paddlerec.core.utils import envs
from paddlerec.core.utils.util import shuffle_files

logging.basicConfig(format="%(asctime)s - %(levelname)s: %(message)s", level=logging.INFO)

__all__ = ["RunnerBase", "SingleRunner", "SingleInferRunner", "PSRunner", "PslibRunner",
           "CollectiveRunner"]


def as_numpy(tensor):
    """A fetched value as an array; a list of them as a list."""
    if isinstance(tensor, (list, fluid.core.LoDTensorArray)):
        return [as_numpy(t) for t in tensor]
    return np.array(tensor) if tensor._is_initialized() else None


def one_for_all(value, threads):
    """A value of several replicas as one: what each has seen of its own is averaged."""
    if threads < 2 or not isinstance(value, np.ndarray) or value.shape[:1] != (threads,):
        return value
    return value.mean(axis=0, keepdims=True).astype(value.dtype)


class _Show:
    """The lines of one pass: epoch, batch, seconds, metrics, speed."""

    def __init__(self, context, names, batch_rows):
        self._head = "\t[Infer] batch: %d" if context["is_infer"] else \
            "\t[Train],  epoch: %d,  batch: %%d" % context.get("current_epoch", 0)
        self._names, self._rows = names, batch_rows
        self._every = int(envs.get_global_env(
            "runner.%s.print_interval" % context["runner_name"], 20))
        self._last, self._since = time.time(), 0

    def due(self, batch):
        return batch > 0 and batch % self._every == 0

    def line(self, batch, values):
        now = time.time()
        seconds, self._last = now - self._last, now
        rows, self._since = (batch - self._since) * self._rows, batch
        parts = [self._head % batch, "time_each_interval: %.2fs" % seconds]
        parts += ["%s: %s" % item for item in zip(self._names, values)]
        if self._rows and seconds > 0:
            parts.append("speed: %.0f examples/s" % (rows / seconds))
        logging.info(", ".join(parts))


@contextlib.contextmanager
def _op_times():
    """debug: the times of the ops, after the pass."""
    if not envs.get_global_env("debug", False):
        yield
        return
    _core.profile_reset()
    _core.profile_start()
    try:
        yield
    finally:
        _core.profile_stop()
        print(_core.profile_table("total"))
        _core.profile_reset()


class RunnerBase(object):
    def __init__(self, context):
        pass

    def exuctor(self, context):
        """Of user's runners that want one."""

    def run(self, context):
        """Leaves the status terminal_pass."""

    # ---- one pass ----

    def _run(self, context, model_dict):
        """One pass over the phase's data: the last batch's values by name, None of a dataset."""
        if envs.get_global_env("dataset.%s.type" % model_dict["dataset_name"]) == "DataLoader":
            return self._executor_dataloader_train(model_dict, context)
        return self._executor_dataset_train(model_dict, context)

    def _executor_dataset_train(self, model_dict, context):
        of_phase = context["model"][model_dict["name"]]
        model, infer = of_phase["model"], context["is_infer"]
        metrics = model.get_infer_results() if infer else model.get_metrics()
        exe = context["exe"]
        run = exe.infer_from_dataset if infer else exe.train_from_dataset
        dataset = context["dataset"][model_dict["dataset_name"]]
        dataset.set_filelist(list(context["file_lists"][model_dict["dataset_name"]]))
        with fluid.scope_guard(of_phase["scope"]):
            run(program=of_phase["compiled_program"] or of_phase["main_program"], dataset=dataset,
                thread=1 if context["fleet_mode"].upper() == "COLLECTIVE" and context["is_fleet"]
                else int(model_dict.get("thread_num") or 1), fetch_list=list(metrics.values()),
                fetch_info=list(metrics), debug=bool(envs.get_global_env("debug", False)),
                print_period=int(envs.get_global_env(
                    "runner.%s.print_interval" % context["runner_name"], 20)))

    def _executor_dataloader_train(self, model_dict, context):
        of_phase = context["model"][model_dict["name"]]
        model, runner = of_phase["model"], "runner.%s." % context["runner_name"]
        program = self._get_dataloader_program(model_dict, context)
        metrics = model.get_infer_results() if context["is_infer"] else model.get_metrics()
        names, variables = list(metrics), [var.name for var in metrics.values()]
        threads = getattr(program, "_threads", 0) or 1
        rows = envs.get_global_env("dataset.%s.batch_size" % model_dict["dataset_name"])
        show = _Show(context, names, int(rows or 0) * threads)
        save_every = int(envs.get_global_env(runner + "save_step_interval") or -1)
        dump = envs.get_global_env(runner + "runner_result_dump_path")
        dumped, batch, tensors = [], 0, None

        def values():
            return [one_for_all(as_numpy(t), threads) for t in tensors]

        loader, run = model._data_loader, context["exe"].run
        loader.start()
        with fluid.scope_guard(of_phase["scope"]), _op_times():
            try:
                while True:
                    tensors = run(program, fetch_list=variables, return_numpy=False)
                    if dump:
                        dumped.append({name: value.tolist() for name, value in
                                       zip(variables, values()) if value is not None})
                    if show.due(batch):
                        show.line(batch, values())
                    if save_every >= 1 and batch % save_every == 0 and not context["is_infer"]:
                        self.save(context, is_fleet=context["is_fleet"], batch_id=batch)
                    batch += 1
            except fluid.core.EOFException:
                loader.reset()
        if dump:
            self._dump(context, dump, dumped)
        if batch == 0:
            warnings.warn("phase %s: there was no whole batch of %s in dataset %s" % (
                model_dict["name"], rows, model_dict["dataset_name"]))
            return None
        return dict(zip(["total_batch"] + names, [batch - 1] + values()))

    @staticmethod
    def _dump(context, path, results):
        if "current_epoch" in context:
            path += "_epoch_%d" % context["current_epoch"]
        logging.info("Dump runner result in {}".format(path))
        with open(path, "w") as f:
            json.dump(results, f)

    # ---- programs ----

    def _get_dataloader_program(self, model_dict, context):
        of_phase = context["model"][model_dict["name"]]
        if of_phase["compiled_program"] is None:
            if context["is_infer"]:
                program = of_phase["main_program"]
            elif context["is_fleet"]:
                program = self._get_ps_program(model_dict, context)
            else:
                program = self._get_single_cpu_program(model_dict, context)
            of_phase["compiled_program"] = program
        return of_phase["compiled_program"]

    def _get_strategy(self, model_dict, context):
        """(ExecutionStrategy, BuildStrategy) of a phase."""
        build, execution = fluid.BuildStrategy(), fluid.ExecutionStrategy()
        self._set_strategy(model_dict, build, execution)
        return execution, build

    @staticmethod
    def _set_strategy(model_dict, build, execution):
        scales = fluid.BuildStrategy.GradientScaleStrategy
        build.gradient_scale_strategy = (
            scales.CoeffNumDevice, scales.One,
            scales.Customized)[int(model_dict.get("gradient_scale_strategy", 0))]
        threads = int(model_dict.get("thread_num") or 1)
        if threads > 1:
            build.reduce_strategy = fluid.BuildStrategy.ReduceStrategy.Reduce
            execution.num_threads = threads
            os.environ["CPU_NUM"] = str(threads)

    def _get_single_cpu_program(self, model_dict, context):
        of_phase = context["model"][model_dict["name"]]
        threads = int(model_dict.get("thread_num") or 1)
        if threads == 1 and not model_dict.get("gradient_scale_strategy"):
            return of_phase["main_program"]
        execution, build = self._get_strategy(model_dict, context)
        return fluid.CompiledProgram(of_phase["main_program"]).with_data_parallel(
            loss_name=of_phase["model"].get_avg_cost().name, build_strategy=build,
            exec_strategy=execution, places=[fluid.CPUPlace()] * threads)

    def _get_ps_program(self, model_dict, context):
        of_phase, strategy = context["model"][model_dict["name"]], context["strategy"]
        build, execution = strategy.get_build_strategy(), strategy.get_execute_strategy()
        self._set_strategy(model_dict, build, execution)
        return fluid.CompiledProgram(of_phase["main_program"]).with_data_parallel(
            loss_name=of_phase["model"].get_avg_cost().name, build_strategy=build,
            exec_strategy=execution)

    # ---- saving ----

    def save(self, context, is_fleet=False, epoch_id=None, batch_id=None):
        """At the end of an epoch checkpoint and inference model, or at a batch a checkpoint, of
        the phase that runs; in a fleet worker 0 writes."""
        phase = context.get("current_phase") or context["phases"][0]["name"]
        of_phase = context["model"][phase]
        program = of_phase["main_program" if is_fleet else "default_main_program"]
        with fluid.scope_guard(of_phase["scope"]), \
                fluid.program_guard(program, of_phase["startup_program"]):
            if epoch_id is not None:
                self._save_checkpoint(context, is_fleet, program, epoch_id)
                self._save_inference(context, is_fleet, program, epoch_id)
            if batch_id is not None:
                folder = envs.get_global_env("runner.%s.save_step_path" % context["runner_name"])
                if folder:
                    epoch = context["current_epoch"]
                    folder = os.path.join(folder, "epoch_%d_batch_%d" % (epoch, batch_id))
                    logging.info("\tsave epoch_id:%d, batch_id:%d model into: \"%s\"",
                                 epoch, batch_id, folder)
                    self._write(context, is_fleet, program, folder)

    @staticmethod
    def _wanted(context, kind, epoch):
        """The folder of this epoch, None where none is to be written."""
        name = "runner.%s." % context["runner_name"]
        folder = envs.get_global_env(name + "save_%s_path" % kind)
        every = int(envs.get_global_env(name + "save_%s_interval" % kind) or -1)
        last = epoch + 1 == int(envs.get_global_env(name + "epochs", 1))
        return os.path.join(folder, str(epoch)) \
            if folder and (last or (epoch + 1) % every == 0) else None

    @staticmethod
    def _write(context, is_fleet, program, folder):
        if not is_fleet:
            fluid.io.save_persistables(context["exe"], folder, main_program=program)
        elif context["fleet"].worker_index() == 0:
            context["fleet"].save_persistables(context["exe"], folder)

    def _save_checkpoint(self, context, is_fleet, program, epoch):
        folder = self._wanted(context, "checkpoint", epoch)
        if folder:
            logging.info("\tsave epoch_id:%d model into: \"%s\"", epoch, folder)
            self._write(context, is_fleet, program, folder)

    def _save_inference(self, context, is_fleet, program, epoch):
        name = "runner.%s.save_inference_" % context["runner_name"]
        feeds, fetches = ([names] if isinstance(names, str) else names or [] for names in (
            envs.get_global_env(name + key) for key in ("feed_varnames", "fetch_varnames")))
        folder = self._wanted(context, "inference", epoch)
        if not folder or not feeds or not fetches:
            return
        variables = program.global_block().vars
        for what, names in (("Feed", feeds), ("Fetch", fetches)):
            for var in names:
                if var not in variables:
                    raise ValueError("{} variable: {} not in default_main_program, global block "
                                     "has follow vars: {}".format(what, var, list(variables)))
        logging.info("\tsave epoch_id:%d model into: \"%s\"", epoch, folder)
        targets = [variables[var] for var in fetches]
        if not is_fleet:
            fluid.io.save_inference_model(folder, feeds, targets, context["exe"],
                                          main_program=program)
        elif context["fleet"].worker_index() == 0:
            context["fleet"].save_inference_model(context["exe"], folder, feeds, targets)

    # ---- an epoch ----

    @staticmethod
    def _shuffle(context, model_dict):
        files = context.get("file_lists", {}).get(model_dict["dataset_name"])
        if files is not None:
            context["file_list"] = files
            if "shuffle_filelist" in model_dict:
                shuffle_files(model_dict["shuffle_filelist"], files)

    def _pass(self, context, model_dict, metrics, message, fleet=None):
        """A pass and the line at its end: message, seconds, metrics over all that it saw."""
        context["current_phase"] = model_dict["name"]
        self._shuffle(context, model_dict)
        begin = time.time()
        result = self._run(context, model_dict)
        message += " done, use time: %s" % (time.time() - begin)
        shown = []
        for key, metric in metrics.items():
            if isinstance(metric, Metric):
                shown.append(metric.calc_global_metrics(
                    fleet, context["model"][model_dict["name"]]["scope"]))
            elif result is not None and key in result:
                shown.append("%s=%s" % (key, result[key]))
        if shown:
            message += ", global metrics: " + ", ".join(shown)
        # In one piece: other workers may write to the same place.
        print(message + "\n", end="", flush=True)


class SingleRunner(RunnerBase):
    def run(self, context):
        epochs = int(envs.get_global_env("runner.%s.epochs" % context["runner_name"]))
        for epoch in range(epochs):
            context["current_epoch"] = epoch
            for phase in context["phases"]:
                self._pass(context, phase, context["model"][phase["name"]]["model"]._metrics,
                           "epoch %d" % epoch)
                self.save(context, epoch_id=epoch)
        context["status"] = "terminal_pass"


class PSRunner(RunnerBase):
    """A metric of class Metric is of all workers; a plain variable is this worker's."""

    def run(self, context):
        epochs = int(envs.get_global_env("runner.%s.epochs" % context["runner_name"]))
        phase = context["env"]["phase"][0]
        metrics = context["model"][phase["name"]]["model"]._metrics
        for epoch in range(epochs):
            context["current_epoch"] = epoch
            self._pass(context, phase, metrics, "epoch %d" % epoch, context["fleet"])
            self.save(context, is_fleet=True, epoch_id=epoch)
        context["status"] = "terminal_pass"


class PslibRunner(PSRunner):
    """fleet_mode pslib: as ps."""


class CollectiveRunner(PSRunner):
    """fleet_mode collective: a worker computes on one thread, or on its card."""


class SingleInferRunner(RunnerBase):
    """Judges every saved epoch in init_model_path, or what stands in it itself."""

    def run(self, context):
        self._dir_check(context)
        for name, folder in zip(self.epoch_model_name_list, self.epoch_model_path_list):
            for phase in context["phases"]:
                self._load(context, phase, folder)
                self._pass(context, phase,
                           context["model"][phase["name"]]["model"]._infer_results,
                           "Infer %s of epoch %s" % (phase["name"], name))
        context["status"] = "terminal_pass"

    def _load(self, context, model_dict, model_path):
        if not model_path:
            return
        print("load persistables from", model_path)
        of_phase = context["model"][model_dict["name"]]
        metrics = of_phase["model"].get_clear_metrics()
        # What a metric has counted is not loaded: it begins anew, and training may have had none.
        counts = {name for metric in metrics for name in metric.state_names()}
        with fluid.scope_guard(of_phase["scope"]):
            fluid.io.load_vars(
                context["exe"], model_path, main_program=of_phase["main_program"],
                predicate=lambda v: fluid.io.is_persistable(v) and v.name not in counts)
            for metric in metrics:
                metric.clear()

    def _dir_check(self, context):
        top = envs.get_global_env("runner.%s.init_model_path" % context["runner_name"])
        folders = [n for n in os.listdir(top) if os.path.isdir(os.path.join(top, n))]
        folders.sort(key=lambda n: (not n.isdigit(), int(n) if n.isdigit() else 0, n))
        self.epoch_model_name_list = folders or [top]
        self.epoch_model_path_list = [os.path.join(top, n) for n in folders] or [top]
