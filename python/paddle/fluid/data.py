"""fluid.data: where data enters a program."""
from .core import VarDesc
from .framework import default_main_program
from .layers.arguments import guard

__all__ = ["data"]


def _dimension(dim, shape):
    try:
        int(dim)
    except (TypeError, ValueError):
        raise TypeError("fluid.data: shape is %r, and must be of whole numbers, with None for the "
                        "size of a batch" % (list(shape),)) from None
    return dim


def data(name, shape, dtype="float32", lod_level=0, type=VarDesc.VarType.LOD_TENSOR):
    """A variable to be fed, with its whole shape; what is fed is checked against it."""
    shape = [-1 if dim is None else _dimension(dim, shape) for dim in shape]
    kwargs = dict(name=name, shape=shape, dtype=dtype, lod_level=lod_level, stop_gradient=True,
                  is_data=True, need_check_feed=True)
    return default_main_program().global_block().create_var(**kwargs)


guard(globals(), "fluid.")
