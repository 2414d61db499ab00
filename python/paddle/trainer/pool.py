"""Batches of a data provider's samples: pools that are shuffled, passes that are kept."""
import itertools
import random

from .PyDataProvider2 import CacheType, ProviderError
from .sample_check import mismatch

__all__ = ["SampleSource"]


class SampleSource:
    """The passes of one provider. Training shuffles file names, then samples within a pool of
    pool_size; not shuffled, samples come as the files have them."""

    def __init__(self, provider, batch_size, seed=0):
        if batch_size < 1:
            raise ValueError("batch_size must be at least 1, not %r" % (batch_size,))
        self.provider = provider
        self.batch_size = batch_size
        self._random = random.Random(seed)
        self._kept = None

    @property
    def is_kept(self):
        """Is the next pass in memory?"""
        return self._kept is not None

    def batches(self):
        """The batches of one pass, each a list of samples."""
        return self._cut(self._samples())

    def _samples(self):
        if self._kept is not None:
            samples = iter(self._kept)
        else:
            samples = self._read()
        return self._shuffle(samples) if self.provider.should_shuffle else samples

    def _read(self):
        """What the files have; kept in memory, once all has been read, where that is wanted."""
        keep = self.provider.cache == CacheType.CACHE_PASS_IN_MEM
        kept = []
        files = list(self.provider.file_list)
        if self.provider.should_shuffle:
            self._random.shuffle(files)
        inputs = len(self.provider.slots)
        for name in files:
            for number, sample in enumerate(self.provider.samples(name), 1):
                if not isinstance(sample, (list, tuple)) or len(sample) != inputs:
                    raise ProviderError("%s: %s" % (
                        self.provider.where(name, number),
                        mismatch(sample, self.provider.slots, self.provider.input_order)))
                if keep:
                    kept.append(sample)
                yield sample
        if keep:
            self._kept = kept

    def _shuffle(self, samples):
        size = self.provider.pool_size
        if size is None or size < 0:
            pool = list(samples)
            self._random.shuffle(pool)
            yield from pool
            return
        # A pool is filled before the first is drawn, so there are always min_pool_size in it.
        size = max(size, self.provider.min_pool_size or 0, 1)
        pool = []
        for sample in samples:
            pool.append(sample)
            if len(pool) >= size:
                yield self._draw(pool)
        while pool:
            yield self._draw(pool)

    def _draw(self, pool):
        at = self._random.randrange(len(pool))
        pool[at], pool[-1] = pool[-1], pool[at]
        return pool.pop()

    def _cut(self, samples):
        size_of = self.provider.calc_batch_size
        if size_of is not None:
            yield from self._cut_by(size_of, samples)
            return
        batch = list(itertools.islice(samples, self.batch_size))
        while batch:
            yield batch
            batch = list(itertools.islice(samples, self.batch_size))

    def _cut_by(self, size_of, samples):
        batch, size = [], 0
        for sample in samples:
            weight = int(size_of(sample))
            if batch and size + weight > self.batch_size and not self.provider.can_over_batch_size:
                yield batch
                batch, size = [], 0
            batch.append(sample)
            size += weight
            if size >= self.batch_size:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch
