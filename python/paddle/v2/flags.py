"""paddle.init: what a trainer is told of its job. Arguments come before PADDLE_INIT_*, which come
before the defaults."""
import collections
import difflib
import os

from ..trainer import device

__all__ = ["init", "flags"]

_Flag = collections.namedtuple("_Flag", "read default")
_PREFIX = "PADDLE_INIT_"
_SHOWN = 9  # the options that matter, which come first


def _whole(low):
    def read(value):
        number = int(str(value))
        if number < low:
            raise ValueError("must be at least %d" % low)
        return number
    return read


def _truth(value):
    text = str(value).strip().lower()
    if text in ("1", "true", "t", "yes", "y"):
        return True
    if text in ("0", "false", "f", "no", "n", ""):
        return False
    raise ValueError("must be True or False")


def _only(default, why, read=str):
    """An option that is taken where it asks for nothing, and else refused."""
    def take(value):
        if read(value) != default:
            raise ValueError("is not supported: %s; leave it out or say %r" % (why, default))
        return default
    return _Flag(take, default)


_CPU = "models run on the CPU"
_SAYS = "event handlers say what a trainer does"

# With the defaults of the cluster guide of v2.
_FLAGS = {
    "use_gpu": _Flag(_truth, False),
    "trainer_count": _Flag(_whole(1), 1),
    "port": _Flag(_whole(1), 7164),
    "ports_num": _Flag(_whole(1), 1),
    "ports_num_for_sparse": _Flag(_whole(0), 1),
    "num_gradient_servers": _Flag(_whole(1), 1),
    "trainer_id": _Flag(_whole(0), 0),
    "pservers": _Flag(str, "127.0.0.1"),
    "seed": _Flag(_whole(0), 1),
    "comment": _Flag(str, ""),  # a mark for whoever looks at processes
    "use_mkldnn": _Flag(_truth, False),  # the core takes the better library for each shape
    "use_mkl_packed": _Flag(_truth, False),
    "rnn_use_batch": _Flag(_truth, False),  # sequences are always computed as batches
    "rdma_tcp": _only("tcp", "trainers and servers talk over tcp"),
    "gpu_id": _Flag(_whole(0), 0),
    "parallel_nn": _only(False, _CPU, _truth),
    "prev_batch_state": _only(False, "recurrent layers start anew in each batch", _truth),
    "beam_size": _only(1, "beam_search(beam_size=...) says it", int),
    "log_clipping": _Flag(_truth, False),
    "log_error_clipping": _Flag(_truth, False),
    "show_layer_stat": _only(False, _SAYS, _truth),
    "show_parameter_stats_period": _only(0, _SAYS, int),
    "log_period": _only(100, _SAYS, int),
}

OPTIONS = tuple(_FLAGS)
_values = None


def _from_environment():
    return {name[len(_PREFIX):].lower(): (value, name) for name, value in os.environ.items()
            if name.startswith(_PREFIX) and len(name) > len(_PREFIX)}


def init(**kwargs):
    """Say how this process trains: init(use_gpu=False, trainer_count=1, pservers=...)."""
    global _values
    given = _from_environment()
    given.update({name: (value, "%s=%r" % (name, value)) for name, value in kwargs.items()})
    values = {name: flag.default for name, flag in _FLAGS.items()}
    for name, (value, where) in given.items():
        if name not in _FLAGS:
            near = difflib.get_close_matches(name, _FLAGS, n=1)
            raise ValueError("paddle.init: %s: there is no option %r%s; there are %s"
                             % (where, name, " (did you mean %r?)" % near[0] if near else "",
                                ", ".join(list(_FLAGS)[:_SHOWN])))
        try:
            values[name] = _FLAGS[name].read(value)
        except ValueError as error:
            said = str(error) if str(error).startswith(("must", "is not")) else \
                "must be a whole number"
            raise ValueError("paddle.init: %s: %s %s" % (
                where if where.startswith(_PREFIX) else "%s=%r" % (name, value), name, said)
            ) from None
    if values["trainer_id"] >= values["num_gradient_servers"]:
        raise ValueError("paddle.init: trainer_id is %d, and there are %d trainers "
                         "(num_gradient_servers), numbered from 0"
                         % (values["trainer_id"], values["num_gradient_servers"]))
    _choose_device(values, given)
    _values = values


def _choose_device(values, given):
    if not values["use_gpu"]:
        if values["gpu_id"] != 0:
            raise ValueError("paddle.init: %s: gpu_id is not supported: models run on the CPU; leave it "
                             "out or say 0, or say use_gpu=True" % given["gpu_id"][1])
        device.use(None)
        return
    try:
        device.use(values["gpu_id"])
    except RuntimeError as error:
        raise ValueError("paddle.init: %s: use_gpu is not supported here: %s"
                         % (given["use_gpu"][1], error)) from None


def flags():
    """What init() was told; where it was not called, the environment and the defaults."""
    if _values is None:
        init()
    return _values
