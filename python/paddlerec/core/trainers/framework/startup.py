"""The third state: first values of all parameters."""
import os

import paddle.fluid as fluid

from paddlerec.core.utils import envs

__all__ = ["StartupBase", "SingleStartup", "SingleInferStartup", "PSStartup",
           "FineTuningStartup", "CollectiveStartup"]


class StartupBase(object):
    def __init__(self, context):
        pass

    def startup(self, context):
        """Leaves the status train_pass."""

    def load(self, context, is_fleet=False, main_program=None):
        """The parameters in runner.init_model_path, where it is given."""
        folder = envs.get_global_env("runner.%s.init_model_path" % context["runner_name"])
        if folder:
            print("going to load ", folder)
            fluid.io.load_persistables(context["exe"], folder, main_program=main_program)
            print("load from {} success".format(folder))

    def _each(self, context, load):
        for phase in context["phases"]:
            model = context["model"][phase["name"]]
            with fluid.scope_guard(model["scope"]), \
                    fluid.program_guard(model["main_program"], model["startup_program"]):
                context["exe"].run(model["startup_program"])
                load(model)
        context["status"] = "train_pass"


class SingleStartup(StartupBase):
    def startup(self, context):
        self._each(context, lambda model: self.load(context, main_program=model["main_program"]))


class SingleInferStartup(StartupBase):
    """The parameters are loaded by the runner, one saved epoch after the other."""

    def startup(self, context):
        self._each(context, lambda model: None)


class PSStartup(StartupBase):
    """init_model_path is loaded by the servers."""

    def startup(self, context):
        phase = context["env"]["phase"][0]
        model = context["model"][phase["name"]]
        with fluid.scope_guard(model["scope"]):
            context["exe"].run(model["startup_program"])
        context["status"] = "train_pass"


class FineTuningStartup(StartupBase):
    """Begin with the values of runner.init_pretraining_model_path, for every parameter that it
    has; init_model_path goes on with a run of its own."""

    def startup(self, context):
        name = "runner.%s." % context["runner_name"]
        if envs.get_global_env(name + "init_model_path"):
            self._each(context, lambda m: self.load(context, main_program=m["main_program"]))
        else:
            folder = envs.get_global_env(name + "init_pretraining_model_path")
            self._each(context, lambda m: self._load_old(context, folder, m["main_program"]))

    @staticmethod
    def is_persistable(var):
        return fluid.io.is_persistable(var)

    def _load_old(self, context, folder, program):
        if not folder:
            raise ValueError("runner.%s.init_pretraining_model_path is not given: fine tuning "
                             "begins with a trained model" % context["runner_name"])
        params = [p for p in program.all_parameters()
                  if os.path.exists(os.path.join(folder, p.name))]
        if not params:
            raise ValueError("%s holds none of the model's parameters (%s ...)" % (
                folder, ", ".join(p.name for p in program.all_parameters()[:3])))
        print("going to load ", folder)
        fluid.io.load_vars(context["exe"], folder, main_program=program, vars=params)
        print("load from {} success".format(folder))


class CollectiveStartup(StartupBase):
    """Every worker loads init_model_path."""

    def startup(self, context):
        phase = context["env"]["phase"][0]
        model = context["model"][phase["name"]]
        with fluid.scope_guard(model["scope"]):
            context["exe"].run(model["startup_program"])
            self.load(context, main_program=model["default_main_program"])
        context["status"] = "train_pass"
