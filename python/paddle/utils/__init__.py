"""Small helpers of scripts."""
from .plot import Ploter

__all__ = ["Ploter"]
