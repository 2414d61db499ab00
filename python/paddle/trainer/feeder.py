"""Samples of a v1 or v2 reader as what a network's data layers are fed with.

The quick way makes arrays of whole columns; only where NumPy refuses one, or a number is out of
range, is each sample looked at, to say which it was and what was wanted."""
from itertools import chain

import numpy as np

import paddle.fluid as fluid
from paddle.trainer_config_helpers.network import DENSE, INDEX, SPARSE_BINARY, SPARSE_FLOAT, \
    feed_names

from .sample_check import bound, shown, wanted, wrong

__all__ = ["Feeder", "SampleError"]

_PLACE = fluid.CPUPlace()


class SampleError(ValueError):
    """A sample that does not fit its types: which, in what slot, and what was wanted."""


class _Unfit(Exception):
    """Some sample of a column does not fit."""


def _tensor(array, lengths):
    if not lengths:
        return array
    tensor = fluid.core.LoDTensor()
    tensor.set(array, _PLACE)
    tensor.set_recursive_sequence_lengths(lengths)
    return tensor


def _open_levels(column, levels):
    """The column without `levels` of nesting, and the lengths of each."""
    lengths = []
    for _ in range(levels):
        lengths.append([len(each) for each in column])
        column = list(chain.from_iterable(column))
    return column, lengths


def _in_range(ids, dim):
    """int64 numbers as a column; those below zero are huge without their sign."""
    if ids.size and int(ids.view(np.uint64).max()) >= dim:
        raise _Unfit
    return ids.reshape(-1, 1)


def _as_ids(flat, dim):
    ids = np.array(flat)
    if ids.size == 0:
        return np.zeros([0, 1], np.int64)
    if ids.dtype.kind not in "iub" or ids.size != len(flat):
        raise _Unfit
    return _in_range(ids.astype(np.int64, copy=False), dim)


def _as_rows(flat, dim):
    rows = np.array(flat, dtype=np.float32)
    if rows.size != len(flat) * dim:
        raise _Unfit
    return rows.reshape(-1, dim)


def _feed_dense(name, kind, column):
    flat, lengths = _open_levels(column, kind.seq_type)
    return {name: _tensor(_as_rows(flat, kind.dim), lengths)}


def _feed_index(name, kind, column):
    flat, lengths = _open_levels(column, kind.seq_type)
    return {name: _tensor(_as_ids(flat, bound(kind.dim)), lengths)}


def _feed_binary(name, kind, column):
    flat, lengths = _open_levels(column, kind.seq_type + 1)
    return {name: _tensor(_as_ids(flat, kind.dim), lengths)}


def _feed_sparse(name, kind, column):
    flat, lengths = _open_levels(column, kind.seq_type + 1)
    ids, values = zip(*flat) if flat else ((), ())
    names = feed_names(name, kind)
    return {names[0]: _tensor(_as_ids(ids, kind.dim), lengths),
            names[1]: _tensor(_as_rows(values, 1), lengths)}


_FEED = {DENSE: _feed_dense, INDEX: _feed_index, SPARSE_BINARY: _feed_binary,
         SPARSE_FLOAT: _feed_sparse}


class Feeder:
    """feeder(samples): a feed for the network whose data layers have `data_types`, by name.

    A sample is a list or tuple with a value for each of them in that order, or as `feeding` says:
    a dict of the place in the sample by name, or a list of names in the order of the sample; or
    it is a dict by name. Where there is one slot, a sample may be its value alone (v1)."""

    def __init__(self, data_types, feeding=None, single=False):
        self.data_types = data_types
        self._single = single and len(data_types) == 1
        if feeding is None:
            feeding = list(data_types)
        if not isinstance(feeding, dict):
            feeding = {name: place for place, name in enumerate(feeding)}
        self._places = {}
        for name in data_types:
            if name not in feeding:
                raise SampleError("feeding says nothing of the data layer %r; it names %s"
                                  % (name, ", ".join(map(str, feeding)) or "none"))
            self._places[name] = int(feeding[name])
        self._width = max(self._places.values(), default=-1) + 1

    def __call__(self, samples):
        if not len(samples):
            raise SampleError("a batch without samples cannot be fed")
        feed = {}
        columns = self._columns(samples)
        for name, kind in self.data_types.items():
            try:
                feed.update(_FEED[kind.type](name, kind, columns[name]))
            except (_Unfit, TypeError, ValueError, OverflowError) as error:
                raise SampleError(self._explain(name, kind, columns[name], error)) from None
        return feed

    def _columns(self, samples):
        first = samples[0]
        if isinstance(first, dict):
            try:
                return {name: [sample[name] for sample in samples] for name in self.data_types}
            except (KeyError, TypeError):
                raise SampleError(self._wrong_dict(samples)) from None
        if self._single and not isinstance(first, (list, tuple)):
            return {name: samples for name in self.data_types}
        try:
            widths = set(map(len, samples))
            columns = list(zip(*samples))
        except TypeError:
            columns = []
        if len(columns) < self._width or len(widths) != 1:
            raise SampleError(self._wrong_width(samples))
        return {name: columns[place] for name, place in self._places.items()}

    # ---- words ----

    def _wrong_dict(self, samples):
        for i, sample in enumerate(samples):
            if not isinstance(sample, dict):
                return "sample %d of the batch is %s, and those before it are dicts" % (
                    i, shown(sample))
            for name in self.data_types:
                if name not in sample:
                    return "sample %d of the batch has no %r: it has %s" % (
                        i, name, ", ".join(map(repr, sample)) or "nothing")
        return "the samples of the batch are not alike"

    def _wrong_width(self, samples):
        for i, sample in enumerate(samples):
            if not isinstance(sample, (list, tuple)):
                return "sample %d of the batch is %s, and must be a tuple or list with a value " \
                    "for each of %s" % (i, shown(sample), ", ".join(self.data_types))
            if len(sample) < self._width or len(sample) != len(samples[0]):
                return "sample %d of the batch has %d values, and %d are wanted: %s" % (
                    i, len(sample), max(self._width, len(samples[0])), ", ".join(self.data_types))
        return "the samples of the batch are not alike"

    def _explain(self, name, kind, column, error):
        for i, value in enumerate(column):
            try:
                _FEED[kind.type](name, kind, [value])
            except (_Unfit, TypeError, ValueError, OverflowError):
                return "sample %d of the batch, data layer %r: %s; wanted is %s" % (
                    i, name, wrong(value, kind) or "it has another form", wanted(kind))
        return "data layer %r: its samples do not go together (%s); wanted is %s" % (
            name, error, wanted(kind))
