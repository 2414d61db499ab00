"""Marks on functions."""
import functools
import sys

__all__ = ["deprecated"]


def deprecated(since, instead, extra_message=""):
    """The function, which says what to use instead when it is called."""
    def decorate(func):
        text = "API {0} is deprecated since {1}. Please use {2} instead.".format(
            func.__name__, since, instead)
        if extra_message:
            text += "\n" + extra_message

        @functools.wraps(func)
        def call(*args, **kwargs):
            sys.stderr.write(text + "\n")
            return func(*args, **kwargs)
        call.__doc__ = text + "\n" + (func.__doc__ or "")
        return call
    return decorate
