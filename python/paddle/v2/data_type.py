"""What a data layer holds. The types are those of v1's data providers."""
from paddle.trainer import PyDataProvider2 as _provider
from paddle.trainer.PyDataProvider2 import DataType, InputType, SequenceType  # noqa: F401

_MAKERS = [_name for _name in _provider.__all__
           if _name.startswith(("dense_", "sparse_", "integer_", "index_"))]
globals().update({_name: getattr(_provider, _name) for _name in _MAKERS})

__all__ = ["DataType", "InputType", "SequenceType"] + _MAKERS
