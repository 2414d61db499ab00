"""A reader of pickles that runs no code.

Python's own reader calls whatever the file names: a file of parameters or a data set from
somewhere can run any command. This reader knows the opcodes of protocols 0 to 5 that dicts, lists,
tuples, texts, numbers and numpy arrays are written with, and builds the arrays itself;
everything else is refused by its name. What a file makes is bounded by what it holds: no
length is believed before the bytes are there, no array is made twice from the same bytes, and
what refers to itself, or unfolds into far more than was written, is refused.

Why not pickle.Unpickler with a find_class of our own: that decides which functions are called, and no more.
The opcodes stay Python's, which take a number at its word (a memo index in a file of 9 bytes asks for gigabytes), unfold shared
values without a count, and hand numpy's __setstate__ whatever shape the file says. Limits on those are the larger
part of this file, and cannot be put around the C reader from outside."""
import io
import re
import struct

import numpy as np

__all__ = ["load", "loads", "UnpicklingError"]

MAX_VALUES = 1 << 26    # values in one pickle
MAX_UNFOLDED = 1 << 27  # values when everything shared is counted at each place
MAX_DEPTH = 64          # containers in containers
MAX_LINE = 4096         # numbers and names written as lines
MAX_TEXT_LINE = 1 << 31  # texts written as lines, by protocol 0
MAX_INT_BYTES = 128     # whole numbers
_PIECE = 1 << 24        # bytes read at once, however many a length announces

_U8, _U16, _I32, _U32, _U64, _F64 = (struct.Struct(f) for f in
                                     ("<B", "<H", "<i", "<I", "<Q", ">d"))


class UnpicklingError(ValueError):
    """The pickle is damaged, or holds what is not read."""


class _Mark:
    """Where a container's items begin on the stack."""


class _Global:
    """A function or class that the pickle names, and that we stand in for."""

    def __init__(self, name, role):
        self.name, self.role = name, role


class _Dtype:
    """A numpy dtype while it is read: the byte order follows the name."""

    def __init__(self, code):
        self.dtype, self.complete = np.dtype(code), False


class _Array:
    """A numpy array while it is read: shape, dtype and contents follow."""
    value = None


_GLOBALS = {"numpy.ndarray": "ndarray", "numpy.dtype": "dtype", "_codecs.encode": "encode",
            "__builtin__.bytes": "bytes", "builtins.bytes": "bytes"}
for _package in ("numpy.core.", "numpy._core."):
    _GLOBALS[_package + "multiarray._reconstruct"] = "reconstruct"
    _GLOBALS[_package + "multiarray.scalar"] = "scalar"
    _GLOBALS[_package + "numeric._frombuffer"] = "frombuffer"

_REFUSED = {
    b"P": "PERSID", b"Q": "BINPERSID", b"i": "INST", b"o": "OBJ", b"\x81": "NEWOBJ",
    b"\x92": "NEWOBJ_EX", b"\x82": "EXT1", b"\x83": "EXT2", b"\x84": "EXT4",
    b"\x8f": "EMPTY_SET", b"\x90": "ADDITEMS", b"\x91": "FROZENSET", b"\x97": "NEXT_BUFFER",
    b"\x98": "READONLY_BUFFER",
}


def load(file, encoding="latin1"):
    """Read one pickle from a file that is open for reading bytes. encoding is for the byte
    strings of Python 2: a codec, or "bytes" to leave them."""
    return _Reader(file, encoding).load()


def loads(data, encoding="latin1"):
    """Read a pickle from bytes."""
    return load(io.BytesIO(data), encoding)


def _product(shape):
    count = 1
    for dim in shape:
        count *= dim
    return count


