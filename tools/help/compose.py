"""The docstring of a public name: what it is, Args, Returns, an example.

Its parts come from where they are known already: the first line from the source, or from the op of
the same name; types and what ops make of an argument from the ops' schemas (docs/ops.md, made by
`paddle ops`) and from the table that arguments are checked by (fluid/layers/arguments.py); what
else arguments mean from arguments.txt, what comes back from returns.txt; examples from examples/."""
import functools
import inspect
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from public import ROOT, entries  # noqa: E402

WIDTH = 96
ATTR_TYPES = {"INT": "int", "LONG": "int", "FLOAT": "float", "BOOLEAN": "bool", "STRING": "str",
              "INTS": "list of int", "LONGS": "list of int", "FLOATS": "list of float",
              "STRINGS": "list of str", "BOOLEANS": "list of bool"}
EMPTY = inspect.Parameter.empty


# ---- what ops know ----

class Op:
    def __init__(self, doc):
        self.doc, self.inputs, self.outputs, self.attrs = doc, {}, {}, {}


@functools.lru_cache(None)
def ops():
    """{type: Op} of docs/ops.md."""
    with open(os.path.join(ROOT, "docs", "ops.md"), encoding="utf-8") as f:
        parts = re.split(r"^### ", f.read(), flags=re.M)[1:]
    found = {}
    for part in parts:
        name, doc, body = (part.split("\n", 2) + [""])[:3]
        op = found[name] = Op(doc.strip())
        for kind, slot, more, text in re.findall(
                r"^- (input|output|attribute) `(\w+)`([^:]*): (.*)$", body, re.M):
            if kind == "attribute":
                op.attrs[slot] = (ATTR_TYPES.get(re.split(r"[(,)]", more)[1], ""), text)
            else:
                (op.inputs if kind == "input" else op.outputs)[slot] = text
    return found


@functools.lru_cache(None)
def layer_ops():
    """{layer: the ops that it adds}, of tools/layer_ops.py."""
    with open(os.path.join(ROOT, "src", "cli", "layer_table.inc"), encoding="utf-8") as f:
        return {name: [op for op in text.split(", ") if op in ops()]
                for name, text in re.findall(r'\{"(\w+)", "([^"]*)"\}', f.read())}


def ops_of(entry):
    if not entry.full.startswith(("paddle.fluid.layers.", "paddle.fluid.contrib.", "paddle.fluid.")):
        return []
    if entry.owner or entry.full.count(".") == 2 and entry.name not in ("embedding", "one_hot"):
        return []
    found = layer_ops().get(entry.name) or ([entry.name] if entry.name in ops() else [])
    return [ops()[name] for name in found]


def said_by_ops(entry, argument):
    """(type, text) of an argument that is an attribute or an input of the layer's ops."""
    for op in ops_of(entry):
        if argument in op.attrs and not useless(op.attrs[argument][1]):
            return op.attrs[argument]
        for slot, text in op.inputs.items():
            if slot.lower() == argument.lower().replace("_", "") and not useless(text):
                return "Variable", text
    only = ops_of(entry)[:1]
    if only and argument in ("x", "input") and len(only[0].inputs) == 1:
        text = next(iter(only[0].inputs.values()))
        if not useless(text):
            return "Variable", text
    return None


def spelled(entry, text):
    """What a schema says of X and Input, with the layer's own names for them."""
    names = {p.name for p in entry.parameters() or []}
    for slot, given in (("X", ("x", "input")), ("Y", ("y", "label")), ("Input", ("input", "x"))):
        name = next((n for n in given if n in names), None)
        if name:
            text = re.sub(r"\b%s\b" % slot, name, text)
    return text


def useless(text):
    return text in ("", "as of the op", "kept for files", "refused", "none", "the input")


# ---- what layers check ----

@functools.lru_cache(None)
def checked():
    """{layer: {argument: what a variable's type may be}}, and those that may be lists."""
    from paddle.fluid.layers import arguments

    def read(table):
        found = {}
        for item in table.split():
            layer, names = item.split(":")
            found.setdefault(layer, []).extend(names.split(","))
        return found
    kinds = {}
    for dtypes, table in arguments._TENSORS.items():
        for layer, names in read(table).items():
            for name in names:
                kinds.setdefault(layer, {})[name] = dtypes
    return kinds, read(arguments._LISTS)


