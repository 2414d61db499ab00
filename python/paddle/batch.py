"""paddle.batch: samples in lists of a fixed number."""

__all__ = ["batch"]


def batch(reader, batch_size, drop_last=False):
    """A reader of lists of batch_size samples; the last may be shorter, or is dropped."""
    size = int(batch_size)
    if size <= 0:
        raise ValueError("batch_size should be a positive integeral value, but got batch_size=%s"
                         % (batch_size,))

    def batches():
        some = []
        for sample in reader():
            some.append(sample)
            if len(some) == size:
                yield some
                some = []
        if some and not drop_last:
            yield some
    return batches
