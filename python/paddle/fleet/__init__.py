"""paddle.fleet: metrics over all workers."""
from paddle.fluid.incubate.fleet import metrics

__all__ = ["metrics"]
