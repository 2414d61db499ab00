"""Trainer: a run as a sequence of states, each with the function that leaves it."""
import os
import sys
import traceback

from paddle import fluid

from paddlerec.core.utils import envs

__all__ = ["EngineMode", "FleetMode", "Device", "Trainer"]


class EngineMode:
    """Where a run is: alone, on a cluster, in a local cluster."""
    SINGLE, CLUSTER, LOCAL_CLUSTER = 1, 2, 3


class FleetMode:
    """How workers work together."""
    PS, COLLECTIVE, PSLIB = 1, 2, 3


class Device:
    CPU, GPU = 1, 2


class Trainer(object):
    """The context, a dict that every processor gets, begins with status `uninit`; the run is over
    when a processor sets is_exit."""

    def __init__(self, config=None):
        self._status_processor = {}
        self.model, self.inference_models, self.increment_models = None, [], []
        self._exector_context, self._model, self._dataset = {}, {}, {}
        self._runner_name = envs.get_runtime_environ("mode")
        self._context = {"status": "uninit", "is_exit": False, "config_yaml": config,
                         "runner_name": self._runner_name}
        env = envs.load_yaml(config)
        names = envs.get_global_env("runner.%s.phases" % self._runner_name)
        if names is not None:
            names = [names] if isinstance(names, str) else names
            env["phase"] = [phase for phase in env["phase"] if phase["name"] in names]
        self._context.update(phases=env["phase"], env=env, dataset=env.get("dataset"))
        print("PaddleRec: Runner {} Begin".format(self._runner_name))
        self.which_engine()
        self.which_device()
        self.which_fleet_mode()
        self.which_executor_mode()
        self.legality_check()

    # ---- what kind of run ----

    def which_device(self):
        device = str(envs.get_global_env("runner.%s.device" % self._runner_name, "CPU")).upper()
        if device == "GPU":
            self.check_gpu()
            self.device = Device.GPU
            self._place = fluid.CUDAPlace(int(os.environ.get("FLAGS_selected_gpus", 0)))
        elif device == "CPU":
            self.device, self._place = Device.CPU, fluid.CPUPlace()
        else:
            raise ValueError("Not Support device {}".format(device))
        self._exe = fluid.Executor(self._place)
        self._context.update(device=device, exe=self._exe, place=self._place)

    def check_gpu(self):
        if not fluid.core.is_compiled_with_cuda():
            raise RuntimeError("device: gpu is asked for, and this build computes on the CPU: set "
                               "device to cpu in the configuration")

    def which_engine(self):
        engine = envs.get_runtime_environ("train.trainer.engine") or ""
        engines = {"SINGLE": EngineMode.SINGLE, "LOCAL_CLUSTER": EngineMode.LOCAL_CLUSTER,
                   "CLUSTER": EngineMode.CLUSTER}
        if engine.upper() not in engines:
            raise ValueError("Not Support Engine {}".format(engine))
        self.engine = engines[engine.upper()]
        self.is_fleet = self.engine != EngineMode.SINGLE
        if self.engine == EngineMode.CLUSTER:
            self.which_cluster_type()
        self._context.update(is_fleet=self.is_fleet, engine=self.engine)

    def which_fleet_mode(self):
        mode = envs.get_runtime_environ("fleet_mode") or "PS"
        modes = {"PS": FleetMode.PS, "COLLECTIVE": FleetMode.COLLECTIVE, "PSLIB": FleetMode.PSLIB}
        if mode.upper() not in modes:
            raise ValueError("Not Support Fleet Mode {}".format(mode))
        self.fleet_mode = modes[mode.upper()]
        self._context.update(fleet_mode=mode, is_pslib=mode.upper() == "PSLIB")

    def which_cluster_type(self):
        kind = os.environ.get("PADDLEREC_CLUSTER_TYPE", "MPI")
        print("PADDLEREC_CLUSTER_TYPE: {}".format(kind))
        self._context["cluster_type"] = "K8S" if kind.upper() == "K8S" else "MPI"

    def which_executor_mode(self):
        mode = envs.get_runtime_environ("train.trainer.executor_mode") or ""
        if mode.upper() not in ("TRAIN", "INFER"):
            raise ValueError("Not Support Executor Mode {}".format(mode))
        self.is_infer = mode.upper() == "INFER"
        print("Executor Mode: {}".format(mode))
        self._context["is_infer"] = self.is_infer

    def legality_check(self):
        if self.is_infer and self.engine != EngineMode.SINGLE:
            raise ValueError("Not Support Distributed Infer")

    # ---- states ----

    def processor_register(self):
        raise NotImplementedError("%s.processor_register()" % type(self).__name__)

    def regist_context_processor(self, status_name, processor):
        """processor(context) is called while the status is this one."""
        self._status_processor[status_name] = processor

    def context_process(self, context):
        self._status_processor.get(context["status"], self.other_status_processor)(context)

    def other_status_processor(self, context):
        """Without a processor nothing would ever change."""
        raise RuntimeError("no processor is registered for status %r; there are %s"
                           % (context["status"], ", ".join(sorted(self._status_processor))))

    def handle_processor_exception(self, context, exception):
        print("\n--------------------------------\nPaddleRec Error Message Summary:\n"
              "--------------------------------\n")
        print("Exit PaddleRec. catch exception in precoss status: [%s], except: %s"
              % (context["status"], exception))
        return True

    def reload_train_context(self):
        """Called before each processor."""

    def run(self):
        while not self._context["is_exit"]:
            try:
                self.reload_train_context()
                self.context_process(self._context)
            except Exception as e:
                traceback.print_exc()
                print("Catch Exception:%s" % e)
                self.handle_processor_exception(self._context, e)
                sys.stdout.flush()
                sys.exit(type(e).__name__)
