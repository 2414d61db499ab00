"""{name: array} as a pickle of protocol 2, whatever numpy is installed.

numpy 2 writes module names into its pickles that the numpy of Paddle 1.8.5 does not have; here
they are always the old ones, which every numpy reads."""
import struct

import numpy as np

__all__ = ["dumps_arrays"]

_LARGEST = 0xffffffff  # bytes of a text in protocol 2


def _text(value):
    data = value.encode("utf-8")
    return b"X" + struct.pack("<I", len(data)) + data


def _bytes(data, what):
    """Bytes, which protocol 2 does not have: a text of as many characters, encoded back."""
    text = data.decode("latin1").encode("utf-8")
    if len(text) > _LARGEST:
        raise ValueError("%s is too large for a .pdparams file (4 GB at most); use "
                         "fluid.io.save_persistables" % what)
    return (b"c_codecs\nencode\n" + b"X" + struct.pack("<I", len(text)) + text +
            _text("latin1") + b"\x86R")


def _int(value):
    if 0 <= value < 256:
        return b"K" + struct.pack("<B", value)
    if -(1 << 31) <= value < 1 << 31:
        return b"J" + struct.pack("<i", value)
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + struct.pack("<B", len(data)) + data


def _dtype(dtype):
    """numpy.dtype('f4', 0, 1) with its state: little-endian."""
    code = dtype.str.lstrip("<|=")
    order = "|" if dtype.itemsize == 1 else "<"
    state = (_int(3) + _text(order) + b"NNN" + _int(-1) + _int(-1) + _int(0))
    return b"cnumpy\ndtype\n" + _text(code) + _int(0) + _int(1) + b"\x87R(" + state + b"tb"


def _array(name, array):
    array = np.ascontiguousarray(array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    shape = b"(" + b"".join(_int(d) for d in array.shape) + b"t"
    return (b"cnumpy.core.multiarray\n_reconstruct\n" + b"cnumpy\nndarray\n" + _int(0) + b"\x85" +
            _bytes(b"b", name) + b"\x87R(" + _int(1) + shape + _dtype(array.dtype) + b"\x89" +
            _bytes(array.tobytes(), name) + b"tb")


def dumps_arrays(arrays):
    parts = [b"\x80\x02}("]
    for name, array in arrays.items():
        parts += [_text(name), _array(name, array)]
    parts.append(b"u.")
    return b"".join(parts)
