"""Convolution and pooling."""

__all__ = []
