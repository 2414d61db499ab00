"""Python 2 sources: scripts, configs and data providers of the time, run as they are.

One file that does not parse as Python 3, and does as Python 2, makes its workspace (the tree of
folders it is in) Python 2; so does one that parses and could not run (print >>f,
cPickle, xrange, d.iteritems()). All modules of that tree are translated in memory when they are imported, and
what Python 2 meant is kept (meaning.py: integer division, lists from map, files and pickles;
modules.py: the modules of its library). Nothing is written beside the sources.

    paddle python train.py ARGUMENTS"""
import ast
import functools
import importlib.util
import itertools
import os
import sys
from importlib.machinery import PathFinder

from . import translate

__all__ = ["enable", "is_enabled", "is_shared", "load", "needs", "run"]

_FOLDERS = 200  # how far a workspace is looked through; what is beyond is seen when imported
_FILES = 500
_LEAVE = {"__pycache__", "node_modules", "site-packages", "dist-packages"}

_workspaces = {}  # folder -> is it Python 2?


def _sources(folder):
    """The .py files of a tree, nearest first, without environments and hidden folders."""
    queue, folders, files = [folder], 0, 0
    while queue and folders < _FOLDERS and files < _FILES:
        here = queue.pop(0)
        folders += 1
        try:
            entries = sorted(os.scandir(here), key=lambda e: e.name)
        except OSError:
            continue
        if any(e.name == "pyvenv.cfg" for e in entries):
            continue
        for entry in entries:
            if entry.name.endswith((".py", ".conf")) and entry.is_file():
                files += 1
                yield entry.path
            elif entry.is_dir(follow_symlinks=False) and entry.name not in _LEAVE and \
                    not entry.name.startswith("."):
                queue.append(entry.path)


def is_shared(folder):
    """What lies in a home or in /tmp does not belong together: there each file speaks for itself,
    and none for what is below."""
    return folder in {"/", "/tmp", "/var/tmp", "/home", "/opt", "/usr", "/var",
                      os.path.realpath(os.path.expanduser("~"))}


def enable(folder, also=()):
    """Look whether a folder's tree is Python 2, and if so translate what is imported from it.
    also: files that belong to it whatever their names end in."""
    folder = os.path.realpath(folder)
    if folder in _workspaces:
        return _workspaces[folder]
    _workspaces[folder] = False
    _install()
    beside = () if is_shared(folder) else _sources(folder)
    for path in itertools.chain(map(os.path.realpath, also), beside):
        if _belongs(path, folder) and _decides(folder, path):
            break
    return _workspaces[folder]


def _decides(folder, path):
    """Does this file make its workspace Python 2? Then that is said."""
    line = translate.python2_line(path, () if is_shared(folder) else _sources(folder))
    if line is None:
        return False
    _workspaces[folder] = True
    print("paddle: %s is Python 2 (%s:%d is no Python 3): its modules are translated in memory"
          % (folder, os.path.relpath(path, folder), line), file=sys.stderr, flush=True)
    # Text is what Python 2 had: bytes that mostly are UTF-8, and go through as they are.
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="surrogateescape")
    return True


def needs(path):
    """Is a script Python 2, or a module of its folder that it imports, directly or through others?"""
    path = os.path.realpath(path)
    queue, seen = [path], set()
    while queue and len(seen) < _FILES:
        file = queue.pop()
        if file in seen:
            continue
        seen.add(file)
        if translate.python2_line(file) is not None:
            return True
        queue += _imported(file, os.path.dirname(path))
    return False


def _imported(file, folder):
    """The files of a folder's modules that a file imports."""
    try:
        tree = ast.parse(translate.read(file)[0])
    except (OSError, ValueError, SyntaxError, LookupError):
        return []
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(node.module + "." + alias.name for alias in node.names)
    places = [os.path.join(folder, *name.split(".")) for name in sorted(names)]
    files = [place + ".py" for place in places] + [
        os.path.join(place, "__init__.py") for place in places]
    return [os.path.realpath(found) for found in files if os.path.isfile(found)]


def is_enabled(path):
    """Is this file in a workspace that is Python 2?"""
    path = os.path.realpath(path)
    return any(old and _belongs(path, folder) for folder, old in _workspaces.items())


@functools.lru_cache(maxsize=None)
def _belongs(path, folder):
    """Is a file of a workspace: below its folder, and not in an environment that is there too?"""
    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    if is_shared(folder):
        return os.path.dirname(path) == folder
    if not path.startswith(os.path.join(folder, "")) or \
            path.startswith((os.path.join(packages, "paddle", ""),
                             os.path.join(packages, "py_paddle", ""))):
        return False
    here = folder
    for part in os.path.relpath(os.path.dirname(path), folder).split(os.sep):
        if part in _LEAVE or part.startswith(".") and part != ".":
            return False
        here = os.path.join(here, part)
        if os.path.exists(os.path.join(here, "pyvenv.cfg")):
            return False
    return True


def _is_of_python2(path):
    """Is this module to be translated? One that was not looked at yet may decide it."""
    real = os.path.realpath(path)
    if not is_enabled(path) and not any(
            _decides(folder, real) for folder in _workspaces if _belongs(real, folder)):
        return False
    return translate.may_be_python2(path)


class _Loader:
    """Loads one module of a Python 2 workspace."""

    def __init__(self, path):
        self.path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        from . import meaning
        meaning.execute(translate.code_of(self.path), module.__dict__)

    def get_filename(self, name=None):
        return self.path

    def get_source(self, name=None):
        return translate.read(self.path)[0]


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not spec.has_location or not spec.origin.endswith(".py") or \
                not _is_of_python2(spec.origin):
            return None
        return importlib.util.spec_from_file_location(
            name, spec.origin, loader=_Loader(spec.origin),
            submodule_search_locations=spec.submodule_search_locations)


def _install():
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def load(path, namespace):
    """Run a file, Python 2 or 3, in a namespace."""
    from . import meaning
    if is_enabled(path) and translate.may_be_python2(path):
        meaning.execute(translate.code_of(path), namespace)
    else:
        meaning.execute_as_is(_compile(path), namespace)


def _compile(path):
    """The code of a file of Python 3; for one that is neither, what both say of it."""
    text, _ = translate.read(path)
    try:
        return compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        try:
            translate.code_of(path)
        except SyntaxError as other:
            error.msg += "; and as Python 2: %s (line %s)" % (other.msg, other.lineno)
        raise


def run(path, arguments):
    """Run a script as the main program."""
    enable(os.path.dirname(os.path.abspath(path)), also=[path])
    module = type(sys)("__main__")
    module.__dict__.update(__file__=path, __cached__=None, __loader__=None)
    sys.modules["__main__"] = module
    sys.argv[:] = [path] + list(arguments)
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    load(path, module.__dict__)
