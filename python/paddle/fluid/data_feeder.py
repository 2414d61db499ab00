"""DataFeeder: minibatches of Python samples as tensors."""
import os

import numpy as np

from . import core
from .framework import Variable, convert_np_dtype_to_dtype_, default_main_program

__all__ = ["DataFeeder"]

_NAMES = {0: "bool", 1: "int16", 2: "int32", 3: "int64", 4: "float16", 5: "float32",
          6: "float64", 19: "uint64", 20: "uint8", 21: "int8", 22: "bfloat16"}


def convert_dtype(dtype):
    """The numpy name of a VarType, or of a dtype in any spelling."""
    return _NAMES[int(convert_np_dtype_to_dtype_(dtype))]


def check_variable_and_dtype(input, input_name, expected_dtype, op_name, extra_message=""):
    check_type(input, input_name, Variable, op_name, extra_message)
    check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)


def check_type(input, input_name, expected_type, op_name, extra_message=""):
    if not isinstance(input, expected_type):
        raise TypeError("The type of '%s' in %s must be %s, but received %s. %s"
                        % (input_name, op_name, expected_type, type(input), extra_message))


def check_dtype(input_dtype, input_name, expected_dtype, op_name, extra_message=""):
    if convert_dtype(input_dtype) not in expected_dtype:
        raise TypeError("The data type of '%s' in %s must be %s, but received %s. %s"
                        % (input_name, op_name, expected_dtype, convert_dtype(input_dtype),
                           extra_message))


class _Column:
    """One fed variable: its samples are gathered, then made one tensor."""

    def __init__(self, var):
        self.name = var.name
        self.dtype = convert_dtype(var.dtype)
        self.lod_level = var.lod_level
        shape = list(var.shape)
        # A shape with one unknown dimension can be given to flat samples.
        self.shape = shape if sum(dim < 0 for dim in shape) <= 1 else None
        self.check = shape
        self.clear()

    def clear(self):
        self.data = []
        self.lod = [[] for _ in range(self.lod_level)]

    def add(self, sample):
        self._add(sample, self.lod, self.lod_level)

    def _add(self, sample, lod, level):
        if level == 0:
            self.data.append(sample)
            return
        lod[0].append(len(sample))
        for part in sample:
            self._add(part, lod[1:], level - 1)

    def done(self, place):
        try:
            array = np.array(self.data, dtype=self.dtype)
        except (ValueError, TypeError) as e:
            raise ValueError("feed '%s': its samples do not make a %s array (%s)"
                             % (self.name, self.dtype, e))
        # Samples of as many axes as declared keep their sizes: they may be padded to the batch.
        if self.shape is not None and array.ndim != len(self.shape):
            array = self._reshape(array)
        tensor = core.LoDTensor()
        tensor.set(array, place)
        if self.lod_level > 0:
            tensor.set_recursive_sequence_lengths(self.lod)
        self.clear()
        return tensor

    def _reshape(self, array):
        try:
            return array.reshape(self.shape)
        except ValueError:
            raise ValueError("feed '%s': samples of shape %s do not fit the variable's shape %s"
                             % (self.name, list(array.shape[1:]), self.check))


class DataFeeder:
    """Turns lists of samples into {name: LoDTensor}, in the order of feed_list."""

    def __init__(self, feed_list, place, program=None):
        block = (program or default_main_program()).block(0)
        self.feed_vars = [block.var(v) if isinstance(v, str) else v for v in feed_list]
        for var in self.feed_vars:
            if not isinstance(var, Variable):
                raise TypeError("Feed list should contain a list of variable")
        self.feed_names = [v.name for v in self.feed_vars]
        self.feed_dtypes = [v.dtype for v in self.feed_vars]
        self.feed_shapes = [v.shape for v in self.feed_vars]
        self.feed_lod_level = [v.lod_level for v in self.feed_vars]
        self.place = place
        self._columns = [_Column(v) for v in self.feed_vars]

    def feed(self, iterable):
        columns = self._columns
        for column in columns:
            column.clear()
        for sample in iterable:
            if len(sample) != len(columns):
                raise ValueError("The number of fields in data (%d) does not match len(feed_list) "
                                 "(%d)" % (len(sample), len(columns)))
            for column, field in zip(columns, sample):
                column.add(field)
        return {column.name: column.done(self.place) for column in columns}

    def feed_parallel(self, iterable, num_places=None):
        """One feed for each place."""
        places = num_places or int(os.environ.get("CPU_NUM", 1))
        batches = list(iterable)
        if len(batches) != places:
            raise ValueError("feed_parallel takes data from %d places, and got %d"
                             % (places, len(batches)))
        return [self.feed(batch) for batch in batches]

    def decorate_reader(self, reader, multi_devices, num_places=None, drop_last=True):
        def feeds():
            if not multi_devices:
                for batch in reader():
                    yield self.feed(batch)
                return
            places = num_places or int(os.environ.get("CPU_NUM", 1))
            held = []
            for batch in reader():
                held.append(batch)
                if len(held) == places:
                    yield self.feed_parallel(held, places)
                    held = []
            if held and not drop_last:
                raise ValueError("The data batch which cannot fit for devices will be dropped is "
                                 "not implementation. Other strategies are not implemented")
        return feeds
