"""Decorators whose functions keep their names, documentation and signatures."""
import contextlib
import functools

__all__ = ["wrap_decorator", "signature_safe_contextmanager"]


def wrap_decorator(decorator_func):
    """decorator_func as a decorator that keeps what inspect shows of the function."""
    def decorate(func):
        wrapped = decorator_func(func)

        @functools.wraps(func)
        def call(*args, **kwargs):
            return wrapped(*args, **kwargs)
        return call
    return decorate


signature_safe_contextmanager = wrap_decorator(contextlib.contextmanager)
