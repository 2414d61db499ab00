"""The strings and files of Python 2.

A byte string of Python 2 is a str here: its bytes read as UTF-8, with what is no UTF-8 kept aside
(surrogateescape), so that it is written again as it was. What a file that was opened for bytes
gives, and pickles and sockets, is Bytes: bytes that may be mixed with such strings."""
import builtins
import io
import struct as _struct

__all__ = ["Bytes", "File", "as_bytes", "as_text", "decode", "encode", "join", "text",
           "translate"]


def as_bytes(value):
    """A string as the bytes it stands for."""
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else bytes(value)


def as_text(value):
    """Bytes as the string that stands for them."""
    return value if isinstance(value, str) else bytes(value).decode("utf-8", "surrogateescape")


def _mixed(name):
    """A method of bytes that takes strings too, and gives Bytes."""
    plain = getattr(bytes, name)

    def method(self, *arguments, **keywords):
        given = [as_bytes(a) if isinstance(a, str) else
                 tuple(map(as_bytes, a)) if isinstance(a, tuple) else a for a in arguments]
        return _wrap(plain(self, *given, **keywords))
    method.__name__ = name
    return method


def _wrap(value):
    if isinstance(value, bytes):
        return Bytes(value)
    if isinstance(value, list):
        return [_wrap(v) for v in value]
    if isinstance(value, tuple):
        return tuple(_wrap(v) for v in value)
    return value


class Bytes(bytes):
    """Bytes that compare, hash, split and join as the string they stand for."""

    def __str__(self):
        return as_text(self)

    def __repr__(self):
        return repr(as_text(self))

    def __format__(self, spec):
        return format(as_text(self), spec)

    def __eq__(self, other):
        return as_text(self) == other if isinstance(other, str) else bytes.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(as_text(self))

    def __lt__(self, other):
        return bytes(self) < as_bytes(other)

    def __gt__(self, other):
        return bytes(self) > as_bytes(other)

    def __le__(self, other):
        return bytes(self) <= as_bytes(other)

    def __ge__(self, other):
        return bytes(self) >= as_bytes(other)

    def __getitem__(self, at):
        if not isinstance(at, int):
            return Bytes(bytes(self)[at])
        return Bytes(bytes((bytes(self)[at],)))

    def __iter__(self):
        return (Bytes(bytes((byte,))) for byte in bytes(self))

    def __contains__(self, part):
        return bytes.__contains__(self, as_bytes(part) if isinstance(part, str) else part)

    def __add__(self, other):
        if isinstance(other, str):
            return as_text(self) + other
        return Bytes(bytes(self) + other)

    def __radd__(self, other):
        return other + as_text(self) if isinstance(other, str) else Bytes(other + bytes(self))

    def __mod__(self, values):
        return as_text(self) % values

    def __mul__(self, times):
        return Bytes(bytes(self) * times)

    def join(self, parts):
        return join(as_text(self), parts)

    def encode(self, *arguments):
        return encode(as_text(self), *arguments)

    def decode(self, encoding="utf-8", errors="strict"):
        return bytes.decode(self, encoding, errors)

    def format(self, *arguments, **keywords):
        return as_text(self).format(*arguments, **keywords)

    def __reduce__(self):
        return as_text, (bytes(self),)


for _name in ("split", "rsplit", "strip", "lstrip", "rstrip", "startswith", "endswith", "find",
              "rfind", "replace", "index", "count", "partition", "rpartition", "splitlines",
              "lower", "upper", "title", "ljust", "rjust", "zfill"):
    setattr(Bytes, _name, _mixed(_name))


def text(value):
    """Bytes that are about to be used as text; anything else as it is."""
    return Bytes(value) if type(value) is bytes else value


def join(separator, *arguments, **keywords):
    """separator.join(parts), or the method of that name of a thread, or of os.path."""
    if isinstance(separator, str) and len(arguments) == 1:
        return separator.join([as_text(p) if isinstance(p, bytes) else p for p in arguments[0]])
    return separator.join(*arguments, **keywords)


def translate(value, *arguments, **keywords):
    """value.translate(table, deleted)"""
    if not isinstance(value, str) or len(arguments) < 2:
        return value.translate(*arguments, **keywords)
    table, deleted = arguments
    kept = "".join(c for c in value if c not in deleted)
    return kept if table is None else kept.translate(table)


