"""ParameterConfig, the message of v1 and v2 that describes a parameter in their files. It is
written and read field by field: a few numbers and a name need no protobuf compiler."""
import struct

__all__ = ["write_config", "read_config"]

_VARINT, _DOUBLE, _BYTES = 0, 1, 2
# (number, name, wire type), in the order in which they are written.
_FIELDS = [
    (1, "name", _BYTES), (2, "size", _VARINT), (3, "learning_rate", _DOUBLE),
    (4, "momentum", _DOUBLE), (5, "initial_mean", _DOUBLE), (6, "initial_std", _DOUBLE),
    (7, "decay_rate", _DOUBLE), (8, "decay_rate_l1", _DOUBLE), (9, "dims", _VARINT),
    (11, "initial_strategy", _VARINT), (12, "initial_smart", _VARINT),
    (16, "sparse_remote_update", _VARINT), (17, "gradient_clipping_threshold", _DOUBLE),
    (18, "is_static", _VARINT), (22, "sparse_update", _VARINT), (23, "is_shared", _VARINT),
]
_NAMES = {number: name for number, name, _ in _FIELDS}


def _varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number, wire, value):
    tag = _varint(number << 3 | wire)
    if wire == _DOUBLE:
        return tag + struct.pack("<d", value)
    if wire == _BYTES:
        return tag + _varint(len(value)) + value
    return tag + _varint(int(value))


def write_config(config):
    """The bytes of a network's ParameterConfig: what v1's config parser sets, and no more."""
    attr, shape, dims = config.attr, config.shape, config.dims
    size = 1
    for n in shape:
        size *= n
    smart = attr.is_smart and not config.is_bias and config.initial_strategy == 0 and \
        bool(dims) and abs(config.initial_std - float(dims[0]) ** -0.5) < 1e-12
    values = {
        "name": config.name.encode(), "size": size, "learning_rate": attr.learning_rate,
        "momentum": attr.momentum, "initial_mean": config.initial_mean,
        "initial_std": config.initial_std, "decay_rate": attr.l2_rate,
        "decay_rate_l1": attr.l1_rate, "initial_strategy": config.initial_strategy,
        "initial_smart": smart, "gradient_clipping_threshold": attr.gradient_clipping_threshold,
        "is_static": attr.is_static or None, "sparse_update": attr.sparse_update or None,
    }
    out = b""
    for number, name, wire in _FIELDS:
        if name == "dims":
            out += b"".join(_field(number, wire, n) for n in dims)
        elif values.get(name) is not None:
            out += _field(number, wire, values[name])
    return out


def _read_varint(data, at):
    number = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a number runs past its end")
        byte = data[at]
        number |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def read_config(data):
    """{field: value} of the fields above; others are skipped. ValueError: it is damaged."""
    found, at = {"dims": []}, 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _read_varint(data, at)
        elif wire in (_DOUBLE, 5):
            size = 8 if wire == _DOUBLE else 4
            value = data[at:at + size]
            at += size
            value = struct.unpack("<d", value)[0] if size == 8 and len(value) == 8 else None
        elif wire == _BYTES:
            n, at = _read_varint(data, at)
            value = data[at:at + n]
            at += n
        else:
            raise ValueError("field %d has an unknown form" % number)
        if at > len(data):
            raise ValueError("field %d runs past the end" % number)
        name = _NAMES.get(number)
        if name == "dims":
            found["dims"].append(value)
        elif name is not None:
            found[name] = value
    if "name" not in found or "size" not in found:
        raise ValueError("it has no name or no size")
    found["name"] = found["name"].decode()
    return found
