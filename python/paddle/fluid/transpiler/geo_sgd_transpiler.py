"""Geo: each trainer trains by itself, and what it has changed is sent from time to time."""
from .distribute_transpiler import DistributeTranspiler, DistributeTranspilerConfig

__all__ = ["GeoSgdTranspiler"]


class GeoSgdTranspiler(DistributeTranspiler):
    """A DistributeTranspiler whose config has geo_sgd_mode set."""

    def __init__(self, config=None):
        config = DistributeTranspilerConfig() if config is None else config
        super().__init__(config)
        config.geo_sgd_mode = True

    def transpile(self, trainer_id, program=None, pservers="127.0.0.1:6174", trainers=1,
                  sync_mode=False, startup_program=None, current_endpoint="127.0.0.1:6174"):
        """Geo is asynchronous: sync_mode is not asked, as in Fluid."""
        return super().transpile(trainer_id, program, pservers, trainers, False, startup_program,
                                 current_endpoint)
