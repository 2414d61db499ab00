"""For test_help.py: every public name is in the stub of its module, and help() has all of its parts."""
import ast
import importlib
import inspect
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import api_help  # noqa: E402
from public import MODULES, entries, names_of  # noqa: E402
from paddle import _names  # noqa: E402


def names_in(stub):
    """As a type checker sees them."""
    known = set()
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ImportFrom):
            known.update(a.asname for a in node.names)
        elif isinstance(node, ast.Assign):
            known.update(t.id for t in node.targets)
        elif isinstance(node, ast.AnnAssign):
            known.add(node.target.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            known.add(node.name)
    return known


def check_stubs():
    stubs = api_help.existing()
    for name in MODULES:
        module = importlib.import_module(name)
        path = os.path.relpath(os.path.realpath(module.__file__), os.path.join(ROOT, "python")) + "i"
        wanted = {n for n in names_of(module) if not isinstance(
            getattr(module, n), (type(os), _names._Refused))}
        assert wanted <= names_in(stubs[path]), (name, wanted - names_in(stubs[path]))


def check_help():
    for entry in entries():
        text = inspect.getdoc(entry.value) or ""
        if not entry.support and not api_help.compose.is_refused(entry):
            assert "Examples:" in text and ">>>" in text, entry.full
            assert not entry.parameters() or "Args:" in text, entry.full
            assert entry.is_class or "Returns:" in text, entry.full


check_stubs()
check_help()
