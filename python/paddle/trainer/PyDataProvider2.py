"""Data providers of v1: a function that yields the samples of one file, and what it says of them.

    @provider(input_types=[dense_vector(784), integer_value(10)])
    def process(settings, filename):
        for line in open(filename):
            ...
            yield pixels, label

The decorated function becomes a class: made with a list of files, it is the `settings` that the
function and its init_hook are given, and the trainer reads its samples (trainer/pool.py). The
types of inputs are also those of paddle.v2.data_type."""
import logging
import os

from .sample_check import mismatch

__all__ = [
    "CacheType", "CheckInputTypeWrapper", "CheckWrapper", "DataType", "InputOrderWrapper",
    "InputType", "ProviderError", "SequenceType", "SingleSlotWrapper", "dense_array",
    "dense_slot", "dense_vector", "dense_vector_sequence", "dense_vector_sub_sequence",
    "deserialize_args", "index_slot", "integer_sequence", "integer_value",
    "integer_value_sequence", "integer_value_sub_sequence", "provider", "sparse_binary_vector",
    "sparse_binary_vector_sequence", "sparse_binary_vector_sub_sequence", "sparse_float_vector",
    "sparse_float_vector_sequence", "sparse_float_vector_sub_sequence", "sparse_non_value_slot",
    "sparse_value_slot", "sparse_vector", "sparse_vector_sequence", "sparse_vector_sub_sequence",
]


class _Names:
    @classmethod
    def tostring(cls, value):
        """The name of a value."""
        for name, known in vars(cls).items():
            if not name.startswith("_") and known == value:
                return "%s.%s" % (cls.__name__, name)
        raise ValueError("%s has no value %r" % (cls.__name__, value))


class SequenceType(_Names):
    NO_SEQUENCE = 0
    SEQUENCE = 1
    SUB_SEQUENCE = 2


class DataType(_Names):
    Dense = 0
    SparseNonValue = 1
    SparseValue = 2
    Index = 3


class CacheType(_Names):
    NO_CACHE = 0
    CACHE_PASS_IN_MEM = 1


class InputType:
    """What one input of a network is: its size, whether it is a sequence, and of what kind."""
    __slots__ = ["dim", "seq_type", "type"]

    def __init__(self, dim, seq_type, tp):
        if seq_type not in (0, 1, 2):
            raise ValueError("seq_type is SequenceType.NO_SEQUENCE, SEQUENCE or SUB_SEQUENCE, "
                             "not %r" % (seq_type,))
        DataType.tostring(tp)
        self.dim = dim
        self.seq_type = seq_type
        self.type = tp

    def __eq__(self, other):
        return isinstance(other, InputType) and \
            (self.dim, self.seq_type, self.type) == (other.dim, other.seq_type, other.type)

    def __hash__(self):
        return hash((self.dim, self.seq_type, self.type))

    def __repr__(self):
        return "InputType(dim=%s, seq_type=%s, type=%s)" % (
            self.dim, SequenceType.tostring(self.seq_type), DataType.tostring(self.type))


def dense_slot(dim, seq_type=SequenceType.NO_SEQUENCE):
    """dim floats."""
    return InputType(dim, seq_type, DataType.Dense)


def sparse_non_value_slot(dim, seq_type=SequenceType.NO_SEQUENCE):
    """Zeros and ones: a sample is the list of the places of its ones."""
    return InputType(dim, seq_type, DataType.SparseNonValue)


def sparse_value_slot(dim, seq_type=SequenceType.NO_SEQUENCE):
    """Mostly zeros: a sample is the list of (place, value) of what is not zero."""
    return InputType(dim, seq_type, DataType.SparseValue)


def index_slot(value_range, seq_type=SequenceType.NO_SEQUENCE):
    """An integer from 0 to value_range - 1."""
    return InputType(value_range, seq_type, DataType.Index)


dense_vector = dense_slot
dense_array = dense_slot
sparse_binary_vector = sparse_non_value_slot
sparse_vector = sparse_float_vector = sparse_value_slot
integer_value = index_slot


def dense_vector_sequence(dim):
    return dense_vector(dim, seq_type=SequenceType.SEQUENCE)


def dense_vector_sub_sequence(dim):
    return dense_vector(dim, seq_type=SequenceType.SUB_SEQUENCE)


