"""fluid.contrib: what is implemented of it, and names that say they are not."""
from . import extend_optimizer, layers, mixed_precision, reader
from ._refused import refused
from .extend_optimizer import *  # noqa: F401,F403
from .layers import *  # noqa: F401,F403
from .reader import *  # noqa: F401,F403

_DECODER = "beam search is fluid.layers.beam_search inside fluid.layers.While"
_QUANTIZE = "programs run in floating point"
_TABLE = "a lookup table on servers is saved with fluid.io.save_persistables"
_HDFS = "use fluid.incubate.fleet.utils.hdfs, or the client's own command"
_REFUSED = {
    "InitState": _DECODER, "StateCell": _DECODER, "TrainingDecoder": _DECODER,
    "BeamSearchDecoder": _DECODER,
    "memory_usage": "variables share memory here, so their sizes do not add up",
    "op_freq_statistic": "count op.type over the program's blocks",
    "QuantizeTranspiler": _QUANTIZE, "Compressor": _QUANTIZE,
    "load_persistables_for_increment": _TABLE, "load_persistables_for_inference": _TABLE,
    "convert_dist_to_sparse_program": _TABLE,
    "HDFSClient": _HDFS, "multi_download": _HDFS, "multi_upload": _HDFS,
}
for _name, _why in _REFUSED.items():
    globals()[_name] = refused(_name, _why)

__all__ = list(_REFUSED) + extend_optimizer.__all__ + layers.__all__ + reader.__all__ + [
    "mixed_precision"]
