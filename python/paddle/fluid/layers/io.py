"""Where data enters a program."""
from ..core import VarDesc
from ..framework import default_main_program
from ..layer_helper import LayerHelper

__all__ = ["data", "load"]


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


def load(out, file_path, load_as_fp16=None):
    """The variable `out` from a file, each time that the program runs."""
    attrs = {"file_path": file_path}
    if load_as_fp16 is not None:
        attrs["load_as_fp16"] = load_as_fp16
    LayerHelper("load").append_op("load", {}, {"Out": [out]}, attrs)
