"""Starting jobs: python -m paddle.distributed.launch_ps, python -m paddle.distributed.launch."""
from .entry_attr import CountFilterEntry, ProbabilityEntry

__all__ = ["CountFilterEntry", "ProbabilityEntry"]
