"""batch(reader, batch_size): that of paddle."""
from paddle.batch import batch

__all__ = ["batch"]
