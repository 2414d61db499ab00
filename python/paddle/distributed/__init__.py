"""Starting jobs: python -m paddle.distributed.launch_ps, python -m paddle.distributed.launch."""

__all__ = []
