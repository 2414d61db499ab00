"""Layer: what a layer function of paddle.v2 gives."""
from paddle.trainer_config_helpers.graph import LayerOutput

__all__ = ["Layer"]

Layer = LayerOutput
