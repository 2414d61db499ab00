"""Making and moving tensors."""
from .. import unique_name
from ..initializer import Constant
from ..layer_helper import LayerHelper

__all__ = ["create_global_var"]


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """A variable of the global block that starts as one number everywhere."""
    helper = LayerHelper("global_var")
    var = helper.create_global_variable(dtype=dtype, shape=shape, persistable=persistable,
                                        name=name or unique_name.generate("_generated_var"),
                                        stop_gradient=True)
    helper.set_variable_initializer(var, Constant(value=float(value), force_cpu=force_cpu))
    return var