class _Reader:
    def __init__(self, file, encoding):
        self.file, self.encoding = file, encoding
        self.at = 0           # bytes read
        self.op_at = 0        # where the opcode in work stands
        self.stack = []
        self.marks = []       # heights of the stack
        self.memo = {}
        self.values = 0
        self.array_bytes = 0  # in arrays made so far
        self.text_bytes = 0   # in bytes made from texts so far

    def fail(self, text, *args):
        raise UnpicklingError("byte %d: " % self.op_at + text % args)

    # ---- bytes ----

    def read(self, n):
        """n bytes. A length that the file does not keep costs no memory."""
        if n <= _PIECE:
            data = self.file.read(n)
        else:
            pieces, left = [], n
            while left > 0:
                piece = self.file.read(min(left, _PIECE))
                if not piece:
                    break
                pieces.append(piece)
                left -= len(piece)
            data = b"".join(pieces)
        if len(data) != n:
            self.fail("the pickle ends in the middle: %d bytes wanted, %d there", n, len(data))
        self.at += n
        return data

    def line(self, most=MAX_LINE):
        data = self.file.readline(most + 1)
        if not data.endswith(b"\n"):
            self.fail("a line of more than %d characters, or no end of line", most)
        self.at += len(data)
        return data[:-1].rstrip(b"\r")

    def number(self, form):
        return form.unpack(self.read(form.size))[0]

    # ---- the stack ----

    def push(self, value):
        self.values += 1
        if self.values > MAX_VALUES:
            self.fail("more than %d values", MAX_VALUES)
        self.stack.append(value)

    def pop(self):
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            self.fail("a value is wanted and the stack is empty")
        return self.stack.pop()

    def top(self, kind, what):
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            self.fail("%s is wanted and the stack is empty", what)
        value = self.stack[-1]
        if type(value) is not kind:
            self.fail("%s is wanted, not %s", what, type(value).__name__)
        return value

    def items(self):
        """What was pushed since the last mark."""
        if not self.marks:
            self.fail("the end of a list that has not begun")
        start = self.marks.pop()
        out = self.stack[start:]
        del self.stack[start:]
        return out

    def load(self):
        actions, read = _ACTIONS, self.file.read
        while True:
            self.op_at = self.at
            op = read(1)
            self.at += 1
            action = actions.get(op)
            if action is not None:
                action(self)
            elif op == b".":
                return self.finish()
            else:
                self.refuse(op)

    def refuse(self, op):
        if not op:
            self.fail("the pickle ends in the middle: no STOP")
        if op == b"i":
            module, name = self.line(), self.line()
            self.fail("opcode INST of %s.%s is refused: it would run code",
                      module.decode("utf-8", "replace"), name.decode("utf-8", "replace"))
        if op in _REFUSED:
            of = ""
            if op in (b"\x81", b"\x92", b"o"):
                of = next((" of " + v.name for v in reversed(self.stack)
                           if isinstance(v, _Global)), "")
            self.fail("opcode %s%s is refused: only dicts, lists, tuples, texts, numbers and "
                      "numpy arrays are read", _REFUSED[op], of)
        self.fail("%r is no opcode", op)

    def finish(self):
        if self.marks or len(self.stack) != 1:
            self.fail("the pickle stops with %d values instead of one", len(self.stack))
        return _Resolver(self).resolve(self.stack.pop())

    # ---- names ----

    def find(self, module, name, opcode):
        full = "%s.%s" % (module, name)
        role = _GLOBALS.get(full)
        if role is None:
            self.fail("opcode %s asks for %s, which is refused: only dicts, lists, tuples, texts, "
                      "numbers and numpy arrays are read", opcode, full)
        self.push(_Global(full, role))

    def op_global(self):
        module, name = self.line(), self.line()
        self.find(module.decode("utf-8", "replace"), name.decode("utf-8", "replace"), "GLOBAL")

    def op_stack_global(self):
        name, module = self.pop(), self.pop()
        if type(name) is not str or type(module) is not str:
            self.fail("opcode STACK_GLOBAL without two texts")
        self.find(module[:MAX_LINE], name[:MAX_LINE], "STACK_GLOBAL")

    # ---- what the names do ----

    def op_reduce(self):
        args = self.pop()
        function = self.pop()
        if not isinstance(function, _Global):
            self.fail("opcode REDUCE of %s, which is no function", type(function).__name__)
        if type(args) is not tuple or function.role == "ndarray":
            self.fail("opcode REDUCE of %s is refused", function.name)
        try:
            made = getattr(self, "make_" + function.role)(*args)
        except (TypeError, ValueError, UnicodeError, OverflowError) as error:
            if isinstance(error, UnpicklingError):
                raise
            self.fail("%s has arguments that it never has (%s)", function.name, error)
        self.push(made)

    def make_encode(self, text, codec):
        if type(text) is not str or codec not in ("latin1", "latin-1"):
            self.fail("_codecs.encode is for bytes in latin1, not for %r", codec)
        data = text.encode("latin1")
        self.text_bytes += len(data)
        self.bound(self.text_bytes, "bytes")
        return data

    def make_bytes(self):
        return b""

    def make_dtype(self, code, align=False, copy=True):
        code = self.text(code)
        if type(code) is not str or not re.match(r"[biufcSU][0-9]{1,9}\Z", code):
            self.fail("an array of type %r is refused: numbers and texts are read", code)
        made = _Dtype(code)
        if made.dtype.itemsize == 0:
            self.fail("an array of type %r has no size", code)
        return made

    def make_reconstruct(self, kind, shape, code):
        if not isinstance(kind, _Global) or kind.role != "ndarray":
            self.fail("_reconstruct of %s is refused: only numpy.ndarray is read",
                      getattr(kind, "name", type(kind).__name__))
        return _Array()

    def make_scalar(self, dtype, data):
        return self.array(dtype, (), data, "C")[()]

    def make_frombuffer(self, data, dtype, shape, order):
        made = _Array()
        made.value = self.array(dtype, shape, data, order)
        return made

    def bound(self, total, what):
        if total > self.at:
            self.fail("its %s are larger than the pickle: the same bytes are used again and again",
                      what)

    def text(self, value):
        """A text that Python 2 may have written as bytes."""
        return value.decode("latin1") if type(value) is bytes else value

    def array(self, dtype, shape, data, order):
        if type(dtype) is not _Dtype:
            self.fail("an array without a dtype")
        dtype = dtype.dtype
        if type(shape) is not tuple or len(shape) > 32 or \
                not all(type(dim) is int and 0 <= dim < 1 << 48 for dim in shape):
            self.fail("an array of shape %.200r", shape)
        if type(data) is str:
            data = data.encode("latin1")
        if type(data) is not bytes:
            self.fail("an array whose contents are not bytes but %s", type(data).__name__)
        if _product(shape) * dtype.itemsize != len(data):
            self.fail("an array of shape %s and type %s, and %d bytes for it", shape, dtype,
                      len(data))
        self.array_bytes += len(data)
        self.bound(self.array_bytes, "arrays")
        if order not in ("C", "F"):
            self.fail("an array in the order %.20r", order)
        return np.frombuffer(data, dtype=dtype).reshape(shape, order=order).copy(order=order)

    def op_build(self):
        state = self.pop()
        target = self.stack[-1] if self.stack else None
        if type(target) is _Dtype and type(state) is tuple:
            self.build_dtype(target, state)
        elif type(target) is _Array and type(state) is tuple and len(state) in (4, 5):
            if target.value is not None:
                self.fail("an array whose contents come twice")
            shape, dtype, fortran, data = state[-4:]
            target.value = self.array(dtype, shape, data, "F" if fortran else "C")
        else:
            self.fail("opcode BUILD on %s is refused", type(target).__name__)

    def build_dtype(self, target, state):
        if target.complete or len(state) < 5 or any(part is not None for part in state[2:5]) or \
                (len(state) > 8 and state[8]):
            self.fail("an array of a composite type is refused")
        order = self.text(state[1])
        if order not in ("<", ">", "|", "="):
            self.fail("an array in byte order %.20r", order)
        target.dtype, target.complete = target.dtype.newbyteorder(order), True

    # ---- containers ----

    def op_mark(self):
        if len(self.marks) >= 2 * MAX_DEPTH:
            self.fail("more than %d containers inside one another", 2 * MAX_DEPTH)
        self.marks.append(len(self.stack))

    def op_append(self):
        value = self.pop()
        self.top(list, "a list").append(value)

    def op_appends(self):
        values = self.items()
        self.top(list, "a list").extend(values)

    def put_items(self, target, values):
        if len(values) % 2:
            self.fail("a dict with a key and no value")
        for key, value in zip(values[::2], values[1::2]):
            # Other keys could be made to collide by the million.
            if key is not None and type(key) not in (str, bytes, bool) and \
                    not (type(key) is int and abs(key) < 1 << 60):
                self.fail("a dict's key is %s; texts, bytes and whole numbers are read",
                          type(key).__name__)
            target[key] = value

    def op_setitem(self):
        value, key = self.pop(), self.pop()
        self.put_items(self.top(dict, "a dict"), [key, value])

    def op_setitems(self):
        values = self.items()
        self.put_items(self.top(dict, "a dict"), values)

    def op_dict(self):
        made = {}
        self.put_items(made, self.items())
        self.push(made)

    def op_tuple_of(self, n):
        values = [self.pop() for _ in range(n)]
        self.push(tuple(reversed(values)))

    def op_pop(self):
        if self.marks and self.marks[-1] == len(self.stack):
            self.marks.pop()
        else:
            self.pop()

    # ---- the memo ----

    def put(self, key):
        if not self.stack:
            self.fail("there is nothing to remember")
        self.memo[key] = self.stack[-1]

    def get(self, key):
        if key not in self.memo:
            self.fail("value %r is used before it is there", key)
        self.push(self.memo[key])

    def index(self):
        text = self.line()
        if not text.isdigit():
            self.fail("%.40r is no number of a remembered value", text)
        return int(text)

    # ---- texts and numbers ----

    def python2(self, data):
        """A str of Python 2."""
        if self.encoding == "bytes":
            return data
        try:
            return data.decode(self.encoding)
        except UnicodeDecodeError as error:
            self.fail("a byte string is not %s (%s)", self.encoding, error)

    def unicode(self, data):
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            self.fail("a text is not UTF-8 (%s)", error)

    def op_string(self):
        import codecs
        data = self.line(MAX_TEXT_LINE).strip()
        if len(data) < 2 or data[:1] != data[-1:] or data[:1] not in b"'\"":
            self.fail("a string without quotes")
        try:
            data = codecs.escape_decode(data[1:-1])[0]
        except ValueError as error:
            self.fail("a string with a bad escape (%s)", error)
        self.push(self.python2(data))

    def op_unicode(self):
        try:
            self.push(self.line(MAX_TEXT_LINE).decode("raw-unicode-escape"))
        except UnicodeDecodeError as error:
            self.fail("a text with a bad escape (%s)", error)

    def op_int(self):
        text = self.line()
        self.push({b"00": False, b"01": True}[text] if text in (b"00", b"01")
                  else self.whole(text))

    def op_long(self):
        self.push(self.whole(self.line().rstrip(b"L")))

    def whole(self, text):
        if len(text) > 2 * MAX_INT_BYTES or not text.lstrip(b"-").isdigit():
            self.fail("%.40r is no whole number", text)
        return int(text)

    def op_long_of(self, form):
        n = self.number(form)
        if not 0 <= n <= MAX_INT_BYTES:
            self.fail("a whole number of %d bytes", n)
        self.push(int.from_bytes(self.read(n), "little", signed=True))

    def op_float(self):
        text = self.line()
        try:
            self.push(float(text))
        except ValueError:
            self.fail("%.40r is no number", text)

    def length(self, form):
        n = self.number(form)
        if n < 0:
            self.fail("a negative length")
        return n

    def op_proto(self):
        version = self.number(_U8)
        if version > 5:
            self.fail("pickle protocol %d is not known", version)