def sparse_binary_vector_sequence(dim):
    return sparse_binary_vector(dim, seq_type=SequenceType.SEQUENCE)


def sparse_binary_vector_sub_sequence(dim):
    return sparse_binary_vector(dim, seq_type=SequenceType.SUB_SEQUENCE)


def sparse_vector_sequence(dim):
    return sparse_vector(dim, seq_type=SequenceType.SEQUENCE)


def sparse_vector_sub_sequence(dim):
    return sparse_vector(dim, seq_type=SequenceType.SUB_SEQUENCE)


sparse_float_vector_sequence = sparse_vector_sequence
sparse_float_vector_sub_sequence = sparse_vector_sub_sequence


def integer_value_sequence(value_range):
    return integer_value(value_range, seq_type=SequenceType.SEQUENCE)


def integer_value_sub_sequence(dim):
    return integer_value(dim, seq_type=SequenceType.SUB_SEQUENCE)


integer_sequence = integer_value_sequence


class ProviderError(Exception):
    """A provider that raised, or that yields what does not fit its input types."""


class SingleSlotWrapper:
    """A provider of one slot may yield the value alone, and not a sequence of one."""

    def __init__(self, generator):
        self.generator = generator

    def __call__(self, obj, filename):
        for item in self.generator(obj, filename):
            yield item if isinstance(item, dict) else [item]


class InputOrderWrapper:
    """Samples that are dicts, as lists in the order of the network's inputs."""

    def __init__(self, generator, input_order):
        self.generator = generator
        self.input_order = input_order

    def __call__(self, obj, filename):
        for item in self.generator(obj, filename):
            if isinstance(item, dict):
                missing = [name for name in self.input_order if name not in item]
                if missing:
                    raise ProviderError("a sample has no value for input %r; it has %s"
                                        % (missing[0], ", ".join(map(repr, item)) or "none"))
                item = [item[name] for name in self.input_order]
            yield item


class CheckWrapper:
    """Each sample is held against the input types: `check=True`."""

    def __init__(self, generator, input_types, check_fail_continue, logger):
        self.generator = generator
        self.input_types = input_types
        self.check_fail_continue = check_fail_continue
        self.logger = logger

    def __call__(self, obj, filename):
        for number, item in enumerate(self.generator(obj, filename), 1):
            wrong = mismatch(item, self.input_types, getattr(obj, "input_order", None))
            if wrong is None:
                yield item
            elif self.check_fail_continue:
                self.logger.warning("sample %d of %s is left out: %s", number, filename, wrong)
            else:
                raise ProviderError(wrong)


class CheckInputTypeWrapper:
    """Before the first sample: are the input types what they should be?"""

    def __init__(self, generator, input_types, logger):
        self.generator = generator
        self.input_types = input_types
        self.logger = logger

    def __call__(self, obj, filename):
        for number, slot in enumerate(self.input_types):
            if not isinstance(slot, InputType):
                raise ProviderError("input_types[%d] is %r: it must be an input type such as "
                                    "dense_vector(10)" % (number, slot))
        return self.generator(obj, filename)


def _decide_shuffle(wish, is_train):
    """should_shuffle may be said in several ways; not said, training shuffles."""
    if isinstance(wish, str):
        wish = wish.lower()
    if wish in (1, "t", "true", "on", "yes"):
        return True
    if wish in (0, "f", "false", "off", "no"):
        return False
    if wish is None:
        return is_train
    raise ValueError("should_shuffle is True, False or None, not %r" % (wish,))


def _place(function):
    code = getattr(function, "__code__", None)
    if code is None:
        return getattr(function, "__name__", repr(function))
    return "%s:%d: %s()" % (os.path.relpath(code.co_filename), code.co_firstlineno,
                            function.__name__)


def _ordered(types, input_order, where):
    """The types as a list in the order of the network's inputs, and whether they had names."""
    if types is None:
        raise ProviderError("%s: no input types: give @provider(input_types=...), or let init_hook "
                            "set settings.input_types" % where)
    if isinstance(types, InputType):
        types = [types]
    if not isinstance(types, dict):
        return list(types), False
    if input_order is None:
        return list(types.values()), True
    missing = [name for name in input_order if name not in types]
    if missing:
        raise ProviderError("%s: input_types has no type for the data layer %r; it has %s"
                            % (where, missing[0], ", ".join(map(repr, types)) or "none"))
    return [types[name] for name in input_order], True


