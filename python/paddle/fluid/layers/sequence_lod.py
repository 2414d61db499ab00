"""Layers over sequences (LoD)."""

__all__ = []