def tensor_of(entry, argument):
    """(type, what it may hold) of an argument that is a variable; None: it is none."""
    kinds, lists = checked()
    layer = entry.full[len("paddle.fluid."):]
    layer = layer[len("layers."):] if layer.startswith("layers.") else \
        "fluid." + layer if "." not in layer else layer
    if argument not in kinds.get(layer, {}):
        return None
    dtypes = kinds[layer][argument].split()
    what = "" if dtypes == ["any"] else listed(dtypes)
    return ("Variable or list of Variable" if argument in lists.get(layer, []) else "Variable"), what


def listed(words):
    return words[0] if len(words) == 1 else "%s or %s" % (", ".join(words[:-1]), words[-1])


# ---- what people wrote ----

def _sections(name):
    """[(beginning of a full name, {argument: (type, text)})] of a file, the longest first."""
    found, here = [], None
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("["):
                here = {}
                found += [(start, here) for start in line.strip("[]").split()]
            elif line and not line.startswith("#"):
                match = re.match(r"([\w ,*]+?) \(([^)]*)\): (.*)$", line)
                if match is None:
                    raise SystemExit("%s: no 'name (type): text': %s" % (name, line))
                for argument in match[1].replace(",", " ").split():
                    here[argument] = (match[2], match[3])
    return sorted(found, key=lambda pair: -len(pair[0]))


@functools.lru_cache(None)
def glossary():
    return _sections("arguments.txt")


@functools.lru_cache(None)
def returns():
    return _sections("returns.txt")


def begins(entry, start):
    """Whether a section is about the entry: [*], [a.b] and all below it, [a.b!] that module's own."""
    if start.endswith("!"):
        return (entry.owner or entry).full.rpartition(".")[0] == start[:-1]
    return start == "*" or entry.full == start or entry.full.startswith(start + ".")


def written(entry, argument):
    """(type, text, how near the section is) of arguments.txt."""
    for start, known in glossary():
        if begins(entry, start) and argument in known:
            return known[argument] + (len(start),)
    return None


# ---- the parts ----

def type_of_default(value):
    for kind in (bool, int, float, str, dict):
        if isinstance(value, kind):
            return kind.__name__
    if isinstance(value, (list, tuple)) and value:
        return "list of " + type(value[0]).__name__
    return "list" if isinstance(value, (list, tuple)) else ""


def shown(value):
    text = repr(value)
    return "a function" if " at 0x" in text else text


class Argument:
    """One argument: its name, type, what it means (None: nobody says) and its default."""

    def __init__(self, entry, parameter):
        self.parameter = parameter
        self.name = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
            parameter.kind, "") + parameter.name
        own = written(entry, self.name) or written(entry, parameter.name)
        op = said_by_ops(entry, parameter.name)
        tensor = tensor_of(entry, parameter.name)
        # What is written for this very name comes before the op, the op before what is general.
        if own and op and own[2] < len(entry.full) - len(entry.name) and not is_common(parameter.name):
            own = op + (0,)
        self.type, self.text = (own or (op and op + (0,)) or ("", None, 0))[:2]
        if op and self.text == op[1]:
            self.text = spelled(entry, self.text)
        if tensor:
            self.type = tensor[0] if "Variable" not in self.type else self.type
            more = tensor[1] and " Of %s." % tensor[1]
            self.text = (self.text.rstrip(".") + "." if self.text else "") + more
            self.text = self.text.strip() or None
        if not self.type and parameter.default is not EMPTY:
            self.type = type_of_default(parameter.default)

    def lines(self):
        default = self.parameter.default
        text = (self.text or "").rstrip(".")
        text = text[:1].upper() + text[1:] if text else ""
        text = text + "." if text else ""
        if default is not EMPTY:
            text = (text + " Default: %s." % shown(default)).strip()
        head = "%s%s: " % (self.name, " (%s)" % self.type if self.type else "")
        return textwrap.wrap(head + text, WIDTH - 4, subsequent_indent="    ",
                             break_long_words=False, break_on_hyphens=False)


def is_common(name):
    """Arguments that mean the same in all layers."""
    return name in ("name", "param_attr", "bias_attr", "act", "use_cudnn")


PLACEHOLDER = re.compile(r"The op \w+: `paddle ops \w+` tells all\.")
POINTER = re.compile(r": `paddle ops \w+` tells all\.$")


