"""Files of parameters and models are bytes, however a script has opened them: scripts of Python 2 say
open("model.tar") and open("model.tar", "w")."""

__all__ = ["binary"]


def binary(f):
    """The file of bytes that a file of text is made of; any other as it is."""
    under = getattr(f, "buffer", None)
    if under is None:
        return f
    f.flush()
    return under
