"""TrainerFactory: the trainer of a configuration. As a program, a process of a local cluster:

    python -m paddlerec.core.factory CONFIG.yaml"""
import os
import sys

from paddlerec.core import refused
from paddlerec.core.utils import envs

__all__ = ["TrainerFactory", "TRAINERS"]

TRAINERS = {
    "GeneralTrainer": "paddlerec.core.trainers.general_trainer",
    "FineTuningTrainer": "paddlerec.core.trainers.finetuning_trainer",
}


class TrainerFactory(object):
    @staticmethod
    def _build_trainer(yaml_path):
        name = envs.get_trainer() or "GeneralTrainer"
        if name in TRAINERS:
            return envs.lazy_instance_by_package(TRAINERS[name], name)(yaml_path)
        if not os.path.isfile(name):
            raise ValueError("trainer_class %s is neither %s nor a file that defines "
                             "UserDefineTrainer" % (name, " nor ".join(TRAINERS)))
        return envs.lazy_instance_by_fliename(name, "UserDefineTrainer")(yaml_path)

    @staticmethod
    def create(config):
        """config: the path of a config.yaml."""
        if not config or not os.path.isfile(config):
            raise ValueError("TrainerFactory.create: %r is no config.yaml" % (config,))
        envs.clear_global_envs()
        envs.set_global_envs(envs.load_yaml(config))
        return TrainerFactory._build_trainer(config)


refused.add(globals(), "of runner.NAME.trainer_class a file is taken that defines UserDefineTrainer",
            "trainer_abs", "trainer_registry", "trainers")

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m paddlerec.core.factory CONFIG.yaml")
    TrainerFactory.create(sys.argv[1]).run()
