"""Engine: starts what a runner's class asks for."""
import abc
import os

from paddlerec.core.utils import envs

__all__ = ["Engine", "SingleEngine"]


class Engine(abc.ABC):
    """envs: what the processes are told; trainer: the path of config.yaml."""

    def __init__(self, envs, trainer):
        self.envs, self.trainer = envs, trainer
        self.__init_impl__()

    def __init_impl__(self):
        """For engines that need more."""

    @abc.abstractmethod
    def run(self):
        """The exit status."""


class SingleEngine(Engine):
    """This process: classes train and infer, and a worker of a cluster."""

    def run(self):
        from paddlerec.core.factory import TrainerFactory
        envs.set_runtime_environs(self.envs)
        shown = {key: value for key, value in sorted(os.environ.items())
                 if key.startswith("train.trainer.")}
        print(envs.pretty_print_envs(shown, ("Runtime Envs", "Value")))
        trainer = TrainerFactory.create(self.trainer)
        print(envs.pretty_print_envs(envs.get_global_envs()), flush=True)
        trainer.run()
        return 0
