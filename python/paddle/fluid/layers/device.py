"""The devices that a program may run on."""
from .. import unique_name
from ..annotations import deprecated
from ..layer_helper import LayerHelper

__all__ = []


@deprecated(since="0.15.0", instead="ParallelExecutor")
def get_places(device_count=None, device_type=None):
    """A variable with a list of places, which no op reads any more: CompiledProgram and
    ParallelExecutor take fluid.cpu_places()."""
    helper = LayerHelper("get_places")
    out = helper.create_variable(name=unique_name.generate(helper.name + ".out"))
    attrs = {}
    if device_count is not None:
        attrs["device_count"] = int(device_count)
    if device_type is not None:
        attrs["device_type"] = str(device_type)
    helper.append_op("get_places", {}, {"Out": [out]}, attrs)
    return out
