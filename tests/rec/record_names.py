"""Record the names of paddle-rec 1.8.5.1, with the arguments they take, into names.txt: run this with the
Python that has it. One line for each function, class, method and constant that a model could import."""
import importlib
import inspect
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Its own tests and set-up; and a program that reads its arguments when it is imported.
LEFT_OUT = ("paddlerec.tests", "paddlerec.setup", "paddlerec.doc",
            "paddlerec.core.utils.dataset_instance")


def modules():
    import paddlerec
    base = list(paddlerec.__path__)[0]
    for folder, folders, files in os.walk(base):
        folders.sort()
        for file in sorted(files):
            if file.endswith(".py"):
                words = os.path.relpath(os.path.join(folder, file), base)[:-3].split(os.sep)
                name = ".".join(["paddlerec"] + [w for w in words if w != "__init__"])
                if not name.startswith(LEFT_OUT):
                    yield name


def arguments(function):
    """As `(a, b=, *c, **d)`: names, and whether one must be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ""
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return "(%s)" % ", ".join(
        marks.get(p.kind, "") + p.name + ("" if p.default is p.empty else "=") for p in parameters)


def is_wanted(name):
    return not name.startswith("_") or name == "__init__"


def members(cls):
    """Methods and constants of a class and of those of the package that it is derived from."""
    found = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("paddlerec"):
            found.update(vars(base))
    for name, value in sorted(found.items()):
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if is_wanted(name):
            yield name, value


def names(module):
    """(name, its arguments) of what a module defines itself."""
    for name, value in sorted(vars(module).items()):
        if not is_wanted(name) or inspect.ismodule(value):
            continue
        if getattr(value, "__module__", module.__name__) != module.__name__:
            continue
        if inspect.isclass(value):
            yield name, ""
            for member, of_class in members(value):
                yield "%s.%s" % (name, member), arguments(of_class)
        elif callable(value):
            yield name, arguments(value)
        else:
            yield name, ""


def main():
    lines = []
    for name in modules():
        try:
            module = importlib.import_module(name)
        except (Exception, SystemExit) as e:  # a program, or it needs what Paddle 1.8.5 has not
            lines.append("%s cannot be imported: %s" % (name, type(e).__name__))
            continue
        lines.append(name)
        lines += ["%s %s%s" % (name, what, given) for what, given in names(module)]
    with open(os.path.join(HERE, "names.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
