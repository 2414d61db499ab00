"""DataFeedDesc: which slots stand in a line of multi-slot text, as a text of data_feed.proto."""
import re

__all__ = ["DataFeedDesc"]


class Slot:
    """A slot; flags that are None are not set, and their text has no line of them."""

    def __init__(self, name="", type="", is_dense=None, is_used=None, shape=()):
        self.name, self.type, self.is_dense, self.is_used = name, type, is_dense, is_used
        self.shape = list(shape)

    def lines(self):
        yield '  slots {'
        yield '    name: "%s"' % self.name
        yield '    type: "%s"' % self.type
        if self.is_dense is not None:
            yield '    is_dense: %s' % str(self.is_dense).lower()
        if self.is_used is not None:
            yield '    is_used: %s' % str(self.is_used).lower()
        for dim in self.shape:
            yield '    shape: %d' % dim
        yield '  }'


class FeedDesc:
    """The message DataFeedDesc; str() is its text. Fields that are None are not set."""

    def __init__(self, name=None, pipe_command=None):
        self.name, self.pipe_command = name, pipe_command
        self.batch_size = self.thread_num = self.rank_offset = self.pv_batch_size = None
        self.slots = None

    def __str__(self):
        lines = []
        if self.name is not None:
            lines.append('name: "%s"' % self.name)
        if self.batch_size is not None:
            lines.append("batch_size: %d" % self.batch_size)
        if self.slots is not None:
            lines.append("multi_slot_desc {")
            for slot in self.slots:
                lines.extend(slot.lines())
            lines.append("}")
        if self.pipe_command is not None:
            lines.append('pipe_command: "%s"' % _escape(self.pipe_command))
        if self.thread_num is not None:
            lines.append("thread_num: %d" % self.thread_num)
        if self.rank_offset is not None:
            lines.append('rank_offset: "%s"' % self.rank_offset)
        if self.pv_batch_size is not None:
            lines.append("pv_batch_size: %d" % self.pv_batch_size)
        return "".join(line + "\n" for line in lines)

    __repr__ = __str__


def _escape(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("'", "\\'").replace("\n", "\\n")


_TOKEN = re.compile(r'\s*(?:#[^\n]*\s*)*("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[{}:;,<>]|'
                    r'[A-Za-z_][A-Za-z0-9_]*|[-+]?[0-9][^\s{}:;,<>]*)')


class _Parser:
    """Text of the message, as protobuf's text format writes it."""

    def __init__(self, text, path):
        self.tokens, self.path, at = [], path, 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                if not text[at:].strip() or text[at:].lstrip().startswith("#"):
                    break
                raise self.error("cannot read %r" % text[at:at + 20], text.count("\n", 0, at) + 1)
            self.tokens.append((match.group(1), text.count("\n", 0, match.start(1)) + 1))
            at = match.end()
        self.tokens.append(("", text.count("\n") + 1))
        self.at = 0

    def error(self, what, line=None):
        return ValueError("%s:%d: %s" % (self.path, line or self.tokens[self.at][1], what))

    def peek(self):
        return self.tokens[self.at][0]

    def take(self):
        token = self.tokens[self.at][0]
        self.at += bool(token)
        return token

    def fields(self, end):
        """(name, value) pairs; a value is text, a number, a word, or a list of pairs."""
        found = []
        while self.peek() != end:
            name = self.take()
            if not re.match(r"[A-Za-z_]", name or ""):
                raise self.error("a field's name is wanted, and %r stands there" % name)
            colon = self.peek() == ":"
            if colon:
                self.take()
            if self.peek() in ("{", "<"):
                found.append((name, self.fields("}" if self.take() == "{" else ">")))
                self.take()
            elif colon:
                found.append((name, self.value()))
            else:
                raise self.error("a ':' or '{' is wanted after %s" % name)
            if self.peek() in (";", ","):
                self.take()
        return found

    def value(self):
        token = self.take()
        if token[:1] in "\"'" and token:
            return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)),
                          token[1:-1])
        if token in ("true", "false"):
            return token == "true"
        try:
            return int(token)
        except ValueError:
            raise self.error("a value is wanted, and %r stands there" % token)


def parse(text, path="text"):
    """A FeedDesc of its text."""
    desc = FeedDesc()
    for name, value in _Parser(text, path).fields(""):
        if name == "multi_slot_desc":
            desc.slots = (desc.slots or []) + [_slot(inner, path) for key, inner in value
                                               if key == "slots"]
        elif name in ("name", "pipe_command", "rank_offset", "batch_size", "thread_num",
                      "pv_batch_size"):
            setattr(desc, name, value)
        else:
            raise ValueError("%s: DataFeedDesc has no field %s" % (path, name))
    return desc


def _slot(fields, path):
    slot = Slot()
    for name, value in fields:
        if name == "shape":
            slot.shape.append(value)
        elif name in ("name", "type", "is_dense", "is_used"):
            setattr(slot, name, value)
        else:
            raise ValueError("%s: a slot has no field %s" % (path, name))
    return slot


class DataFeedDesc:
    """Reads the description from a file; batch size, dense and used slots can be changed."""

    def __init__(self, proto_file):
        with open(proto_file) as f:
            self.proto_desc = parse(f.read(), proto_file)
        self.proto_desc.pipe_command = "cat"
        self._by_name = {slot.name: slot for slot in self.proto_desc.slots or ()}

    def set_batch_size(self, batch_size):
        self.proto_desc.batch_size = batch_size

    def _find(self, names):
        if self.proto_desc.name != "MultiSlotDataFeed":
            raise ValueError("slots are those of a MultiSlotDataFeed, and this is %r"
                             % self.proto_desc.name)
        for name in names:
            if name not in self._by_name:
                raise ValueError("there is no slot %r; there are %s"
                                 % (name, ", ".join(self._by_name)))
        return [self._by_name[name] for name in names]

    def set_dense_slots(self, dense_slots_name):
        for slot in self._find(dense_slots_name):
            slot.is_dense = True

    def set_use_slots(self, use_slots_name):
        for slot in self._find(use_slots_name):
            slot.is_used = True

    def desc(self):
        return str(self.proto_desc)