class _Resolver:
    """Puts the finished arrays and dtypes in place of what stood for them, and measures."""

    def __init__(self, reader):
        self.fail = reader.fail
        self.done = {}  # id -> (value, values in it with everything shared counted again)

    def leaf(self, value):
        """What a value that is no container stands for."""
        kind = type(value)
        if kind is _Array:
            if value.value is None:
                self.fail("an array without contents")
            return value.value
        if kind is _Dtype:
            return value.dtype
        if kind is _Global:
            self.fail("%s itself is no value", value.name)
        return value

    def resolve(self, root):
        if type(root) not in (list, dict, tuple):
            return self.leaf(root)
        open_ids = set()
        path = [(root, False)]
        depth = 0
        while path:
            value, ready = path.pop()
            if ready:
                depth -= 1
                open_ids.discard(id(value))
                self.close(value)
                continue
            if id(value) in self.done:
                continue
            if id(value) in open_ids:
                self.fail("a container holds itself")
            depth += 1
            if depth > MAX_DEPTH:
                self.fail("more than %d containers inside one another", MAX_DEPTH)
            open_ids.add(id(value))
            path.append((value, True))
            parts = value.values() if type(value) is dict else value
            for part in parts:
                if type(part) in (list, dict, tuple):
                    path.append((part, False))
        return self.done[id(root)][0]

    def close(self, value):
        """All that is in the container has been resolved."""
        size = 1
        parts = list(value.values()) if type(value) is dict else value
        new = []
        for part in parts:
            if type(part) in (list, dict, tuple):
                part, inside = self.done[id(part)][0:2]
                size += inside
            else:
                part = self.leaf(part)
                size += 1
            new.append(part)
        if size > MAX_UNFOLDED:
            self.fail("what is shared unfolds into more than %d values", MAX_UNFOLDED)
        made = value
        if type(value) is dict:
            value.update(zip(list(value), new))
        elif type(value) is list:
            value[:] = new
        elif any(a is not b for a, b in zip(value, new)):
            made = tuple(new)
        self.done[id(value)] = (made, size, value)  # value: so that its id stays its own


