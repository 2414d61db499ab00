"""Samples of known types as what a GradientMachine is given."""
from paddle.trainer_config_helpers.network import DENSE, INDEX, SPARSE_BINARY, SPARSE_FLOAT

from .swig_paddle import Arguments

__all__ = ["DataProviderConverter"]


class DataProviderConverter:
    """input_types: those of PyDataProvider2, one for each data layer, in the order of the config's
    inputs. convert(samples), or the object as a function: a sample is a list with a value for
    each."""

    def __init__(self, input_types):
        self.input_types = list(input_types)
        for i, kind in enumerate(self.input_types):
            if getattr(kind, "type", None) not in (DENSE, INDEX, SPARSE_BINARY, SPARSE_FLOAT):
                raise TypeError("DataProviderConverter: input type %d is %r, and must be one of "
                                "PyDataProvider2, such as dense_vector(10)" % (i, kind))

    def convert(self, dat, argument=None):
        if argument is not None:
            raise NotImplementedError("DataProviderConverter.convert: argument= is not supported; "
                                      "use what it returns")
        return Arguments(self.input_types, [list(sample) for sample in dat])

    __call__ = convert
