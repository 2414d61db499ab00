"""PaddlePaddle's distributed training, on Regatta's C core.

The API is that of PaddlePaddle 1.8.5, and __version__ says so, since scripts ask;
regatta_version is our own. Modules are imported when they are first used."""
import os

from . import _names
_names.install()  # before any module of the package is loaded
from .batch import batch  # noqa: E402
from .version import full_version as __version__  # noqa: E402,F401

__all__ = ["batch"]

_MODULES = ("compat", "dataset", "distributed", "fluid", "reader", "sysconfig", "utils", "version",
            "trainer", "v2")


def _refuse_company():
    """Two distributions that own the package paddle overwrite each other's files."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        names = os.listdir(folder)
    except OSError:  # in an archive, or not ours to see
        return
    for name in names:
        if name.startswith(("paddlepaddle-", "paddlepaddle_")) and \
                name.endswith((".dist-info", ".egg-info")):
            raise ImportError(
                "Regatta and %s are both installed in %s, and each is the package 'paddle': keep "
                "one of them (pip uninstall %s, then pip install --force-reinstall regatta; or pip "
                "uninstall regatta), or give each an environment of its own"
                % (name.rsplit(".", 1)[0], folder, name.split("-")[0].replace("_", "-")))


_refuse_company()


def __getattr__(name):
    if name in _MODULES:
        __import__("paddle." + name)
        return globals()[name]
    if name == "regatta_version":
        from ._core import version
        return version
    return _names.missing(__name__, name)


def __dir__():
    return sorted(set(globals()) | set(_MODULES) | {"regatta_version"})
