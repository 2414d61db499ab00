"""FineTuningTrainer: goes on from a trained model, part of which stays as it is."""
from paddlerec.core.trainers.framework.network import FineTuningNetwork
from paddlerec.core.trainers.framework.startup import FineTuningStartup
from paddlerec.core.trainers.general_trainer import GeneralTrainer

__all__ = ["FineTuningTrainer"]


class FineTuningTrainer(GeneralTrainer):
    def network(self, context):
        self._check(context)
        FineTuningNetwork(context).build_network(context)

    def startup(self, context):
        FineTuningStartup(context).startup(context)

    def _check(self, context):
        if context["is_infer"] or context["is_fleet"]:
            raise ValueError("FineTuningTrainer trains on one machine: class train")