def _source(text):
    """The text of the source, where the docstring is the one that is read on demand."""
    return getattr(text, "source", text)


def source_doc(entry):
    """The docstring as the source has it: (first paragraph in one line, the rest)."""
    value = entry.value
    text = (vars(value).get("__doc__") if entry.is_class else value.__doc__) or ""
    text = inspect.cleandoc(_source(text))
    if PLACEHOLDER.fullmatch(text):
        text = ""
    first, _, rest = text.partition("\n\n")
    return POINTER.sub(".", " ".join(first.split())), rest.strip()


def base_doc(entry):
    """The first line of the method of a base class that this one overrides."""
    for base in entry.owner.value.__mro__[1:] if entry.owner else []:
        text = getattr(vars(base).get(entry.name), "__doc__", None)
        if text and base is not object:
            return " ".join(inspect.cleandoc(_source(text)).partition("\n\n")[0].split())
    return ""


@functools.lru_cache(None)
def lines():
    """[(beginning of a full name, {name: line})] of lines.txt, the longest first."""
    found, here = {}, []
    with open(os.path.join(HERE, "lines.txt"), encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("["):
                here = [found.setdefault(start, {}) for start in line.strip("[]").split()]
            elif line and not line.startswith("#"):
                name, _, text = line.partition(": ")
                for known in here:
                    known[name] = text
    return sorted(found.items(), key=lambda pair: -len(pair[0]))


def line_of(entry):
    return next((known[entry.name] for start, known in lines()
                 if begins(entry, start) and entry.name in known), "")


def summary(entry):
    """The first line: of the source, of a base class, of lines.txt, or of the layer's op."""
    first = source_doc(entry)[0] or base_doc(entry) or line_of(entry)
    if not first and len(ops_of(entry)) == 1:
        first = spelled(entry, ops_of(entry)[0].doc)
    return first


def is_refused(entry):
    return summary(entry).startswith(("Refused", "Detection is not", "Not implemented"))


def result(entry):
    """(type, text) of what comes back."""
    for start, known in returns():
        if begins(entry, start):
            text = known.get(entry.name) or known.get("*")
            if text:
                return text
    made = ops_of(entry)
    if made and entry.full.startswith("paddle.fluid.layers."):
        last = made[-1] if entry.name not in ops() else ops()[entry.name]
        text = [t for t in last.outputs.values() if not useless(t)]
        if text:
            return "Variable", spelled(entry, text[0])
    if entry.full.startswith("paddle.fluid.layers.") and not entry.owner:
        return "Variable", "what is computed, a variable of the program that is being built"
    return None


def arguments(entry):
    found = [Argument(entry, p) for p in entry.parameters() or []]
    return [a for a in found if not a.parameter.name.startswith("_")]


def wrapped(text, indent=""):
    return textwrap.wrap(text, WIDTH - len(indent), initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def docstring(entry, example=None):
    """The whole text. example: its lines."""
    first, rest = summary(entry), source_doc(entry)[1]
    lines = wrapped(sentence(first))
    if rest and not rest.startswith("Args:"):
        lines += [""] + rest.split("\n")
    if not is_refused(entry):
        given = arguments(entry)
        if given:
            lines += ["", "Args:"]
            for argument in given:
                lines += ["    " + line for line in argument.lines()]
        back = None if entry.is_class else result(entry)
        if back:
            lines += ["", "Returns:"] + wrapped("%s: %s" % (back[0], sentence(back[1])), "    ")
    if example:
        lines += ["", "Examples:"] + ["    " + line if line else "" for line in example]
    return "\n".join(lines)


def sentence(text):
    text = text.strip()
    return text if not text or text[-1] in ".!?:" else text + "."


def lacks(entry):
    """The parts that nobody has written."""
    if is_refused(entry):
        return [] if summary(entry) else ["a line"]
    if entry.support:
        return []
    found = [] if summary(entry) else ["a line"]
    found += ["what %s is" % a.name for a in arguments(entry) if not a.text]
    found += ["a type of %s" % a.name for a in arguments(entry) if not a.type]
    if not entry.is_class and not entry.owner and not result(entry):
        found.append("what it returns")
    return found


def all_entries():
    """Every public name and the methods of classes."""
    for entry in entries():
        yield entry
        for method in entry.methods():
            yield method
