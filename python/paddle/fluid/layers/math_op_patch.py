"""Arithmetic on Variables: x + y, x * 2, x[1:3]."""

__all__ = []
