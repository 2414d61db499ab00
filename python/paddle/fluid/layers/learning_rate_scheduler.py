"""Learning rates that change as training goes on."""

__all__ = []
