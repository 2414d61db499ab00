"""Docstrings that are read when someone asks for them.

The source has one line of a function; Args, Returns and an example stand in the stub (.pyi) beside
the module, made by tools/api_help.py, and editors read them there. A function's __doc__ is a text
of this module's class, whose own characters are the source's line; help(), inspect.getdoc(),
print() and the methods of texts see the whole, for which the stub is read then. So importing costs
nothing of it."""
import os
import sys
import types

__all__ = ["attach"]

_read = {}  # {path of a stub: {qualified name: docstring}}


def _docstrings(path):
    """The docstrings of a stub."""
    if path not in _read:
        import ast
        found = {}
        try:
            with open(path, encoding="utf-8") as f:
                tree = ast.parse(f.read())
        except (OSError, SyntaxError):
            tree = ast.Module(body=[], type_ignores=[])
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found[node.name] = ast.get_docstring(node)
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, ast.FunctionDef):
                        found["%s.%s" % (node.name, part.name)] = ast.get_docstring(part)
        _read[path] = found
    return _read[path]


class Doc(str):
    """A docstring: `source` is the line of the source, str() the whole text. `at`: the path of the
    stub, the class or None, and the name."""

    __slots__ = ("at",)

    @property
    def source(self):
        return str.__str__(self)

    def __str__(self):
        path, owner, name = self.at
        return _docstrings(path).get("%s.%s" % (owner, name) if owner else name) or self.source

    def __reduce__(self):
        return str, (str(self),)

    def __hash__(self):
        return hash(str(self))


def _of_the_whole(name):
    def method(self, *args, **kwargs):
        return getattr(str(self), name)(*args, **kwargs)
    method.__name__ = name
    return method


for _name in vars(str):
    if callable(getattr(str, _name)) and _name not in (
            "__new__", "__str__", "__hash__", "__reduce__", "__getattribute__", "__getnewargs__",
            "__init__", "__doc__", "maketrans"):
        setattr(Doc, _name, _of_the_whole(_name))
del _name


def _doc(source, path, owner, name, new=str.__new__):
    made = new(Doc, source.source if type(source) is Doc else source or "")
    made.at = (path, owner, name)
    return made


def _attach_methods(owner, path):
    for name, value in vars(owner).items():
        kind = type(value)
        if kind is staticmethod or kind is classmethod:
            value = value.__func__
            kind = type(value)
        if kind is types.FunctionType and name[0] != "_":
            value.__doc__ = _doc(value.__doc__, path, owner.__name__, name)


def _own_name(names, name, value):
    """Of several names of one thing that which it was defined by."""
    own = value.__name__
    return own if names.get(own) is value else name


def attach(module):
    """Give the functions and classes that this module defines their docstrings."""
    here, path = module.__name__, module.__file__ + "i"
    if sys.flags.optimize > 1 or not os.path.exists(path):  # -OO: no docstrings
        return
    of_core = here in ("paddle.fluid.core", "paddle.fluid")  # show classes that are written in C
    names = vars(module)
    for name, value in names.items():
        if type(value) is types.FunctionType:
            if value.__module__ == here and name[0] != "_":
                value.__doc__ = _doc(value.__doc__, path, None, _own_name(names, name, value))
        elif isinstance(value, type) and (value.__module__ == here or
                                          of_core and value.__module__ == "paddle._core"):
            value.__doc__ = _doc(vars(value).get("__doc__"), path, None,
                                 _own_name(names, name, value))
            _attach_methods(value, path)
