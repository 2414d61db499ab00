"""pickle and cPickle for Python 2 modules: files opened as text, and what Python 2 wrote."""
import io
import pickle

from .text import Bytes, as_bytes

__all__ = ["HIGHEST_PROTOCOL", "PickleError", "Pickler", "PicklingError", "Unpickler",
           "UnpicklingError", "dump", "dumps", "load", "loads"]

HIGHEST_PROTOCOL = 2  # Python 2's: what is written here can be read there
PickleError, PicklingError = pickle.PickleError, pickle.PicklingError
UnpicklingError = pickle.UnpicklingError


def _protocol(wish):
    """Protocol 0 is slow, and says no more: all that is written is 2."""
    if wish is not None and not (isinstance(wish, (int, bool)) and wish <= HIGHEST_PROTOCOL):
        raise ValueError("pickle protocol must be <= %d" % HIGHEST_PROTOCOL)
    return HIGHEST_PROTOCOL


def _read(file, encoding, errors):
    return pickle.Unpickler(file, encoding=encoding, errors=errors).load()


def _load(file):
    """One pickle. Its strings are text in UTF-8, or, where arrays are among them, what latin1
    makes of them; a file that went through a text mode of Windows is mended."""
    start = file.tell()
    try:
        return _read(file, "utf-8", "surrogateescape")
    except (EOFError, MemoryError, ImportError):
        raise
    except Exception:
        pass
    file.seek(start)
    try:
        return _read(file, "latin1", "strict")
    except Exception:
        file.seek(start)
        data = file.read()
        if b"\r\n" not in data:
            raise
    return _read(io.BytesIO(data.replace(b"\r\n", b"\n")), "utf-8", "surrogateescape")


def load(file):
    binary = getattr(file, "buffer", file)
    if hasattr(file, "flush") and binary is not file and not getattr(file, "closed", False):
        file.flush()
    if not (hasattr(binary, "seekable") and binary.seekable()):
        binary = io.BytesIO(as_bytes(binary.read()))
    elif not isinstance(binary.read(0), bytes):  # io.StringIO
        binary = io.BytesIO(as_bytes(binary.read()))
    return _load(binary)


def loads(data):
    return _load(io.BytesIO(as_bytes(data)))


def dump(value, file, protocol=None):
    data = pickle.dumps(value, _protocol(protocol))
    if hasattr(file, "buffer"):
        file.flush()
        file = file.buffer
    file.write(data)


def dumps(value, protocol=None):
    return Bytes(pickle.dumps(value, _protocol(protocol)))


class Pickler:
    def __init__(self, file, protocol=None):
        self._file, self._protocol = file, protocol

    def dump(self, value):
        dump(value, self._file, self._protocol)


class Unpickler:
    def __init__(self, file):
        self._file = file

    def load(self):
        return load(self._file)
