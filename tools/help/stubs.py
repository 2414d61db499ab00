"""Stubs (.pyi) of the public modules: signatures with types, and the whole docstrings.

They stand beside the modules and go into the wheel. Editors complete and type checkers check by
them; at run time paddle._help reads docstrings out of them when someone asks for one."""
import importlib
import inspect
import os
import re
import types

import compose
import examples
from public import MODULES, PYTHON, entries, names_of

HEAD = "# Made by tools/api_help.py: change the source, or tools/help, and run it again.\n"
PLAIN = {"str": "str", "int": "int", "float": "float", "bool": "bool", "None": "None",
         "bytes": "bytes", "callable": "Callable[..., Any]", "dict": "Dict[Any, Any]",
         "type": "type"}
EMPTY = inspect.Parameter.empty


class Stub:
    """One file: what it imports and what it declares."""

    def __init__(self, module):
        self.module, self.imports, self.body = module, {}, []
        path = os.path.relpath(os.path.realpath(importlib.import_module(module).__file__), PYTHON)
        self.path = path + "i"
        self.own = {}

    def text(self):
        lines = [HEAD]
        lines.append("from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union\n")
        for home in sorted(self.imports):
            names = sorted(self.imports[home])
            lines.append("from %s import (%s)\n" % ("." if home == self.module else home, ", ".join(
                "%s as %s" % pair for pair in names)))
        lines.append("\ndef __getattr__(name: str) -> Any: ...\n")
        return "".join(lines + self.body)


def classes():
    """{name of a class: its Entry} of those that annotations may name."""
    return {entry.qualname: entry for entry in reversed(entries()) if entry.is_class}


KNOWN = ("Variable", "Program", "Executor", "LayerOutput", "Scope", "LoDTensor", "ParamAttr",
         "Parameters", "Projection")


def plain(word, stub, wide):
    """The annotation of one word of a type."""
    word = word.strip()
    if word.startswith(("list of ", "tuple of ", "set of ")) or word in ("list", "tuple", "set"):
        return "Sequence[Any]"
    if wide and word in ("int", "float"):
        # Numbers of layers may come out of variables.
        return "%s, %s" % (word, plain("Variable", stub, False))
    if word in KNOWN:
        found = classes()[word]
        if found.home != stub.module:
            stub.imports.setdefault(found.home, set()).add((word, word))
        return word
    return PLAIN.get(word, "Any")


def annotation(text, stub, wide=False):
    """A type as people write it, as annotations have it."""
    words = [w for part in text.split(", ") for w in part.split(" or ") if w != "optional"]
    found = [plain(word, stub, wide) for word in words if word]
    if not found or "Any" in found:
        return "Any"
    parts = list(dict.fromkeys(", ".join(found).split(", ") if wide else found))
    joined = parts[0] if len(parts) == 1 else "Union[%s]" % ", ".join(parts)
    return "Optional[%s]" % joined if "optional" in text.split(", ") else joined


def parameter(argument, entry, stub):
    p = argument.parameter
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    if stars:
        return "%s%s: Any" % (stars, p.name)
    kind = annotation(argument.type, stub, entry.full.startswith("paddle.fluid.layers."))
    if p.default is None and kind != "Any" and not kind.startswith("Optional"):
        kind = "Optional[%s]" % kind
    if p.default is EMPTY:
        return "%s: %s" % (p.name, kind)
    return "%s: %s = ..." % (p.name, kind)


def signature(entry, stub, first=None):
    parts = [first] if first else []
    bare = False
    if entry.parameters() is None:
        parts += ["*args: Any", "**kwargs: Any"]
    for argument in [compose.Argument(entry, p) for p in entry.parameters() or []]:
        kind = argument.parameter.kind
        if kind is inspect.Parameter.KEYWORD_ONLY and not bare:
            parts.append("*")
        bare = bare or kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY)
        parts.append(parameter(argument, entry, stub))
    return "(%s)" % ", ".join(parts)


def quoted(text, indent):
    """A docstring of the stub."""
    text = text.replace('"""', "'''")
    mark = 'r"""' if "\\" in text else '"""'
    lines = text.split("\n")
    more = [indent + line if line else "" for line in lines[1:]]
    closing = '"""' if not more else "\n" + indent + '"""'
    return indent + mark + "\n".join([lines[0]] + more) + closing + "\n"


def returned(entry, stub):
    if compose.is_refused(entry):
        return "Any"
    back = compose.result(entry) if not entry.owner else None
    return annotation(back[0], stub) if back else "Any"


def function(entry, stub, indent="", decorator="", first=None, example=None):
    head = "%s%sdef %s%s -> %s:\n" % (
        decorator, indent, entry.name if entry.owner else entry.qualname, signature(entry, stub, first), returned(entry, stub))
    doc = quoted(compose.docstring(entry, example), indent + "    ")
    return "\n" + head + doc + indent + "    ...\n"


