"""Protobuf messages that are only written: as text, and as bytes."""
import struct

__all__ = ["Message", "Written"]


def _varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def _quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class Message:
    """add(number, name, value): a str, bool, int, float (a double) or Message; a list is repeated,
    None is left out."""

    def __init__(self):
        self._fields = []

    def add(self, number, name, value):
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is not None:
                self._fields.append((number, name, each))
        return self

    def text(self, indent=""):
        lines = []
        for _, name, value in self._fields:
            if isinstance(value, Message):
                inner = value.text(indent + "  ")
                lines.append("%s%s {\n%s%s}\n" % (indent, name, inner, indent))
            else:
                shown = _quoted(value) if isinstance(value, str) else \
                    str(value).lower() if isinstance(value, bool) else repr(value)
                lines.append("%s%s: %s\n" % (indent, name, shown))
        return "".join(lines)

    def to_bytes(self):
        parts = []
        for number, _, value in self._fields:
            if isinstance(value, float):
                parts.append(_varint(number << 3 | 1) + struct.pack("<d", value))
            elif isinstance(value, (bool, int)):
                parts.append(_varint(number << 3) + _varint(int(value)))
            else:
                data = value.to_bytes() if isinstance(value, Message) else value.encode()
                parts.append(_varint(number << 3 | 2) + _varint(len(data)) + data)
        return b"".join(parts)


class Written(Message):
    """A message whose bytes are there already; shown: the same, for its text."""

    def __init__(self, data, shown):
        Message.__init__(self)
        self._data = data
        self._fields = shown._fields

    def to_bytes(self):
        return self._data
