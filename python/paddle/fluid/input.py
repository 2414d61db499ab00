"""fluid.data, fluid.embedding, fluid.one_hot: the newer spellings of inputs."""
from .core import VarDesc
from .framework import default_main_program

__all__ = ["data", "one_hot", "embedding"]


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


def one_hot(input, depth, allow_out_of_range=False):
    """Classes as rows with a single one: the shape of input, and depth."""
    from .layers.classify import _one_hot
    return _one_hot("one_hot_v2", input, depth, allow_out_of_range, False)


def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None,
              param_attr=None, dtype="float32"):
    """Rows of a table by id: the shape of input, and size[1]."""
    from .layers.nn import _look_up
    return _look_up("lookup_table_v2", input, size, is_sparse, is_distributed, padding_idx,
                    param_attr, dtype)
