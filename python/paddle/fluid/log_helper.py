"""Loggers that do not touch the root logger."""

__all__ = ["get_logger"]


def get_logger(name, level, fmt=None):
    """The logger of a name, with a handler of its own on stderr."""
    import logging
    logger = logging.getLogger(name)
    logger.setLevel(level)
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler())
    if fmt is not None:
        for handler in logger.handlers:
            handler.setFormatter(logging.Formatter(fmt))
    return logger