def provider(input_types=None, should_shuffle=None, pool_size=-1, min_pool_size=-1,
             can_over_batch_size=True, calc_batch_size=None, cache=CacheType.NO_CACHE, check=False,
             check_fail_continue=False, init_hook=None, **outter_kwargs):
    """What a provider function yields, and how the trainer takes it.

    input_types: a list of types in the order of the samples' values, or a dict by the names of
    data layers. should_shuffle: None shuffles in training alone. pool_size: how many samples are
    shuffled at a time, -1 for all, and never fewer than min_pool_size. A sample counts
    calc_batch_size(sample), and a batch may go over the batch size by its last sample if
    can_over_batch_size. cache: CACHE_PASS_IN_MEM calls the function in the first pass alone.
    check: hold each sample against the types; check_fail_continue leaves wrong ones out.
    init_hook(settings, file_list=, is_train=, input_order=, **args) is called once."""
    unknown = sorted(set(outter_kwargs) - {"slots"})
    if unknown:
        raise TypeError("provider() got an unexpected keyword argument %r" % unknown[0])
    CacheType.tostring(cache)
    declared = outter_kwargs.get("slots") if input_types is None else input_types

    def decorate(generator):
        class DataProvider:
            function = staticmethod(generator)
            place = property(lambda self: _place(generator))

            def __init__(self, file_list, **kwargs):
                self.logger = logging.getLogger("paddle.provider")
                self.logger.setLevel(logging.INFO)
                self.file_list = file_list
                self.is_train = bool(kwargs.get("is_train", True))
                self.input_order = kwargs.get("input_order")
                self.input_types = None
                self.should_shuffle = should_shuffle
                self.pool_size = pool_size
                self.min_pool_size = min_pool_size
                self.can_over_batch_size = can_over_batch_size
                self.calc_batch_size = calc_batch_size
                self.cache = cache
                self.check = check
                self.slots = None
                if init_hook is not None:
                    self._init(kwargs)
                types = declared
                if types is None:
                    types = self.input_types if self.input_types is not None else self.slots
                self._take_types(types)
                self.should_shuffle = _decide_shuffle(self.should_shuffle, self.is_train)

            def _init(self, kwargs):
                try:
                    init_hook(self, file_list=self.file_list, **kwargs)
                except Exception as error:
                    raise ProviderError("%s, the init_hook of %s(): %s" % (
                        _place(init_hook), generator.__name__, _told(error))) from error

            def _take_types(self, types):
                self.slots, named = _ordered(types, self.input_order, _place(generator))
                self.input_types = types
                wrapped = generator
                if len(self.slots) == 1:
                    wrapped = SingleSlotWrapper(wrapped)
                if named and self.input_order is not None:
                    wrapped = InputOrderWrapper(wrapped, self.input_order)
                if self.check:
                    wrapped = CheckWrapper(wrapped, self.slots, check_fail_continue, self.logger)
                self.generator = CheckInputTypeWrapper(wrapped, self.slots, self.logger)

            def samples(self, filename):
                """The samples of a file; what goes wrong is said with its place."""
                number = 0
                try:
                    for sample in self.generator(self, filename):
                        number += 1
                        yield sample
                except GeneratorExit:
                    raise
                except Exception as error:
                    raise ProviderError("%s: %s" % (self.where(filename, number + 1),
                                                    _told(error))) from error

            @staticmethod
            def where(filename, number):
                return "%s, data file %s, sample %d" % (_place(generator), filename, number)

        DataProvider.__name__ = DataProvider.__qualname__ = generator.__name__
        DataProvider.__doc__ = generator.__doc__
        DataProvider.__module__ = generator.__module__
        return DataProvider
    return decorate


def _told(error):
    """An error in words; for one of the user's own, with the line that raised it."""
    if isinstance(error, ProviderError):
        return str(error)
    frame = error.__traceback__
    while frame.tb_next is not None:
        frame = frame.tb_next
    return "%s: %s (raised at %s:%d)" % (
        type(error).__name__, error, os.path.relpath(frame.tb_frame.f_code.co_filename),
        frame.tb_lineno)


def deserialize_args(args):
    """The arguments of a data source, as v1's trainer handed them over: a pickled dict."""
    from ..fluid import safe_pickle
    if isinstance(args, str):
        args = args.encode("latin1")
    return safe_pickle.loads(args, encoding="latin1")
