"""Matrices of numbers in MATLAB 5 files: what the flowers' labels are kept in."""
import struct
import zlib

import numpy as np

_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8",
          13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_MAX_BYTES = 1 << 28  # of one matrix


def _elements(data, order):
    """(type, contents) of the elements that stand one after another."""
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from(order + "II", data, at)
        if kind >> 16:  # small: type, size and contents in eight bytes
            kind, size, start, end = kind & 0xFFFF, kind >> 16, at + 4, at + 8
            if size > 4:
                raise ValueError("a small element of %d bytes" % size)
        else:
            start = at + 8
            end = start + size
            if kind != _COMPRESSED:
                end += -size % 8
        if start + size > len(data):
            raise ValueError("an element of %d bytes, and %d are left" % (size,
                                                                          len(data) - start))
        yield kind, data[start:start + size]
        at = end


def _matrix(data, order):
    """(name, array)"""
    parts = list(_elements(data, order))
    if len(parts) < 4 or parts[1][0] != 5 or parts[3][0] not in _TYPES:
        raise ValueError("a matrix that is none of numbers")
    shape = tuple(int(dim) for dim in np.frombuffer(parts[1][1], order + "i4"))
    values = np.frombuffer(parts[3][1], np.dtype(_TYPES[parts[3][0]]).newbyteorder(order))
    if any(dim < 0 for dim in shape) or values.size != np.prod(shape, dtype=object):
        raise ValueError("a matrix of shape %s and %d numbers" % (shape, values.size))
    return parts[2][1].decode("latin-1"), values.reshape(shape, order="F")


def read(path):
    """name -> array"""
    with open(path, "rb") as f:
        data = f.read()
    try:
        if len(data) < 128 or data[126:128] not in (b"IM", b"MI"):
            raise ValueError("it is no MATLAB 5 file")
        order = "<" if data[126:128] == b"IM" else ">"
        arrays = {}
        for kind, part in _elements(data[128:], order):
            if kind == _COMPRESSED:
                part = zlib.decompressobj().decompress(part, _MAX_BYTES)
                kind, part = next(_elements(part, order), (0, b""))
            if kind == _MATRIX:
                name, array = _matrix(part, order)
                arrays[name] = array
        return arrays
    except (ValueError, struct.error, zlib.error) as error:
        raise ValueError("%s: %s" % (path, error))
