"""`paddle check FILE...`: which names of Paddle a script uses that are not here, before it is run.

The source is read, not run. Every name that it takes from paddle or paddlerec (by import, or as in
fluid.layers.fc) is looked up, and the arguments that it gives by name are compared with those that
the function takes. Values are not looked at: what an argument may be is known when it runs."""
import ast
import importlib
import inspect
import os
import sys

from paddle import _names
from paddle.python2 import translate

_OURS = ("paddle", "paddlerec")


class _Unknown(Exception):
    """A name that is not there; its text says which."""


def _absent(kind, full):
    """Of modules of 1.8.5 all names are known; of v2's and of paddlerec's those that are here."""
    above = full.rpartition(".")[0]
    known = above in _names.tables() or above == "paddle"
    return "there is no %s%s%s%s" % (kind, full, ", nor was in Paddle 1.8" if known else "",
                                     ": it is of Paddle 2" if _names.is_of_paddle2(full) else "")


def _is_ours(module):
    return module.split(".")[0] in _OURS


def _look_up(base, full, part):
    """What a name has for a part of it; None where that is known only when it runs."""
    if isinstance(base, _names._Refused):
        raise _Unknown("%s is not implemented: %s" % (base._full, base._why))
    if not (inspect.ismodule(base) or inspect.isclass(base)):
        return None
    try:
        return getattr(base, part)
    except AttributeError as error:
        if isinstance(error, _names.NotSupported):
            raise _Unknown(str(error)) from None
    if inspect.isclass(base):
        return None  # it may have been given by the script
    try:
        return importlib.import_module("%s.%s" % (base.__name__, part))
    except ImportError:
        raise _Unknown(_absent("", "%s.%s" % (full, part))) from None


class _Script(ast.NodeVisitor):
    def __init__(self):
        self.known = {}      # a name of the script -> what it stands for, and its full name
        self.found = set()   # (line, text)
        self.looked_up = set()

    def say(self, node, text):
        self.found.add((node.lineno, text))

    # ---- imports ----

    def module(self, node, name):
        try:
            module = importlib.import_module(name)
        except ImportError:
            return self.say(node, _absent("module ", name))
        self.looked_up.add(name)
        if isinstance(getattr(getattr(module, "__spec__", None), "loader", None), _names._Absent):
            return self.say(node, "%s is not implemented: %s" % (name, _names.why(name)))
        return module

    def visit_Import(self, node):
        for alias in node.names:
            if not _is_ours(alias.name):
                continue
            module = self.module(node, alias.name)
            if module is not None and alias.asname:
                self.known[alias.asname] = module, alias.name
            elif module is not None:
                top = alias.name.split(".")[0]
                self.known[top] = sys.modules[top], top

    def visit_ImportFrom(self, node):
        if node.level or not node.module or not _is_ours(node.module):
            return
        module = self.module(node, node.module)
        if module is None:
            return
        for alias in node.names:
            if alias.name == "*":
                for name in getattr(module, "__all__", ()):
                    self.known.setdefault(name, (getattr(module, name, None),
                                                 "%s.%s" % (node.module, name)))
                continue
            full = "%s.%s" % (node.module, alias.name)
            try:
                value = _look_up(module, node.module, alias.name)
            except _Unknown as error:
                self.say(node, str(error))
                continue
            self.looked_up.add(full)
            self.known[alias.asname or alias.name] = value, full

    # ---- uses ----

    def resolve(self, node):
        """What an expression of names stands for, and its full name; None where it is unknown."""
        if isinstance(node, ast.Name):
            found = self.known.get(node.id)
        elif isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            if base is None or base[0] is None:
                return None
            value = _look_up(base[0], base[1], node.attr)
            found = value, "%s.%s" % (base[1], node.attr)
        else:
            return None
        if found is not None:
            if isinstance(found[0], _names._Refused):
                raise _Unknown("%s is not implemented: %s" % (found[0]._full, found[0]._why))
            self.looked_up.add(found[1])
        return found

    def try_to_resolve(self, node):
        try:
            return self.resolve(node)
        except _Unknown as error:
            self.say(node, str(error))

    def visit_Attribute(self, node):
        if self.try_to_resolve(node) is None:
            self.generic_visit(node)

    def visit_Name(self, node):
        self.try_to_resolve(node)

    def visit_Call(self, node):
        found = self.try_to_resolve(node.func)
        if found is not None and callable(found[0]) and not inspect.ismodule(found[0]):
            self.arguments(node, found[0], found[1])
        self.generic_visit(node)

    def arguments(self, node, function, full):
        try:
            takes = inspect.signature(function).parameters
        except (TypeError, ValueError):
            return
        if any(p.kind == p.VAR_KEYWORD for p in takes.values()):
            return
        for keyword in node.keywords:
            if keyword.arg is not None and keyword.arg not in takes:
                self.say(node, "%s takes no argument %s (it takes %s)" % (
                    full, keyword.arg, ", ".join(takes)))


def _sources(paths):
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            for name in sorted(names):
                if name.endswith(".py"):
                    yield os.path.join(folder, name)


def check(path):
    """What is wrong with a source, as (line, text), and how many names of Paddle it has."""
    script = _Script()
    script.visit(translate.tree_of(path))
    return sorted(script.found), len(script.looked_up)


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print("usage: paddle check FILE_OR_FOLDER...\n"
              "Says which names of Paddle the sources use that are not here, and arguments that\n"
              "functions do not take. Nothing is run. The status is 1 where there are such.",
              file=sys.stderr)
        return 0 if arguments else 2
    problems = names = files = 0
    for path in _sources(arguments):
        try:
            found, count = check(path)
        except (OSError, SyntaxError, UnicodeDecodeError) as error:
            print("paddle check: %s: %s" % (path, error), file=sys.stderr)
            return 2
        files, names, problems = files + 1, names + count, problems + len(found)
        for line, text in found:
            print("%s:%d: %s" % (path, line, text))
    print("%d name%s of Paddle in %d file%s: %s" % (
        names, "s" * (names != 1), files, "s" * (files != 1),
        "%d complaint%s" % (problems, "s" * (problems != 1)) if problems else "all are there"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
