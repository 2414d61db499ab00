"""Scopes as a stack, one for each thread: var() and find_var() work on the uppermost."""
import threading

from .core import Scope

__all__ = ["get_cur_scope", "enter_local_scope", "leave_local_scope", "var", "find_var",
           "scoped_function"]

_local = threading.local()


def _stack():
    if not getattr(_local, "scopes", None):
        _local.scopes = [Scope()]
    return _local.scopes


def get_cur_scope():
    return _stack()[-1]


def enter_local_scope():
    """Put a scope on top, which sees what is below."""
    _stack().append(get_cur_scope().new_scope())


def leave_local_scope():
    """Drop the uppermost and what it holds."""
    _stack().pop()
    get_cur_scope().drop_kids()


def var(name):
    """The variable of the uppermost scope, made if it is not there."""
    return get_cur_scope().var(name)


def find_var(name):
    """The variable of the uppermost scope that has it, or None."""
    return get_cur_scope().find_var(name)


def scoped_function(func):
    """Call func in a scope of its own."""
    enter_local_scope()
    try:
        func()
    finally:
        leave_local_scope()
