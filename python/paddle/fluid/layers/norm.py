"""Normalisation and dropout."""

__all__ = []
