"""What a fleet is built on."""

__all__ = ["Mode"]


class Mode(object):
    TRANSPILER = 1
    PSLIB = 2
    COLLECTIVE = 3
