"""fluid.data: where data enters a program."""
from .core import VarDesc
from .framework import default_main_program

__all__ = ["data"]


def data(name, shape, dtype="float32", lod_level=0, type=VarDesc.VarType.LOD_TENSOR):
    """A variable to be fed, with its whole shape; what is fed is checked against it."""
    if not isinstance(name, str):
        raise TypeError("fluid.data: name is %s, and must be a str" % type(name))
    if not isinstance(shape, (list, tuple)):
        raise TypeError("fluid.data: shape is %s, and must be a list" % type(shape))
    shape = [-1 if dim is None else dim for dim in shape]
    kwargs = dict(name=name, shape=shape, dtype=dtype, lod_level=lod_level, stop_gradient=True,
                  is_data=True, need_check_feed=True)
    return default_main_program().global_block().create_var(**kwargs)
