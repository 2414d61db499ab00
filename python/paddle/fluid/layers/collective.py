"""Layers over all ranks of collective training."""
from .. import unique_name
from ..layer_helper import LayerHelper

__all__ = []


def _like(helper, x, rows=None):
    """Out, under the name that real Paddle gives it."""
    kind = "tmp" if helper.layer_type == "allreduce" else helper.layer_type
    shape = list(x.shape)
    if rows is not None and shape and shape[0] >= 0:
        shape[0] = rows(shape[0])
    return helper.create_variable(name=unique_name.generate("%s.%s" % (x.name, kind)), shape=shape, dtype=x.dtype,
                                  type=x.type, persistable=x.persistable, stop_gradient=False)


def _allreduce(x, out=None, reduce_type="sum", sync_mode=False):
    types = ["sum", "prod", "max", "min"]
    if reduce_type not in types:
        raise TypeError("reduce type can only be [sum|prod|max|min]")
    helper = LayerHelper("allreduce")
    out = _like(helper, x) if out is None else out
    helper.append_op(type="allreduce", inputs={"X": [x]}, outputs={"Out": [out]},
                     attrs={"reduce_type": types.index(reduce_type), "sync_mode": sync_mode})
    return out


def _broadcast(x, root, sync_mode=False):
    helper = LayerHelper("broadcast")
    helper.append_op(type="broadcast", inputs={"X": [x]}, outputs={"Out": [x]},
                     attrs={"sync_mode": sync_mode, "root": root})
    return x


def _c_allreduce(x, out=None, reduce_type="sum", ring_id=0, use_calc_stream=False):
    if reduce_type not in ("sum", "prod", "max", "min"):
        raise TypeError("reduce type can only be [sum|prod|max|min]")
    helper = LayerHelper("c_allreduce_" + reduce_type)
    out = _like(helper, x) if out is None else out
    helper.append_op(type="c_allreduce_" + reduce_type, inputs={"X": [x]}, outputs={"Out": [out]},
                     attrs={"ring_id": ring_id, "use_calc_stream": use_calc_stream})
    return out


def _c_broadcast(x, root=0, ring_id=0, use_calc_stream=False):
    helper = LayerHelper("c_broadcast")
    helper.append_op(type="c_broadcast", inputs={"X": [x]}, outputs={"Out": [x]},
                     attrs={"root": root, "ring_id": ring_id, "use_calc_stream": use_calc_stream})
    return x


def _c_allgather(x, nranks, ring_id=0, use_calc_stream=False):
    helper = LayerHelper("c_allgather")
    out = _like(helper, x, lambda rows: rows * nranks)
    helper.append_op(type="c_allgather", inputs={"X": [x]}, outputs={"Out": [out]},
                     attrs={"nranks": nranks, "ring_id": ring_id,
                            "use_calc_stream": use_calc_stream})
    return out


def _c_reducescatter(x, nranks, ring_id=0, use_calc_stream=False):
    if x.shape[0] > 0 and x.shape[0] % nranks:
        raise ValueError("x has %d rows, which do not go evenly to %d ranks"
                         % (x.shape[0], nranks))
    helper = LayerHelper("c_reducescatter")
    out = _like(helper, x, lambda rows: rows // nranks)
    helper.append_op(type="c_reducescatter", inputs={"X": [x]}, outputs={"Out": [out]},
                     attrs={"nranks": nranks, "ring_id": ring_id,
                            "use_calc_stream": use_calc_stream})
    return out


def _c_sync_calc_stream(x):
    helper = LayerHelper("c_sync_calc_stream")
    helper.append_op(type="c_sync_calc_stream", inputs={"X": [x]}, outputs={"Out": [x]})
    return x


def _c_sync_comm_stream(x, ring_id):
    helper = LayerHelper("c_sync_comm_stream")
    helper.append_op(type="c_sync_comm_stream", inputs={"X": [x]}, outputs={"Out": [x]},
                     attrs={"ring_id": ring_id})
    return x
