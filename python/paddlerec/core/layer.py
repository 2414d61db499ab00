"""Layer: the base of a piece of a net that is described in YAML."""
import abc

__all__ = ["Layer"]


class Layer(abc.ABC):
    def __init__(self, config):
        """config: the layer's part of the description."""

    @abc.abstractmethod
    def generate(self, param):
        """Append the layer to the program: (output, extra outputs by name)."""
