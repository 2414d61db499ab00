"""Shapes, slices and indices."""

__all__ = []
