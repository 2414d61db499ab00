"""GeneralTrainer: alone or with parameter servers, training or judging."""
import importlib

from paddlerec.core.trainer import EngineMode, FleetMode, Trainer
from paddlerec.core.utils import envs

__all__ = ["GeneralTrainer"]

_FRAMEWORK = "paddlerec.core.trainers.framework."


class GeneralTrainer(Trainer):
    """Each state's work is done by a class of framework/, or by the user's own (runner keys
    instance_class_path, network_class_path ...)."""

    def __init__(self, config=None):
        Trainer.__init__(self, config)
        self.runner_env_name = "runner." + self._context["runner_name"]
        self.processor_register()

    def processor_register(self):
        self.regist_context_processor("uninit", self.instance)
        self.regist_context_processor("network_pass", self.network)
        self.regist_context_processor("startup_pass", self.startup)
        self.regist_context_processor("train_pass", self.runner)
        self.regist_context_processor("terminal_pass", self.terminal)

    def _kind(self):
        if self.engine == EngineMode.SINGLE:
            return "Single"
        if self.fleet_mode == FleetMode.COLLECTIVE:
            return "Collective"
        return "Pslib" if self.fleet_mode == FleetMode.PSLIB else "PS"

    def _make(self, part, name, context):
        own = envs.get_global_env("%s.%s_class_path" % (self.runner_env_name, part))
        if own:
            return envs.lazy_instance_by_fliename(own, part.capitalize())(context)
        return getattr(importlib.import_module(_FRAMEWORK + part), name)(context)

    def instance(self, context):
        self._make("instance", self._kind() + "Instance", context).instance(context)

    def network(self, context):
        self._make("network", self._kind() + "Network", context).build_network(context)

    def startup(self, context):
        kind = {"Single": "SingleInfer" if context["is_infer"] else "Single",
                "Pslib": "PS"}.get(self._kind(), self._kind())
        self._make("startup", kind + "Startup", context).startup(context)

    def runner(self, context):
        kind = "SingleInfer" if self._kind() == "Single" and context["is_infer"] else self._kind()
        self._make("runner", kind + "Runner", context).run(context)

    def terminal(self, context):
        name = "PSTerminal" if self._kind() in ("PS", "Pslib") else "TerminalBase"
        self._make("terminal", name, context).terminal(context)
        context["is_exit"] = True
