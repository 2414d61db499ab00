"""Record the modules of real Paddle and their names, for python/paddle/names.txt.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 'protobuf<3.21'
    v/bin/python tests/python/golden/record_names.py

A module's paragraph has the names that it defines, and below it those that it takes from other
modules of the package, which scripts import from there too; of names with a leading underscore the
first alone."""
import importlib
import inspect
import os
import textwrap
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "python", "paddle",
                   "names.txt")
SKIPPED = ("libs", "include", "tests", "__pycache__")
CORE = ("paddle.fluid.core_avx", "paddle.fluid.core_noavx")  # both are paddle.fluid.core


def modules(root):
    """(name, module or None where it cannot be imported) of every file."""
    for folder, folders, files in sorted(os.walk(root)):
        folders[:] = [f for f in folders if f not in SKIPPED]
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), os.path.dirname(root))
            name = path[:-3].replace(os.sep, ".")
            name = name[:-9] if name.endswith(".__init__") else name
            if not file.endswith(".py") or file.startswith("test_") or name in CORE:
                continue
            try:
                yield name, importlib.import_module(name)
            except Exception:  # some of real Paddle's own files cannot be imported
                yield name, None


def owner(module, name, value):
    """(where the value comes from, its name there); None: not the package's."""
    if inspect.ismodule(value):
        where = "paddle.fluid.core" if value.__name__ in CORE else value.__name__
        if where.startswith(CORE):  # a namespace of the C++ core
            return "paddle.fluid.core", name
        return (where, None) if where.split(".")[0] == "paddle" else None
    public = name in (getattr(module, "__all__", None) or ())
    where = getattr(value, "__module__", None)
    if not isinstance(where, str):
        constant = name.isupper() and module.__name__.endswith("_pb2")
        return (module.__name__, name) if public or constant else None
    if where.startswith(CORE):  # or a namespace of the C++ core
        where = "paddle.fluid.core"
    if where.split(".")[0] != "paddle":
        return (module.__name__, name) if public else None
    there = getattr(value, "__name__", name)
    if where == module.__name__ or not hasattr(importlib.import_module(where), there):
        return (module.__name__, name) if public or where == module.__name__ else None
    return where, there


def describe(name, module):
    own, taken = [], {}
    for attr in dir(module):
        found = owner(module, attr, getattr(module, attr))
        if found is None or (found[1] is None and found[0] == name) or attr.startswith("__"):
            continue
        if attr.startswith("_") and found[0] != name:
            continue
        where, there = found
        if there is None:
            same = where.split(".")[-1] == attr
            taken.setdefault("modules", []).append(where if same else attr + "=" + where)
        elif where == name:
            own.append(attr)
        else:
            taken.setdefault(where, []).append(attr if attr == there else attr + "=" + there)
    return own, taken


def main():
    warnings.filterwarnings("ignore")
    import paddle
    import paddle.fluid  # noqa: F401
    # Two of its files define the same protobuf messages: the one in use goes first.
    import paddle.fluid.incubate.fleet.parameter_server.pslib  # noqa: F401
    assert paddle.__version__ == "1.8.5", "names come from Paddle 1.8.5"
    with open(OUT, "w") as f:
        f.write("# The modules of PaddlePaddle 1.8.5 and their names: made by "
                "tests/python/golden/record_names.py\n")
        for name, module in modules(os.path.dirname(os.path.abspath(paddle.__file__))):
            own, taken = describe(name, module) if module else ([], {})
            f.write("\n" + name + "\n")
            for what, names in [("own", own)] + sorted(taken.items()):
                if names:
                    f.write(textwrap.fill("%s: %s" % (what, " ".join(names)), 110,
                                          initial_indent="  ", subsequent_indent="    ",
                                          break_long_words=False, break_on_hyphens=False) + "\n")


if __name__ == "__main__":
    main()