def method(entry, stub):
    static = inspect.getattr_static(entry.owner.value, entry.name)
    if isinstance(static, staticmethod):
        return function(entry, stub, "    ", "    @staticmethod\n")
    if isinstance(static, classmethod):
        return function(entry, stub, "    ", "    @classmethod\n", "cls")
    return function(entry, stub, "    ", first="self")


def base_of(entry, stub):
    public = {id(e.value): e for e in entries() if e.is_class}
    for base in entry.value.__mro__[1:]:
        found = public.get(id(base))
        if found:
            if found.home != stub.module:
                stub.imports.setdefault(found.home, set()).add((found.qualname, found.qualname))
            return "(%s)" % found.qualname
        if base is not object and base.__module__ == "builtins":
            return "(%s)" % base.__name__
    return ""


def class_(entry, stub, example=None):
    doc = quoted(compose.docstring(entry, example), "    ")
    lines = ["\nclass %s%s:\n" % (entry.qualname, base_of(entry, stub)), doc]
    made = {m.name for m in entry.methods()}
    for name in entry.properties():
        lines.append("    %s: Any\n" % name)
    for name, value in vars(entry.value).items():
        if not name.startswith("_") and name not in made and not callable(value) and \
                name not in entry.properties():
            lines.append("    %s: Any\n" % name)
    lines.append("    def __init__%s -> None: ...\n" % signature(entry, stub, "self"))
    for name in ("__call__", "__getitem__", "__len__", "__iter__", "__enter__", "__exit__"):
        if name in vars(entry.value):
            lines.append("    def %s(self, *args: Any, **kwargs: Any) -> %s: ...\n" % (
                name, "int" if name == "__len__" else "Any"))
    # Objects have attributes that only __init__ sets, or C: let those pass.
    lines.append("    def __getattr__(self, name: str) -> Any: ...\n")
    lines.append("    def __setattr__(self, name: str, value: Any) -> None: ...\n")
    lines += [method(m, stub) for m in entry.methods()]
    return "".join(lines)


OPERATORS = "".join(
    "    def __%s__(self, other: Any) -> Variable: ...\n" % name for name in
    "add radd sub rsub mul rmul truediv rtruediv pow rpow mod floordiv matmul lt le gt ge".split())


def declare(stub, entry, example):
    text = class_(entry, stub, example) if entry.is_class else function(entry, stub, example=example)
    if entry.full == "paddle.fluid.Variable":
        cut = text.index("    def __init__")
        text = text[:cut] + OPERATORS + text[cut:]
    stub.body.append(text)
    stub.own[entry.qualname] = entry


def rendered():
    """{full name: lines of its example}"""
    return {full: examples.render(example) for full, example in examples.load().items()}


def stubs(shown=None):
    """Every stub, by its path below python/."""
    shown = rendered() if shown is None else shown
    found = {}

    def of(module):
        if module not in found:
            found[module] = Stub(module)
        return found[module]
    by_value = {}
    for entry in entries():
        by_value[id(entry.value)] = entry
        declare(of(entry.home), entry, shown.get(entry.full))
    for name in MODULES:
        module, stub = importlib.import_module(name), of(name)
        again(module, stub, by_value)
    return {stub.path: stub.text() for stub in found.values()}


def modules_in(module):
    """The public modules in the folder of a package."""
    found = []
    for folder in getattr(module, "__path__", ()):
        for name in sorted(os.listdir(folder)):
            stem, ending = os.path.splitext(name)
            if not name.startswith("_") and (ending == ".py" or os.path.exists(
                    os.path.join(folder, name, "__init__.py"))):
                found.append(stem)
    return found


def again(module, stub, by_value):
    """What a module shows of others: names from elsewhere, and modules."""
    from paddle import _names
    inside = [name for name in modules_in(module) if name not in stub.own]
    for attribute in names_of(module) + list(getattr(module, "_MODULES", ())) + inside:
        if attribute in stub.own:
            continue
        value = getattr(module, attribute)
        if isinstance(value, types.ModuleType):
            if value.__name__ == "%s.%s" % (module.__name__, attribute):
                stub.imports.setdefault(module.__name__, set()).add((attribute, attribute))
            continue
        entry = by_value.get(id(value))
        if isinstance(value, _names._Refused):
            continue
        if entry is None:
            stub.body.append("\n%s: Any\n" % attribute)
        elif entry.home == stub.module:
            stub.body.append("\n%s = %s\n" % (attribute, entry.qualname))
        elif entry.qualname == attribute:
            stub.imports.setdefault(entry.home, set()).add((attribute, attribute))
        else:  # `import A as B` does not give B out, so for type checkers
            stub.imports.setdefault(entry.home, set()).add((entry.qualname, "_" + entry.qualname))
            stub.body.append("\n%s = _%s\n" % (attribute, entry.qualname))
