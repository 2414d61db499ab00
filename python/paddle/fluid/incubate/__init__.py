"""Fluid's incubator: fleet, and what came with it."""
