"""Readers, and what can be done with them.

A reader is a function without arguments that returns an iterator over samples. A decorator
takes readers and returns a reader; each call of it starts anew."""
from . import creator, decorator  # noqa: F401
from .decorator import *  # noqa: F401,F403
from .decorator import __all__  # noqa: F401
from .pipe import pipe_reader  # noqa: F401
