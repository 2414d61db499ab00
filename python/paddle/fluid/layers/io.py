"""Where data enters a program."""
from ..core import VarDesc
from ..framework import default_main_program

__all__ = ["data"]


def data(name, shape, append_batch_size=True, dtype="float32", lod_level=0,
         type=VarDesc.VarType.LOD_TENSOR, stop_gradient=True):
    """A variable to be fed; the batch dimension is put in front unless it is there."""
    shape = [-1 if dim is None else dim for dim in shape]
    if any(dim < 0 for dim in shape):
        append_batch_size = False
    if append_batch_size:
        shape = [-1] + shape
    return default_main_program().global_block().create_var(
        name=name, shape=shape, dtype=dtype, type=type, lod_level=lod_level,
        stop_gradient=stop_gradient, is_data=True)