_UTF8 = {"utf8", "utf-8", "utf_8", "u8"}
_BYTES_TO_BYTES = {"hex", "base64", "zlib", "bz2", "rot13"}


def decode(value, *arguments, **keywords):
    """value.decode(): of a string, that of its bytes."""
    if not isinstance(value, (str, bytes)):
        return value.decode(*arguments, **keywords)
    return _decode(value, *arguments, **keywords)


def _decode(value, encoding="ascii", errors="strict"):
    import codecs
    if encoding.lower() in _BYTES_TO_BYTES:
        if encoding == "rot13":
            return codecs.decode(as_text(value), encoding)
        return Bytes(codecs.decode(as_bytes(value), encoding))
    if encoding.lower() in ("unicode_escape", "unicode-escape", "string_escape", "string-escape"):
        return as_bytes(value).decode("unicode_escape", errors)
    if isinstance(value, str) and (encoding.lower() in _UTF8 or value.isascii()):
        # A text that has been decoded before is left: u''.decode did so for ASCII.
        if errors == "strict" or value.isprintable():
            value.encode("utf-8", "strict" if encoding.lower() in _UTF8 else "surrogateescape")
            return value
    return as_bytes(value).decode(encoding, errors)


def encode(value, *arguments, **keywords):
    """value.encode(): the bytes, as the string that stands for them."""
    if not isinstance(value, (str, bytes)):
        return value.encode(*arguments, **keywords)
    return _encode(as_text(value), *arguments, **keywords)


def _encode(value, encoding="ascii", errors="strict"):
    import codecs
    if encoding.lower() in _BYTES_TO_BYTES:
        if encoding == "rot13":
            return codecs.encode(value, encoding)
        return as_text(codecs.encode(as_bytes(value), encoding))
    if encoding.lower() in _UTF8:
        return value
    return as_text(value.encode(encoding, errors))


class File:
    """A file as Python 2 had it: bytes go in and out, as strings. Opened with b it gives Bytes,
    and lines that are text as strings."""

    def __init__(self, name, mode="r", buffering=-1, binary=None):
        self.name, self.mode = name, mode
        self.softspace = 0
        self._binary = "b" in mode
        self._universal = "U" in mode
        plain = mode.replace("b", "").replace("U", "").replace("t", "") or "r"
        if binary is None:
            binary = builtins.open(name, plain + "b", buffering if buffering != 1 else -1)
        self.buffer = binary
        self._at_once = buffering in (0, 1)

    def _line(self, line):
        if self._universal:
            line = line.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not self._binary:
            return as_text(line)
        try:
            return Bytes(line) if b"\0" in line else line.decode("utf-8")
        except UnicodeDecodeError:
            return Bytes(line)

    def read(self, *size):
        data = self.buffer.read(*size)
        if self._universal:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return Bytes(data) if self._binary else as_text(data)

    def readline(self, *size):
        return self._line(self.buffer.readline(*size))

    def readlines(self, *size):
        return [self._line(line) for line in self.buffer.readlines(*size)]

    def __iter__(self):
        return self

    def __next__(self):
        return self._line(next(self.buffer))

    next = __next__

    def xreadlines(self):
        return self

    def write(self, value):
        self.buffer.write(as_bytes(value))
        if self._at_once:
            self.buffer.flush()

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.buffer.close()

    def __getattr__(self, name):
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.buffer, name)

    def __repr__(self):
        return "<open file %r, mode %r>" % (self.name, self.mode)


class StringIO:
    """Both StringIO modules: what is written comes back, text as text and bytes as bytes."""

    def __new__(cls, initial=""):
        if type(initial) in (bytes, Bytes):
            return File("<string>", "rb", binary=io.BytesIO(bytes(initial)))
        return _Memory(as_text(initial))


class _Memory(File):
    def __init__(self, initial):
        File.__init__(self, "<string>", "r+", binary=io.BytesIO(as_bytes(initial)))

    def getvalue(self):
        return as_text(self.buffer.getvalue())


def pack(form, *values):
    values = [as_bytes(v) if isinstance(v, str) else v for v in values]
    return Bytes(_struct.pack(form, *values))


def unpack(form, data):
    return _wrap(_struct.unpack(form, as_bytes(data) if isinstance(data, str) else data))
