"""Helpers with which scripts ran on Python 2 and 3 alike."""
import math

__all__ = ["long_type", "to_text", "to_bytes", "round", "floor_division", "get_exception_message"]

int_type = int
long_type = int


def _convert(obj, one, inplace):
    """Lists, sets and dicts too, each element alike."""
    if isinstance(obj, dict):
        made = {one(k): one(v) for k, v in obj.items()}
        if not inplace:
            return made
        obj.clear()
        obj.update(made)
        return obj
    if isinstance(obj, (list, set)):
        made = [one(part) for part in obj]
        if not inplace:
            return type(obj)(made)
        obj.clear()
        (obj.extend if isinstance(obj, list) else obj.update)(made)
        return obj
    return one(obj)


def to_text(obj, encoding="utf-8", inplace=False):
    """bytes as str; what is neither stays."""
    return _convert(obj, lambda part: part.decode(encoding) if isinstance(part, bytes) else part,
                    inplace)


def to_bytes(obj, encoding="utf-8", inplace=False):
    """str as bytes; None and bytes stay."""
    return _convert(obj, lambda part: part if part is None or isinstance(part, bytes)
                    else part.encode(encoding), inplace)


def round(x, d=0):
    """To d decimals, halves away from zero, as Python 2 did."""
    scale = 10 ** d
    if x > 0:
        return float(math.floor(x * scale + 0.5)) / scale
    if x < 0:
        return float(math.ceil(x * scale - 0.5)) / scale
    return math.copysign(0.0, x)


def floor_division(x, y):
    return x // y


def get_exception_message(exc):
    assert exc is not None
    return str(exc)
