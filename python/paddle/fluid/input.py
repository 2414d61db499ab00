"""fluid.embedding, fluid.one_hot: the newer spellings of inputs."""
from .layers.arguments import guard

__all__ = ["one_hot", "embedding"]


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


guard(globals(), "fluid.")
