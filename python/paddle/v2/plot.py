"""Ploter: curves of a training run."""
from paddle.utils.plot import PlotData, Ploter  # noqa: F401

__all__ = ["Ploter"]
