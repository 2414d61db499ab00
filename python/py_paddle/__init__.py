"""py_paddle: how scripts of v1 asked a trained model, from Python.

    from py_paddle import swig_paddle, DataProviderConverter"""
from . import swig_paddle
from .dataprovider_converter import DataProviderConverter

__all__ = ["swig_paddle", "DataProviderConverter"]
