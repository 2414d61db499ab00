"""Where v2, `paddle train` and py_paddle compute: the CPU, or the GPU that was asked for."""
from .. import fluid

_gpu = None


def use(gpu):
    """From now on on GPU number `gpu`, or on the CPU: None. RuntimeError says why it cannot be."""
    global _gpu
    if gpu is not None:
        fluid.CUDAPlace(gpu)
    _gpu = gpu


def place():
    return fluid.CPUPlace() if _gpu is None else fluid.CUDAPlace(_gpu)


def check_threads(trainer_count):
    """One thread drives a GPU."""
    if _gpu is not None and int(trainer_count) > 1:
        raise ValueError("trainer_count is %d with use_gpu: a process trains on one GPU; start one for "
                         "each with python -m paddle.distributed.launch" % int(trainer_count))