_ACTIONS = {
    b"\x80": _Reader.op_proto,
    b"\x95": lambda r: r.number(_U64),  # FRAME: a hint for readers that buffer
    b"c": _Reader.op_global,
    b"\x93": _Reader.op_stack_global,
    b"R": _Reader.op_reduce,
    b"b": _Reader.op_build,
    b"(": _Reader.op_mark,
    b"0": _Reader.op_pop,
    b"1": _Reader.items,
    b"2": lambda r: (r.push(r.pop()), r.push(r.stack[-1])),
    b"]": lambda r: r.push([]),
    b"l": lambda r: r.push(r.items()),
    b"a": _Reader.op_append,
    b"e": _Reader.op_appends,
    b"}": lambda r: r.push({}),
    b"d": _Reader.op_dict,
    b"s": _Reader.op_setitem,
    b"u": _Reader.op_setitems,
    b")": lambda r: r.push(()),
    b"t": lambda r: r.push(tuple(r.items())),
    b"\x85": lambda r: r.op_tuple_of(1),
    b"\x86": lambda r: r.op_tuple_of(2),
    b"\x87": lambda r: r.op_tuple_of(3),
    b"p": lambda r: r.put(r.index()),
    b"q": lambda r: r.put(r.number(_U8)),
    b"r": lambda r: r.put(r.number(_U32)),
    b"\x94": lambda r: r.put(len(r.memo)),
    b"g": lambda r: r.get(r.index()),
    b"h": lambda r: r.get(r.number(_U8)),
    b"j": lambda r: r.get(r.number(_U32)),
    b"N": lambda r: r.push(None),
    b"\x88": lambda r: r.push(True),
    b"\x89": lambda r: r.push(False),
    b"I": _Reader.op_int,
    b"L": _Reader.op_long,
    b"F": _Reader.op_float,
    b"J": lambda r: r.push(r.number(_I32)),
    b"K": lambda r: r.push(r.number(_U8)),
    b"M": lambda r: r.push(r.number(_U16)),
    b"G": lambda r: r.push(r.number(_F64)),
    b"\x8a": lambda r: r.op_long_of(_U8),
    b"\x8b": lambda r: r.op_long_of(_I32),
    b"S": _Reader.op_string,
    b"T": lambda r: r.push(r.python2(r.read(r.length(_I32)))),
    b"U": lambda r: r.push(r.python2(r.read(r.length(_U8)))),
    b"V": _Reader.op_unicode,
    b"X": lambda r: r.push(r.unicode(r.read(r.length(_U32)))),
    b"\x8c": lambda r: r.push(r.unicode(r.read(r.length(_U8)))),
    b"\x8d": lambda r: r.push(r.unicode(r.read(r.length(_U64)))),
    b"B": lambda r: r.push(r.read(r.length(_U32))),
    b"C": lambda r: r.push(r.read(r.length(_U8))),
    b"\x8e": lambda r: r.push(r.read(r.length(_U64))),
    b"\x96": lambda r: r.push(r.read(r.length(_U64))),  # BYTEARRAY8: of numpy's protocol 5
}
