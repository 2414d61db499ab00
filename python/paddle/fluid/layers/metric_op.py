"""Metrics inside a program."""

__all__ = []
