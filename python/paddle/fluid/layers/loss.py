"""Losses."""

__all__ = []
