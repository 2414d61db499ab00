import os

import numpy as np

import paddle.fluid as fluid

from paddlerec.core.trainers.framework.runner import RunnerBase
from paddlerec.core.utils import envs


class Runner(RunnerBase):
    """Loads all that was saved; the tree's info is made by the startup program."""

    def __init__(self, context):
        print("Running SingleInferRunner of TDM.")

    def run(self, context):
        for model_dict in context["phases"]:
            model_class = context["model"][model_dict["name"]]["model"]
            metrics = model_class._infer_results
            place = envs.get_global_env("runner." + context["runner_name"] + ".init_model_path")
            program = context["model"][model_dict["name"]]["main_program"]
            startup = context["model"][model_dict["name"]]["startup_program"]
            with fluid.scope_guard(context["model"][model_dict["name"]]["scope"]):
                context["exe"].run(startup)
                names = [v.name for v in program.list_vars() if v.persistable and
                         os.path.exists(os.path.join(place, v.name))]
                fluid.io.load_vars(context["exe"], place, main_program=program,
                                   vars=[program.global_block().var(n) for n in names])
            self._run(context, model_dict)
        context["status"] = "terminal_pass"
